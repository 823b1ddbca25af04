package export_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"talbot/board"
	"talbot/dataset"
	"talbot/encode"
	"talbot/internal/output"
	"talbot/internal/testkit"
	"talbot/internal/testkit/madeup"
	"talbot/pipeline/export"
)

// export runs a request into a file of its own.
func exportFile(t *testing.T, r export.Request, format string) (export.Summary, error) {
	t.Helper()
	f := testkit.Value(export.ParseFormat(format))(t)
	r.Format, r.Out.Path = f, filepath.Join(t.TempDir(), "out")
	return r.Run(t.Context())
}

// TestParquet reads every row back with positions made from its history, and compares with the samples.
func TestParquet(t *testing.T) {
	dir := madeup.Dataset(t, madeup.Lines(t), 2)
	sum := testkit.Value(exportFile(t, export.Request{Dir: dir}, "parquet"))(t)
	type columns struct {
		FEN     string  `parquet:"fen"`
		Start   string  `parquet:"start"`
		History string  `parquet:"history"`
		Played  *string `parquet:"played,optional"`
		Best    *string `parquet:"best,optional"`
		CP      *int32  `parquet:"cp,optional"`
		Mate    *int32  `parquet:"mate,optional"`
		Result  *string `parquet:"result,optional"`
		Ply     int32   `parquet:"ply"`
	}
	rows, err := parquet.ReadFile[columns](sum.Out)
	if err != nil {
		t.Fatal(err)
	}
	if int64(len(rows)) != sum.Samples || len(rows) == 0 {
		t.Fatalf("%d rows of %d samples", len(rows), sum.Samples)
	}
	next := 0
	for m, l := range madeup.Each(t, dir) {
		counting, _ := dataset.NewCounting(m.Fingerprints, "")
		var w dataset.Walker
		for w.Reset(l); w.Next(); next++ {
			r := rows[next]
			p := testkit.Value(board.ParseFEN(r.Start))(t)
			for word := range strings.FieldsSeq(r.History) {
				move := testkit.Value(p.ParseUCI(word))(t)
				p.Play(move)
			}
			if p.FEN() != r.FEN || r.FEN != w.Position().FEN() || int(r.Ply) != w.Ply() {
				t.Fatalf("row %d: %q, by its history %q, want %q", next, r.FEN, p.FEN(), w.Position().FEN())
			}
			if (r.Result == nil) != (l.Result == dataset.ResultUnknown) ||
				r.Result != nil && *r.Result != l.Result.String() {
				t.Errorf("row %d: result %v, want %v", next, r.Result, l.Result)
			}
			if (r.Played == nil) != (w.Ply() == len(l.Moves)) ||
				r.Played != nil && *r.Played != l.Moves[w.Ply()].String() {
				t.Errorf("row %d: played %v", next, r.Played)
			}
			label := counting.Of(l, w.Sample()).Moves
			if label.Status != dataset.Labelled {
				if r.CP != nil || r.Mate != nil || r.Best != nil {
					t.Errorf("row %d has a score without a label", next)
				}
				continue
			}
			sign := int32(1)
			if w.Position().Turn() == board.Black {
				sign = -1
			}
			got := dataset.Score(0)
			switch {
			case r.CP != nil:
				got = dataset.Centipawns(int(sign * *r.CP))
			case r.Mate != nil:
				got = dataset.MateIn(int(sign * *r.Mate))
			}
			if want := label.Lines[0].Score; got != want {
				t.Errorf("row %d: score %v, want %v", next, got, want)
			}
		}
	}
	if next != len(rows) {
		t.Errorf("%d samples, %d rows", next, len(rows))
	}
}

// TestNpy reads the records by the header's own words and compares planes, value and policy with the encoder.
func TestNpy(t *testing.T) {
	dir := madeup.Dataset(t, madeup.Lines(t), 2)
	e := encode.TalbotBot{}
	sum := testkit.Value(exportFile(t, export.Request{Dir: dir, Encoder: e}, "npy"))(t)
	data := testkit.Value(os.ReadFile(sum.Out))(t)
	le := binary.LittleEndian
	head := 10 + int(le.Uint16(data[8:]))
	if string(data[:8]) != "\x93NUMPY\x01\x00" || head%64 != 0 || data[head-1] != '\n' {
		t.Fatalf("header %q", data[:head])
	}
	const record = 68*8 + 4 + 4
	if int64(len(data)-head) != record*sum.Samples {
		t.Fatalf("%d bytes for %d records", len(data)-head, sum.Samples)
	}
	at := data[head:]
	for m, l := range madeup.Each(t, dir) {
		counting, _ := dataset.NewCounting(m.Fingerprints, "")
		var w dataset.Walker
		for w.Reset(l); w.Next(); at = at[record:] {
			planes := make([]uint64, 68)
			e.Planes(planes, w.Game())
			for i, plane := range planes {
				if le.Uint64(at[8*i:]) != plane {
					t.Fatalf("plane %d of %q differs", i, w.Position().FEN())
				}
			}
			want, ok := encode.Value(e, encode.RecipeValue, w.Position(), counting.Of(l, w.Sample()).Value)
			got := math.Float32frombits(le.Uint32(at[544:]))
			if ok != (got == got) || ok && got != want {
				t.Errorf("value %v, want %v (%v)", got, want, ok)
			}
		}
	}
}

// TestChoice: what is chosen and left out adds up, nothing chosen is an error and leaves no file, and an existing
// file stays as it was.
func TestChoice(t *testing.T) {
	dir := madeup.Dataset(t, madeup.Lines(t), 2)
	all := testkit.Value(exportFile(t, export.Request{Dir: dir}, "parquet"))(t)
	sum := int64(0)
	for _, split := range dataset.AllSplits() {
		part, err := exportFile(t, export.Request{Dir: dir, Splits: []dataset.Split{split}}, "parquet")
		if err != nil && !errors.Is(err, export.ErrNothing) {
			t.Fatal(err)
		}
		sum += part.Samples
	}
	if sum != all.Samples {
		t.Errorf("the splits have %d samples, all %d", sum, all.Samples)
	}
	out := testkit.WriteFile(t, filepath.Join(t.TempDir(), "kept"), "before")
	f, _ := export.ParseFormat("parquet")
	_, err := export.Request{Dir: dir, Out: output.File{Path: out}, Format: f,
		Sources: []dataset.Source{dataset.SourceAggregate}}.
		Run(t.Context())
	if data, _ := os.ReadFile(out); !errors.Is(err, export.ErrNothing) || string(data) != "before" {
		t.Errorf("error %v, file %q", err, data)
	}
	if _, err := os.Stat(out + ".tmp"); !os.IsNotExist(err) {
		t.Errorf("the temporary file is there: %v", err)
	}
}

var pythonBlock = regexp.MustCompile("(?ms)^```python\n(.*?)^```$")

// TestExamples runs the Python examples of the docs: with pandas, Polars, DuckDB and PyTorch all count the same samples
// as we do. TALBOT_PYTHON names a Python that has them.
func TestExamples(t *testing.T) {
	python := os.Getenv("TALBOT_PYTHON")
	if python == "" {
		python = "python3"
	}
	page := testkit.Value(os.ReadFile("../../docs/19-other-formats.md"))(t)
	blocks := pythonBlock.FindAllStringSubmatch(string(page), -1)
	if len(blocks) != 5 {
		t.Fatalf("%d examples", len(blocks))
	}
	dir := madeup.Dataset(t, madeup.Lines(t), 2)
	work := t.TempDir()
	for format, out := range map[string]string{"parquet": "samples.parquet", "npy": "train.npy"} {
		f := testkit.Value(export.ParseFormat(format))(t)
		testkit.Run(t, export.Request{Dir: dir, Format: f, Out: output.File{Path: filepath.Join(work, out)},
			Encoder: encode.TalbotBot{}})
	}
	type row struct {
		CP    *int32 `parquet:"cp,optional"`
		Split string `parquet:"split"`
	}
	rows, err := parquet.ReadFile[row](filepath.Join(work, "samples.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	count, sum := 0, int32(0)
	for _, r := range rows {
		if r.CP != nil && r.Split == "train" {
			count, sum = count+1, sum+*r.CP
		}
	}
	if count == 0 {
		t.Fatal("no labelled sample")
	}
	for _, b := range blocks {
		name := strings.Fields(b[1])[1]
		if strings.Contains(b[1], "torch") {
			name = "torch"
		}
		t.Run(name, func(t *testing.T) {
			if out, err := exec.Command(python, "-c", "import "+name+", pyarrow").CombinedOutput(); err != nil {
				t.Skipf("SKIPPED: %s has no %s (TALBOT_PYTHON names another): %v: %.200s", python, name, err, out)
			}
			cmd := exec.Command(python, "-c", b[1])
			cmd.Dir = work
			out, err := cmd.CombinedOutput()
			want := fmt.Sprintln(count, sum)
			if name == "numpy" {
				want = ""
			}
			if err != nil || string(out) != want {
				t.Errorf("%q (%v), want %q", out, err, want)
			}
		})
	}
}
