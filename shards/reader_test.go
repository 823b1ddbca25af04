package shards

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/zstd"

	"talbot/dataset"
)

// TestFlips flips each byte of a shard: all are detected, none is harmless.
func TestFlips(t *testing.T) {
	good := shardOf(t, randomLines(t, 9, 4, true))
	for i := range good {
		for _, mask := range [][]byte{{1}, {0x80}, {0xff}}[i%3] {
			bad := bytes.Clone(good)
			bad[i] ^= mask
			if _, err := readAll(bad); !errors.Is(err, dataset.ErrDamaged) {
				t.Fatalf("byte %d of %d flipped by %#x: error %v", i, len(good), mask, err)
			} else if !strings.Contains(err.Error(), "a.talbot.zst") || !strings.Contains(err.Error(), "byte ") {
				t.Fatalf("%v does not name file and byte", err)
			}
		}
	}
}

// TestCuts cuts a shard at every length, and appends to it.
func TestCuts(t *testing.T) {
	good := shardOf(t, randomLines(t, 10, 4, true))
	for n := range good {
		if _, err := readAll(good[:n]); !errors.Is(err, dataset.ErrDamaged) {
			t.Fatalf("cut at %d of %d: error %v", n, len(good), err)
		}
	}
	for _, more := range [][]byte{{0}, good} {
		if _, err := readAll(append(bytes.Clone(good), more...)); !errors.Is(err, dataset.ErrDamaged) {
			t.Errorf("%d bytes more: error %v", len(more), err)
		}
	}
}

// craft makes a shard of the given columns, with a footer that says what the test wants.
func craft(lines, positions, samples int64, change func(*columnIndex), columns ...column) []byte {
	b := appendHeader(nil)
	block := blockIndex{Lines: lines, Positions: positions, Samples: samples}
	e := encoders.Get().(*zstd.Encoder)
	defer encoders.Put(e)
	for _, c := range columns {
		from := len(b)
		b = e.EncodeAll(c.raw, b)
		ix := columnIndex{Name: c.name, Offset: int64(from), Size: int64(len(b) - from), Raw: int64(len(c.raw)),
			Hash: checksum(xxhash.Sum64(b[from:]))}
		change(&ix)
		block.Columns = append(block.Columns, ix)
	}
	b, _ = appendFooter(b, &index{Format: dataset.FormatVersion, Blocks: []blockIndex{block}})
	return b
}

func unchanged(*columnIndex) {}

// TestCrafted reads shards whose checksums are right and whose content is wrong. None may take much memory.
func TestCrafted(t *testing.T) {
	zero, ones := make([]byte, 1<<20), bytes.Repeat([]byte{1}, 1<<20)
	u16 := func(v ...uint16) (b []byte) {
		for _, x := range v {
			b = binary.LittleEndian.AppendUint16(b, x)
		}
		return b
	}
	const n = 100_000 // moves
	long := []column{{colPlies, binary.AppendUvarint(nil, n)}, {colMoves, ones[:2*n]}}
	line := func(columns ...column) []byte { return craft(1, 1, 0, unchanged, columns...) }
	sample := func(columns ...column) []byte {
		return craft(1, 1, 1, unchanged, append([]column{{colSamples, []byte{2}}}, columns...)...)
	}
	searched := func(part string, raw []byte) []byte {
		return sample(column{"label:0:status", []byte{1}}, column{"label:0:" + part, raw})
	}
	for name, b := range map[string][]byte{
		"bomb":           craft(1, 1, 0, func(c *columnIndex) { c.Raw = 10 }, column{colResult, make([]byte, 32<<20)}),
		"too little":     craft(1, 1, 0, func(c *columnIndex) { c.Raw = 10 }, column{colResult, []byte{1}}),
		"raw over limit": craft(1, 1, 0, func(c *columnIndex) { c.Raw = maxRaw + 1 }, column{colResult, []byte{1}}),
		"raw negative":   craft(1, 1, 0, func(c *columnIndex) { c.Raw = -1 }, column{colResult, []byte{1}}),
		"sum over limit": craft(1, 1, 0, func(c *columnIndex) { c.Raw = maxRaw/2 + 1 }, column{colResult, []byte{1}},
			column{"x", []byte{1}}),
		"offset":         craft(1, 1, 0, func(c *columnIndex) { c.Offset++ }, column{colResult, []byte{1}}),
		"size":           craft(1, 1, 0, func(c *columnIndex) { c.Size = 1 << 60 }, column{colResult, []byte{1}}),
		"size short":     craft(1, 1, 0, func(c *columnIndex) { c.Size-- }, column{colResult, []byte{1}}),
		"name twice":     line(column{colResult, []byte{1}}, column{colResult, []byte{1}}),
		"no lines":       craft(0, 0, 0, unchanged),
		"many lines":     craft(maxLines+1, maxLines+1, 0, unchanged),
		"many positions": craft(1, maxPositions+1, 0, unchanged),
		"many samples":   craft(1, 1, 2, unchanged),
		"moves missing":  craft(1, 3, 2, unchanged, column{colPlies, []byte{2}}),
		"moves odd":      craft(1, 2, 1, unchanged, column{colPlies, []byte{1}}, column{colMoves, []byte{1, 2, 3}}),
		"plies":          craft(1, 3, 2, unchanged, column{colPlies, []byte{1}}, column{colMoves, u16(1, 2)}),
		"plies too many": craft(1, 2, 1, unchanged, column{colPlies, []byte{200, 1}}, column{colMoves, u16(1)}),
		"plies trailing": craft(1, 2, 1, unchanged, column{colPlies, []byte{1, 0}}, column{colMoves, u16(1)}),
		"plies cut":      craft(1, 2, 1, unchanged, column{colPlies, []byte{0x81}}, column{colMoves, u16(1)}),
		"invented": craft(1, 2, 1, unchanged, column{colPlies, []byte{1}}, column{colMoves, u16(1)},
			column{colInvented, []byte{2}}),
		"source":         line(column{colSource, []byte{byte(len(dataset.Sources()))}}),
		"result":         line(column{colResult, []byte{4}}),
		"result long":    line(column{colResult, []byte{1, 1}}),
		"white_elo":      line(column{colWhiteElo, []byte{1}}),
		"black_elo":      line(column{colBlackElo, []byte{1}}),
		"input":          line(column{colInput, []byte{255, 255, 255, 255, 255, 1}}),
		"number":         line(column{colNumber, []byte{1}}),
		"offset below 0": line(column{colOffset, []byte{3}}),
		"start":          line(column{colStart, []byte("\x09rubbish!")}),
		"start long":     line(column{colStart, []byte("\x50x")}),
		"samples":        line(column{colSamples, []byte{4}}),
		"sample count":   craft(1, 1, 1, unchanged),
		"bitmap":         craft(1, 1, 1, unchanged, column{colSamples, []byte{3}}, column{colBitmap, []byte{1, 1}}),
		"bitmap short":   craft(2, 2, 2, unchanged, column{colSamples, []byte{3, 3}}, column{colBitmap, []byte{1}}),
		"tag":            line(column{tagPrefix + "a", []byte{2}}),
		"tag trailing":   line(column{tagPrefix + "a", []byte{2, 65, 65}}),
		"policy":         sample(column{colPolicyCount, []byte{2}}, column{colPolicyMove, u16(1)}),
		"policy weight": sample(column{colPolicyCount, []byte{1}},
			column{colPolicyMove, u16(1)}, column{colPolicyWeight, u16(1)}),
		"status":      sample(column{"label:0:status", []byte{4}}),
		"status long": sample(column{"label:0:status", []byte{1, 1}}),
		"score":       searched("score", u16(30001)),
		"wdl":         searched("wdl", u16(1000, 2)),
		"wdl draw":    searched("wdl", u16(0, 2)),
		"depth":       searched("depth", []byte{1, 1}),
		"nodes":       searched("nodes", bytes.Repeat([]byte{255}, 11)),
		"pv":          searched("pv", u16(1, 2)),
		"pv plies":    searched("pv_plies", []byte{3}),
		"searched bomb": craft(1, n+1, n, unchanged,
			append(long, column{"label:0:status", ones[:n]}, column{"label:0:lines", bytes.Repeat([]byte{255}, n)})...),
		"label bomb":      craft(1, n+1, n, unchanged, append(long, manyStatus(ones[:n])...)...),
		"tag bomb":        craft(maxLines, maxLines, 0, unchanged, manyTexts(ones[:maxLines])...),
		"zeros of a text": craft(1, 1, 0, unchanged, column{colStart, zero}),
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := readAll(b)
			runtime.ReadMemStats(&after)
			if !errors.Is(err, dataset.ErrDamaged) || !strings.Contains(err.Error(), "byte ") {
				t.Errorf("error %v, want damage and its place", err)
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > 2*maxDecoded {
				t.Errorf("took %d MiB", used>>20)
			}
		})
	}
}

// manyStatus is a column of labels for each of many fingerprints.
func manyStatus(status []byte) (columns []column) {
	for f := range 200 {
		columns = append(columns, column{fmt.Sprintf("label:%d:status", f), status})
	}
	return columns
}

// manyTexts is one column of empty texts for each of many tags.
func manyTexts(lengths []byte) (columns []column) {
	for i := range 1100 {
		columns = append(columns, column{fmt.Sprintf("tag:%d", i), lengths})
	}
	return columns
}

// TestWrongPredictions: columns of predictions that contradict each other are damage.
func TestWrongPredictions(t *testing.T) {
	good := map[string][]byte{networkStatus: {1}, networkValue: {1, 0}, networkCount: {2}, networkMove: {12, 7, 11, 6},
		networkPrior: {3, 9}}
	craftOf := func(part string, raw []byte) []byte {
		columns := []column{{colPlies, []byte{1}}, {colMoves, []byte{12, 7}}}
		for name, content := range good {
			if name == part {
				content = raw
			}
			if content != nil {
				columns = append(columns, column{"network:0:" + name, content})
			}
		}
		return craft(1, 2, 1, unchanged, columns...)
	}
	if lines, err := readAll(craftOf("", nil)); err != nil || len(lines[0].Predictions[0].Predictions[0].Moves) != 2 ||
		lines[0].Predictions[0].Predictions[0].Moves[1].Prior != 12 {
		t.Fatalf("%+v, %v", lines, err)
	}
	for part, all := range map[string][][]byte{
		networkStatus: {nil, {3}, {1, 1}, {2}},
		networkValue:  {{1}, {0, 0x80}, {1, 0, 1, 0}},
		networkCount:  {nil, {1}, {3}, {2, 1}, {0x80}},
		networkMove:   {nil, {12, 7}, {12, 7, 11}, {12, 7, 11, 6, 1, 1}},
		networkPrior:  {{3}, {3, 9, 1}, {3, 0xff, 0xff, 3}, {3, 0x80}},
	} {
		for _, raw := range all {
			if _, err := readAll(craftOf(part, raw)); !errors.Is(err, dataset.ErrDamaged) {
				t.Errorf("%s = %v: %v", part, raw, err)
			}
		}
	}
}

// TestWrongClocks: columns of clocks that contradict each other are damage.
func TestWrongClocks(t *testing.T) {
	read := func(units, left []byte) ([]dataset.Line, error) {
		columns := []column{{colPlies, []byte{3}}, {colMoves, []byte{12, 7, 51, 9, 1, 5}}}
		if units != nil {
			columns = append(columns, column{colClockUnit, units})
		}
		if left != nil {
			columns = append(columns, column{colClockLeft, left})
		}
		return readAll(craft(1, 4, 3, unchanged, columns...))
	}
	// −6 is 5 more, −1 the same and 2 two less.
	if lines, err := read([]byte{clockSeconds}, []byte{11, 0, 1}); err != nil ||
		!slices.Equal(lines[0].Clocks, []int32{50, dataset.NoClock, 50}) {
		t.Fatalf("%+v, %v", lines, err)
	}
	if lines, err := read([]byte{clockTenths}, []byte{11, 1, 4}); err != nil ||
		!slices.Equal(lines[0].Clocks, []int32{5, 0, 3}) {
		t.Fatalf("%+v, %v", lines, err)
	}
	for _, c := range [][2][]byte{{{3}, {1, 1, 1}}, {{1, 1}, {1, 1, 1}}, {{1}, nil}, {nil, {1, 1, 1}}, {{1}, {1, 1}},
		{{1}, {1, 1, 1, 1}}, {{1}, {0, 0, 0}}, {{1}, {2, 1, 1}}, {{2}, {0xff, 0xff, 0xff, 0xff, 0x1f, 1, 1}},
		{{1}, {0xff, 0xff, 0xff, 0xff, 1, 1, 1}}} {
		if _, err := read(c[0], c[1]); !errors.Is(err, dataset.ErrDamaged) {
			t.Errorf("units %v, clocks %v: %v", c[0], c[1], err)
		}
	}
}

// TestNewer: a shard with a version, a column or a member of the footer that this program does not know is refused as
// one of a newer talbot, not as damaged.
func TestNewer(t *testing.T) {
	version := shardOf(t, nil)
	version[bytes.Index(version, []byte(`"format":1`))+len(`"format":`)], version[headerSize-4] = '2', 2
	member := shardOf(t, nil)
	copy(member[bytes.Index(member, []byte(`"blocks"`)):], `"pieces"`)
	for _, b := range [][]byte{version, member} {
		text := b[headerSize+frameHead : len(b)-trailerSize]
		binary.LittleEndian.PutUint64(b[len(b)-16:], xxhash.Sum64(text))
	}
	for name, b := range map[string][]byte{"version": version, "member": member,
		"column":        craft(1, 1, 0, unchanged, column{"evals", []byte{1}}),
		"part of label": craft(1, 1, 0, unchanged, column{"label:0:sharpness", []byte{1}})} {
		if _, err := readAll(b); !errors.Is(err, dataset.ErrVersion) || errors.Is(err, dataset.ErrDamaged) {
			t.Errorf("%s: error %v, want ErrVersion", name, err)
		}
	}
}

// TestColumns reads parts of the lines: any two columns, and all but these.
func TestColumns(t *testing.T) {
	lines := randomLines(t, 12, 15, true)
	b := shardOf(t, lines)
	var parts []Columns
	for one := Columns(1); one <= AllColumns; one <<= 1 {
		for other := one; other <= AllColumns; other <<= 1 {
			parts = append(parts, one|other, AllColumns&^(one|other))
		}
	}
	for _, c := range append(parts, 0, AllColumns) {
		got := value(readAll(b, c))(t)
		for i := range lines {
			if d := diff(got[i:i+1], []dataset.Line{keep(lines[i], c)}); d != "" {
				t.Fatalf("columns %#x: %s", c, d)
			}
		}
	}
}

// keep returns the line with only those columns.
func keep(l dataset.Line, c Columns) dataset.Line {
	if c&Origin == 0 {
		l.Input, l.Number, l.Offset = 0, 0, 0
	}
	if c&Ratings == 0 {
		l.WhiteElo, l.BlackElo = 0, 0
	}
	if c&Tags == 0 {
		l.Tags = nil
	}
	if c&Clocks == 0 {
		l.Clocks = nil
	}
	if c&Policies == 0 {
		l.Policies = nil
	}
	if c&AllLabels == 0 {
		l.Labels = nil
	}
	if c&Predictions == 0 {
		l.Predictions = nil
	}
	l.Labels = slices.Clone(l.Labels)
	for i := range l.Labels {
		l.Labels[i].Labels = slices.Clone(l.Labels[i].Labels)
		for k := range l.Labels[i].Labels {
			label := &l.Labels[i].Labels[k]
			if c&Best == 0 {
				label.Best = 0
			}
			label.Lines = slices.Clone(label.Lines)
			for j := range label.Lines {
				s := &label.Lines[j]
				if c&Scores == 0 {
					s.Score = 0
				}
				if c&WDL == 0 {
					s.WDL = dataset.WDL{}
				}
				if c&Effort == 0 {
					s.Depth, s.Nodes = 0, 0
				}
				if c&Variations == 0 {
					s.PV = nil
				}
			}
		}
	}
	return l
}

func TestOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), Name(0))
	if _, err := Open(path); !errors.Is(err, dataset.ErrDamaged) {
		t.Errorf("missing: %v", err)
	}
	lines := randomLines(t, 14, 1100, false)
	ok(t, os.WriteFile(path, shardOf(t, lines), 0o600))
	r := value(Open(path))(t)
	n := 0
	for l, err := range r.Lines() {
		if err != nil {
			t.Fatal(err)
		}
		if d := diff([]dataset.Line{*l}, lines[n:n+1]); d != "" {
			t.Fatal(d)
		}
		n++
	}
	if n != len(lines) || r.Blocks() != 2 || r.Block(1).Lines != 1100-blockLines {
		t.Errorf("%d lines, %d blocks", n, r.Blocks())
	}
	ok(t, r.Close())
	if _, err := r.ReadBlock(0, nil); err == nil || errors.Is(err, dataset.ErrDamaged) {
		t.Errorf("closed: error %v, want the file system's", err)
	}
}

// FuzzReader checks that no bytes break the reader, and that what it accepts comes back when written again.
func FuzzReader(f *testing.F) {
	f.Add(shardOf(f, nil))
	f.Add(shardOf(f, randomLines(f, 15, 3, true)))
	f.Add(craft(1, 2, 1, unchanged, column{colPlies, []byte{1}}, column{colMoves, []byte{1, 2}},
		column{"label:0:status", []byte{1}}))
	// two predicted moves
	f.Add([]byte{0, 1, 1, 7, 1, 1, 8, 2, 1, 2, 28, 1, 1, 30, 1, 2, 31, 4, 12, 7, 11, 6, 32, 2, 3, 9})
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, b := range [][]byte{b, seal(b)} {
			lines, err := readAll(b)
			if err != nil {
				if !errors.Is(err, dataset.ErrDamaged) && !errors.Is(err, dataset.ErrVersion) {
					t.Fatal(err)
				}
				continue
			}
			m := new(memory)
			w := newWriter(m, Name(0), 1)
			if writeLines(w, lines) != nil {
				return // such as a text that is not UTF-8
			}
			if _, err := w.Commit(); err != nil {
				t.Fatal(err)
			}
			again := value(readAll(m.Bytes()))(t)
			if d := diff(again, lines); d != "" && !strings.Contains(d, "NaN") {
				t.Fatal(d)
			}
		}
	})
}

// seal makes the fuzzer's bytes the columns of a shard: each a letter for the name, a length, and that many bytes.
func seal(b []byte) []byte {
	names := []string{
		colSource, colInput, colNumber, colOffset, colResult, colWhiteElo, colBlackElo, colStart, colPlies, colMoves,
		colInvented,
		colSamples, colBitmap, colPolicyCount, colPolicyMove, colPolicyWeight, "tag:a", "tag:b", "label:0:status",
		"label:0:best",
		"label:0:lines", "label:0:score", "label:0:wdl", "label:0:depth", "label:0:nodes", "label:0:pv_plies",
		"label:0:pv", "label:7:status", "network:0:status", "network:0:value", "network:0:count", "network:0:move",
		"network:0:prior", "network:3:status",
	}
	if len(b) < 3 {
		return nil
	}
	lines, positions, samples := int64(b[0]%8)+1, int64(b[1]%32), int64(b[2]%32)
	var columns []column
	for b = b[3:]; len(b) >= 2; {
		name, n := names[int(b[0])%len(names)], min(int(b[1]), len(b)-2)
		columns = append(columns, column{name, b[2 : 2+n]})
		b = b[2+n:]
	}
	return craft(lines, lines+positions, samples, unchanged, columns...)
}
