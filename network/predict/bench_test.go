package predict

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"talbot/internal/testkit/tinyrun"
)

// BenchmarkAnswer compares answers with the network alone: the same compiled graph run on an input that lies ready, its
// heads left where they are. Both are measured in turns; the figures are medians. With callers each asks one question.
//
//	go test ./network/predict -run '^$' -bench Answer -benchtime 40x
func BenchmarkAnswer(b *testing.B) {
	for _, name := range []string{"go", "xla:cpu", "onnx"} {
		for _, size := range [][2]int{{6, 64}, {20, 128}} {
			for _, batch := range []int{1, 4, 8, 16, 32, 64, 128, 256} {
				b.Run(fmt.Sprintf("%s/%dx%d/batch=%d", name, size[0], size[1], batch), func(b *testing.B) {
					benchmark(b, name, size, batch, 1)
				})
			}
			b.Run(fmt.Sprintf("%s/%dx%d/callers=16", name, size[0], size[1]), func(b *testing.B) {
				benchmark(b, name, size, 16, 16)
			})
		}
	}
}

func benchmark(b *testing.B, name string, size [2]int, batch, callers int) {
	c := tiny(b, fmt.Sprintf("blocks=%d", size[0]), fmt.Sprintf("filters=%d", size[1]), "legal_mask=true")
	dir, _ := tinyrun.Write(b, c, tinyrun.Weights(b, c))
	p := mustOpen(b, opened(b, name), dir, Options{Batches: []int{batch}, Moves: 64, LegalIfMasked: true})
	list := questions(b, p.Encoder(), 256)[:batch]
	answers := make([]Output, batch)
	began := time.Now()
	if err := p.Compile(b.Context()); err != nil {
		b.Fatal(err)
	}
	compiling := time.Since(began)
	answer := func() {
		if callers == 1 {
			if err := p.Predict(b.Context(), list, answers); err != nil {
				b.Error(err)
			}
			return
		}
		var all sync.WaitGroup
		for i := range callers {
			all.Go(func() {
				if err := p.Predict(b.Context(), list[i:i+1], answers[i:i+1]); err != nil {
					b.Error(err)
				}
			})
		}
		all.Wait()
	}
	alone := func() {
		if err := p.device.use(func() error { return p.device.alone(batch) }); err != nil {
			b.Error(err)
		}
	}
	answer()
	alone()
	var with, without []float64
	for b.Loop() {
		t0 := time.Now()
		alone()
		t1 := time.Now()
		answer()
		with, without = append(with, time.Since(t1).Seconds()), append(without, t1.Sub(t0).Seconds())
	}
	slices.Sort(with)
	slices.Sort(without)
	m := len(with) / 2
	b.ReportMetric(float64(batch)/with[m], "answers/s")
	b.ReportMetric(float64(batch)/without[m], "alone/s")
	b.ReportMetric(without[m]/with[m], "share")
	b.ReportMetric(compiling.Seconds(), "s/compile")
	b.ReportMetric(0, "ns/op")
}

// alone runs the network and waits for it.
func (d *device) alone(n int) error {
	b, err := d.body(n)
	if err != nil {
		return err
	}
	defer b.drop()
	if _, err := b.run(); err != nil {
		return err
	}
	return b.check()
}
