package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"talbot/dataset"
	"talbot/inspect/diff"
	"talbot/inspect/stats"
	"talbot/inspect/verify"
	"talbot/internal/output"
	"talbot/internal/testkit/madeup"
	"talbot/pipeline/ingest"
)

// pgnOf writes games, given as moves, to a file.
func PgnOf(t *testing.T, dir, name string, games ...string) string {
	t.Helper()
	var b strings.Builder
	for i, g := range games {
		fmt.Fprintf(&b, "[White \"%s %d\"]\n[Result \"*\"]\n\n%s *\n\n", name, i, g)
	}
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// gamesOf returns the split of each game of a dataset.
func GamesOf(t *testing.T, dir string) map[[16]byte]dataset.Split {
	t.Helper()
	all := map[[16]byte]dataset.Split{}
	for d, l := range madeup.Each(t, dir) {
		if _, ok := all[l.GameHash()]; ok {
			t.Errorf("a game twice in %q", dir)
		}
		all[l.GameHash()] = d.Splits.Of(dataset.SplitKey(l))
	}
	return all
}

// cutGames writes random games and, in two further files, beginnings of some of them, copies and one game more.
func CutGames(t *testing.T, dir string) (inputs []string, games, cut, copies int) {
	t.Helper()
	a := filepath.Join(dir, "a.pgn")
	WriteGames(t, a, 200, 7)
	text, err := os.ReadFile(a)
	if err != nil {
		t.Fatal(err)
	}
	var early, late []string
	seen := map[string]bool{}
	for i, g := range strings.Split(string(text), "\n\n") {
		words := strings.Fields(strings.TrimSuffix(g, "1/2-1/2"))
		if i%2 == 0 || len(words) < 30 || words[1] == "e5" || seen[g] {
			continue
		}
		seen[g] = true
		if len(seen)%3 == 0 {
			early = append(early, strings.Join(words[:12], " "), strings.Join(words[:15], " "))
		} else if len(seen)%7 == 0 {
			late = append(late, strings.Join(words[:len(words)-2], " "))
		} else if len(seen)%11 == 0 {
			late, copies = append(late, strings.Join(words, " ")), copies+1
		}
	}
	cut = len(early) + len(late) - copies
	return []string{PgnOf(t, dir, "early.pgn", early...), a,
		PgnOf(t, dir, "late.pgn", append(late, "1. a4 a5 2. Ra3 e5 3. h3 Qe7")...)}, len(seen) + 1, cut, copies
}

func IngestFiles(t *testing.T, out string, workers int, inputs ...string) ingest.Summary {
	t.Helper()
	s, err := ingest.Request{Inputs: inputs, Out: out, Splits: dataset.DefaultSplits, Workers: workers}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	madeup.Verify(t, out)
	return s
}

// TestPrefixes keeps of each game the longest record, in any order of the files, at any number of workers.
func TestPrefixes(t *testing.T) {
	Small(t)
	dir := t.TempDir()
	in, games, cut, copies := CutGames(t, dir)
	var want map[[16]byte]dataset.Split
	for n, order := range [][3]int{{0, 1, 2}, {2, 1, 0}, {1, 0, 2}} {
		files := []string{in[order[0]], in[order[1]], in[order[2]]}
		outs := []string{filepath.Join(dir, fmt.Sprint("one", n)), filepath.Join(dir, fmt.Sprint("four", n))}
		s := IngestFiles(t, outs[0], 1, files...)
		IngestFiles(t, outs[1], 4, files...)
		Same(t, outs[0], outs[1])
		if s.GamesKept != int64(games) || s.Rejects[ingest.Prefix] != int64(cut) ||
			s.Rejects[dataset.Duplicate] < int64(copies) {
			t.Errorf("order %v: %+v, want %d games, %d prefixes", order, s, games, cut)
		}
		got := GamesOf(t, outs[0])
		if want == nil {
			want = got
		} else if !maps.Equal(got, want) {
			t.Errorf("order %v: other games or splits", order)
		}
		d, err := diff.Request{A: outs[0], B: filepath.Join(dir, "one0")}.Run(t.Context())
		if err != nil || !d.Same || d.Lines.Both != int64(games) {
			t.Errorf("diff: %+v, %v", d, err)
		}
	}
}

// TestPrefixesInterrupted ends the run while shards are written again, and between the new shard and the mark.
func TestPrefixesInterrupted(t *testing.T) {
	Small(t)
	dir := t.TempDir()
	in, _, _, _ := CutGames(t, dir)
	IngestFiles(t, filepath.Join(dir, "want"), 2, in...)

	out := filepath.Join(dir, "out")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	copyFiles := func(from, to, pattern string) {
		t.Helper()
		files, err := filepath.Glob(filepath.Join(from, pattern))
		if err = errors.Join(err, os.MkdirAll(to, 0o777)); err != nil || len(files) == 0 {
			t.Fatalf("no %s in %s: %v", pattern, from, err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err == nil {
				err = os.WriteFile(filepath.Join(to, filepath.Base(file)), data, 0o666)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	early := filepath.Join(dir, "early") // the folder as a kill leaves it before the mark
	request := ingest.Request{Inputs: in, Out: out, Splits: dataset.DefaultSplits, Workers: 2}
	request.Rejected = func(_ string, r *dataset.Reject) {
		if r.Reason == ingest.Prefix && ctx.Err() == nil {
			// others are being written
			for _, pattern := range []string{"shard-*.zst", "draft-*.zst", "progress.json"} {
				copyFiles(out, early, pattern)
			}
			cancel()
		}
	}
	if _, err := request.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	copyFiles(out, early, "shard-*.zst")
	copyFiles(early, out, "draft-*.zst") // there again as if killed behind the mark
	request.Rejected = nil
	for _, request.Out = range []string{out, early} {
		if _, err := request.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		Same(t, filepath.Join(dir, "want"), request.Out)
	}
}

// naive counts positions by their text.
type Naive struct {
	All, Samples map[string]int
	Train        map[string]bool
	Held         [3][]string // by split
}

// mirrored returns the four fields of a position seen from the side to move.
func (n *Naive) Read(t *testing.T, dirs ...string) {
	n.All, n.Samples, n.Train = map[string]int{}, map[string]int{}, map[string]bool{}
	for _, dir := range dirs {
		for d, l := range madeup.Each(t, dir) {
			p := l.Start
			for ply := 0; ; ply++ {
				n.All[p.EPD()]++
				if l.Samples.Has(ply, len(l.Moves)) {
					n.Samples[p.EPD()]++
					split := d.Splits.Of(dataset.SplitKey(l))
					n.Held[split] = append(n.Held[split], p.EPD())
					if split == dataset.Train {
						n.Train[p.EPD()] = true
					}
				}
				if ply == len(l.Moves) {
					break
				}
				p.Play(l.Moves[ply])
			}
		}
	}
}

func (n *Naive) Seen(s dataset.Split) (count int64) {
	for _, epd := range n.Held[s] {
		if n.Train[epd] {
			count++
		}
	}
	return count
}

// TestUniqueAndOverlap compares with maps of positions as text.
func TestUniqueAndOverlap(t *testing.T) {
	Small(t)
	dir := t.TempDir()
	in, _, _, _ := CutGames(t, dir)
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	IngestFiles(t, a, 2, in[1])
	if _, err := (ingest.Request{Inputs: in, Out: b, Splits: dataset.DefaultSplits,
		KeepDuplicates: true}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	var n Naive
	n.Read(t, b)
	s, err := stats.Request{Dir: b, Unique: true, Workers: 3}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	most, copies := 0, int64(0)
	for _, c := range n.Samples {
		most = max(most, c)
	}
	for _, bin := range s.Unique.Copies {
		copies += bin.Samples
	}
	if s.Unique.Positions != int64(len(n.All)) || s.Unique.Samples != int64(len(n.Samples)) ||
		s.Unique.MostCopies != int64(most) || copies != s.Samples {
		t.Errorf("%+v, want %d, %d, %d, %d", s.Unique, len(n.All), len(n.Samples), most, s.Samples)
	}
	if s.Unique.SamplesMirrored > s.Unique.Samples || s.Overlap.Val.SeenMirrored < s.Overlap.Val.Seen {
		t.Errorf("%+v, %+v", s.Unique, s.Overlap)
	}
	n = Naive{}
	n.Read(t, a, b)
	v, err := verify.Request{Dirs: []string{a, b}, Workers: 3}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range []stats.SplitOverlap{{}, v.Overlap.Val, v.Overlap.Test} {
		split := dataset.Split(i)
		if split != dataset.Train && (o.Samples != int64(len(n.Held[split])) || o.Seen != n.Seen(split) ||
			o.Samples == 0) {
			t.Errorf("%v: %+v, want %d of %d", split, o, n.Seen(split), len(n.Held[split]))
		}
	}
	if v.BothSides != 0 || !v.Whole || len(v.Datasets) != 2 || v.Encoded == 0 {
		t.Errorf("%+v", v)
	}
	none := 0.0
	if _, err := (verify.Request{Dirs: []string{a}, MaxOverlap: &none}).Run(t.Context()); !errors.Is(err,
		verify.ErrOverlap) {
		t.Error(err)
	}
}

// TestMirroredOverlap has a train position only with colours swapped.
func TestMirroredOverlap(t *testing.T) {
	lines := []dataset.Line{madeup.Line(t, "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "e2e4"),
		madeup.Line(t, "4k3/4p3/8/8/8/8/8/4K3 b - - 0 1", "e7e5")}
	train := madeup.Dataset(t, lines[:1], 1)
	m, err := dataset.ReadManifest(madeup.Dataset(t, lines[1:], 1))
	if err != nil {
		t.Fatal(err)
	}
	held := madeup.Dataset(t, lines[1:], 1)
	m.Splits = dataset.Splits{Test: 100}
	if err := errors.Join(os.Remove(filepath.Join(held, dataset.ManifestName)),
		dataset.WriteManifest(held, m)); err != nil {
		t.Fatal(err)
	}
	v, err := verify.Request{Dirs: []string{train, held}}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if v.Overlap.Test != (stats.SplitOverlap{Samples: 1, SeenMirrored: 1, ShareMirrored: 1}) {
		t.Errorf("%+v", v.Overlap.Test)
	}
	// The same game in train and in test.
	both := madeup.Dataset(t, lines[1:], 1)
	v, err = verify.Request{Dirs: []string{both, held}}.Run(t.Context())
	if !errors.Is(err, verify.ErrBothSides) || v.BothSides != 1 || len(v.Examples) != 2 ||
		v.Examples[0].Split == v.Examples[1].Split {
		t.Errorf("%+v, %v", v, err)
	}
}

// TestDiff knows every difference.
func TestDiff(t *testing.T) {
	lines := madeup.Lines(t)
	a := madeup.Dataset(t, lines, 2)
	other := madeup.Lines(t)[1:]
	other[0].Labels = nil
	b := madeup.Dataset(t, append(other, madeup.Line(t, "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "e2e4")), 3)
	d, err := diff.Request{A: a, B: b}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if l := d.Lines; d.Same || l.OnlyA != 1 || l.OnlyB != 1 || l.Both != int64(len(lines)-1) || l.Labels != 1 ||
		len(l.Examples) != 2 || l.Moved+l.Samples != 0 {
		t.Errorf("%+v", d)
	}
	if len(d.Labels) == 0 || d.Labels[0].OnlyA == 0 || d.Labels[0].Equal != 0 {
		t.Errorf("%+v", d.Labels)
	}
	var text strings.Builder
	if err := d.WriteText(&text, "x", "y"); err != nil || !strings.Contains(text.String(), "1 only in a, 1 only in b") {
		t.Errorf("%v\n%s", err, text.String())
	}
	if d, err := (diff.Request{A: a, B: a}).Run(t.Context()); err != nil || !d.Same || !d.Identical {
		t.Errorf("%+v, %v", d, err)
	}
}

// TestDiffDamaged: a flip in a shard of either side is damage, whether the manifests agree or not.
func TestDiffDamaged(t *testing.T) {
	lines := madeup.Lines(t)
	other := madeup.Dataset(t, lines[1:], 2)
	stride := 4
	if os.Getenv("TALBOT_FULL") != "" {
		stride = 1
	}
	for offset, same := range []bool{true, false} {
		a, b := madeup.Dataset(t, lines, 2), madeup.Dataset(t, lines, 2)
		if !same {
			b = other
		}
		if _, err := (diff.Request{A: a, B: b}).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(a, "shard-00001.talbot.zst")
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for at := offset * stride / 2; at < len(whole); at += stride {
			madeup.Flip(t, path, at)
			for _, r := range []diff.Request{{A: a, B: b}, {A: b, B: a}} {
				if d, err := r.Run(t.Context()); !errors.Is(err, dataset.ErrDamaged) &&
					!errors.Is(err, dataset.ErrVersion) {
					t.Errorf("byte %d, manifests agree %v: %+v, %v", at, same, d, err)
				}
			}
			if err := os.WriteFile(path, whole, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestPrefixShard empties a whole shard.
func TestPrefixShard(t *testing.T) {
	output.SmallShards(t, 10)
	dir := t.TempDir()
	short := PgnOf(t, dir, "short.pgn", "1. e4 e5 2. Nf3 Nc6 3. Bb5", "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6", "1. d4 d5")
	long := PgnOf(t, dir, "long.pgn", "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6", "1. d4 d5 2. c4")
	out := filepath.Join(dir, "out")
	s := IngestFiles(t, out, 2, short, long)
	if s.GamesKept != 2 || s.Rejects[ingest.Prefix] != 3 || s.Positions != 9+4 {
		t.Errorf("%+v", s)
	}
	if _, err := (stats.Request{Dir: out, Unique: true}).Run(t.Context()); err != nil {
		t.Error(err)
	}
	// A game from another start, and a puzzle's line, are no prefixes.
	other := filepath.Join(dir, "other.pgn")
	os.WriteFile(other, []byte("[FEN \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1\"]\n[SetUp "+
		"\"1\"]\n\n1. d4 *\n\n"), 0o666)
	csv := filepath.Join(dir, "p.csv")
	os.WriteFile(csv, []byte("p1,6k1/5ppp/8/8/8/8/5PPP/3R2K1 b - - 0 1,h7h6 "+
		"d1d8,600,80,90,10,mate,https://example.org/1,\n"), 0o666)
	game := filepath.Join(dir, "same.pgn")
	os.WriteFile(game, []byte("[FEN \"6k1/5ppp/8/8/8/8/5PPP/3R2K1 b - - 0 1\"]\n[SetUp \"1\"]\n\n1... h6 2. Rd8+ "+
		"Kh7 *\n\n"), 0o666)
	if s := IngestFiles(t, filepath.Join(dir, "out2"), 1, long, other, csv, game); s.GamesKept != 5 {
		t.Errorf("%+v", s)
	}
}
