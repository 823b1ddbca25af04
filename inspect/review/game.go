package review

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"talbot/board"
	"talbot/dataset"
)

// Game is a game with what its moves lost.
type Game struct {
	White       string      `json:"white"`
	Black       string      `json:"black"`
	WhiteElo    int         `json:"white_elo,omitempty"`
	BlackElo    int         `json:"black_elo,omitempty"`
	Event       string      `json:"event,omitempty"`
	Site        string      `json:"site,omitempty"`
	Round       string      `json:"round,omitempty"`
	Date        string      `json:"date,omitempty"`
	Opening     string      `json:"opening,omitempty"`
	ECO         string      `json:"eco,omitempty"`
	TimeControl string      `json:"time_control,omitempty"`
	FEN         string      `json:"fen,omitempty"` // where it does not begin from the usual start
	Result      string      `json:"result"`
	Side        string      `json:"side,omitempty"` // "white" or "black": the player's, where somebody was asked for
	Accuracy    [2]*float64 `json:"accuracy"`       // White's and Black's, 0 … 100; nil without a move of theirs
	Sides       [2]Totals   `json:"sides"`          // White's and Black's
	Moves       []Move      `json:"moves"`

	start board.Position
	mine  [2]bool // the sides that are the player's; both where nobody was asked for
}

// Move is a move of a game. Scores are from the view of its player.
type Move struct {
	UCI     string `json:"uci"`
	SAN     string `json:"san"`
	Best    string `json:"best,omitempty"` // the engine's move
	BestSAN string `json:"best_san,omitempty"`
	// The score before the move and after it in centipawns, a mate as ±10000.
	Before int  `json:"cp_before"`
	After  int  `json:"cp_after"`
	MateIn *int `json:"mate_before,omitempty"` // in so many moves; below 0 the opponent mates
	MateTo *int `json:"mate_after,omitempty"`
	// WinLoss is what the move lost of the winning chances, in per cent; below 0 it won some.
	WinLoss  float64 `json:"win_loss"`
	Accuracy float64 `json:"accuracy"`
	Class    Class   `json:"class"`
	Phase    string  `json:"phase"`
	// Tables says what an endgame that the move threw away was and is by endgame tables, such as "win → draw".
	Tables string `json:"tables,omitempty"`
	Clock  *int32 `json:"clock,omitempty"` // the time left after it, in tenths of a second
	// Likely is how likely a player of this rating is to play the move, by the network; BestLikely the engine's.
	Likely     *float64 `json:"likely,omitempty"`
	BestLikely *float64 `json:"best_likely,omitempty"`

	move        board.Move
	black       bool         // its player
	line        []board.Move // the engine's, from the position before the move
	reply       []board.Move // the engine's, from the position after it
	clockBefore *int32
	rating      int       // of the people who were asked; 0: nobody
	tempting    []weighed // what many of them play, and the moves that were played and best
}

// label is what the engine says of a position.
type label struct {
	score dataset.Score // from the side to move's view
	line  []board.Move  // the best moves, if they are known
	mated bool          // the side to move
}

// initial is the score that Lichess gives to the usual start.
const initial = dataset.Score(15)

// errUnlabelled is the fault of a game that has a position without a label.
var errUnlabelled = errors.New("a position has no label")

// labelAt returns what is said of a position: by its label, or by the rules where the game has ended. false is a
// position without a label.
func labelAt(p *board.Position, c dataset.Counted) (label, bool) {
	switch {
	case !p.HasLegalMove() && p.InCheck():
		return label{score: dataset.MateIn(0), mated: true}, true
	case !p.HasLegalMove() || p.IsDead():
		return label{score: dataset.Centipawns(0)}, true
	case c.Value.Status != dataset.Labelled || len(c.Value.Lines) == 0:
		return label{}, false
	}
	best := c.Value.Lines[0]
	return label{score: best.Score, line: best.PV}, true
}

// opposite returns a score from the other side's view. Being mated now is a mate in one move from there, for that is
// what it was before the move.
func opposite(s dataset.Score) dataset.Score {
	if n, ok := s.Mate(); ok && n == 0 {
		return dataset.MateIn(1)
	}
	return -s
}

// review says what the moves of a line lost. The line has every position as a sample.
func (v *reviewer) review(ctx context.Context, line *dataset.Line) (*Game, error) {
	n := len(line.Moves)
	g := &Game{White: line.Tag("White"), Black: line.Tag("Black"), WhiteElo: line.WhiteElo, BlackElo: line.BlackElo,
		Event: line.Tag("Event"), Site: line.Tag("Site"), Round: line.Tag("Round"),
		TimeControl: line.TimeControl(), Date: line.Tag("Date"), Opening: line.Tag("Opening"),
		ECO:    line.Tag("ECO"),
		Result: line.Result.String(), Moves: make([]Move, 0, n), start: line.Start}
	if line.Start != board.StartPosition() {
		g.FEN = line.Start.FEN()
	}
	player := dataset.Filter{Player: v.Player}
	g.mine[board.White], g.mine[board.Black] = player.PlayerSides(line)
	for side := range board.Color(2) {
		if g.mine[side] && !g.mine[1-side] {
			g.Side = side.String()
		}
	}
	labels, positions := make([]label, 0, n+1), make([]board.Position, 0, n+1)
	w := &v.walker
	for w.Reset(line); w.Next(); {
		if w.Ply() != len(labels) {
			break
		}
		l, ok := labelAt(w.Position(), v.counting.Of(line, w.Sample()))
		if !ok && w.Ply() == 0 && line.Start == board.StartPosition() {
			l, ok = label{score: initial}, true // sites leave it out
		}
		if !ok {
			return nil, errUnlabelled
		}
		labels, positions = append(labels, l), append(positions, *w.Position())
	}
	if len(labels) != n+1 {
		return nil, fmt.Errorf("ply %d of %d is no sample", len(labels), n)
	}
	white := make([]float64, 0, n+1)
	for ply, l := range labels {
		percent := WinPercent(l.score)
		if positions[ply].Turn() == board.Black {
			percent = 100 - percent
		}
		white = append(white, percent)
		if ply < n {
			g.Moves = append(g.Moves, newMove(line, ply, &positions[ply], l, labels[ply+1]))
		}
	}
	blackBegins := line.Start.Turn() == board.Black
	for side, a := range GameAccuracy(white, blackBegins) {
		if !math.IsNaN(a) {
			g.Accuracy[side] = &a
		}
	}
	for i := range g.Moves {
		side := board.White
		if g.Moves[i].black {
			side = board.Black
		}
		g.Sides[side].add(g.Moves[i].totals())
	}
	if err := v.byTables(ctx, g, positions); err != nil {
		return nil, err
	}
	return g, v.likely(ctx, g)
}

// byTables says which moves threw an endgame away: a won one, or one that was drawn.
func (v *reviewer) byTables(ctx context.Context, g *Game, positions []board.Position) error {
	if v.Probe == nil {
		return nil
	}
	before, knew := dataset.Drawn, false
	for i := range positions {
		p := &positions[i]
		now, known, err := dataset.Drawn, true, error(nil)
		switch {
		case p.HasLegalMove() && !p.IsDead():
			now, known, err = v.Probe(ctx, p)
		case p.InCheck():
			now = dataset.Lost
		}
		if err != nil {
			return err
		}
		if mine := dataset.Won - now; knew && known && mine < before {
			g.Moves[i-1].Tables = before.String() + " → " + mine.String()
		}
		before, knew = now, known
	}
	return nil
}

// newMove says what the move at a ply lost.
func newMove(line *dataset.Line, ply int, p *board.Position, before, next label) Move {
	played, after := line.Moves[ply], opposite(next.score)
	m := Move{UCI: played.String(), SAN: p.SAN(played), Before: centipawns(before.score), After: centipawns(after),
		Phase: p.Phase().String(), move: played, black: p.Turn() == board.Black, line: before.line,
		reply: next.line}
	m.WinLoss = WinPercent(before.score) - WinPercent(after)
	m.Accuracy = MoveAccuracy(WinPercent(before.score), WinPercent(after))
	if n, ok := before.score.Mate(); ok {
		m.MateIn = &n
	}
	if n, ok := after.Mate(); ok {
		if next.mated {
			n = 0
		}
		m.MateTo = &n
	}
	if len(before.line) > 0 {
		m.Best, m.BestSAN = before.line[0].String(), p.SAN(before.line[0])
	}
	if len(before.line) == 0 || before.line[0] != played {
		m.Class = Classify(before.score, after)
	}
	if tenths, ok := line.ClockAfter(ply); ok {
		m.Clock = &tenths
	}
	if tenths, ok := line.ClockBefore(ply); ok {
		m.clockBefore = &tenths
	}
	return m
}

// scoreOf returns the score of a move's field.
func scoreOf(cp int, mate *int) dataset.Score {
	if mate != nil {
		return dataset.MateIn(*mate)
	}
	return dataset.Centipawns(cp)
}

// before returns the score before the move.
func (m *Move) before() dataset.Score { return scoreOf(m.Before, m.MateIn) }

// Start returns where the game begins.
func (g *Game) Start() board.Position { return g.start }

// Played returns the move.
func (m *Move) Played() board.Move { return m.move }

// ScoreAfter returns the score after the move from its player's view, to mate as a mate in one.
func (m *Move) ScoreAfter() dataset.Score {
	if m.MateTo != nil && *m.MateTo == 0 {
		return dataset.MateIn(1)
	}
	return scoreOf(m.After, m.MateTo)
}

// Title returns the players, with their ratings.
func (g *Game) Title() string {
	return player(g.White, g.WhiteElo) + " – " + player(g.Black, g.BlackElo)
}

func player(name string, elo int) string {
	name = cmp.Or(name, "?")
	if elo > 0 {
		name += fmt.Sprintf(" (%d)", elo)
	}
	return name
}

// openingPlies is how many plies name an opening where the game does not.
const openingPlies = 4

// OpeningName returns the opening by the game's own tags, or else by its first moves.
func (g *Game) OpeningName() string {
	if name := cmp.Or(g.Opening, g.ECO); name != "" {
		return name
	}
	if g.FEN != "" {
		return "from a position"
	}
	var b strings.Builder
	for i := range g.Moves[:min(len(g.Moves), openingPlies)] {
		if i%2 == 0 {
			fmt.Fprintf(&b, "%d. ", i/2+1)
		}
		b.WriteString(g.Moves[i].SAN + " ")
	}
	return strings.TrimSpace(b.String())
}
