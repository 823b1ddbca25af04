package loader

import (
	"runtime"
	"testing"

	"talbot/train"
	"talbot/train/internal/madeup"
)

// BenchmarkNext is everything from shards to batches, reading ahead included.
func BenchmarkNext(b *testing.B) {
	dir := write(b, madeup.Dataset{Seed: 1, Games: 10000})
	for name, workers := range map[string]int{"1": 1, "all": runtime.GOMAXPROCS(0)} {
		b.Run("workers="+name, func(b *testing.B) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(workers))
			l := survey(b, open(b, workers, Spec{Dir: dir})).NewLoader(LoaderOptions{Batch: 512})
			defer l.Close()
			var batch train.Batch
			for b.Loop() {
				if err := l.Next(&batch); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(512*float64(b.N)/b.Elapsed().Seconds()/float64(workers), "samples/s/core")
		})
	}
}

// BenchmarkSurvey is the pass over the data before training.
func BenchmarkSurvey(b *testing.B) {
	dir := write(b, madeup.Dataset{Seed: 1, Games: 10000})
	d := open(b, 0, Spec{Dir: dir})
	n := int64(0)
	for b.Loop() {
		n += survey(b, d).Train()
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds()/float64(d.Options.Workers), "samples/s/core")
}
