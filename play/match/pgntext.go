package match

import (
	"fmt"
	"strings"

	"talbot/board"
)

// pgnColumns is the width of lines of moves.
const pgnColumns = 80

// PGN builds the text of a game: first its tags, then [PGN.Body], then its moves, comments and result.
type PGN struct {
	text   strings.Builder
	column int // where the next word of the moves goes
}

// Tag writes a tag. Control characters become spaces.
func (g *PGN) Tag(name, value string) {
	value = strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f {
			return ' '
		}
		return c
	}, value))
	fmt.Fprintf(&g.text, "[%s \"%s\"]\n", name, value)
}

// Start writes the tags of where a game begins, none for the start position.
func (g *PGN) Start(p *board.Position) {
	if *p != board.StartPosition() {
		g.Tag("SetUp", "1")
		g.Tag("FEN", p.FEN())
	}
}

// Body ends the tags.
func (g *PGN) Body() { g.text.WriteByte('\n') }

// Word writes a word of the moves, such as a comment or the result.
func (g *PGN) Word(s string) {
	switch {
	case g.column == 0:
	case g.column+1+len(s) > pgnColumns:
		g.text.WriteByte('\n')
		g.column = 0
	default:
		g.text.WriteByte(' ')
		g.column++
	}
	g.text.WriteString(s)
	g.column += len(s)
}

// Move writes a move in SAN, with its number if White moves or numbered is set, as it must be for the first move and
// after a comment.
func (g *PGN) Move(p *board.Position, m board.Move, numbered bool) {
	if p.Turn() == board.White {
		g.Word(fmt.Sprintf("%d.", p.FullmoveNumber()))
	} else if numbered {
		g.Word(fmt.Sprintf("%d...", p.FullmoveNumber()))
	}
	g.Word(p.SAN(m))
}

// String is the text, with the empty line after a game.
func (g *PGN) String() string { return g.text.String() + "\n\n" }
