package job

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"talbot/dataset"
	"talbot/internal/testkit/traindata"
	"talbot/network/recipe"
	"talbot/network/run"
	"talbot/train/loader"
)

// TestTwice: the same commands on the same data give the same bytes, whatever else the machine does meanwhile and
// however many goroutines read and compute. With TALBOT_FULL also on xla:cpu.
func TestTwice(t *testing.T) {
	spec := write(t, traindata.Dataset{Seed: 6, Games: 50, Shards: 2, Candidates: true, Rated: true,
		Splits: dataset.Splits{Train: 80, Val: 10, Test: 10}})
	backends := []string{"go"}
	if os.Getenv("TALBOT_FULL") != "" {
		backends = append(backends, "xla:cpu")
	}
	for _, on := range backends {
		for _, name := range recipe.Names() {
			t.Run(name+"/"+on, func(t *testing.T) { twice(t, name, spec, on) })
		}
	}
}

func twice(t *testing.T, name string, spec loader.Spec, on string) {
	job := Train{Data: []loader.Spec{spec}, Recipe: name, Steps: 12, Backend: on,
		Adjust: func(c *run.Config) error {
			c.Batch, c.LR, c.CheckpointEvery, c.EvalEvery, c.EMA = 16, 5e-3, 6, 6, 0.9
			small(c, 2)
			return nil
		}}
	first, second := job, job
	first.Dir, first.Workers = filepath.Join(t.TempDir(), "first"), 1
	mustTrain(t, first)

	before := runtime.GOMAXPROCS(5)
	defer runtime.GOMAXPROCS(before)
	ctx, quiet := context.WithCancel(t.Context())
	defer quiet()
	for range 3 {
		go func() {
			for ctx.Err() == nil { // a busy machine
				runtime.Gosched()
			}
		}()
	}
	second.Dir, second.Workers = filepath.Join(t.TempDir(), "second"), 4
	mustTrain(t, second)
	for _, file := range []string{"step-000000000006.safetensors", "step-000000000012.safetensors",
		"best.safetensors"} {
		sameBytes(t, filepath.Join(first.Dir, "checkpoints", file), filepath.Join(second.Dir, "checkpoints", file))
	}
}

func sameBytes(t *testing.T, a, b string) {
	t.Helper()
	x, err := os.ReadFile(a)
	if err != nil {
		t.Fatal(err)
	}
	y, err := os.ReadFile(b)
	if err != nil {
		t.Fatal(err)
	}
	if string(x) != string(y) {
		t.Errorf("%q and %q differ", a, b)
	}
}
