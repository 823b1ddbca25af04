//go:build unix

package loader

import (
	"os"
	"runtime"
	"syscall"
	"testing"
	"time"

	"talbot/internal/testkit/traindata"
	"talbot/train"
)

// benchData is the dataset that TALBOT_DATA names, or a made-up one of one group.
func benchData(b *testing.B) Spec {
	if dir := os.Getenv("TALBOT_DATA"); dir != "" {
		return Spec{Dir: dir}
	}
	return Spec{Dir: write(b, traindata.Dataset{Seed: 1, Games: 10000})}
}

// processor is the time that the process has been on a processor: what other processes take of the machine does not
// count.
func processor() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// report prints how many samples were done a second of each core, and of processor time.
func report(b *testing.B, samples int64, workers int, used time.Duration) {
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(samples)/b.Elapsed().Seconds()/float64(workers), "samples/s/core")
	b.ReportMetric(float64(samples)/used.Seconds(), "samples/CPU-s")
}

// BenchmarkNext is everything from shards to batches. It runs from the beginning of one group to that of another, in
// which time as many groups are read ahead as are drawn.
func BenchmarkNext(b *testing.B) {
	spec := benchData(b)
	for _, name := range []string{"1", "all"} {
		b.Run("workers="+name, func(b *testing.B) {
			workers := runtime.GOMAXPROCS(0)
			if name == "1" {
				workers = 1
			}
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(workers))
			l := survey(b, open(b, workers, spec)).NewLoader(LoaderOptions{Batch: 512})
			defer l.Close()
			var batch train.Batch
			group := func() (samples int64) {
				at := l.streams[0].now
				for l.streams[0].now == at {
					if err := l.Next(&batch); err != nil {
						b.Fatal(err)
					}
					samples += int64(batch.N)
				}
				return samples
			}
			group() // none is there before the first batch
			group()
			samples, before := int64(0), processor()
			for b.Loop() {
				samples += group()
			}
			report(b, samples, workers, processor()-before)
			bytes := 8*len(batch.Packed) +
				4*(len(batch.Codes)+len(batch.Weights)+len(batch.Floats)+len(batch.Known))
			b.ReportMetric(float64(bytes)/float64(batch.N), "bytes/sample")
		})
	}
}

// BenchmarkSurvey is the pass over the data before training.
func BenchmarkSurvey(b *testing.B) {
	d := open(b, 0, benchData(b))
	samples, before := int64(0), processor()
	for b.Loop() {
		for _, c := range survey(b, d).Sets {
			samples += c.Train + c.Val
		}
	}
	report(b, samples, d.Options.Workers, processor()-before)
}
