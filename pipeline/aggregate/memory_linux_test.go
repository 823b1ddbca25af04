package aggregate

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/testkit"
	"talbot/internal/testkit/madeup"
)

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
		Inputs: []dataset.Input{{Name: "random"}}}, lines)
}

// TestMemory aggregates a million and ten million random lines, 200 million plies, in processes of their own. The
// larger one has the largest sieve that there is, and fills what is sorted at a time.
func TestMemory(t *testing.T) {
	if os.Getenv("TALBOT_FULL") == "" {
		t.Skip("SKIPPED: takes minutes; TALBOT_FULL=1 runs it")
	}
	var peaks []int64
	for _, n := range []int{1_000_000, 10_000_000} {
		dir := t.TempDir()
		in := filepath.Join(dir, "in")
		begun := time.Now()
		writeRandom(t, in, n)
		t.Logf("%d lines written in %v", n, time.Since(begun).Round(time.Second))
		cmd := testkit.Child(t, job{In: in, Out: filepath.Join(dir, "out"), Whole: true})
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
