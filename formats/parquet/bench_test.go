package parquet

import (
	"bytes"
	"os"
	"testing"

	"talbot/dataset"
	"talbot/formats/rows"
)

// BenchmarkEvaluations reads the positions of a file of pyarrow over and over; TALBOT_PARQUET names another file.
func BenchmarkEvaluations(b *testing.B) {
	data := read(b, "pyarrow-snappy.parquet")
	if path := os.Getenv("TALBOT_PARQUET"); path != "" {
		var err error
		if data, err = os.ReadFile(path); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(len(data)))
	read, positions := int64(0), 0
	for b.Loop() {
		c, err := Open(bytes.NewReader(data), int64(len(data)), rows.Stated{Unchecked: true})
		if err != nil {
			b.Fatal(err)
		}
		for ; err == nil; positions++ {
			var l dataset.Line
			l, _, err = c.Evaluations.Next()
			_ = l
		}
		read += c.Evaluations.rows.number
	}
	b.ReportMetric(float64(read)/b.Elapsed().Seconds()/1e6, "Mrows/s")
}

// BenchmarkRows reads the values of six columns without making lines of them.
func BenchmarkRows(b *testing.B) {
	data := read(b, "pyarrow-snappy.parquet")
	if path := os.Getenv("TALBOT_PARQUET"); path != "" {
		var err error
		if data, err = os.ReadFile(path); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(len(data)))
	read := int64(0)
	for b.Loop() {
		f, err := open(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			b.Fatal(err)
		}
		r, err := newReader(f, []int{0, 1, 2, 3, 4, 5})
		for ; err == nil; read++ {
			err = r.next()
		}
	}
	b.ReportMetric(float64(read)/b.Elapsed().Seconds()/1e6, "Mrows/s")
}
