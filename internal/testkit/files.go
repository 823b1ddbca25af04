package testkit

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"talbot/dataset"
	"talbot/shards"
)

// Same fails the test unless both folders hold the same files with the same bytes.
func Same(t testing.TB, a, b string) {
	t.Helper()
	files := func(dir string) (names []string) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	names := files(a)
	if other := files(b); !slices.Equal(names, other) {
		t.Fatalf("%v and %v", names, other)
	}
	for _, name := range names {
		x, err := os.ReadFile(filepath.Join(a, name))
		if err != nil {
			t.Fatal(err)
		}
		y, err := os.ReadFile(filepath.Join(b, name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(x, y) {
			t.Errorf("%s differs", name)
		}
	}
}

// Rewritten writes a dataset anew as one shard, with its lines changed, under valid checksums.
func Rewritten(t testing.TB, from, to string, change func(*dataset.Line)) {
	t.Helper()
	in, err := shards.OpenDataset(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if err := os.Mkdir(to, 0o777); err != nil {
		t.Fatal(err)
	}
	w, err := shards.Create(to, 0)
	if err != nil {
		t.Fatal(err)
	}
	m := *in.Manifest
	m.Counts = dataset.Counts{Rejects: m.Counts.Rejects, GamesRead: m.Counts.GamesRead}
	for l, err := range in.Lines() {
		if err != nil {
			t.Fatal(err)
		}
		change(l)
		if err := w.Write(l); err != nil {
			t.Fatal(err)
		}
		m.Counts.AddLine(l)
	}
	info, err := w.Commit()
	if err != nil {
		t.Fatal(err)
	}
	m.Shards = []dataset.ShardInfo{info}
	if err := dataset.WriteManifest(to, &m); err != nil {
		t.Fatal(err)
	}
}
