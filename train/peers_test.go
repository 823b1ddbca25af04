package train

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"talbot/network/model"
	"talbot/network/run"
	"testing"
	"time"
)

// BenchmarkPeers trains the same network with talbot and with PyTorch (testdata/speed.py), in turns, and prints the
// medians of positions per second, and of those per second of processor time: all on one batch, talbot with copying the
// batch to the device and the losses back.
//
// Where Winograd's algorithm is the default, direct convolution is measured beside it.
//
// The environment says what is measured: TALBOT_BENCH_RECIPE (talbotbot, lynx, tahl, or nosearch, whose filters
// are its width), TALBOT_BENCH_NET (6x64), TALBOT_BENCH_BATCH (256), TALBOT_BENCH_DEVICE (cpu, or cuda),
// TALBOT_BENCH_PRECISION (float32, or bf16), TALBOT_BENCH_ROUNDS (5) and TALBOT_BENCH_SECONDS of each turn (5).
func BenchmarkPeers(b *testing.B) {
	env := func(name, otherwise string) string { return cmp.Or(os.Getenv("TALBOT_BENCH_"+name), otherwise) }
	number := func(text string) int {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			b.Fatalf("%q is not a number", text)
		}
		return n
	}
	blocks, filters, ok := strings.Cut(env("NET", "6x64"), "x")
	if !ok {
		b.Fatal("TALBOT_BENCH_NET is BLOCKSxFILTERS")
	}
	device, precision := env("DEVICE", "cpu"), env("PRECISION", "float32")
	batch, rounds, seconds := number(env("BATCH", "256")), number(env("ROUNDS", "5")), number(env("SECONDS", "5"))
	turn := time.Duration(seconds) * time.Second

	recipe := env("RECIPE", "talbotbot")
	c, err := run.New(recipe, "")
	if err != nil {
		b.Fatal(err)
	}
	c.Batch, c.Precision = batch, run.Precision(precision)
	set(&c, "blocks", number(blocks))
	var sample Batch
	switch recipe {
	case "nosearch":
		set(&c, "width", number(filters))
		sample = noSearchBatch(batch)
	case "tahl":
		set(&c, "filters", number(filters))
		sample = tahlBatch(b, batch)
	case "lynx":
		set(&c, "filters", number(filters))
		sample = lynxBatch(b, batch)
	default:
		set(&c, "filters", number(filters))
		(&synthetic{batch: c.Batch}).fill(&sample, 1)
	}
	specs := []string{"go", "xla:cpu"}
	if device != "cpu" {
		specs = []string{"xla:" + device}
	} else if precision != "float32" {
		specs = specs[1:]
	}
	var names []string
	var turns []func() speed
	for _, spec := range specs {
		e := trainingEngine(b, openTest(b, spec), c)
		if e.conv == model.Winograd {
			names = append(names, "talbot "+spec+" direct")
			turns = append(turns, ourTurn(b, direct(trainingEngine(b, e.backend, c)), sample, turn))
		}
		names, turns = append(names, "talbot "+spec), append(turns, ourTurn(b, e, sample, turn))
	}
	last := len(turns) - 1
	for _, mode := range []string{"", "--compile"} {
		args := []string{"--recipe", recipe, "--device", device, "--blocks", blocks, "--filters", filters,
			"--batch", strconv.Itoa(batch), "--precision", precision, "--seconds", strconv.Itoa(seconds)}
		next, err := peerTurn(b, append(args, strings.Fields(mode)...))
		if err != nil {
			b.Logf("NOT MEASURED, PyTorch %s: %v", mode, err)
			continue
		}
		names, turns = append(names, strings.TrimSpace("PyTorch "+mode)), append(turns, next)
	}
	b.ResetTimer()
	wall, cpu := make([][]float64, len(turns)), make([][]float64, len(turns))
	for range rounds {
		for i, next := range turns {
			s := next()
			wall[i], cpu[i] = append(wall[i], s.Wall), append(cpu[i], s.CPU)
		}
	}
	for _, kind := range []struct {
		unit string
		got  [][]float64
	}{{"s", wall}, {"CPU-s", cpu}} {
		for _, list := range kind.got {
			slices.Sort(list)
		}
		for i, name := range names {
			list := kind.got[i]
			median := list[rounds/2]
			b.Logf("%-21s %8.0f positions/%s (%.0f–%.0f), talbot %s is %.2f ×", name, median, kind.unit, list[0],
				list[rounds-1], specs[len(specs)-1], kind.got[last][rounds/2]/median)
			b.ReportMetric(median, strings.ReplaceAll(name, " ", "-")+"/"+kind.unit)
		}
	}
}

// speed is in positions per second, of the clock and of the processors' time. The latter is what counts where other
// programs run.
type speed struct {
	Wall float64 `json:"positions_per_second"`
	CPU  float64 `json:"positions_per_cpu_second"`
}

// processorTime is that of this process so far.
func processorTime(tb testing.TB) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// ourTurn trains for at least that long and returns positions per second.
func ourTurn(b *testing.B, e *engine, batch Batch, turn time.Duration) func() speed {
	step := int64(0)
	next := func(n int) {
		if _, err := e.steps(slices.Repeat([]*Batch{&batch}, n), step, slices.Repeat([]float64{1e-3}, n)); err != nil {
			b.Fatal(err)
		}
		step += int64(n)
	}
	next(1) // compiles
	begun := time.Now()
	next(1)
	n := 1 // steps in one execution, as in training
	if e.stacks() {
		n = max(1, min(together, int(maxCallTime/time.Since(begun))))
	}
	return func() speed {
		start, before, from := time.Now(), processorTime(b), step
		for time.Since(start) < turn {
			next(n)
		}
		n := float64((step - from) * int64(e.config.Batch))
		return speed{n / time.Since(start).Seconds(), n / (processorTime(b) - before).Seconds()}
	}
}

// peerTurn starts PyTorch, which measures itself when it is asked.
func peerTurn(b *testing.B, args []string) (func() speed, error) {
	cmd := exec.Command("python3", append([]string{"testdata/speed.py", "--serve"}, args...)...)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	b.Cleanup(func() { in.Close(); cmd.Wait() })
	lines := bufio.NewScanner(out)
	if !lines.Scan() || lines.Text() != "ready" {
		in.Close()
		text := strings.TrimSpace(said.String())
		return nil, fmt.Errorf("%s: %s", "python3 testdata/speed.py", text[strings.LastIndexByte(text, '\n')+1:])
	}
	return func() (answer speed) {
		io.WriteString(in, "\n")
		if !lines.Scan() {
			b.Fatalf("PyTorch ended: %s", said.String())
		}
		if err := json.Unmarshal(lines.Bytes(), &answer); err != nil {
			b.Fatal(err)
		}
		return answer
	}, nil
}
