package lc0

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/formats/rows"
	"talbot/internal/testkit/readlines"
	"talbot/internal/testkit/shareddata"
)

func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// unpack unpacks a chunk.
func unpack(t testing.TB, data []byte) []byte {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if data, err = io.ReadAll(r); err != nil {
		t.Fatal(err)
	}
	return data
}

// all reads everything.
func all(t testing.TB, data []byte) (lines []dataset.Line, rejects []*dataset.Reject) {
	return readlines.Games(t, NewReader(bytes.NewReader(data), ""), len(data))
}

const block = rows.TarBlock

// says lists what lines say of each sample, as testdata/make.py does; counters of full moves are not compared.
func says(lines ...dataset.Line) (list []string) {
	for _, l := range lines {
		err := l.CheckEach(func(p *board.Position, ply, sample int) error {
			var policy []string
			for _, w := range l.Policies[sample] {
				policy = append(policy, fmt.Sprintf("%s:%.5f", w.Move, w.Weight))
			}
			slices.Sort(policy)
			played, label, fen := "-", "-", p.FEN()
			if ply < len(l.Moves) {
				played = l.Moves[ply].String()
			}
			if len(l.Labels) > 0 {
				got := l.Labels[0].Labels[sample]
				label = fmt.Sprintf("%s %v", got.Best, got.Lines[0].WDL)
			}
			list = append(list, fmt.Sprintf("%d\t%d\t%s\t%s\t%s\t%s\t%s", l.Number, ply,
				fen[:strings.LastIndexByte(fen, ' ')], played, label, l.Result, strings.Join(policy, " ")))
			return nil
		})
		if err != nil {
			return append(list, err.Error())
		}
	}
	return list
}

// want reads the table of testdata/make.py.
func want(t testing.TB) (list []string) {
	for _, row := range strings.Split(strings.TrimSpace(string(read(t, "table.tsv"))), "\n") {
		f := strings.Split(row, "\t")
		label := "-"
		if f[5] != "-" {
			q, _ := strconv.ParseFloat(f[5], 64)
			d, _ := strconv.ParseFloat(f[6], 64)
			win, loss := math.Round(500*(1+q-d)), math.Round(500*(1-q-d))
			if f[4] == "-" {
				f[4] = "0000"
			}
			wdl := dataset.WDL{Win: uint16(win), Draw: uint16(1000 - win - loss), Loss: uint16(loss)}
			label = fmt.Sprintf("%s %v", f[4], wdl)
		}
		result := map[string]string{"1": "1-0", "0": "1/2-1/2", "-1": "0-1"}[f[7]]
		fen := f[2][:strings.LastIndexByte(f[2], ' ')]
		list = append(list, strings.Join([]string{f[0], f[1], fen, f[3], label, result,
			f[8]}, "\t"))
	}
	return list
}

// TestArchive compares every position of an archive with what python-chess wrote: versions 3 to 6, six input formats,
// castling of both kinds of squares, en passant, promotions, positions that are turned, and a sample that is deleted.
func TestArchive(t *testing.T) {
	data := read(t, "chunks.tar")
	lines, rejects := all(t, data)
	if len(rejects) != 1 || rejects[0].Reason != dataset.Chess960 || rejects[0].Number != 7 {
		t.Errorf("rejects: %v", rejects)
	}
	compare(t, says(lines...), want(t))
	for name, head := range map[string][]byte{"archive": data, "chunk": unpack(t, read(t, "game.gz"))} {
		if !Looks(head) {
			t.Errorf("%s not recognised", name)
		}
	}
	if Looks(bytes.Repeat([]byte{3, 0, 0, 0, 'x'}, 200)) || Looks(data[:block]) {
		t.Error("recognised")
	}
}

// TestOtherFiles: files of an archive that are no chunks, first or among them, cost themselves.
func TestOtherFiles(t *testing.T) {
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	for _, f := range []struct {
		name    string
		content []byte
	}{{"LICENSE", []byte(strings.Repeat("The licence of these data. ", 100))}, {"empty.gz", nil},
		{"a/game.gz", read(t, "game.gz")}, {"README", []byte("none")}, {"b/game.gz", read(t, "game.gz")}} {
		if err := w.WriteHeader(&tar.Header{Name: f.name, Mode: 0o644, Size: int64(len(f.content))}); err != nil {
			t.Fatal(err)
		}
		w.Write(f.content)
	}
	w.Close()
	if !Looks(archive.Bytes()) {
		t.Error("not recognised")
	}
	lines, rejects := all(t, archive.Bytes())
	if len(lines) != 2 || len(rejects) != 3 {
		t.Errorf("%d games, rejects %v", len(lines), rejects)
	}
}

// TestReal reads chunks that lc0 wrote: six games with the visits of every position, none of which is left out.
func TestReal(t *testing.T) {
	samples := 0
	for i := range 6 {
		data := unpack(t, shareddata.Read(t, fmt.Sprintf("lc0/chunks/game_%06d.gz", i)))
		lines, rejects := all(t, data)
		if len(lines) != 1 || len(rejects) != 0 {
			t.Fatalf("chunk %d: %d games, rejects %v", i, len(lines), rejects)
		}
		l := lines[0]
		samples += l.SampleCount()
		if l.Start != board.StartPosition() || l.Result == dataset.ResultUnknown ||
			len(l.Policies) != l.SampleCount() || l.SampleCount() != len(data)/layouts[6].size {
			t.Errorf("chunk %d: %d moves, %d samples of %d records, result %v", i, len(l.Moves), l.SampleCount(),
				len(data)/layouts[6].size, l.Result)
		}
	}
	t.Log(samples, "samples")
}

func compare(t *testing.T, got, want []string) {
	t.Helper()
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Fatalf("%s, want %s", got[i], want[i])
		}
	}
	if len(got) != len(want) {
		t.Fatalf("%d samples, want %d", len(got), len(want))
	}
}

// TestScore: Leela's centipawns, with the visits of the search.
func TestScore(t *testing.T) {
	lines, _ := all(t, unpack(t, read(t, "game.gz")))
	first := lines[0].Labels[0].Labels[0].Lines[0]
	// 90 tan(1.5637541897 q) of the q that testdata/table.tsv has
	q, err := strconv.ParseFloat(strings.Split(string(read(t, "table.tsv")), "\t")[5], 64)
	cp, ok := first.Score.Centipawns()
	if err != nil || !ok || math.Abs(float64(cp)-90*math.Tan(1.5637541897*q)) > 0.51 || first.Nodes < 100 {
		t.Errorf("%+v of q %v", first, q)
	}
}

// TestDamage changes a chunk where the format or the rules tell.
func TestDamage(t *testing.T) {
	chunk := unpack(t, read(t, "game.gz"))
	const at = 3 * 8356 // a record
	for name, test := range map[string]struct {
		change func(data []byte) []byte
		reason dataset.Reason
	}{
		"version":       {func(d []byte) []byte { d[at] = 5; return d }, dataset.BadChunk},
		"first version": {func(d []byte) []byte { d[0] = 9; return d }, dataset.BadChunk},
		"input format":  {func(d []byte) []byte { d[at+4] = 9; return d }, dataset.BadChunk},
		"cut":           {func(d []byte) []byte { return d[:at+77] }, dataset.BadChunk},
		"cut at once":   {func(d []byte) []byte { return d[:5] }, dataset.BadChunk},
		"empty":         {func(d []byte) []byte { return nil }, dataset.NoMoves},
		"a record less": {func(d []byte) []byte { return slices.Delete(d, at, at+8356) }, dataset.IllegalMove},
		"board":         {func(d []byte) []byte { d[at+7440+1] ^= 4; return d }, dataset.IllegalMove},
		"first board":   {func(d []byte) []byte { d[7440+40] ^= 255; return d }, dataset.BadFEN},
		"mover":         {func(d []byte) []byte { d[at+8276] ^= 1; return d }, dataset.IllegalMove},
		"played":        {func(d []byte) []byte { d[at+8344], d[at+8345] = 0xff, 0xff; return d }, dataset.IllegalMove},
		"castling":      {func(d []byte) []byte { d[8272] = 3; return d }, dataset.BadFEN},
		"other rook":    {func(d []byte) []byte { d[8272] = 2; return d }, dataset.Chess960},
		"result":        {func(d []byte) []byte { copy(d[at+8308:], "\x00\x00\x00\x3f"); return d }, dataset.BadChunk},
		"shares":        {func(d []byte) []byte { copy(d[at+8:], "\x00\x00\x00\x3f"); return d }, dataset.BadChunk},
	} {
		lines, rejects := all(t, test.change(bytes.Clone(chunk)))
		if len(lines) > 0 || len(rejects) != 1 || rejects[0].Reason != test.reason {
			t.Errorf("%s: %d lines, %v", name, len(lines), rejects)
		}
	}
	nan := bytes.Clone(chunk)
	binary.LittleEndian.PutUint32(nan[8284:], math.Float32bits(float32(math.NaN()))) // best_q
	lines, rejects := all(t, nan)
	if len(rejects) > 0 || lines[0].Labels[0].Labels[0].Status != dataset.Failed ||
		lines[0].Labels[0].Labels[1].Status != dataset.Labelled {
		t.Errorf("a value that is none: %v", rejects)
	}
	other := bytes.Clone(chunk)
	for _, at := range []int{8308, 8312} { // a result of its own
		v := float32(1)
		if at == 8312 {
			v = 0
		}
		if math.Float32frombits(binary.LittleEndian.Uint32(other[at:])) == v {
			v = -v
		}
		binary.LittleEndian.PutUint32(other[at:], math.Float32bits(v))
	}
	if lines, rejects = all(t, other); len(rejects) > 0 || lines[0].Result != dataset.ResultUnknown {
		t.Errorf("two results: %v", rejects)
	}
}

// TestCuts cuts an archive everywhere: what is read is a part of the whole, and damage costs one game.
func TestCuts(t *testing.T) {
	data := read(t, "chunks.tar")
	whole := want(t)
	step := 37
	if os.Getenv("TALBOT_FULL") != "" {
		step = 1
	}
	for n := 0; n < len(data); n += step {
		lines, rejects := all(t, data[:n])
		got := says(lines...)
		if len(got) > len(whole) || !slices.Equal(got, whole[:len(got)]) || len(rejects) > 2 {
			t.Fatalf("cut at %d: %d samples, %v", n, len(got), rejects)
		}
	}
}

// TestCutPlace: an archive that is cut off, within the description of a file, within the file or between two files,
// says so at its place, once.
func TestCutPlace(t *testing.T) {
	data := read(t, "chunks.tar")
	before := 0 // files
	for at := 0; at < len(data)-block; {
		header, ok := rows.ReadTarHeader(data[at:])
		if !ok {
			break
		}
		for _, n := range []int{1, 300, block - 1, block + int(header.Size)/2} {
			if at == 0 { // the folder; a shorter file is not even known as an archive
				continue
			}
			_, rejects := all(t, data[:at+n])
			if len(rejects) == 0 {
				t.Fatalf("cut %d bytes after the beginning of %q at %d: nothing is said", n, header.Name, at)
			}
			last := rejects[len(rejects)-1]
			if !errors.Is(last.Err, errTarCut) || last.Offset != int64(at) || last.At != int64(at) {
				t.Errorf("cut %d bytes after the beginning of %q at %d: %v", n, header.Name, at, last)
			}
		}
		end := at + block + int(header.Size)
		at = int(header.AfterContent(int64(at + block)))
		for _, n := range []int{end, at} { // without the zeros behind the file, and with them
			lines, rejects := all(t, data[:n])
			if header.Size == 0 { // the folder
				continue
			}
			last := rejects[len(rejects)-1]
			told := len(lines) + len(rejects)
			if !errors.Is(last.Err, errTarEnd) || last.At != int64(n) || told != before+2 {
				t.Errorf("cut at %d, behind %q: %d games and rejects, %v", n, header.Name, told, last)
			}
		}
		if header.Regular {
			before++
		}
	}
}

// TestGarbageAtTheEnd: what stands behind the last file without being one is told once, and is no cut.
func TestGarbageAtTheEnd(t *testing.T) {
	data := read(t, "chunks.tar")
	whole, before := all(t, data)
	garbage := bytes.Repeat([]byte("garbage "), block/8)
	for name, end := range map[string][]byte{"behind the zeros": slices.Concat(data, garbage),
		"before the zeros": slices.Concat(data[:len(bytes.TrimRight(data, "\x00"))/block*block+block], garbage,
			make([]byte, 2*block))} {
		lines, rejects := all(t, end)
		if len(lines) != len(whole) || len(rejects) != len(before)+1 {
			t.Errorf("%s: %d games of %d, %v", name, len(lines), len(whole), rejects)
			continue
		}
		if last := rejects[len(rejects)-1]; !errors.Is(last.Err, errTar) {
			t.Errorf("%s: %v", name, last)
		}
	}
}

// TestFlips flips bytes of an archive: a flip costs at most the game that it is in, or what stands beside a
// description;
// and gzip's checksum finds those in games.
func TestFlips(t *testing.T) {
	data := read(t, "chunks.tar")
	whole := map[string]bool{}
	for _, row := range want(t) {
		whole[row[strings.IndexByte(row, '\t'):]] = true
	}
	step := 41
	if os.Getenv("TALBOT_FULL") != "" {
		step = 1
	}
	unseen, seen := 0, 0
	for n := block; n < len(data); n += step { // before that it is no archive
		flipped := bytes.Clone(data)
		flipped[n] ^= 0x10
		lines, rejects := all(t, flipped)
		if len(lines)+len(rejects) < 8 || len(lines) < 7 {
			t.Fatalf("flip at %d: %d games, %v", n, len(lines), rejects)
		}
		for _, row := range says(lines...) {
			if !whole[row[strings.IndexByte(row, '\t'):]] {
				t.Fatalf("flip at %d: %s", n, row)
			}
		}
		if len(rejects) > 1 {
			seen++
		} else {
			unseen++
		}
	}
	t.Logf("%d flips are found, %d change nothing", seen, unseen)
}

// TestBombs: sizes that a file claims take neither memory nor time.
func TestBombs(t *testing.T) {
	header := func(size string) []byte {
		h := make([]byte, block)
		copy(h, "x.gz")
		copy(h[124:], size)
		h[156] = '0'
		sum := int(8 * ' ')
		for _, c := range h {
			sum += int(c)
		}
		copy(h[148:], fmt.Sprintf("%06o\x00 ", sum))
		return h
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	chunk := unpack(t, read(t, "game.gz"))
	first := chunk[:8356]
	for range 4 {
		w.Write(first)
	}
	zeros := make([]byte, 1<<20)
	for range 64 {
		w.Write(zeros)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	pad := func(data []byte) []byte { return append(data, make([]byte, (block-len(data)%block)%block)...) }
	bomb := append(header(fmt.Sprintf("%011o", packed.Len())), pad(packed.Bytes())...)
	last := append(header(fmt.Sprintf("%011o", len(chunk))), pad(bytes.Clone(chunk))...)
	end := make([]byte, 2*block)
	for name, test := range map[string]struct {
		data           []byte
		lines, rejects int
	}{
		"a game that goes on": {slices.Concat(bomb, last, end), 1, 1},
		"a file of 8 GiB":     {slices.Concat(header("77777777777"), last), 0, 1},
		"no size":             {slices.Concat(last, header("7x"), last, end), 2, 1},
		"a negative size":     {slices.Concat(last, header("-0000000001"), last, end), 2, 1},
		"nothing but blocks":  {slices.Concat(last, make([]byte, 1<<20)), 1, 0},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		lines, rejects := all(t, test.data)
		if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > 16<<20 {
			t.Errorf("%s: %d MiB of memory", name, (after.TotalAlloc-before.TotalAlloc)>>20)
		}
		if len(lines) != test.lines || len(rejects) != test.rejects {
			t.Errorf("%s: %d games, %v", name, len(lines), rejects)
		}
	}
}

// TestNumbers checks numbers of moves that Leela publishes.
func TestNumbers(t *testing.T) {
	r := record{}
	for text, number := range map[string]int{"a1b1": 0, "h8g8": 1791, "a7a8q": 1792, "a7a8r": 1793, "h7h8b": 1857} {
		from, to := board.Square(text[0]-'a'+8*(text[1]-'1')), board.Square(text[2]-'a'+8*(text[3]-'1'))
		m := board.NewMove(from, to)
		if len(text) > 4 {
			pieces := map[byte]board.PieceType{'q': board.Queen, 'r': board.Rook, 'b': board.Bishop}
			m = board.NewPromotion(from, to, pieces[text[4]])
		}
		if got := r.number(m, false, true); got != number {
			t.Errorf("%s is %d, want %d", text, got, number)
		}
	}
}

func FuzzReader(f *testing.F) {
	tar, chunk := read(f, "chunks.tar"), unpack(f, read(f, "game.gz"))
	f.Add(tar[:8192])
	f.Add(chunk[:2*8356])
	f.Fuzz(func(t *testing.T, data []byte) { all(t, data) })
}

// TestLeftPast: a game whose first record has another board before its own begins after an opening.
func TestLeftPast(t *testing.T) {
	const planes, boards = 7440, 8 * 13 // of version 6; bytes from one board to the one before
	for name, c := range map[string]struct {
		change func(chunk []byte)
		want   bool
	}{
		"start":         {func([]byte) {}, false},
		"other board":   {func(chunk []byte) { chunk[planes+boards] |= 1 }, true},
		"its own again": {func(chunk []byte) { copy(chunk[planes+boards:][:boards], chunk[planes:]) }, false},
	} {
		chunk := unpack(t, read(t, "game.gz"))
		clear(chunk[planes+boards : planes+8*boards])
		c.change(chunk)
		lines, _ := all(t, chunk)
		if len(lines) != 1 || lines[0].LeftPast != c.want {
			t.Errorf("%s: %d lines", name, len(lines))
		}
	}
}
