package export

import (
	"strings"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/formats/binpack"
	"talbot/internal/testkit"
	"talbot/internal/testkit/shareddata"
)

// TestBulletRecords compares records with those that the crate bulletformat made of the same rows.
func TestBulletRecords(t *testing.T) {
	want, text := shareddata.Read(t, "formats/three.bullet"), shareddata.Read(t, "formats/three.bullet.txt")
	for i, row := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		fields := strings.Split(row, " | ")
		p := testkit.Value(board.ParseFEN(fields[0]))(t)
		score := atoi(t, fields[1])
		if p.Turn() == board.Black {
			score = -score
		}
		result := map[string]dataset.Result{"1.0": dataset.WhiteWins, "0.5": dataset.Draw,
			"0.0": dataset.BlackWins}[strings.TrimSpace(fields[2])]
		if got := bulletRecord(&p, result, score); string(got) != string(want[32*i:32*i+32]) {
			t.Errorf("row %d: % x, want % x", i+1, got, want[32*i:32*i+32])
		}
	}
}

func atoi(t *testing.T, s string) int {
	n := testkit.Value(dataset.STSConvention.Parse(strings.TrimSpace(s), board.White))(t)
	cp, _ := n.Centipawns()
	return cp
}

// TestRawScores keeps centipawns and mates that go to binpack and back.
func TestRawScores(t *testing.T) {
	for cp := -15000; cp <= 15000; cp++ {
		raw := int(binpack.RawScore(dataset.Centipawns(cp)))
		size := max(raw, -raw)
		if back := (100*size + 104) / 208; back != max(cp, -cp) || (raw < 0) != (cp < 0) {
			t.Fatalf("%d cp is %d, which is %d cp", cp, raw, back)
		}
	}
	for n, want := range map[int]int16{1: 31999, 2: 31997, -1: -31998, 0: -32000, 500: 31754, -500: -31754} {
		if got := binpack.RawScore(dataset.MateIn(n)); got != want {
			t.Errorf("mate %d is %d, want %d", n, got, want)
		}
	}
}
