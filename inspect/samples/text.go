package samples

import (
	"fmt"
	"io"
	"math"
	"strings"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/chart"
	"talbot/internal/humanize"
	"talbot/internal/plain"
)

// textPlies is the number of moves before a sample that its text shows.
const textPlies = 8

// WriteText writes the sample for people: the board with the last move in brackets, where the sample comes from, and
// what a network learns from it.
func (s *Sample) WriteText(w io.Writer) error {
	var b strings.Builder
	plain.Fprintf(&b, "sample %d · %s · line %d · split %s\n", s.Sample,
		dataset.LineName(s.Source, s.Game, fmt.Sprintf("%q", s.Input)), s.Line, s.Split)
	if players := s.Players(func(name string) string { return name }); players != "" {
		plain.Fprintf(&b, "%s\n", players)
	}
	pos, moves := s.Past()
	sans := make([]string, 0, len(moves))
	for i, m := range moves {
		sans = append(sans, numbered(&pos, m, i == 0 || len(moves)-i == textPlies))
		pos.Play(m)
	}
	last := board.NoMove
	if len(moves) > 0 {
		last = moves[len(moves)-1]
	}
	b.WriteByte('\n')
	b.WriteString(diagram.Draw(&pos, last))
	turn := "White"
	if pos.Turn() == board.Black {
		turn = "Black"
	}
	plain.Fprintf(&b, "\n%s to move, ply %d of %d\n", turn, s.Ply, s.Plies)
	row := func(name, format string, args ...any) {
		plain.Fprintf(&b, "%-9s"+format+"\n", append([]any{name}, args...)...)
	}
	row("fen", "%s", s.FEN)
	row("history", "%s", s.historyText(sans))
	row("legal", "%s", humanize.Count(int64(len(s.Legal)), "move"))
	row("played", "%s", sanOr(&pos, s.Played, "none (end of the line)"))
	if s.Clock != nil || s.ClockAfter != nil {
		row("clock", "%s before the move, %s after it%s", clockText(s.Clock), clockText(s.ClockAfter), s.controlText())
	}
	if s.Band != nil {
		row("players", "%s", s.playersText())
	}
	row("policy", "%s", s.policyText(&pos))
	if s.Label == nil {
		row("label", "%s", s.LabelStatus)
	} else {
		row("label", "%s", s.Label.text(&pos))
		row("", "%s, %s", s.Label.Engine, s.Label.Limit)
		if len(s.Label.PV) > 0 {
			row("pv", "%s", strings.Join(s.Label.PV, " "))
		}
	}
	if s.Exact != nil {
		row("exact", "%s", *s.Exact)
	}
	for i := range s.Predictions {
		row("network", "%s", s.Predictions[i].text(&pos))
	}
	if s.Value == nil {
		row("value", "none")
	} else {
		row("value", "%+.5f", *s.Value)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Players says who played and how it ended, with names as shown makes them; empty if nobody is known.
func (s *Sample) Players(shown func(name string) string) string {
	if s.White == "" && s.Black == "" {
		return ""
	}
	return fmt.Sprintf("%s – %s, %s", Player(shown(s.White), s.WhiteElo), Player(shown(s.Black), s.BlackElo), s.Result)
}

// Player is a name with a rating; 0: not rated.
func Player(name string, rating int) string {
	if name == "" {
		name = "?"
	}
	if rating > 0 {
		name += fmt.Sprintf(" (%d)", rating)
	}
	return name
}

// clockText returns a time left as PGN writes it.
func clockText(seconds *float64) string {
	if seconds == nil {
		return "unknown"
	}
	tenths := int64(math.Round(10 * *seconds))
	text := fmt.Sprintf("%d:%02d:%02d", tenths/36000, tenths/600%60, tenths/10%60)
	if tenths%10 != 0 {
		text += fmt.Sprintf(".%d", tenths%10)
	}
	return text
}

func (s *Sample) controlText() string {
	if s.TimeControl == "" {
		return ""
	}
	return ", time control " + s.TimeControl
}

// diagram is the board from White's side, both squares of the last move in brackets.
var diagram = chart.Diagram{Indent: "  ", Square: " %s ", Marked: "[%s]"}

// numbered writes a move in SAN with its number; Black's moves have one only if black is set.
func numbered(p *board.Position, m board.Move, black bool) string {
	switch san := p.SAN(m); {
	case p.Turn() == board.White:
		return fmt.Sprintf("%d.%s", p.FullmoveNumber(), san)
	case black:
		return fmt.Sprintf("%d...%s", p.FullmoveNumber(), san)
	default:
		return san
	}
}

func (s *Sample) historyText(sans []string) string {
	if len(sans) == 0 {
		return "none (start of the line)"
	}
	text := strings.Join(sans[max(0, len(sans)-textPlies):], " ")
	if len(sans) > textPlies {
		text = "… " + text
	}
	if n := min(s.Reconstructed, s.Ply); n > 0 {
		text += fmt.Sprintf(" (%d of %s reconstructed)", n, humanize.Count(int64(s.Ply), "ply"))
	}
	return text
}

// sanOr writes a legal move of p as SAN and UCI; for nil it returns the text none.
func sanOr(p *board.Position, uci *string, none string) string {
	if uci == nil {
		return none
	}
	m, err := p.ParseUCI(*uci)
	if err != nil {
		return *uci
	}
	return fmt.Sprintf("%s (%s)", p.SAN(m), *uci)
}

// playersText has the ratings of the players of an aggregated position, and the number of their moves.
func (s *Sample) playersText() string {
	moves := int64(0)
	for _, n := range s.Counts {
		moves += n
	}
	return fmt.Sprintf("rated %v, %s", dataset.Band{From: s.Band.From, To: s.Band.To}, humanize.Count(moves, "move"))
}

func (s *Sample) policyText(p *board.Position) string {
	if s.Policy == nil {
		return "none"
	}
	if len(s.Policies) == 0 {
		if s.Policy.Index < 0 {
			return sanOr(p, &s.Policy.UCI, "")
		}
		return fmt.Sprintf("%s, index %d", sanOr(p, &s.Policy.UCI, ""), s.Policy.Index)
	}
	var parts []string
	for _, m := range s.Policies {
		parts = append(parts, fmt.Sprintf("%s index %d weight %.4g", sanOr(p, &m.UCI, ""), m.Index, m.Weight))
	}
	return strings.Join(parts, ", ")
}

// text writes the label in one line, scores from the view of the side to move.
func (l *Label) text(p *board.Position) string {
	var parts []string
	switch {
	case l.Mate != nil:
		parts = append(parts, fmt.Sprintf("mate %+d", *l.Mate))
	case l.CP != nil:
		parts = append(parts, fmt.Sprintf("%+d cp", *l.CP))
	}
	if l.Best != board.NoMove.String() { // imported scores have no move, depth or nodes
		parts = append(parts, "best "+sanOr(p, &l.Best, ""))
	}
	if l.WDL != nil {
		parts = append(parts, fmt.Sprintf("win/draw/loss %d/%d/%d", l.WDL[0], l.WDL[1], l.WDL[2]))
	}
	if l.Depth > 0 || l.Nodes > 0 {
		parts = append(parts, fmt.Sprintf("depth %d, %s", l.Depth, humanize.Count(int64(l.Nodes), "node")))
	}
	if l.MultiPV > 1 {
		parts = append(parts, fmt.Sprintf("%d lines", l.MultiPV))
	}
	return strings.Join(parts, " · ")
}
