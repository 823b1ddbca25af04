package chart

import (
	"fmt"
	"strings"

	"talbot/board"
)

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
