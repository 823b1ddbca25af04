package dataset

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"talbot/board"
)

// conventions are all known ones with how they write a number and a mate for the side that is ahead.
var conventions = []struct {
	name       string
	convention Convention
	number     func(cp int) string
	mate       func(n int) string // White's or the mover's mate in n moves; n < 0: the other side's
}{
	{"lichess", LichessConvention, pawns, func(n int) string { return fmt.Sprintf("#%d", n) }},
	{"tcec", TCECConvention, pawns, plies},
	{"cutechess", CutechessConvention, func(cp int) string { return fmt.Sprintf("%+.2f", float64(cp)/100) }, plies},
	{"kaggle", KaggleConvention, func(cp int) string { return fmt.Sprintf("%+d", cp) },
		func(n int) string { return fmt.Sprintf("#%+d", n) }},
	{"sts", STSConvention, func(cp int) string { return fmt.Sprint(cp) },
		func(n int) string { return fmt.Sprintf("#%d", n) }},
}

func pawns(cp int) string { return fmt.Sprintf("%.2f", float64(cp)/100) }

// plies writes a mate in n moves as cutechess counts it, from the view of the side to move: 2n − 1 plies to mate, 2n
// to be mated.
func plies(n int) string {
	if n < 0 {
		return fmt.Sprintf("-M%d", -2*n)
	}
	return fmt.Sprintf("M%d", 2*n-1)
}

// TestConventions: what a convention writes of a score comes back as that score; a view changes the sign for Black
// alone; scores keep their order.
func TestConventions(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range conventions {
		for range 2000 {
			cp, n := rng.IntN(20001)-10000, rng.IntN(200)+1
			if rng.IntN(2) == 0 {
				n = -n
			}
			for _, turn := range []board.Color{board.White, board.Black} {
				sign := 1
				if c.convention.View == WhiteView && turn == board.Black {
					sign = -1
				}
				if got, err := c.convention.Parse(c.number(cp), turn); err != nil || got != Centipawns(sign*cp) {
					t.Fatalf("%s %q, %v: %v, %v", c.name, c.number(cp), turn, got, err)
				}
				if got, err := c.convention.Parse(c.mate(n), turn); err != nil || got != MateIn(sign*n) {
					t.Fatalf("%s %q, %v: %v, %v", c.name, c.mate(n), turn, got, err)
				}
			}
		}
	}
}

func TestConventionGolden(t *testing.T) {
	for _, c := range []struct {
		convention Convention
		text       string
		turn       board.Color
		want       Score
	}{
		{LichessConvention, "0.35", board.White, Centipawns(35)},
		{LichessConvention, "0.35", board.Black, Centipawns(-35)},
		{LichessConvention, "#-3", board.White, MateIn(-3)},
		{LichessConvention, "#-3", board.Black, MateIn(3)},
		{LichessConvention, "0.0", board.Black, Centipawns(0)},
		{TCECConvention, "M5", board.White, MateIn(3)},   // White moves and mates in 5 plies
		{TCECConvention, "M4", board.Black, MateIn(-2)},  // Black moves and is mated in 4
		{TCECConvention, "-M1", board.Black, MateIn(1)},  // Black mates now
		{TCECConvention, "-M2", board.White, MateIn(-1)}, // White moves and is mated
		{TCECConvention, "#5", board.White, MateIn(5)},   // moves, not plies
		{TCECConvention, "-#24", board.Black, MateIn(24)},
		{CutechessConvention, "#-3", board.White, MateIn(-3)},
		{TCECConvention, "500.00", board.White, Centipawns(30000)},
		{CutechessConvention, "-M18", board.Black, MateIn(-9)},
		{CutechessConvention, "+M11", board.Black, MateIn(6)},
		{KaggleConvention, "-68", board.Black, Centipawns(68)},
		{KaggleConvention, "#+3", board.Black, MateIn(-3)},
		{KaggleConvention, "#+0", board.Black, MateIn(0)},
		{STSConvention, "-552", board.Black, Centipawns(-552)},
		{LichessConvention, "1.005", board.White, Centipawns(101)},
	} {
		if got, err := c.convention.Parse(c.text, c.turn); err != nil || got != c.want {
			t.Errorf("%+v %q for %v: %v, %v; want %v", c.convention, c.text, c.turn, got, err, c.want)
		}
	}
	for _, text := range []string{"", "-", ".", "#", "M", "1.2.3", "abc", "--1", "#1.5", "1e3", "0x10", "+-3", "NaN",
		"99999999999999999999999999"} {
		if got, err := KaggleConvention.Parse(text, board.White); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
	if _, err := KaggleConvention.Parse("0.5", board.White); err == nil {
		t.Error("half a centipawn")
	}
}

// FuzzConvention checks that no text breaks the reading of evaluations, that scores are valid and that the views
// mirror each other.
func FuzzConvention(f *testing.F) {
	for _, s := range []string{"0.35", "#-3", "+M5", "-68", "#+0", "1e9"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, c := range conventions {
			white, err := c.convention.Parse(text, board.White)
			black, errBlack := c.convention.Parse(text, board.Black)
			if (err == nil) != (errBlack == nil) {
				t.Fatal(err, errBlack)
			}
			if err != nil {
				continue
			}
			n, mate := white.Mate()
			if !white.Valid() || !black.Valid() {
				t.Fatalf("%v, %v", white, black)
			}
			if c.convention.View == MoverView && white != black || c.convention.View == WhiteView && white != -black &&
				!(mate && n == 0) {
				t.Fatalf("%v and %v", white, black)
			}
		}
	})
}
