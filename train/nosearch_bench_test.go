package train

import (
	"math/rand/v2"
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"

	"talbot/encode"
	"talbot/train/run"
)

// tokensBatch is a batch of made-up tokens.
func noSearchBatch(n int) (b Batch) {
	layout := encode.NoSearch{}.Layout()
	b.Resize(n, 1, &layout)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		w := b.Packed[i*layout.Words:]
		w[0], w[1], w[2] = rng.Uint64()&rng.Uint64(), rng.Uint64()&rng.Uint64()&rng.Uint64(), 0
		w[3], w[4] = rng.Uint64(), rng.Uint64()&0x1fff
		b.Codes[i], b.Weights[i] = int32(rng.IntN(encode.UCIMoves)), 1
	}
	return b
}

func BenchmarkNoSearch(b *testing.B) {
	for _, spec := range specs {
		b.Run(spec, func(b *testing.B) {
			c, _ := run.New("nosearch", "")
			c.Batch, _ = strconv.Atoi(os.Getenv("B"))
			w, _ := strconv.Atoi(os.Getenv("W"))
			set(&c, "width", w)
			set(&c, "blocks", 2)
			if h, err := strconv.Atoi(os.Getenv("H")); err == nil {
				set(&c, "heads", h)
			}
			e, err := newEngine(openTest(b, spec), c)
			if err != nil {
				b.Fatal(err)
			}
			defer e.close()
			if err := e.forTraining(); err != nil {
				b.Fatal(err)
			}
			batch := noSearchBatch(c.Batch)
			step := int64(0)
			next := func() {
				if _, _, err := e.step(&batch, step, 1e-4); err != nil {
					b.Fatal(err)
				}
				step++
			}
			next()
			before := cpuTime()
			for b.Loop() {
				next()
			}
			b.ReportMetric(float64((cpuTime()-before).Microseconds())/1000/float64(c.Batch)/float64(b.N), "cpu-ms/sample")
			b.ReportMetric(float64(c.Batch)*float64(b.N)/b.Elapsed().Seconds(), "samples/s")
		})
	}
}

func cpuTime() time.Duration {
	var r syscall.Rusage
	syscall.Getrusage(0, &r)
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
