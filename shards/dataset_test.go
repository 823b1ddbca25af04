package shards

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"talbot/board"
	"talbot/dataset"
)

// writeDataset writes a dataset of two shards and returns its folder and manifest.
func writeDataset(t testing.TB, lines []dataset.Line) (string, *dataset.Manifest) {
	t.Helper()
	dir := t.TempDir()
	m := &dataset.Manifest{
		Tool: "talbot test", Verb: "ingest", Seed: 1, Splits: dataset.DefaultSplits,
		Inputs:       []dataset.Input{{Name: "a.pgn"}, {Name: "b.pgn"}, {Name: "c.csv"}},
		Fingerprints: make([]dataset.Fingerprint, 5), Networks: slices.Repeat([]dataset.Network{{Recipe: "prior",
			Checkpoint: "0", Prior: true}}, 4),
	}
	half := (len(lines) + 1) / 2
	for number, part := range [][]dataset.Line{lines[:half], lines[half:]} {
		w := value(Create(dir, number, 1))(t)
		for i := range part {
			ok(t, w.Write(&part[i]))
			m.Counts.GamesRead++
			m.Counts.AddLine(&part[i])
		}
		info := value(w.Commit())(t)
		m.Shards = append(m.Shards, info)
	}
	ok(t, dataset.WriteManifest(dir, m))
	return dir, m
}

func TestDataset(t *testing.T) {
	lines := randomLines(t, 20, 300, true)
	dir, m := writeDataset(t, lines)
	// What a killed run leaves does not disturb readers.
	ok(t, os.WriteFile(filepath.Join(dir, Name(2)+".tmp"), []byte("half"), 0o600))
	d := value(OpenDataset(dir))(t)
	var got []dataset.Line
	for l, err := range d.Lines() {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, *l)
	}
	if s := diff(got, lines); s != "" {
		t.Error(s)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	for _, workers := range []int{1, 4} {
		last := int64(0)
		r := value(Verify(t.Context(), dir, VerifyOptions{Workers: workers, Progress: func(n int64) { last = n }}))(t)
		if r.Lines != 300 || last != 300 || r.Shards != 2 || r.Labelled != m.Counts.Labelled || len(r.Extra) > 0 {
			t.Errorf("%+v", r)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Verify(ctx, dir, VerifyOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v", err)
	}
}

// TestEachLine: each line comes once, whatever the workers; of several lines at fault the first is named, in words; and
// nothing follows the end of the context.
func TestEachLine(t *testing.T) {
	lines := randomLines(t, 20, 5*blockLines, false)
	for i := range lines {
		lines[i].Number = int64(i)
	}
	dir, m := writeDataset(t, lines)
	d := value(OpenDataset(dir))(t)
	defer d.Close()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, workers := range []int{0, 1, 3, 50} {
		plies, read := make([]int64, max(workers, 1)), Block{}
		if err := d.EachLine(t.Context(), workers, func(b Block) { read = b }, func(worker int, l *dataset.Line) error {
			plies[worker] += int64(len(l.Moves) + 1)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		sum := int64(0)
		for _, n := range plies {
			sum += n
		}
		want := Block{len(lines), int(m.Counts.Positions), int(m.Counts.Samples)}
		if sum != m.Counts.Positions || read != want {
			t.Errorf("%d workers: %d positions, %+v were read, not %+v", workers, sum, read, want)
		}
		err := d.EachLine(t.Context(), workers, nil, func(_ int, l *dataset.Line) error {
			if l.Number >= 2*blockLines+7 {
				return errors.New("is odd")
			}
			return nil
		})
		if want := fmt.Sprintf("%q: block 2, line 7 (input 0, number %d): dataset is damaged: is odd",
			filepath.Join(dir, Name(0)), 2*blockLines+7); !errors.Is(err, dataset.ErrDamaged) || err.Error() != want {
			t.Errorf("%d workers: error %v", workers, err)
		}
		if err := d.EachLine(ended, workers, nil, func(int, *dataset.Line) error { return nil }); !errors.Is(err,
			context.Canceled) {
			t.Errorf("%d workers: error %v of a context that ended", workers, err)
		}
	}
}

// TestVerifyFinds damages a dataset in one place at a time.
func TestVerifyFinds(t *testing.T) {
	lines := randomLines(t, 21, 50, true)
	change := func(file string, f func([]byte) []byte) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			path := filepath.Join(dir, file)
			b := value(os.ReadFile(path))(t)
			ok(t, os.WriteFile(path, f(b), 0o600))
		}
	}
	rewrite := func(f func(*dataset.Manifest)) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			m := value(dataset.ReadManifest(dir))(t)
			f(m)
			ok(t, dataset.WriteManifest(dir, m))
		}
	}
	for name, c := range map[string]struct {
		damage func(*testing.T, string)
		want   string
	}{
		"no shard":    {func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, Name(1))) }, Name(1)},
		"empty shard": {change(Name(1), func(b []byte) []byte { return nil }), Name(1)},
		"cut":         {change(Name(0), func(b []byte) []byte { return b[:len(b)-1] }), Name(0)},
		"flip":        {change(Name(0), func(b []byte) []byte { b[100] ^= 4; return b }), Name(0)},
		"manifest": {change(dataset.ManifestName, func(b []byte) []byte { b[len(b)/2] ^= 1; return b }),
			dataset.ManifestName},
		"other shard": {func(t *testing.T, dir string) {
			os.Rename(filepath.Join(dir, Name(0)), filepath.Join(dir, Name(1)))
		}, Name(0)},
		"wrong hash":   {rewrite(func(m *dataset.Manifest) { m.Shards[0].SHA256 = strings.Repeat("0", 64) }), Name(0)},
		"wrong label":  {rewrite(func(m *dataset.Manifest) { m.Counts.Labelled++ }), "labelled samples"},
		"inputs":       {rewrite(func(m *dataset.Manifest) { m.Inputs = m.Inputs[:1] }), "input "},
		"fingerprints": {rewrite(func(m *dataset.Manifest) { m.Fingerprints = nil }), "fingerprint "},
		"networks":     {rewrite(func(m *dataset.Manifest) { m.Networks = nil }), "network "},
	} {
		t.Run(name, func(t *testing.T) {
			dir, _ := writeDataset(t, lines)
			c.damage(t, dir)
			r, err := Verify(t.Context(), dir, VerifyOptions{})
			if !errors.Is(err, dataset.ErrDamaged) || !strings.Contains(err.Error(), c.want) || len(r.Damage) == 0 {
				t.Errorf("error %v, want damage that names %q; report %+v", err, c.want, r)
			}
		})
	}
}

// TestVerifyReplays: checksums that are right do not excuse an illegal move.
func TestVerifyReplays(t *testing.T) {
	lines := []dataset.Line{{Start: board.StartPosition(), Moves: []board.Move{board.NewMove(12, 36)}}}
	dir, _ := writeDataset(t, lines)
	_, err := Verify(t.Context(), dir, VerifyOptions{})
	if !errors.Is(err, dataset.ErrDamaged) || !strings.Contains(err.Error(), "illegal") ||
		!strings.Contains(err.Error(), "line 0") {
		t.Errorf("error %v, want the illegal move and its line", err)
	}
}

func TestOpenDatasetErrors(t *testing.T) {
	if _, err := OpenDataset(t.TempDir()); !errors.Is(err, dataset.ErrNoDataset) {
		t.Errorf("empty folder: %v", err)
	}
	missing := filepath.Join(t.TempDir(), "missing")
	if _, err := Verify(t.Context(), missing, VerifyOptions{}); !errors.Is(err, dataset.ErrNoDataset) {
		t.Errorf("no folder: %v", err)
	}
	dir, _ := writeDataset(t, randomLines(t, 22, 10, false))
	path := filepath.Join(dir, Name(1))
	b, _ := os.ReadFile(path)
	ok(t, os.WriteFile(path, append(bytes.Clone(b), 0), 0o600))
	if _, err := OpenDataset(dir); !errors.Is(err, dataset.ErrDamaged) || !strings.Contains(err.Error(), Name(1)) {
		t.Errorf("longer shard: %v", err)
	}
}

// TestCheckFiles: a flipped byte anywhere in a shard that can be opened is found, and the file named.
func TestCheckFiles(t *testing.T) {
	dir, m := writeDataset(t, randomLines(t, 30, 60, true))
	path := filepath.Join(dir, m.Shards[1].File)
	whole := value(os.ReadFile(path))(t)
	d := value(OpenDataset(dir, Moves))(t)
	defer d.Close()
	var read atomic.Int64
	ok(t, d.CheckFiles(t.Context(), 2, func(n int64) { read.Add(n) }))
	if want := m.Shards[0].Bytes + m.Shards[1].Bytes; read.Load() != want {
		t.Errorf("%d bytes read of %d", read.Load(), want)
	}
	f := value(os.OpenFile(path, os.O_WRONLY, 0))(t)
	defer f.Close()
	for i := 0; i < len(whole); i += 1 + len(whole)/300 {
		f.WriteAt([]byte{whole[i] ^ 0x10}, int64(i))
		if err := d.CheckFiles(t.Context(), 2, nil); !errors.Is(err, dataset.ErrDamaged) ||
			!strings.Contains(err.Error(), path) {
			t.Fatalf("byte %d flipped: %v", i, err)
		}
		f.WriteAt(whole[i:i+1], int64(i))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := d.CheckFiles(ctx, 2, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
