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

// Shared returns the path of a file or folder of the data beside the checkout, ../shared. Without it the test is
// skipped, loudly.
func Shared(t testing.TB, name string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("not in the checkout")
		}
	}
	path := filepath.Join(filepath.Dir(dir), "shared", filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		t.Skip("NOT TESTED on shared data:", err)
	}
	return path
}

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
