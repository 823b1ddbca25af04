package parquet

import (
	"bytes"
	"io"
	"os"
	"testing"

	"talbot/formats/rows"
)

// benchmark reads a file of pyarrow over and over; TALBOT_PARQUET names another file.
func benchmark(b *testing.B, readAll func(in *bytes.Reader) (rows int64, err error)) {
	data := read(b, "pyarrow-snappy.parquet")
	if path := os.Getenv("TALBOT_PARQUET"); path != "" {
		var err error
		if data, err = os.ReadFile(path); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(len(data)))
	sum := int64(0)
	for b.Loop() {
		rows, err := readAll(bytes.NewReader(data))
		if err != io.EOF {
			b.Fatal(err)
		}
		sum += rows
	}
	b.ReportMetric(float64(sum)/b.Elapsed().Seconds()/1e6, "Mrows/s")
}

// BenchmarkEvaluations reads positions.
func BenchmarkEvaluations(b *testing.B) {
	benchmark(b, func(in *bytes.Reader) (int64, error) {
		c, err := Open(in, in.Size(), rows.Stated{Unchecked: true})
		for err == nil {
			_, _, err = c.Evaluations.Next()
		}
		return c.Evaluations.rows.number, err
	})
}

// BenchmarkRows reads the values of six columns without making lines of them.
func BenchmarkRows(b *testing.B) {
	benchmark(b, func(in *bytes.Reader) (int64, error) {
		f, err := open(in, in.Size())
		if err != nil {
			return 0, err
		}
		r, err := newReader(f, []int{0, 1, 2, 3, 4, 5})
		for err == nil {
			err = r.next()
		}
		return r.number, err
	})
}
