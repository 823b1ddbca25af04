package shards

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"talbot/board"
	"talbot/dataset"
)

// memory is an output that stays in memory and fails at the given call, counted from 1.
type memory struct {
	bytes.Buffer
	calls, failAt      int
	committed, aborted bool
}

var errInjected = errors.New("no space left on device")

func (m *memory) call() error {
	if m.calls++; m.calls == m.failAt {
		return errInjected
	}
	return nil
}

func (m *memory) Write(p []byte) (int, error) {
	if err := m.call(); err != nil {
		return 0, err
	}
	return m.Buffer.Write(p)
}

func (m *memory) Commit() error {
	if err := m.call(); err != nil {
		return err
	}
	m.committed = true
	return nil
}

func (m *memory) Abort() { m.aborted = true }

// shardOf returns the bytes of a shard.
func shardOf(t testing.TB, lines []dataset.Line) []byte { return shardBy(t, 1, lines) }

// shardBy returns the bytes of a shard that several workers compress.
func shardBy(t testing.TB, workers int, lines []dataset.Line) []byte {
	t.Helper()
	m := new(memory)
	w := newWriter(m, Name(0), workers)
	ok(t, writeLines(w, lines))
	info := value(w.Commit())(t)
	if info.Bytes != int64(m.Len()) || info.Lines != int64(len(lines)) || !m.committed {
		t.Fatalf("%+v, want %d lines, %d bytes", info, len(lines), m.Len())
	}
	return m.Bytes()
}

// writeLines writes lines up to the first that is refused.
func writeLines(w *Writer, lines []dataset.Line) error {
	for i := range lines {
		if err := w.Write(&lines[i]); err != nil {
			return err
		}
	}
	return nil
}

func openBytes(b []byte, columns ...Columns) (*Reader, error) {
	return newReader(&file{in: bytes.NewReader(b)}, int64(len(b)), "a.talbot.zst", columns...)
}

// readAll reads all lines of a shard.
func readAll(b []byte, columns ...Columns) ([]dataset.Line, error) {
	r, err := openBytes(b, columns...)
	if err != nil {
		return nil, err
	}
	var lines []dataset.Line
	for i := range r.Blocks() {
		if lines, err = r.ReadBlock(i, lines); err != nil {
			return nil, err
		}
	}
	return lines, nil
}

// diff returns the first difference of two lists of lines, or "".
func diff(got, want []dataset.Line) string {
	if len(got) != len(want) {
		return fmt.Sprintf("%d lines, want %d", len(got), len(want))
	}
	for i := range want {
		if !reflect.DeepEqual(got[i], want[i]) {
			return fmt.Sprintf("line %d:\n%.500s\nwant\n%.500s", i, fmt.Sprintf("%+v", got[i]),
				fmt.Sprintf("%+v", want[i]))
		}
	}
	return ""
}

// roundTrip writes lines to a shard, reads it, and returns its bytes.
func roundTrip(t *testing.T, name string, lines []dataset.Line) []byte {
	t.Helper()
	shard := shardOf(t, lines)
	got, err := readAll(shard)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if d := diff(got, lines); d != "" {
		t.Errorf("%s: %s", name, d)
	}
	return shard
}

// TestRoundTrip writes random lines, several blocks of them, and a line that has only what it must have.
func TestRoundTrip(t *testing.T) {
	for seed := range uint64(8) {
		n := []int{0, 1, 2, 100, blockLines, blockLines + 1, 10, 500}[seed]
		for _, full := range []bool{false, true} {
			roundTrip(t, fmt.Sprint("seed ", seed), randomLines(t, seed, n, full))
		}
	}
	b := roundTrip(t, "zero", []dataset.Line{{Start: board.StartPosition(), Moves: []board.Move{}}})
	r, err := openBytes(b)
	if err != nil || len(r.index.Blocks[0].Columns) != 0 {
		t.Fatalf("%v, columns %v, want none", err, r.index.Blocks[0].Columns)
	}
	if _, err := r.ReadBlock(r.Blocks(), nil); err == nil {
		t.Error("no error for a block that does not exist")
	}
}

// TestSameBytesAtAnyWorkers writes the same lines with any number of workers. Where a block ends for its many names
// does not depend on the names that its buffers held before.
func TestSameBytesAtAnyWorkers(t *testing.T) {
	var named []dataset.Line
	for i := range 600 {
		l := dataset.Line{Number: int64(i + 1), Start: board.StartPosition(),
			Moves: []board.Move{board.NewMove(12, 28)}}
		for k := range 3 {
			l.Tags = append(l.Tags, dataset.Tag{Name: fmt.Sprint("tag", (i/50*7+k)%40), Value: "x"})
		}
		l.Labels = []dataset.LabelColumn{{Fingerprint: i, Labels: []dataset.Label{{
			Status: dataset.Labelled, Lines: []dataset.Searched{{Score: dataset.Centipawns(i)}},
		}}}}
		named = append(named, l)
	}
	for name, lines := range map[string][]dataset.Line{"random": randomLines(t, 5, 5*blockLines, false),
		"names": named} {
		want := shardOf(t, lines)
		for _, workers := range []int{2, 5, 16} {
			if got := shardBy(t, workers, lines); !bytes.Equal(got, want) {
				t.Errorf("%s: %d workers write other bytes than 1", name, workers)
			}
		}
	}
}

// TestNormalForm names what does not come back as it was.
func TestNormalForm(t *testing.T) {
	l := dataset.Line{
		Start: board.StartPosition(), Moves: []board.Move{board.NewMove(12, 28)},
		Samples:  dataset.SomePlies([]byte{1, 0, 0}),
		Tags:     []dataset.Tag{{Name: "White", Value: "w"}, {Name: "Black", Value: "b"}},
		Policies: [][]dataset.WeightedMove{{}},
		Labels:   []dataset.LabelColumn{{Fingerprint: 3, Labels: make([]dataset.Label, 1)}},
	}
	got := value(readAll(shardOf(t, []dataset.Line{l})))(t)
	l.Samples = dataset.SomePlies([]byte{1})
	l.Tags[0], l.Tags[1] = l.Tags[1], l.Tags[0]
	l.Policies[0], l.Labels = nil, nil
	if d := diff(got, []dataset.Line{l}); d != "" {
		t.Error(d)
	}
}

// TestBadLines checks that a line that could not be read back costs itself only.
func TestBadLines(t *testing.T) {
	label := func(change func(*dataset.Label)) func(*dataset.Line) {
		return func(l *dataset.Line) {
			labels := make([]dataset.Label, len(l.Moves))
			labels[0] = dataset.Label{Status: dataset.Labelled, Best: l.Moves[0], Lines: []dataset.Searched{{}}}
			change(&labels[0])
			l.Labels = []dataset.LabelColumn{{Labels: labels}}
		}
	}
	good := randomLines(t, 1, 3, false)
	for name, spoil := range map[string]func(*dataset.Line){
		"input":         func(l *dataset.Line) { l.Input = -1 },
		"start":         func(l *dataset.Line) { l.Start = board.Position{} },
		"great depth":   label(func(l *dataset.Label) { l.Lines[0].Depth = 1 << 16 }),
		"number":        func(l *dataset.Line) { l.Number = -1 },
		"offset":        func(l *dataset.Line) { l.Offset = -1 },
		"invented":      func(l *dataset.Line) { l.Reconstructed = 3 },
		"rating":        func(l *dataset.Line) { l.WhiteElo = 65536 },
		"source":        func(l *dataset.Line) { l.Source = dataset.Source(len(dataset.Sources())) },
		"result":        func(l *dataset.Line) { l.Result = 4 },
		"no UTF-8":      func(l *dataset.Line) { l.Tags = []dataset.Tag{{Name: "White", Value: "\xff"}} },
		"no tag name":   func(l *dataset.Line) { l.Tags = []dataset.Tag{{}} },
		"tag twice":     func(l *dataset.Line) { l.Tags = []dataset.Tag{{Name: "a"}, {Name: "b"}, {Name: "a"}} },
		"many tags":     func(l *dataset.Line) { l.Tags = manyTags(blockNames + 1) },
		"policies":      func(l *dataset.Line) { l.Policies = make([][]dataset.WeightedMove, 1) },
		"labels":        func(l *dataset.Line) { l.Labels = []dataset.LabelColumn{{}} },
		"fingerprint":   label(func(*dataset.Label) {}),
		"no lines":      label(func(l *dataset.Label) { l.Lines = nil }),
		"many lines":    label(func(l *dataset.Label) { l.Lines = make([]dataset.Searched, 257) }),
		"failed, best":  label(func(l *dataset.Label) { l.Status, l.Lines = dataset.Failed, nil }),
		"status":        label(func(l *dataset.Label) { *l = dataset.Label{Status: 4} }),
		"score":         label(func(l *dataset.Label) { l.Lines[0].Score = 30001 }),
		"wdl":           label(func(l *dataset.Label) { l.Lines[0].WDL.Win = 999 }),
		"depth":         label(func(l *dataset.Label) { l.Lines[0].Depth = -1 }),
		"nodes":         label(func(l *dataset.Label) { l.Lines[0].Nodes = -1 }),
		"best with PV":  label(func(l *dataset.Label) { l.Lines[0].PV, l.Best = []board.Move{l.Best}, 0 }),
		"endless moves": func(l *dataset.Line) { l.Moves = make([]board.Move, lineMoves+1) },
	} {
		bad := dataset.Line{Start: board.StartPosition(),
			Moves: []board.Move{board.NewMove(12, 28), board.NewMove(52, 36)}}
		spoil(&bad)
		if name == "fingerprint" {
			bad.Labels = append(bad.Labels, bad.Labels[0])
		}
		m := new(memory)
		w := newWriter(m, Name(0), 1)
		for i := range good {
			ok(t, w.Write(&good[i]))
			if err := w.Write(&bad); err == nil || !strings.Contains(err.Error(), "number") {
				t.Errorf("%s: error %v, want one with the line's number", name, err)
			}
		}
		if _, err := w.Commit(); err != nil {
			t.Fatal(err)
		}
		got := value(readAll(m.Bytes()))(t)
		if d := diff(got, good); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func manyTags(n int) []dataset.Tag {
	tags := make([]dataset.Tag, n)
	for i := range tags {
		tags[i].Name = fmt.Sprintf("T%04d", i)
	}
	return tags
}

// TestManyTagNames: a shard may have more names than a block.
func TestManyTagNames(t *testing.T) {
	var lines []dataset.Line
	for i := range 300 {
		lines = append(lines, dataset.Line{Number: int64(i), Start: board.StartPosition(), Moves: []board.Move{},
			Tags: []dataset.Tag{{Name: fmt.Sprintf("T%04d", i), Value: "x"}}})
	}
	roundTrip(t, "names", lines)
}

// TestWriterFails lets each call of the output fail.
func TestWriterFails(t *testing.T) {
	lines := randomLines(t, 2, 3*blockLines, false)
	for _, workers := range []int{1, 3} {
		ok := false
		for n := 1; !ok; n++ {
			m := &memory{failAt: n}
			w := newWriter(m, Name(0), workers)
			first := writeLines(w, lines)
			_, err := w.Commit()
			w.Abort()
			ok = m.calls < n
			switch {
			case ok && (err != nil || first != nil):
				t.Errorf("call %d did not happen, but %v, %v", n, first, err)
			case !ok && !errors.Is(err, errInjected):
				t.Errorf("call %d fails: error %v", n, err)
			case !ok && m.committed:
				t.Errorf("call %d fails, but the shard is committed", n)
			case !ok && !m.aborted && m.calls != m.failAt:
				t.Errorf("call %d fails, but the shard is not aborted", n)
			}
			if err := w.Write(&lines[0]); err == nil {
				t.Error("Write after the end gave no error")
			}
			if n > 20 {
				t.Fatal("too many calls")
			}
		}
	}
}

func TestCreateCommitAbort(t *testing.T) {
	dir := t.TempDir()
	lines := randomLines(t, 3, 5, true)
	for number, abort := range []bool{false, true} {
		w := value(Create(dir, number, 1))(t)
		ok(t, writeLines(w, lines))
		if files, _ := filepath.Glob(dir + "/*.zst"); len(files) != number {
			t.Errorf("a shard before its commit: %v", files)
		}
		if abort {
			w.Abort()
		} else if _, err := w.Commit(); err != nil {
			t.Fatal(err)
		}
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 1 || files[0].Name() != "shard-00000.talbot.zst" {
		t.Errorf("%v, %v; want one shard", files, err)
	}
	if _, err := Create(filepath.Join(dir, "missing"), 0, 1); err == nil {
		t.Error("no error in a folder that is not there")
	}
}

// TestZstd checks that zstd's own command accepts a shard.
func TestZstd(t *testing.T) {
	if _, err := exec.LookPath("zstd"); err != nil {
		t.Skip("SKIPPED: the zstd command is not here")
	}
	b := shardOf(t, randomLines(t, 4, 1100, true))
	r := value(openBytes(b))(t)
	raw := int64(0)
	for _, block := range r.index.Blocks {
		for _, c := range block.Columns {
			raw += c.Raw
		}
	}
	path := filepath.Join(t.TempDir(), Name(0))
	ok(t, os.WriteFile(path, b, 0o600))
	if out, err := exec.Command("zstd", "-t", path).CombinedOutput(); err != nil {
		t.Errorf("zstd -t: %v\n%s", err, out)
	}
	if out, err := exec.Command("zstd", "-dc", path).Output(); err != nil || int64(len(out)) != raw {
		t.Errorf("zstd -dc: %v, %d bytes, want %d", err, len(out), raw)
	}
	out, err := exec.Command("zstd", "-lv", path).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "Check: XXH64") ||
		!strings.Contains(string(out), fmt.Sprintf("(%d B)", raw)) {
		t.Errorf("zstd -lv: %v, want checksums and content sizes of %d bytes\n%s", err, raw, out)
	}
}

// ok ends the test at an error.
func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// value returns a value, and ends the test at an error.
func value[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		ok(t, err)
		return v
	}
}
