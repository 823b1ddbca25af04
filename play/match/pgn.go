package match

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"talbot/board"
	"talbot/dataset"
)

// pgnWriter writes games as PGN. After each move it writes the player's score of the position before it, in the form of
// cutechess: score from the player's view in pawns, or plies to the mate, and depth; and the time, where the player's
// limit is one. Games under other limits have no times, so that the same games give the same text.
type pgnWriter struct {
	entrants []Entrant
	event    string
	date     time.Time
	rules    string
}

// write writes one game.
func (w *pgnWriter) write(out io.Writer, r *Record) error {
	var g PGN
	tag := g.Tag
	white, black := &w.entrants[r.Players[board.White]], &w.entrants[r.Players[board.Black]]
	g.Roster(w.event, fmt.Sprintf("%d.%d", r.Number/2+1, r.Number%2+1), w.date.UTC(),
		[2]string{white.Name, black.Name}, r.Result)
	tag("GameNumber", strconv.Itoa(r.Number+1))
	g.Start(&r.Start)
	tag("PlyCount", strconv.Itoa(len(r.Plies)))
	if white.Limits == black.Limits {
		w.limits(tag, "TimeControl", "Limit", white.Limits)
	} else {
		w.limits(tag, "WhiteTimeControl", "WhiteLimit", white.Limits)
		w.limits(tag, "BlackTimeControl", "BlackLimit", black.Limits)
	}
	tag("Termination", termination(r))
	tag("Ending", w.endingText(r))
	if w.rules != "" {
		tag("Adjudication", w.rules)
	}
	g.Body()
	w.moves(&g, r)
	_, err := io.WriteString(out, g.String())
	return err
}

// limits writes the tags of limits: a clock as the standard has it, the others in our words.
func (w *pgnWriter) limits(tag func(string, string), control, other string, l Limits) {
	if c := l.Control; c != (TimeControl{}) {
		tag(control, c.String())
	} else if control == "TimeControl" {
		tag(control, "-")
	}
	l.Control = TimeControl{}
	if l != (Limits{}) {
		tag(other, l.String())
	}
}

// termination is the value of the tag of that name, in the words of the PGN standard.
func termination(r *Record) string {
	switch {
	case r.Fault == nil && r.End.Adjudicated():
		return "adjudication"
	case r.Fault == nil:
		return "normal"
	case r.Fault.Kind == Overtime:
		return "time forfeit"
	case r.Fault.Kind == Illegal:
		return "rules infraction"
	}
	return "abandoned"
}

// endingText says how the game ended, in a few words.
func (w *pgnWriter) endingText(r *Record) string {
	if r.Fault == nil {
		return string(r.End)
	}
	return fmt.Sprintf("%s: %s", w.entrants[r.Fault.Player].Name, r.Fault.Kind.Words())
}

// moves writes the moves with their comments and the result.
func (w *pgnWriter) moves(g *PGN, r *Record) {
	p := r.Start
	for i, ply := range r.Plies {
		g.Move(&p, ply.Move, i == 0 || i == r.Book || len(w.comment(r, i-1)) > 0)
		if comment := w.comment(r, i); comment != "" {
			g.Word("{" + comment + "}")
		}
		p.Play(ply.Move)
	}
	g.Word(r.Result.String())
}

// comment returns the comment of a move; empty: none.
func (w *pgnWriter) comment(r *Record, i int) string {
	ply := r.Plies[i]
	if i < r.Book {
		return "book"
	}
	var parts []string
	if ply.Scored {
		parts = append(parts, fmt.Sprintf("%s/%d", cutechessScore(ply.Score), ply.Depth))
	}
	turn := board.Color((int(r.Start.Turn()) + i) % 2)
	if w.entrants[r.Players[turn]].Limits.Timed() {
		parts = append(parts, strconv.FormatFloat(ply.Time.Seconds(), 'f', 3, 64)+"s")
	}
	return strings.Join(parts, " ")
}

// cutechessScore writes a score as cutechess does: “+0.31”, “-1.20”, “0.00”, and mates in plies, “+M5” or “-M4”.
func cutechessScore(s dataset.Score) string {
	if n, ok := s.Mate(); ok {
		if n > 0 {
			return fmt.Sprintf("+M%d", 2*n-1)
		}
		return fmt.Sprintf("-M%d", -2*n)
	}
	cp, _ := s.Centipawns()
	if cp == 0 {
		return "0.00"
	}
	sign := '+'
	if cp < 0 {
		sign, cp = '-', -cp
	}
	return fmt.Sprintf("%c%d.%02d", sign, cp/100, cp%100)
}

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

// Roster writes the seven tags that each game has; players stand by colour.
func (g *PGN) Roster(event, round string, date time.Time, players [2]string, result dataset.Result) {
	for _, t := range [][2]string{{"Event", event}, {"Site", "?"}, {"Date", date.Format("2006.01.02")},
		{"Round", round}, {"White", players[board.White]}, {"Black", players[board.Black]},
		{"Result", result.String()}} {
		g.Tag(t[0], t[1])
	}
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

// Variation writes moves that could have been played from a position, in parentheses.
func (g *PGN) Variation(p board.Position, moves []board.Move) {
	var line PGN
	line.column = 1
	for i, m := range moves {
		line.Move(&p, m, i == 0)
		p.Play(m)
	}
	words := strings.Fields(line.text.String())
	words[0] = "(" + words[0]
	words[len(words)-1] += ")"
	for _, word := range words {
		g.Word(word)
	}
}

// String is the text, with the empty line after a game.
func (g *PGN) String() string { return g.text.String() + "\n\n" }
