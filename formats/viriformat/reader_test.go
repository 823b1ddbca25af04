package viriformat

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"talbot/board"
	"talbot/dataset"
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

// entries lists what each position of a game says, as testdata/make.py does, from White's view.
func entries(l *dataset.Line, labels []dataset.Label) (rows []string) {
	p := l.Start
	for i, m := range l.Moves {
		cp, _ := labels[i].Lines[0].Score.Centipawns()
		if p.Turn() == board.Black {
			cp = -cp
		}
		result := map[dataset.Result]int{dataset.BlackWins: 0, dataset.Draw: 1, dataset.WhiteWins: 2}[l.Result]
		rows = append(rows, fmt.Sprintf("%d\t%s\t%s\t%d\t%d", l.Number, p.FEN(), m, cp, result))
		p.Play(m)
	}
	return rows
}

// all reads everything: rows of games, and rejects.
func all(t testing.TB, data []byte) (rows []string, rejects []*dataset.Reject) {
	r := NewReader(bytes.NewReader(data), "", dataset.WhiteView, true)
	lines, rejects := readlines.Games(t, r, len(data))
	for i := range lines {
		rows = append(rows, entries(&lines[i], lines[i].Labels[0].Labels)...)
	}
	return rows, rejects
}

// TestStandard compares every position with what python-chess wrote: castling of both sides, en passant, all
// promotions.
func TestStandard(t *testing.T) {
	data := read(t, "standard.vf")
	if !Looks(data[:512]) {
		t.Error("not recognised")
	}
	saturated := strings.NewReplacer("\t32300\t", "\t30000\t", "\t-32301\t", "\t-30000\t")
	want := strings.Split(strings.TrimSpace(saturated.Replace(string(read(t, "standard.tsv")))), "\n")
	got, rejects := all(t, data)
	if len(got) != len(want) || len(rejects) > 0 {
		t.Fatalf("%d positions, want %d; %v", len(got), len(want), rejects)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("position %d: %s, want %s", i+1, got[i], want[i])
		}
	}
}

// TestOutside reads games of an engine, all of Chess960: each is rejected, and the file is read to its last byte.
func TestOutside(t *testing.T) {
	data := shareddata.Read(t, "formats/test-vf.bin")
	if !Looks(data[:512]) {
		t.Error("not recognised")
	}
	rows, rejects := all(t, data)
	if len(rows) > 0 || len(rejects) != 9 {
		t.Fatalf("%d positions, %d rejects", len(rows), len(rejects))
	}
	for i, r := range rejects {
		if r.Reason != dataset.Chess960 {
			t.Errorf("game %d: %v", i+1, r)
		}
	}
}

// TestView refuses scores whose signs contradict the results where Black moves.
func TestView(t *testing.T) {
	var file bytes.Buffer
	for range 10 { // White is ahead and wins, and the scores are the mover's
		p, err := board.ParseFEN("4k3/8/8/8/8/8/8/R3K3 w - - 0 60")
		if err != nil {
			t.Fatal(err)
		}
		file.Write(header(&p, 2))
		for ply := range 20 {
			m := [...]string{"a1a2", "e8e7", "a2a1", "e7e8"}[ply%4]
			from, to := board.Square(m[0]-'a'+8*(m[1]-'1')), board.Square(m[2]-'a'+8*(m[3]-'1'))
			score := int16(500 - 1000*(ply%2))
			word := uint16(from) | uint16(to)<<6
			file.Write([]byte{byte(word), byte(word >> 8), byte(score), byte(uint16(score) >> 8)})
		}
		file.Write(make([]byte, 4))
	}
	_, _, err := NewReader(bytes.NewReader(file.Bytes()), "", dataset.WhiteView, false).Next()
	if !errors.Is(err, dataset.ErrView) || !strings.Contains(err.Error(), "with Black to move 0 of 100") {
		t.Error(err)
	}
	l, labels, err := NewReader(bytes.NewReader(file.Bytes()), "x", dataset.MoverView, false).Next()
	if err != nil || labels.Engine != "viriformat x" || len(l.Moves) != 20 ||
		labels.Labels[1].Lines[0].Score != dataset.Centipawns(-500) {
		t.Errorf("%v %+v", err, labels)
	}
}

// header makes the header of a position without rights.
func header(p *board.Position, result byte) []byte {
	h := make([]byte, headerSize)
	i := 0
	for left := p.Occupied(); left != 0; i, left = i+1, left&(left-1) {
		on := left.First()
		h[on/8] |= 1 << (on % 8)
		piece := p.PieceAt(on)
		h[8+i/2] |= (byte(piece.Color())<<3 | byte(piece.Type()-board.Pawn)) << (i % 2 * 4)
	}
	h[24], h[26], h[30] = 64|byte(p.Turn())<<7, byte(p.FullmoveNumber()), result
	return h
}

// TestCuts cuts a file everywhere: the games before are read, and the one that is cut is rejected.
func TestCuts(t *testing.T) {
	data := read(t, "standard.vf")[:1200]
	whole, rejects := all(t, data)
	if len(rejects) != 1 {
		t.Fatal("the last game is cut")
	}
	ends := map[int]bool{0: true}
	for at := 0; ; {
		end := at + headerSize
		for end+4 <= len(data) && !bytes.Equal(data[end:end+4], make([]byte, 4)) {
			end += 4
		}
		if at = end + 4; at > len(data) {
			break
		}
		ends[at] = true
	}
	for n := range data {
		rows, rejects := all(t, data[:n])
		for i := range rows {
			if rows[i] != whole[i] {
				t.Fatalf("cut at %d: %s", n, rows[i])
			}
		}
		if len(rejects) > 1 || (len(rejects) == 0) != ends[n] {
			t.Fatalf("cut at %d: %v", n, rejects)
		}
	}
}

// TestFlips flips bits of a file: what breaks the rules costs its game and at most the one behind it, and what cannot
// be seen is counted: other scores, results, counters, and moves that are as legal.
func TestFlips(t *testing.T) {
	data := read(t, "standard.vf")
	whole, _ := all(t, data)
	games := map[string]int{}
	for _, row := range whole {
		number, _, _ := strings.Cut(row, "\t")
		games[number]++
	}
	unseen, most := 0, 0
	step := 5
	if os.Getenv("TALBOT_FULL") != "" {
		step = 1
	}
	for at := 0; at < len(data); at += step {
		flipped := bytes.Clone(data)
		flipped[at] ^= 1 << (at / step % 8)
		rows, rejects := all(t, flipped)
		same := map[string]bool{}
		for _, row := range rows {
			_, rest, _ := strings.Cut(row, "\t")
			same[rest] = true
		}
		lost := map[string]bool{}
		for _, row := range whole {
			number, rest, _ := strings.Cut(row, "\t")
			if !same[rest] {
				lost[number] = true
			}
		}
		if len(rejects) == 0 {
			unseen++
			if len(lost) > 1 {
				t.Errorf("byte %d: %d games change without a word", at, len(lost))
			}
		}
		most = max(most, len(lost))
	}
	t.Logf("%d flips, %d cannot be seen, at most %d of %d games lost", len(data)/step, unseen, most, len(games))
	if most > 2 {
		t.Errorf("a flip costs %d games", most)
	}
}

// FuzzReader reads anything: games are legal, and numbers and places ascend.
func FuzzReader(f *testing.F) {
	data := read(f, "standard.vf")
	f.Add(data)
	f.Add(data[:700])
	f.Add(data[100:900])
	f.Fuzz(func(t *testing.T, data []byte) { all(t, data) })
}
