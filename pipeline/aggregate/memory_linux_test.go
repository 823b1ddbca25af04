package aggregate

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"syscall"
	"testing"
	"time"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/output"
	"talbot/internal/testkit/madeup"
)

// childIn and childOut name the variables with the folders that the test binary works on in place of the tests.
const (
	childIn  = "TALBOT_AGGREGATE_IN"
	childOut = "TALBOT_AGGREGATE_OUT"
)

func TestMain(m *testing.M) {
	in := os.Getenv(childIn)
	if in == "" {
		os.Exit(m.Run())
	}
	debug.SetGCPercent(GCPercent)
	sum, err := Request{In: []string{in}, Out: os.Getenv(childOut), Bands: DefaultBands, MinCount: 6, MinBand: 3,
		Splits: dataset.DefaultSplits, Workers: 2}.Run(context.Background())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("%d samples, %d bytes sorted", sum.Samples, sum.Temporary)
}

// writeRandom writes n lines of 20 plies each. Players prefer some moves, so that many positions recur.
func writeRandom(t *testing.T, dir string, n int) {
	t.Helper()
	lines := func(yield func(*dataset.Line) bool) {
		rng := rand.New(rand.NewPCG(1, uint64(n)))
		var legal, moves []board.Move
		for i := range n {
			l := dataset.Line{Number: int64(i + 1), Start: board.StartPosition(), WhiteElo: 1000 + rng.IntN(2000),
				BlackElo: 1000 + rng.IntN(2000)}
			p := l.Start
			moves = moves[:0]
			for range 20 {
				if legal = p.LegalMoves(legal[:0]); len(legal) == 0 {
					break
				}
				m := legal[rng.IntN(4)*rng.IntN(6)%len(legal)]
				moves = append(moves, m)
				p.Play(m)
			}
			l.Moves = moves
			if !yield(&l) {
				return
			}
		}
	}
	madeup.Write(t, dir, dataset.Manifest{Verb: "test", Splits: dataset.DefaultSplits,
		Inputs: []dataset.Input{{Name: "random"}}}, output.Options{Workers: runtime.GOMAXPROCS(0)}, lines)
}

// TestMemory aggregates a million and ten million random lines, 200 million plies, in processes of their own. The
// larger one has the largest sieve that there is, and fills what is sorted at a time.
func TestMemory(t *testing.T) {
	if os.Getenv("TALBOT_FULL") == "" {
		t.Skip("SKIPPED: takes minutes; TALBOT_FULL=1 runs it")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var peaks []int64
	for _, n := range []int{1_000_000, 10_000_000} {
		dir := t.TempDir()
		in := filepath.Join(dir, "in")
		begun := time.Now()
		writeRandom(t, in, n)
		t.Logf("%d lines written in %v", n, time.Since(begun).Round(time.Second))
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), childIn+"="+in, childOut+"="+filepath.Join(dir, "out"))
		cmd.Stderr = os.Stderr
		begun = time.Now()
		said, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		usage := cmd.ProcessState.SysUsage().(*syscall.Rusage) // on Linux it is
		peaks = append(peaks, usage.Maxrss<<10)
		t.Logf("%s, peak %d MB, %v of processor in %v", said, usage.Maxrss>>10,
			cmd.ProcessState.UserTime().Round(time.Second), time.Since(begun).Round(time.Second))
	}
	if peaks[1] > 700<<20 {
		t.Errorf("a peak of %d MB", peaks[1]>>20)
	}
}
