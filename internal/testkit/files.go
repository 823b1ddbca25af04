package testkit

import (
	"os"
	"testing"

	"talbot/dataset"
	"talbot/internal/testkit/madeup"
)

// must ends the test at an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Same fails the test unless both folders hold the same files with the same bytes.
func Same(t testing.TB, a, b string) {
	t.Helper()
	x, y := madeup.Files(t, a), madeup.Files(t, b)
	for name := range x {
		if other, ok := y[name]; !ok || other != x[name] {
			t.Errorf("%s differs, or is only in %q", name, a)
		}
	}
	for name := range y {
		if _, ok := x[name]; !ok {
			t.Errorf("%s is only in %q", name, b)
		}
	}
}

// Rewritten writes a dataset anew as one shard, with its lines changed, under valid checksums.
func Rewritten(t testing.TB, from, to string, change func(*dataset.Line)) {
	t.Helper()
	m, err := dataset.ReadManifest(from)
	must(t, err)
	lines := madeup.All(t, from)
	for i := range lines {
		change(&lines[i])
	}
	must(t, os.Mkdir(to, 0o777))
	m.Shards, m.Counts = nil, dataset.Counts{Rejects: m.Counts.Rejects, GamesRead: m.Counts.GamesRead}
	madeup.WriteShards(t, to, *m, lines, len(lines))
}
