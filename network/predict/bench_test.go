package predict

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"talbot/internal/testkit/tinyrun"
)

// BenchmarkAnswer answers a batch of questions of one caller, or with callers one question of each.
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
	b.ReportMetric(time.Since(began).Seconds(), "s/compile")
	each := batch / callers
	for b.Loop() {
		var all sync.WaitGroup
		for i := range callers {
			all.Go(func() {
				if err := p.Predict(b.Context(), list[i*each:][:each], answers[i*each:][:each]); err != nil {
					b.Error(err)
				}
			})
		}
		all.Wait()
	}
	b.ReportMetric(float64(b.N*batch)/b.Elapsed().Seconds(), "answers/s")
}
