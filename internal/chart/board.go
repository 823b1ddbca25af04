package chart

import (
	"fmt"
	"math"
	"strings"

	"talbot/board"
)

// side is that of a square of a drawn board, in the units of its viewBox.
const side = 45

// piece is the shape of a chess piece, defined once in a page and used on every board. The shapes are talbot's own.
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

// Board is a position laid out for drawing.
type Board struct {
	FEN    string
	Number string // of the move, as "24…"
	Turn   string // "White" or "Black"
	Look   string // address of an analysis board with the position
	Men    []boardPiece
	Arrows []arrow
	Files  []coordinate
	Ranks  []coordinate

	black bool
}

type boardPiece struct {
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

// NewBoard lays a position out, the side to move at the bottom.
func NewBoard(p *board.Position) Board { return NewBoardFrom(p, p.Turn()) }

// NewBoardFrom lays a position out with a side at the bottom.
func NewBoardFrom(p *board.Position, bottom board.Color) Board {
	b := Board{FEN: p.FEN(), Turn: "White", Number: fmt.Sprintf("%d.", p.FullmoveNumber()),
		black: bottom == board.Black}
	b.Look = "https://lichess.org/analysis/standard/" + strings.ReplaceAll(b.FEN, " ", "_")
	if p.Turn() == board.Black {
		b.Turn, b.Number = "Black", fmt.Sprintf("%d…", p.FullmoveNumber())
	}
	for s := range board.Square(64) {
		x, y := b.corner(s)
		dark := (s.File()+s.Rank())%2 == 0
		if x == 0 {
			b.Ranks = append(b.Ranks, coordinate{2, y + 11, fmt.Sprint(s.Rank() + 1), dark})
		}
		if y == 7*side {
			b.Files = append(b.Files, coordinate{x + side - 3, 8*side - 3, string(rune('a' + s.File())), dark})
		}
		if kind := p.PieceAt(s).Type(); kind != board.NoPieceType {
			white := p.Pieces(board.White, kind).Has(s)
			b.Men = append(b.Men, boardPiece{string("pnbrqk"[kind-board.Pawn]), white, x, y})
		}
	}
	return b
}

// corner is the upper left one of a square.
func (b *Board) corner(s board.Square) (x, y int) {
	if b.black {
		return side * (7 - s.File()), side * s.Rank()
	}
	return side * s.File(), side * (7 - s.Rank())
}

// Arrow draws a move: the class "target" is green, "theirs" red.
func (b *Board) Arrow(class string, m board.Move) {
	x1, y1 := b.corner(m.From())
	x2, y2 := b.corner(m.To())
	b.Arrows = append(b.Arrows, newArrow(class, float64(x1), float64(y1), float64(x2), float64(y2)))
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

// Diagram is how a board is drawn in letters, for a terminal.
type Diagram struct {
	From   board.Color // the side at the bottom
	Indent string      // before each line
	Square string      // format of a square, as " %s"
	Marked string      // format of the squares of the last move, as wide
	Men    *strings.Replacer
}

// Figurines are chess pieces in Unicode, by their letters. White's are the ones that stand out on dark and light ground
// alike, for White, and Black's for Black.
var Figurines = strings.NewReplacer("K", "♔", "Q", "♕", "R", "♖", "B", "♗", "N", "♘", "P", "♙",
	"k", "♚", "q", "♛", "r", "♜", "b", "♝", "n", "♞", "p", "♟")

// Draw returns the lines of a board: eight ranks and the names of the files. last is the move that led to the position,
// or [board.NoMove].
func (d Diagram) Draw(p *board.Position, last board.Move) string {
	var b strings.Builder
	flip := 0
	if d.From == board.Black {
		flip = 7
	}
	files := d.Indent + "  "
	for row := range 8 {
		rank := (7 - row) ^ flip
		line := fmt.Sprintf("%s%d ", d.Indent, rank+1)
		for column := range 8 {
			s, format := board.NewSquare(column^flip, rank), d.Square
			if last != board.NoMove && (s == last.From() || s == last.To()) {
				format = d.Marked
			}
			text := p.PieceAt(s).String()
			if d.Men != nil {
				text = d.Men.Replace(text)
			}
			line += fmt.Sprintf(format, text)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
		files += fmt.Sprintf(d.Square, string(rune('a'+(row^flip))))
	}
	b.WriteString(strings.TrimRight(files, " ") + "\n")
	return b.String()
}
