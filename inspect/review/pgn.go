package review

import (
	"fmt"
	"strconv"
	"strings"

	"talbot/board"
	"talbot/dataset"
	"talbot/play/match"
)

// nags are the marks of the classes in PGN, those that are written ?!, ? and ??.
var nags = map[Class]string{Inaccuracy: "$6", Mistake: "$2", Blunder: "$4"}

// variationPlies is how much of the engine's line stands beside a mistake.
const variationPlies = 6

// PGN returns the game with marks, evaluations as Lichess writes them ([%eval 0.35] from White's view of the position
// after the move), clocks, and the engine's line beside each move that has a mark.
func (g *Game) PGN(annotator string) string {
	var p match.PGN
	tag := func(name, value string) { p.Tag(name, value) }
	unknown := func(text, instead string) string {
		if text == "" {
			return instead
		}
		return text
	}
	tag("Event", unknown(g.Event, "?"))
	tag("Site", unknown(g.Site, "?"))
	tag("Date", unknown(g.Date, "????.??.??"))
	tag("Round", unknown(g.Round, "?"))
	tag("White", unknown(g.White, "?"))
	tag("Black", unknown(g.Black, "?"))
	tag("Result", g.Result)
	for _, more := range []dataset.Tag{{Name: "WhiteElo", Value: elo(g.WhiteElo)},
		{Name: "BlackElo", Value: elo(g.BlackElo)}, {Name: "TimeControl", Value: g.TimeControl},
		{Name: "ECO", Value: g.ECO}, {Name: "Opening", Value: g.Opening}} {
		if more.Value != "" {
			tag(more.Name, more.Value)
		}
	}
	for side, name := range []string{"WhiteAccuracy", "BlackAccuracy"} {
		if a := g.Accuracy[side]; a != nil {
			tag(name, strconv.FormatFloat(*a, 'f', 1, 64))
		}
	}
	tag("Annotator", annotator)
	p.Start(&g.start)
	p.Body()
	at, numbered := g.start, true
	for i := range g.Moves {
		m := &g.Moves[i]
		p.Move(&at, m.move, numbered)
		numbered = false
		if m.Class != Fine {
			p.Word(nags[m.Class])
		}
		after := at
		after.Play(m.move)
		if comment := m.comment(&at, &after); comment != "" {
			p.Word("{ " + comment + " }")
			numbered = true
		}
		if m.Class != Fine && len(m.line) > 0 {
			m.variation(&p, at)
			numbered = true
		}
		at = after
	}
	p.Word(g.Result)
	return p.String()
}

func elo(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// comment returns what stands in braces after a move.
func (m *Move) comment(before, after *board.Position) string {
	var parts []string
	if after.HasLegalMove() || !after.InCheck() {
		score := m.ScoreAfter()
		if before.Turn() == board.Black {
			score = -score
		}
		parts = append(parts, "[%eval "+evalText(score)+"]")
	}
	if m.Clock != nil {
		t := *m.Clock
		text := fmt.Sprintf("[%%clk %d:%02d:%02d", t/36000, t/600%60, t/10%60)
		if t%10 != 0 {
			text += fmt.Sprintf(".%d", t%10)
		}
		parts = append(parts, text+"]")
	}
	if m.Class != Fine {
		text := strings.ToUpper(string(m.Class[:1])) + string(m.Class[1:]) + "."
		if m.BestSAN != "" {
			text += " " + m.BestSAN + " was best."
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " ")
}

// evalText writes a score in pawns, or a mate as “#3” and “#-3”.
func evalText(s dataset.Score) string {
	if n, ok := s.Mate(); ok {
		return fmt.Sprintf("#%d", n)
	}
	cp, _ := s.Centipawns()
	return strconv.FormatFloat(float64(cp)/100, 'f', 2, 64)
}

// variation writes the engine's line in parentheses.
func (m *Move) variation(p *match.PGN, at board.Position) {
	line := m.line[:min(len(m.line), variationPlies)]
	p.Variation(at, line)
}
