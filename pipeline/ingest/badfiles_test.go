package ingest_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/formats/rows"
	"talbot/inspect/verify"
	"talbot/internal/output"
	"talbot/internal/testkit"
	"talbot/internal/testkit/madeup"
	"talbot/pipeline/ingest"
	"talbot/shards"

	"github.com/klauspost/compress/zstd"
)

// randomGames are n games of random moves with an evaluation by the named engine each, and now and then a broken one.
func randomGames(rng *rand.Rand, n int, engine string) (games []string) {
	for i := range n {
		var b strings.Builder
		fmt.Fprintf(&b, "[Event \"%d\"]\n[White \"%s\"]\n\n", i, engine)
		p := board.StartPosition()
		for ply := range 5 + rng.IntN(10) {
			legal := p.LegalMoves(nil)
			if len(legal) == 0 {
				break
			}
			m := legal[rng.IntN(len(legal))]
			if ply%2 == 0 {
				fmt.Fprintf(&b, "%d. ", ply/2+1)
			}
			b.WriteString(p.SAN(m) + " ")
			if ply == 2 {
				b.WriteString("{d=12, wv=0.31} ") // no score that waits for its view
			}
			p.Play(m)
		}
		if i%9 == 4 {
			b.WriteString("Qz9 ")
		}
		games = append(games, b.String()+"*\n\n")
	}
	return games
}

func packed(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := testkit.Value(zstd.NewWriter(&b, zstd.WithWindowSize(1<<10), zstd.WithEncoderLevel(zstd.SpeedFastest)))(t)
	for text != "" { // in blocks, so that what is before a cut is read
		n := min(len(text), 2000)
		io.WriteString(w, text[:n])
		w.Flush()
		text = text[n:]
	}
	testkit.OK(t, w.Close())
	return b.Bytes()
}

// badInputs are files of which some are bad, at opening or later. The bad ones hold games that others hold too, longer
// ones that others are prefixes of, and evaluations of engines of their own.
func badInputs(t *testing.T, dir string) (all, good []string) {
	t.Helper()
	rng := rand.New(rand.NewPCG(11, 12))
	add := func(name string, content []byte, isGood bool) {
		path := testkit.WriteFile(t, filepath.Join(dir, name), content)
		all = append(all, path)
		if isGood {
			good = append(good, path)
		}
	}
	a, b, c := randomGames(rng, 60, "A"), randomGames(rng, 60, "B"), randomGames(rng, 60, "C")
	shared := randomGames(rng, 40, "S")
	var longer []string // games that begin as those of c
	for _, game := range c[:20] {
		if !strings.Contains(game, "Qz9") {
			longer = append(longer, strings.Replace(game, "*\n", "", 1)+"\n")
		}
	}
	bad := strings.Join(slices.Concat(b, shared, c[10:30]), "") + strings.Join(longer, "")
	whole := packed(t, bad)
	table := "FEN,cp\n"
	for i := range 300 {
		table += fmt.Sprintf("4k3/8/8/8/8/8/%d%s%d/4K3 w - - %d 1,%d\n", i%7, "P", 7-i%7, i/7%40, 100+i)
	}
	table = strings.NewReplacer("/0P", "/P", "P0/", "P/").Replace(table)
	add("empty.pgn", nil, false)
	add("a.pgn", []byte(strings.Join(a, "")), true)
	add("cut.pgn.zst", whole[:len(whole)-40], false)
	add("mixed.csv", []byte(table+"4k3/8/8/8/8/8/4P3/4K3 w - - 0 99,0.5\n"), false)
	add("c.pgn", []byte(strings.Join(slices.Concat(shared, c), "")), true)
	add("utf16.pgn", []byte("\xff\xfe[\x00"), false)
	add("good.csv", []byte(table), true)
	add("flipped.pgn.zst", func() []byte { b := bytes.Clone(whole); b[len(b)-30] ^= 0x40; return b }(), false)
	return all, good
}

// content is all that a dataset says of its lines, without where they were read and where its shards are cut.
func content(t *testing.T, dir string) string {
	t.Helper()
	d := testkit.Value(shards.OpenDataset(dir))(t)
	defer d.Close()
	var b strings.Builder
	for l, err := range d.Lines() {
		if err != nil {
			t.Fatal(err)
		}
		name := d.Manifest.Inputs[l.Input].Name
		copy := *l
		copy.Input = 0
		text := testkit.Value(json.Marshal(copy))(t)
		fmt.Fprintf(&b, "%s %s\n", name, text)
	}
	m := d.Manifest
	for _, input := range m.Inputs {
		if input.LeftOut == "" {
			text, _ := json.Marshal(input)
			fmt.Fprintf(&b, "%s\n", text)
		}
	}
	counts, _ := json.Marshal(m.Counts)
	prints, _ := json.Marshal(m.Fingerprints)
	fmt.Fprintf(&b, "%s\n%s\n", counts, prints)
	return b.String()
}

// TestBadFiles: what is left of inputs with bad files among them is what the good ones alone give, line for line and
// count for count.
func TestBadFiles(t *testing.T) {
	output.SmallShards(t, 400)
	all, good := badInputs(t, t.TempDir())
	for _, keep := range []bool{false, true} {
		in := ingest.Request{Inputs: good, Splits: dataset.DefaultSplits, ImportEvals: true, KeepDuplicates: keep,
			Workers: 1}
		in.Out = filepath.Join(t.TempDir(), "good")
		in.Rejects = in.Out + ".tsv"
		want := testkit.Run(t, in)
		wantRejects, _ := os.ReadFile(in.Rejects)
		var first map[string]string
		for _, workers := range []int{1, 2, 3} {
			bad := in
			bad.Inputs, bad.Workers, bad.SkipBadFiles = all, workers, true
			bad.Out = filepath.Join(t.TempDir(), "bad")
			bad.Rejects = bad.Out + ".tsv"
			sum := testkit.Run(t, bad)
			if got, want := content(t, bad.Out), content(t, in.Out); got != want {
				t.Fatalf("keep %v: %d bytes of content, want %d", keep, len(got), len(want))
			}
			if sum.GamesRead != want.GamesRead || sum.Evals != want.Evals || !maps.Equal(sum.Rejects, want.Rejects) {
				t.Errorf("%+v, want %+v", sum, want)
			}
			reasons := ""
			for _, f := range sum.BadFiles {
				reasons += f.File + ":" + f.Reason + " "
			}
			if reasons != "empty.pgn:no_games cut.pgn.zst:damaged mixed.csv:mixed_units utf16.pgn:utf16 "+
				"flipped.pgn.zst:damaged " {
				t.Errorf("left out: %s", reasons)
			}
			rejects, _ := os.ReadFile(bad.Rejects)
			rest := ""
			for line := range strings.Lines(string(rejects)) {
				if !strings.Contains(line, "\t"+string(ingest.BadFile)+"\t") {
					rest += line
				}
			}
			if rest != string(wantRejects) || strings.Count(string(rejects), string(ingest.BadFile)) != 5 {
				t.Errorf("%d bytes of rejects, want %d", len(rest), len(wantRejects))
			}
			if r, err := (verify.Request{Dirs: []string{bad.Out}}).Run(t.Context()); err != nil {
				t.Errorf("%+v, %v", r, err)
			}
			if files := madeup.Files(t, bad.Out); first == nil {
				first = files
			} else if !maps.Equal(first, files) {
				t.Errorf("%d workers make another dataset", workers)
			}
		}
	}
}

// TestBadFilesInterrupted lets every third step of writing (with TALBOT_FULL=1 each) fail, with all behind it, as a
// kill does; the repeated command gives the same bytes.
func TestBadFilesInterrupted(t *testing.T) {
	output.SmallShards(t, 2500)
	all, _ := badInputs(t, t.TempDir())
	in := ingest.Request{Inputs: all, Splits: dataset.DefaultSplits, ImportEvals: true, Workers: 2, SkipBadFiles: true}
	in.Out = filepath.Join(t.TempDir(), "undisturbed")
	in.Rejects = in.Out + ".tsv"
	testkit.Run(t, in)
	want := madeup.Files(t, in.Out)
	wantRejects, _ := os.ReadFile(in.Rejects)
	stride := int64(3)
	if os.Getenv("TALBOT_FULL") != "" {
		stride = 1
	}
	failed := madeup.FailSteps(t, 1, stride, true, func(dir string) (func() error, func()) {
		got := in
		got.Out = filepath.Join(dir, "disturbed")
		got.Rejects = got.Out + ".tsv"
		return func() error {
				_, err := got.Run(t.Context())
				return err
			}, func() {
				rejects, _ := os.ReadFile(got.Rejects)
				if !maps.Equal(madeup.Files(t, got.Out), want) || string(rejects) != string(wantRejects) {
					t.Error("another dataset or list of rejects")
				}
			}
	})
	t.Logf("failed at %d steps", failed)
	if failed < 50 {
		t.Errorf("only %d failures", failed)
	}
}

// TestSurvey: all that opening shows is said at once, of every file, and nothing is begun; damage further down ends the
// run.
func TestSurvey(t *testing.T) {
	dir := t.TempDir()
	all, good := badInputs(t, dir)
	out := filepath.Join(t.TempDir(), "out")
	units := filepath.Join(dir, "units.csv")
	os.WriteFile(units, []byte("FEN,Evaluation\n4k3/8/8/8/8/8/4P3/4K3 w - - 0 1,1.0\n"), 0o666)
	os.WriteFile(filepath.Join(dir, "x.zip"), []byte("PK\x03\x04....."), 0o666)
	inputs := append(slices.Clone(all), units, filepath.Join(dir, "x.zip"), filepath.Join(dir, "missing.pgn"), dir)
	_, err := ingest.Request{Inputs: inputs, Out: out, Splits: dataset.DefaultSplits}.Run(t.Context())
	for _, want := range []error{ingest.ErrNoGames, rows.ErrUTF16, rows.ErrUnit, rows.ErrArchive, os.ErrNotExist,
		rows.ErrFolder} {
		if !errors.Is(err, want) {
			t.Errorf("%v is not said", want)
		}
	}
	for _, name := range []string{"empty.pgn", "utf16.pgn", "units.csv", "x.zip", "missing.pgn", dir} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s is not named", name)
		}
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("work has begun")
	}
	// what opening does not show
	for i, late := range []string{"cut.pgn.zst", "mixed.csv", "flipped.pgn.zst"} {
		in := ingest.Request{Inputs: []string{good[0], filepath.Join(dir, late)}, Out: fmt.Sprint(out, i),
			Splits: dataset.DefaultSplits}
		if _, err := in.Run(t.Context()); !errors.Is(err, rows.ErrPacked) && !errors.Is(err, rows.ErrMixedUnits) ||
			!strings.Contains(err.Error(), late) {
			t.Errorf("%s: %v", late, err)
		}
	}
	// a wrong path is no bad file
	in := ingest.Request{Inputs: []string{good[0], "missing.pgn"}, Out: out, Splits: dataset.DefaultSplits,
		SkipBadFiles: true}
	if _, err := in.Run(t.Context()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

// TestNothingKept: a run without a line fails, says why, and leaves the folder as it was.
func TestNothingKept(t *testing.T) {
	dir := t.TempDir()
	all, good := badInputs(t, dir)
	in := ingest.Request{Inputs: good[:1], Out: filepath.Join(dir, "out"), Splits: dataset.DefaultSplits}
	in.Filters.MinPlies, in.Rejects = 100, filepath.Join(dir, "rejects.tsv")
	_, err := in.Run(t.Context())
	if !errors.Is(err, ingest.ErrNothingKept) || !strings.Contains(err.Error(), "of 60 games") ||
		!strings.Contains(err.Error(), "left out as short") {
		t.Errorf("all are filtered: %v", err)
	}
	if rejects, err := os.ReadFile(in.Rejects); err != nil || bytes.Count(rejects, []byte("\n")) != 61 {
		t.Errorf("%d bytes of rejects, %v", len(rejects), err)
	}
	if _, err := os.Stat(in.Out); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder is there: %v", err)
	}
	in.Filters.MinPlies, in.Rejects = 0, ""
	if _, err := in.Run(t.Context()); err != nil {
		t.Errorf("with other filters: %v", err)
	}
	in = ingest.Request{Inputs: []string{all[0], all[2], all[3]}, Out: in.Out + "2", Splits: in.Splits,
		SkipBadFiles: true}
	if _, err := in.Run(t.Context()); !errors.Is(err, ingest.ErrNothingKept) ||
		!strings.Contains(err.Error(), "3 files") {
		t.Errorf("all files are bad: %v", err)
	}
	if _, err := os.Stat(in.Out); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder is there: %v", err)
	}
}
