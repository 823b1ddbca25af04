package testkit

import (
	"os"
	"testing"

	"talbot/dataset"
	"talbot/internal/testkit/madeup"
)

// OK ends the test at an error.
func OK(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Must returns a value, and panics at an error. It is for what a test may rely on, such as the position of a constant
// FEN.
func Must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
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
	OK(t, err)
	lines := madeup.All(t, from)
	for i := range lines {
		change(&lines[i])
	}
	OK(t, os.Mkdir(to, 0o777))
	m.Shards, m.Counts = nil, dataset.Counts{Rejects: m.Counts.Rejects, GamesRead: m.Counts.GamesRead}
	madeup.WriteShards(t, to, *m, lines, len(lines))
}
