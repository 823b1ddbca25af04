//go:build unix

package train

import (
	"maps"
	"slices"
	"syscall"
	"testing"
	"time"
)

// BenchmarkStack measures steps of 20×8 alone and together, in turns, and prints the medians of three turns of 3 s
// each: milliseconds and page faults of a step.
func BenchmarkStack(b *testing.B) {
	for _, size := range []int{16, 512} {
		c := tiny()
		c.Batch = size
		set(&c, "blocks", 20)
		on := openTest(b, "xla:cpu")
		alone, joined := trainingEngine(b, on, c), trainingEngine(b, on, c)
		batches, rates := make([]*Batch, together), make([]float64, together)
		for i := range batches {
			batches[i], rates[i] = &Batch{}, 1e-3
			(&synthetic{batch: size}).fill(batches[i], int64(i))
		}
		turns := map[int]func() error{ // by how many steps are together
			0: func() error { _, err := alone.stepAlone(batches[0], 1, 1e-3); return err },
		}
		for _, n := range []int{1, 2, 4, together} {
			turns[n] = func() error { _, err := joined.stack(batches[:n], 1, rates[:n]); return err }
		}
		times, faults := map[int][]float64{}, map[int][]int64{}
		for round := range 4 {
			for n, turn := range turns {
				var before, after syscall.Rusage
				syscall.Getrusage(syscall.RUSAGE_SELF, &before)
				begun, steps := time.Now(), 0
				for steps == 0 || round > 0 && time.Since(begun) < 3*time.Second {
					if err := turn(); err != nil {
						b.Fatal(err)
					}
					steps += max(1, n)
				}
				took := time.Since(begun).Seconds() * 1e3 / float64(steps)
				if syscall.Getrusage(syscall.RUSAGE_SELF, &after); round > 0 { // the first one compiles
					times[n] = append(times[n], took)
					faults[n] = append(faults[n], (after.Minflt-before.Minflt)/int64(steps))
				}
			}
		}
		for _, n := range slices.Sorted(maps.Keys(turns)) {
			slices.Sort(times[n])
			slices.Sort(faults[n])
			b.Logf("batch %d, %d together (0: alone): %.1f ms a step (%.1f–%.1f), %d page faults", size, n, times[n][1],
				times[n][0], times[n][2], faults[n][1])
		}
	}
}
