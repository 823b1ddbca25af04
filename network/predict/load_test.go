package predict

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"talbot/internal/testkit/tinyrun"
	"talbot/network/checkpoint"
	"talbot/network/run"
)

// sameTensors compares names, shapes and numbers.
func sameTensors(a, b []checkpoint.Tensor) bool {
	return slices.EqualFunc(a, b, func(a, b checkpoint.Tensor) bool {
		return a.Name == b.Name && slices.Equal(a.Shape, b.Shape) && slices.Equal(a.Data, b.Data)
	})
}

// TestOpen: a run, its checkpoint and an exported network are the same network.
func TestOpen(t *testing.T) {
	c := tiny(t)
	c.ValueTarget = "winprob"
	tensors := tinyrun.Weights(t, c)
	dir, path := tinyrun.Write(t, c, tensors)
	exported := filepath.Join(t.TempDir(), "network.safetensors")
	write(t, exported, run.ExportMetadata{Recipe: c.Recipe, Settings: c.Settings, Step: 7,
		Checkpoint:  "best.safetensors",
		ValueTarget: c.ValueTarget}, tensors)
	b := opened(t, "go")
	var want []Output
	var sums []string
	for _, from := range []string{dir, path, exported} {
		p := mustOpen(t, b, from, Options{Batches: []int{8}})
		if p.Step != 7 || p.Config.Recipe != c.Recipe || p.Config.Settings != c.Settings || p.Averaged ||
			p.Config.ValueTarget != "winprob" || p.Exported != (from == exported) || p.Damaged != nil {
			t.Errorf("%s: %+v", from, p.About)
		}
		sums = append(sums, p.Sum)
		if n, err := Load(from, run.BestCheckpoint); err != nil || !sameTensors(n.Tensors, tensors) {
			t.Errorf("%s: other tensors, %v", from, err)
		}
		got := ask(t, p, questions(t, p.Encoder(), 8))
		if want == nil {
			want = got
		}
		if !slices.EqualFunc(got, want, func(a, b Output) bool { return equal(&a, &b) }) {
			t.Errorf("%s: other answers", from)
		}
	}
	if sums[0] != sums[1] || sums[1] == sums[2] || len(sums[2]) != 64 {
		t.Errorf("checksums %q", sums)
	}
}

func write(t *testing.T, path string, meta any, tensors []checkpoint.Tensor) {
	t.Helper()
	text, err := json.Marshal(meta)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := (&checkpoint.File{Meta: text, Tensors: tensors}).Write(f); err != nil {
		t.Fatal(err)
	}
}

// TestAveragedWeights: of a run that keeps an average that is what answers, unless the raw weights are asked for.
func TestAveragedWeights(t *testing.T) {
	c := tiny(t)
	c.EMA = 0.9
	raw := tinyrun.Weights(t, c)
	c.Seed++
	average := tinyrun.Weights(t, c)
	all := slices.Clone(raw)
	for _, tensor := range average {
		tensor.Name = run.AveragePrefix + tensor.Name
		all = append(all, tensor)
	}
	dir, path := tinyrun.Write(t, c, all)
	for _, from := range []string{dir, path} {
		for choice, want := range map[run.Choice][]checkpoint.Tensor{run.BestCheckpoint: average,
			run.NewestCheckpoint: average, run.RawWeights: raw} {
			got, err := Load(from, choice)
			if err != nil || !sameTensors(got.Tensors, want) || got.Averaged != (choice != run.RawWeights) {
				t.Errorf("%s, choice %d: %v", from, choice, err)
			}
		}
	}
}

// TestDamagedFiles: a checkpoint that is not whole is passed over and named; what does not fit its settings is damage.
func TestDamagedFiles(t *testing.T) {
	c := tiny(t)
	tensors := tinyrun.Weights(t, c)
	dir, path := tinyrun.Write(t, c, tensors)
	best := filepath.Join(filepath.Dir(path), checkpoint.Best)
	if err := os.Remove(best); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(best, []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	n, err := Load(dir, run.BestCheckpoint)
	if err != nil || n.Path != path || len(n.Damaged) != 1 || !errors.Is(n.Damaged[0], checkpoint.ErrDamaged) {
		t.Errorf("%+v, %v", n, err)
	}
	other := filepath.Join(t.TempDir(), "x")
	wider := c
	if err := wider.Set("filters", "9"); err != nil {
		t.Fatal(err)
	}
	settings := run.ExportMetadata{Recipe: c.Recipe, Settings: c.Settings, Checkpoint: "x"}
	for name, test := range map[string]struct {
		meta    any
		tensors []checkpoint.Tensor
		want    string
	}{
		"missing": {settings, tensors[1:], `tensor "stem.conv.weight" is missing`},
		"shape": {run.ExportMetadata{Recipe: c.Recipe, Settings: wider.Settings, Checkpoint: "x"}, tensors,
			"has shape"},
		"not whole": {run.ExportMetadata{Recipe: c.Recipe, Settings: `{"filters":9}`, Checkpoint: "x"}, tensors,
			"not whole"},
		"recipe":   {run.ExportMetadata{Recipe: "nosuch", Settings: `{}`, Checkpoint: "x"}, tensors, "unknown recipe"},
		"setting":  {run.ExportMetadata{Recipe: c.Recipe, Settings: `{"x":1}`, Checkpoint: "x"}, tensors, `"x"`},
		"value":    {run.ExportMetadata{Recipe: c.Recipe, Settings: `{"blocks":0}`, Checkpoint: "x"}, tensors, "blocks"},
		"no state": {map[string]any{"a": 1}, tensors, "not a checkpoint"},
	} {
		write(t, other, test.meta, test.tensors)
		if _, err := Load(other, run.BestCheckpoint); err == nil || !strings.Contains(err.Error(), test.want) ||
			!strings.Contains(err.Error(), other) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
