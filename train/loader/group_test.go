package loader

import (
	"testing"

	"talbot/encode"
	"talbot/train/internal/madeup"
)

// TestSampleBytes: what `talbot plan` counts for a sample is what a group that is drawn from takes.
func TestSampleBytes(t *testing.T) {
	s := survey(t, open(t, 1, Spec{write(t, madeup.Dataset{Seed: 1, Games: 100}), 1}))
	l := s.NewLoader(LoaderOptions{Batch: 10, Seed: 1})
	defer l.Close()
	next(t, l)
	g := l.streams[0].now
	if got, want := int64(8*len(g.words)+4*len(g.order)),
		int64(g.n)*SampleBytes(encode.TalbotBot{}.Layout(), s.Longest); g.n < 1000 ||
		got != want {
		t.Errorf("%d samples take %d bytes, not %d", g.n, got, want)
	}
	if n := SampleBytes(encode.TalbotBot{}.Layout(), 1); n != 196 {
		t.Errorf("%d bytes a sample, not the 196 of its comment", n)
	}
}
