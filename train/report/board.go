package report

import (
	"fmt"
	"math"
	"strings"

	"talbot/board"
	"talbot/train"
)

// side is that of a square of a drawn board, in the units of its viewBox.
const side = 45

// piece is a shape of the page, drawn once and used on every board. The shapes are talbot's own.
type piece struct {
	ID     string
	Shape  string // closed path
	Detail string // path of lines inside
}

var pieces = []piece{
	{"p", "M22.5 9a5.5 5.5 0 0 1 3.6 9.7c2.6 1.4 3.9 3.4 3.9 5.3h-3.2c.6 5.2 2.7 8 6.2 10.5V38H12v-3.5c3.5-2.5 " +
		"5.6-5.3 6.2-10.5H15c0-1.9 1.3-3.9 3.9-5.3A5.5 5.5 0 0 1 22.5 9z", ""},
	{"n", "M13 38c0-7.5 3-11 7.5-14.5-3 .3-5 2-7.5 4.5l-4-3.5c1.5-5 4-9.5 8-13L17.5 7l4.5 3c8 .5 12.5 8 12 28z",
		"M17.2 16.2h.1M29 17c2.3 4 2.8 9 2.6 17"},
	{"b", "M22.5 6a3 3 0 0 1 2 5.3c4 3 7 7.2 7 11.9 0 3-1.5 5.3-4 6.8l1 3h5.5v5h-23v-5h5.5l1-3c-2.5-1.5-4-3.8-4-6.8 " +
		"0-4.7 3-8.9 7-11.9a3 3 0 0 1 2-5.3z", "M25 16l-4.5 6.5M17.5 30h10"},
	{"r", "M11.5 9h5v3.5H20V9h5v3.5h3.5V9h5v7.5l-3.5 3V30l3 3.5V38H12v-4.5l3-3.5V19.5l-3.5-3z", "M15 19.5h15M15 30h15"},
	{"q", "M9 14l5 17-1.5 3v4h20v-4L31 31l5-17-6.2 7.5-.5-11.5-4.3 10L22.5 8 20 20l-4.3-10-.5 11.5z", "M14 31h17"},
	{"k", "M21 5h3v3h3v3h-3v4.3c2.5-2 6.7-2.6 9.5-.3 3.5 3 2 8-3.5 13v3l2 2.5V38H13v-4.5l2-2.5v-3C9.5 23 8 18 11.5 " +
		"15c2.8-2.3 7-1.7 9.5.3V11h-3V8h3z", "M15 28h15M22.5 18v9"},
}

// miss is a position that the network got wrong, laid out.
type miss struct {
	train.Miss
	Number string // of the move, as "24…"
	Turn   string // "White" or "Black"
	Men    []man
	Arrows []arrow // the network's, then the target
	Files  []coordinate
	Ranks  []coordinate
	Look   string // address of an analysis board with the position
}

type man struct {
	ID    string
	White bool
	X, Y  int
}

type arrow struct {
	Class          string
	X1, Y1, X2, Y2 float64
}

type coordinate struct {
	X, Y int
	Text string
	Dark bool // stands on a dark square
}

// newMiss lays a miss out, the side to move at the bottom.
func newMiss(m *train.Miss) (miss, error) {
	p, err := board.ParseFEN(m.FEN)
	if err != nil {
		return miss{}, fmt.Errorf("position of a miss: %w", err)
	}
	v := miss{Miss: *m, Turn: "White", Look: "https://lichess.org/analysis/standard/" +
		strings.ReplaceAll(m.FEN, " ", "_"), Number: fmt.Sprintf("%d.", p.FullmoveNumber())}
	black := p.Turn() == board.Black
	if black {
		v.Turn, v.Number = "Black", fmt.Sprintf("%d…", p.FullmoveNumber())
	}
	corner := func(s board.Square) (x, y int) {
		if black {
			return side * (7 - s.File()), side * s.Rank()
		}
		return side * s.File(), side * (7 - s.Rank())
	}
	for s := board.Square(0); s < 64; s++ {
		x, y := corner(s)
		if x == 0 {
			v.Ranks = append(v.Ranks, coordinate{2, y + 11, fmt.Sprint(s.Rank() + 1), (s.File()+s.Rank())%2 == 0})
		}
		if y == 7*side {
			v.Files = append(v.Files, coordinate{x + side - 3, 8*side - 3, string(rune('a' + s.File())),
				(s.File()+s.Rank())%2 == 0})
		}
		for _, kind := range []board.PieceType{board.Pawn, board.Knight, board.Bishop, board.Rook, board.Queen,
			board.King} {
			for _, c := range []board.Color{board.White, board.Black} {
				if p.Pieces(c, kind).Has(s) {
					v.Men = append(v.Men, man{string("pnbrqk"[kind-board.Pawn]), c == board.White, x, y})
				}
			}
		}
	}
	drawn := map[string]bool{}
	add := func(class, uci string) error {
		if drawn[uci] {
			return nil
		}
		drawn[uci] = true
		move, err := p.ParseUCI(uci)
		if err != nil {
			return fmt.Errorf("move of a miss: %w", err)
		}
		x1, y1 := corner(move.From())
		x2, y2 := corner(move.To())
		v.Arrows = append(v.Arrows, newArrow(class, float64(x1), float64(y1), float64(x2), float64(y2)))
		return nil
	}
	if len(m.Moves) > 0 {
		if err := add("theirs", m.Moves[0].UCI); err != nil {
			return v, err
		}
	}
	return v, add("target", m.Target.UCI)
}

// newArrow goes from the middle of one square to that of another, without its head.
func newArrow(class string, x1, y1, x2, y2 float64) arrow {
	dx, dy := x2-x1, y2-y1
	length := math.Hypot(dx, dy)
	from, to := 8/length, 1-15/length
	const half = side / 2.0
	return arrow{class, round(x1 + half + from*dx), round(y1 + half + from*dy), round(x1 + half + to*dx),
		round(y1 + half + to*dy)}
}
