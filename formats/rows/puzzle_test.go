package rows

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"talbot/dataset"
	"talbot/internal/testkit/readlines"
	"talbot/internal/testkit/shareddata"
)

const (
	puzzleHeader = "PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,OpeningTags\n"
	goodRow      = "ab1,6k1/5ppp/8/8/8/8/5PPP/R5K1 b - - 0 1,h7h6 a1a8,700,80,95,10,mate " +
		"mateIn1,https://example.org/x#1,\n"
)

func readPuzzles(t *testing.T, r io.Reader) []readlines.Item {
	t.Helper()
	items, err := readlines.All(t, NewPuzzleReader(r))
	if err != nil {
		t.Fatal(err)
	}
	return items
}

func TestPuzzleRow(t *testing.T) {
	for name, text := range map[string]string{
		"header":      puzzleHeader + goodRow,
		"no header":   goodRow,
		"no line end": strings.TrimSuffix(goodRow, "\n"),
		"CRLF":        strings.ReplaceAll(puzzleHeader+goodRow, "\n", "\r\n"),
		"mark":        "\ufeff" + puzzleHeader + goodRow,
		"blank lines": "\n\n" + puzzleHeader + "\n" + goodRow + "\n",
		"quoted":      puzzleHeader + strings.Replace(goodRow, "mate mateIn1", `"mate mateIn1"`, 1),
		"other order": "Moves,PuzzleId,Rating,FEN,GameUrl,Themes\nh7h6 a1a8,ab1,700,6k1/5ppp/8/8/8/8/5PPP/R5K1 " +
			"b - - 0 1,https://example.org/x#1,mate mateIn1\n",
		"header repeated": puzzleHeader + puzzleHeader + goodRow,
	} {
		t.Run(name, func(t *testing.T) {
			all := readPuzzles(t, strings.NewReader(text))
			if len(all) != 1 || all[0].Reject != nil {
				t.Fatalf("got %+v, want one puzzle", all)
			}
			l := all[0].Line
			if l.Source != dataset.SourcePuzzle || l.Number != 1 || l.Result != dataset.ResultUnknown {
				t.Errorf("source %v, number %d, result %v", l.Source, l.Number, l.Result)
			}
			if at := strings.Index(text, "ab1,6k1"); at >= 0 && l.Offset != int64(at) {
				t.Errorf("offset %d, want %d", l.Offset, at)
			}
			if got := fmt.Sprint(l.Moves); got != "[h7h6 a1a8]" {
				t.Errorf("moves %s", got)
			}
			want := []dataset.Tag{{Name: "PuzzleId", Value: "ab1"}, {Name: "PuzzleRating", Value: "700"},
				{Name: "Themes", Value: "mate mateIn1"}, {Name: "GameUrl", Value: "https://example.org/x#1"}}
			if fmt.Sprint(l.Tags) != fmt.Sprint(want) {
				t.Errorf("tags %v, want %v", l.Tags, want)
			}
			if fmt.Sprint(l.Samples) != fmt.Sprint(dataset.OddPlies()) {
				t.Errorf("samples %v, want the odd plies", l.Samples)
			}
		})
	}
}

func TestPuzzleRejects(t *testing.T) {
	for _, c := range []struct {
		name, row string
		want      dataset.Reason
		detail    string
	}{
		{"columns", "ab1,6k1/5ppp/8/8/8/8/5PPP/R5K1 b - - 0 1\n", dataset.BadRow, "too few columns"},
		{"open quote", `ab1,"6k1/5ppp/8/8/8/8/5PPP/R5K1 b - - 0 1,h7h6 a1a8` + "\n", dataset.BadRow, "quote"},
		{"stray quote", strings.Replace(goodRow, "mate ", `mate " `, 1), dataset.BadRow, "quote"},
		{"blank before a quote", strings.Replace(goodRow, "mate mateIn1", ` "mate mateIn1"`, 1), dataset.BadRow, "quote"},
		{"overlong", strings.Replace(goodRow, "mate ", strings.Repeat("x", 3*MaxRow), 1), dataset.BadRow,
			"over 65536 bytes"},
		{"no moves", strings.Replace(goodRow, "h7h6 a1a8", "", 1), dataset.NoMoves, ""},
		{"one move", strings.Replace(goodRow, "h7h6 a1a8", "h7h6", 1), dataset.NoMoves, ""},
		{"bad FEN", strings.Replace(goodRow, "6k1", "6x1", 1), dataset.BadFEN, "6x1/"},
		{"no king", strings.Replace(goodRow, "6k1", "8", 1), dataset.BadFEN, ""},
		{"illegal move", strings.Replace(goodRow, "a1a8", "a1b8", 1), dataset.IllegalMove, `"a1b8"`},
		{"no move", strings.Replace(goodRow, "a1a8", "zz", 1), dataset.IllegalMove, `"zz"`},
		{"junk", "\x00\xff\x00,,,,\n", dataset.BadFEN, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := puzzleHeader + goodRow + c.row + goodRow
			all := readPuzzles(t, strings.NewReader(text))
			if len(all) != 3 || all[0].Reject != nil || all[2].Reject != nil || all[1].Reject == nil {
				t.Fatalf("got %+v, want the row between two good ones rejected", all)
			}
			r := all[1].Reject
			if r.Reason != c.want || r.Number != 2 || r.Offset != int64(len(puzzleHeader)+len(goodRow)) {
				t.Errorf("got %v, want %s for row 2", r, c.want)
			}
			if !strings.Contains(r.Error(), c.detail) {
				t.Errorf("%q does not say %q", r, c.detail)
			}
			if want := int64(len(puzzleHeader) + len(goodRow) + len(c.row)); all[2].Line.Offset != want {
				t.Errorf("next row at byte %d, want %d", all[2].Line.Offset, want)
			}
		})
	}
}

func TestPuzzleReadError(t *testing.T) {
	broken := errors.New("broken pipe")
	p := NewPuzzleReader(io.MultiReader(strings.NewReader(goodRow+"ab2,6k1"), iotest.ErrReader(broken)))
	if _, _, err := p.Next(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := p.Next(); !errors.Is(err, broken) || !strings.Contains(err.Error(), "byte 1") {
		t.Errorf("got %v, want the reader's error and the place", err)
	}
}

// TestPuzzleSharedFiles reads every row of the shared files and compares it with encoding/csv; all are legal.
func TestPuzzleSharedFiles(t *testing.T) {
	for _, c := range []struct {
		file   string
		rows   int
		header bool
	}{
		{"lichess-stratified-a.csv", 1346, true},
		{"lichess-stratified-a-noheader-first100.csv", 100, false},
	} {
		t.Run(c.file, func(t *testing.T) {
			text := shareddata.Read(t, "puzzles/"+c.file)
			rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			if c.header {
				rows = rows[1:]
			}
			all := readPuzzles(t, bytes.NewReader(text))
			if len(all) != c.rows || len(rows) != c.rows {
				t.Fatalf("%d puzzles and %d rows, want %d", len(all), len(rows), c.rows)
			}
			for i, got := range all {
				if got.Reject != nil {
					t.Fatal(got.Reject)
				}
				l, row := got.Line, rows[i]
				if l.SampleCount() != len(l.Moves)/2 {
					t.Fatalf("row %d: %d samples of %d moves", i+1, l.SampleCount(), len(l.Moves))
				}
				if text := fmt.Sprint(l.Moves); text != "["+row[2]+"]" || l.Number != int64(i+1) ||
					l.Tags[0].Value != row[0] {
					t.Fatalf("row %d: got %d %v, want %v", i+1, l.Number, l, row)
				}
				if !bytes.HasPrefix(text[l.Offset:], []byte(row[0]+",")) {
					t.Fatalf("row %d: offset %d is wrong", i+1, l.Offset)
				}
			}
		})
	}
}

// FuzzPuzzle checks that no row breaks the reader, that every puzzle has legal moves, and that the good row behind
// a bad one is found.
func FuzzPuzzle(f *testing.F) {
	for _, s := range []string{"", puzzleHeader, goodRow, `a,"b` + "\n" + goodRow, "a,b,c,d\r\n", "\xef\xbb\xbf,,\n",
		"\"\"\"\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if bytes.Contains(data, []byte("PuzzleId")) {
			return // it may move the columns
		}
		all := readPuzzles(t, io.MultiReader(bytes.NewReader(data), strings.NewReader("\n"+goodRow)))
		last := all[len(all)-1]
		if last.Reject != nil || fmt.Sprint(last.Line.Moves) != "[h7h6 a1a8]" ||
			last.Line.Offset != int64(len(data)+1) {
			t.Fatalf("the good row is lost: %+v", last)
		}
	})
}
