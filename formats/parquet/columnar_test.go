package parquet

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"

	"talbot/dataset"
	"talbot/formats/rows"
	"talbot/internal/testkit/readlines"
	"talbot/pgn"
)

// read opens a file of testdata, or fails.
func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// write makes a file of rows.
func write[Row any](t *testing.T, rows []Row, options ...parquet.WriterOption) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := parquet.Write(&file, rows, options...); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func openBytes(data []byte) (Content, error) {
	return Open(bytes.NewReader(data), int64(len(data)), rows.Stated{})
}

// writers are the files of testdata with the rows of evaluations.tsv: those of testdata/make.py.
func writers(t testing.TB) (names []string) {
	for _, pattern := range []string{"pyarrow", "polars", "duckdb"} {
		found, _ := filepath.Glob("testdata/" + pattern + "-*.parquet")
		if len(found) < 4 {
			t.Fatalf("%d files of %s", len(found), pattern)
		}
		for _, path := range found {
			names = append(names, filepath.Base(path))
		}
	}
	return names
}

var evaluationColumns = []string{"fen", "line", "depth", "knodes", "cp", "mate"}

// evaluationRows are the rows of evaluations.tsv.
func evaluationRows(t testing.TB) (rows [][]string) {
	for row := range strings.Lines(string(read(t, "evaluations.tsv"))) {
		rows = append(rows, strings.Split(strings.TrimSuffix(row, "\n"), "\t"))
	}
	return rows
}

// TestWriters reads every value that pyarrow, Polars and DuckDB wrote, whatever the compression and encoding.
func TestWriters(t *testing.T) {
	want := evaluationRows(t)
	for _, name := range writers(t) {
		data := read(t, name)
		f, err := open(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var columns [][]string
		for _, c := range evaluationColumns {
			columns = append(columns, []string{c})
		}
		r, err := newTable(f, columns...)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i, row := range want {
			if err := r.next(); err != nil {
				t.Fatalf("%s, row %d: %v", name, i+1, err)
			}
			for k, c := range evaluationColumns {
				got := r.text(c)
				if got == "NaN" {
					got = ""
				}
				if got != row[k] {
					t.Fatalf("%s, row %d, %s: %q, want %q", name, i+1, c, got, row[k])
				}
			}
		}
		if err := r.next(); err != io.EOF || r.Share() != 1 {
			t.Errorf("%s: %v at the end, share %v", name, err, r.Share())
		}
	}
}

// say writes what a position and its label say.
func say(l *dataset.Line, label *dataset.Label) string {
	s := fmt.Sprint(l.Start.FEN(), " ", label.Status, " ", label.Best)
	for _, v := range label.Lines {
		s += fmt.Sprint(" | ", v.Score, " ", v.Depth, " ", v.Nodes, " ", v.PV)
	}
	return s
}

// TestEvaluations compares positions with those that the same rows give as Lichess's lines of JSON.
func TestEvaluations(t *testing.T) {
	var text bytes.Buffer
	var a *rows.Analysis
	flush := func() {
		if a != nil {
			json.NewEncoder(&text).Encode(a)
		}
	}
	number := func(s string) *int {
		if s == "" {
			return nil
		}
		n, _ := strconv.Atoi(s)
		return &n
	}
	for _, row := range evaluationRows(t) {
		if a == nil || a.FEN != row[0] {
			flush()
			a = &rows.Analysis{FEN: row[0], Evals: []rows.Searches{
				{Depth: *number(row[2]), KNodes: int64(*number(row[3]))}}}
		}
		a.Evals[0].PVs = append(a.Evals[0].PVs, rows.Variation{CP: number(row[4]), Mate: number(row[5]),
			Line: row[1]})
	}
	flush()
	var want []string
	multi := false
	for r := rows.NewEvalLineReader(&text); ; {
		l, labels, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, say(&l, &labels.Labels[0]))
		multi = multi || len(labels.Labels[0].Lines) > 2
	}
	if len(want) < 50 || !multi {
		t.Fatalf("%d positions, several variations: %v", len(want), multi)
	}
	for _, name := range writers(t) {
		c, err := openBytes(read(t, name))
		if err != nil || c.Evaluations == nil {
			t.Fatalf("%s: %v %+v", name, err, c)
		}
		last := int64(0)
		for i := range want {
			l, labels, err := c.Evaluations.Next()
			if err != nil || labels.Engine != rows.EvalLineEngine || l.Number <= last {
				t.Fatalf("%s: %v, %q, row %d", name, err, labels.Engine, l.Number)
			}
			last = l.Number
			if got := say(&l, &labels.Labels[0]); got != want[i] {
				t.Fatalf("%s: %s, want %s", name, got, want[i])
			}
		}
		if _, _, err := c.Evaluations.Next(); err != io.EOF {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestGames reads games with Lichess's columns and types: tags, a broken row, evaluations in comments.
func TestGames(t *testing.T) {
	c, err := openBytes(read(t, "games.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	batch, err := c.Games.Next()
	if err != nil || len(batch.Games) != 3 {
		t.Fatalf("%v, %d games", err, len(batch.Games))
	}
	p := pgn.Parser{ReadEvals: true}
	l, reject := p.Parse(batch.Games[0])
	if reject != nil || len(l.Moves) != 7 || l.WhiteElo != 1500 || l.Result != dataset.WhiteWins ||
		len(p.Notes().Evals) != 1 {
		t.Errorf("%v %+v", reject, l)
	}
	for name, want := range map[string]string{"White": `Ann "A"`, "BlackTitle": "GM", "UTCDate": "2014.01.31",
		"UTCTime": "01:01:01", "TimeControl": "300+0", "Site": "https://lichess.org/a"} {
		tag := "[" + name + ` "` + strings.ReplaceAll(want, `"`, `\"`) + `"]`
		if !bytes.Contains(batch.Games[0].Text, []byte(tag)) {
			t.Errorf("%s is not %q: %s", name, want, batch.Games[0].Text)
		}
	}
	if l, reject = p.Parse(batch.Games[1]); reject != nil || l.WhiteElo != 0 || l.Number != 2 || len(l.Moves) != 4 {
		t.Errorf("%v %+v", reject, l)
	}
	if _, reject = p.Parse(batch.Games[2]); reject == nil || reject.Reason != dataset.IllegalMove ||
		reject.Number != 3 {
		t.Errorf("%v", reject)
	}
	if _, err := c.Games.Next(); err != io.EOF {
		t.Error(err)
	}
}

// TestPuzzles reads puzzles whose columns stand in another order.
func TestPuzzles(t *testing.T) {
	c, err := openBytes(read(t, "puzzles.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	l, _, err := c.Puzzles.Next()
	if err != nil || l.Tag("PuzzleId") != "00001" || l.Tag("PuzzleRating") != "900" ||
		l.Tag("Themes") != "mate short" || len(l.Moves) != 2 || l.Number != 1 {
		t.Errorf("%v %+v", err, l)
	}
	var reject *dataset.Reject
	if _, _, err = c.Puzzles.Next(); !errors.As(err, &reject) || reject.Reason != dataset.NoMoves ||
		reject.Number != 2 {
		t.Error(err)
	}
	if _, _, err := c.Puzzles.Next(); err != io.EOF {
		t.Error(err)
	}
}

// outcome is what reading a file gives: positions, rows that its rejects of row groups say are lost, and the error.
type outcome struct {
	positions []string
	lost      int64
	err       error
}

func evaluate(t testing.TB, data []byte) (o outcome) {
	c, err := openBytes(data)
	if err != nil || c.Evaluations == nil {
		return outcome{err: errors.Join(err, errors.New("not opened"))}
	}
	items, err := readlines.All(t, c.Evaluations)
	o.err = err
	for _, item := range items {
		if d := (*damage)(nil); item.Reject == nil {
			o.positions = append(o.positions, say(&item.Line, &item.Line.Labels[0].Labels[0]))
		} else if errors.As(item.Reject, &d) {
			o.lost += d.lost
		}
	}
	return o
}

// TestCuts: no file that is cut anywhere is read.
func TestCuts(t *testing.T) {
	data := read(t, "pyarrow-zstd.parquet")
	for n := range data {
		if _, err := openBytes(data[:n]); !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrColumns) {
			t.Fatalf("cut at %d: %v", n, err)
		}
	}
}

// TestFlips flips bits of files. Where pages have checksums whatever changes in them is found, costs one row group, and
// leaves the others; zstd and gzip have checksums of their own only if the writer asked for them, so that elsewhere
// some flips cannot be seen, which are counted.
func TestFlips(t *testing.T) {
	for _, test := range []struct {
		name    string
		checked bool
	}{{"pyarrow-plain.parquet", true}, {"pyarrow-v2.parquet", false}, {"duckdb-gzip.parquet", false}} {
		data := read(t, test.name)
		whole := evaluate(t, data)
		if whole.err != nil || whole.lost > 0 {
			t.Fatal(whole)
		}
		f, err := open(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		var pageBytes [][2]int64 // places of what has a checksum
		if test.checked {
			pageBytes = payloads(t, f)
		}
		unseen, changed, refused := 0, 0, 0
		step := 13
		if os.Getenv("TALBOT_FULL") != "" {
			step = 1
		}
		for at := 0; at < len(data); at += step {
			flipped := bytes.Clone(data)
			flipped[at] ^= 1 << (at / step % 8)
			o := evaluate(t, flipped)
			same := slices.Equal(o.positions, whole.positions)
			switch {
			case o.err != nil:
				refused++
			case o.lost == 0 && same:
				unseen++
			case o.lost == 0:
				changed++
			}
			if o.err == nil && o.lost == 0 && slices.ContainsFunc(pageBytes, func(p [2]int64) bool {
				return int64(at) >= p[0] && int64(at) < p[1]
			}) {
				t.Errorf("%s: a flip at %d in a page with a checksum is not seen", test.name, at)
			}
			if o.err == nil && o.lost > f.rows {
				t.Errorf("%s, byte %d: %d rows lost of %d", test.name, at, o.lost, f.rows)
			}
		}
		t.Logf("%s: %d flips, %d files refused, %d without a difference, %d change values unseen", test.name,
			len(data)/step, refused, unseen, changed)
	}
}

// payloads returns where pages lie.
func payloads(t *testing.T, f *file) (places [][2]int64) {
	for g := range f.groups {
		for i := range f.leaves {
			p, err := newPages(f, &f.leaves[i], &f.groups[g].Columns[i], new(*zstd.Decoder))
			if err != nil {
				t.Fatal(err)
			}
			for p.at < p.end {
				h, err := p.header()
				if err != nil {
					t.Fatal(err)
				}
				if h.CRC == 0 {
					t.Fatal("a page without checksum")
				}
				places = append(places, [2]int64{p.at, p.at + int64(h.CompressedPageSize)})
				p.in.Discard(int(h.CompressedPageSize))
				p.at += int64(h.CompressedPageSize)
			}
		}
	}
	return places
}

// FuzzOpen reads anything: rows ascend, lines are legal, and what is refused is refused with a known error.
func FuzzOpen(f *testing.F) {
	for _, name := range []string{"pyarrow-v2.parquet", "pyarrow-delta.parquet", "polars-snappy.parquet",
		"duckdb-zstd.parquet", "pyarrow-narrow.parquet", "games.parquet", "puzzles.parquet"} {
		f.Add(read(f, name))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := openBytes(data)
		if err != nil {
			if !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrColumns) && !errors.Is(err, ErrUnsupported) {
				t.Fatal(err)
			}
			return
		}
		next := func() (number int64, err error) { return 0, io.EOF }
		switch {
		case c.Evaluations != nil:
			next = func() (int64, error) {
				l, _, err := c.Evaluations.Next()
				return l.Number, err
			}
		case c.Puzzles != nil:
			next = func() (int64, error) {
				l, _, err := c.Puzzles.Next()
				return l.Number, err
			}
		case c.Games != nil:
			next = func() (int64, error) {
				b, err := c.Games.Next()
				if err != nil {
					return 0, err
				}
				return b.Games[len(b.Games)-1].Number, nil
			}
		}
		last := int64(0)
		for range 20_000 { // a file may claim any number of equal rows
			number, err := next()
			if reject := (*dataset.Reject)(nil); errors.As(err, &reject) {
				number, err = reject.Number, nil
			}
			if err == io.EOF || errors.Is(err, ErrUnsupported) || errors.Is(err, dataset.ErrView) {
				return
			}
			if err != nil || number <= last {
				t.Fatalf("row %d behind %d: %v", number, last, err)
			}
			last = number
		}
	})
}

// TestView refuses scores whose signs contradict the material where Black moves, and reads them as what they are.
func TestView(t *testing.T) {
	type row struct {
		FEN string `parquet:"fen"`
		CP  int64  `parquet:"cp"`
	}
	var list []row // from the mover's view
	for i := range 40 {
		list = append(list, row{fmt.Sprintf("4k3/8/8/8/8/8/4P3/R3K3 w - - %d 60", i), 500},
			row{fmt.Sprintf("4k3/8/8/8/8/8/4P3/R3K3 b - - %d 60", i), -500})
	}
	data := write(t, list)
	mover := dataset.MoverView
	for _, test := range []struct {
		stated rows.Stated
		ok     bool
	}{
		{rows.Stated{}, false}, {rows.Stated{View: &mover}, true},
		{rows.Stated{Unchecked: true}, true},
	} {
		c, err := Open(bytes.NewReader(data), int64(len(data)), test.stated)
		if err != nil {
			t.Fatal(err)
		}
		_, labels, err := c.Evaluations.Next()
		if test.ok != (err == nil) || err != nil && !errors.Is(err, dataset.ErrView) {
			t.Errorf("%+v: %v", test.stated, err)
		}
		if err == nil && labels.Labels[0].Lines[0].Score != dataset.Centipawns(500) {
			t.Errorf("%+v: %v", test.stated, labels)
		}
	}
}

// TestHalf reads columns of Float16 that pyarrow wrote, plain and with a dictionary, and numbers of every kind: the
// values are those of Python's struct.
func TestHalf(t *testing.T) {
	for _, name := range []string{"half-plain.parquet", "half-dict.parquet"} {
		content, err := openBytes(read(t, name))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for {
			l, labels, err := content.Evaluations.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			got = append(got, fmt.Sprint(l.Start.Turn(), " ", labels.Labels[0].Lines[0].Score, " ",
				labels.Labels[0].Lines[0].Depth))
		}
		if want := []string{"white cp 24 20", "white cp -1500 21", "black cp -2047 22"}; !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	for raw, want := range map[string]float64{"\x00\x00": 0, "\x00\x3c": 1, "\x00\xc0": -2, "\xff\x7b": 65504,
		"\x01\x00": 5.960464477539063e-08, "\xff\x03": 6.097555160522461e-05, "\x00\x04": 6.103515625e-05,
		"\x55\x35": 0.333251953125, "\x00\xfc": math.Inf(-1)} {
		if got := half([]byte(raw)); got != want {
			t.Errorf("%x is %v, want %v", raw, got, want)
		}
	}
	if !math.IsNaN(half([]byte("\x01\x7e"))) {
		t.Error("NaN is a number")
	}
}
