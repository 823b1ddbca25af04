package review

import (
	"cmp"
	"slices"
	"strings"

	"talbot/board"
)

// Totals are the figures of a player's moves.
type Totals struct {
	Moves        int     `json:"moves"`
	Loss         float64 `json:"centipawn_loss"` // the mean
	Inaccuracies int     `json:"inaccuracies"`
	Mistakes     int     `json:"mistakes"`
	Blunders     int     `json:"blunders"`
	// Phases are the mean accuracies of the moves in each phase that has some.
	Phases map[string]float64 `json:"phases"`

	losses   int // centipawns
	accuracy map[string]float64
	counts   map[string]int
}

// add adds a move.
func (t *Totals) add(m *Move) {
	if t.Phases == nil {
		t.Phases, t.accuracy, t.counts = map[string]float64{}, map[string]float64{}, map[string]int{}
	}
	t.Moves++
	t.losses += max(0, bounded(m.Before)-bounded(m.After))
	t.Loss = float64(t.losses) / float64(t.Moves)
	t.accuracy[m.Phase] += m.Accuracy
	t.counts[m.Phase]++
	t.Phases[m.Phase] = t.accuracy[m.Phase] / float64(t.counts[m.Phase])
	switch m.Class {
	case Inaccuracy:
		t.Inaccuracies++
	case Mistake:
		t.Mistakes++
	case Blunder:
		t.Blunders++
	}
}

// Record is how games ended for a side, and how it played them.
type Record struct {
	Name   string  `json:"name"`
	Games  int     `json:"games"`
	Points float64 `json:"points"`
	Played Totals  `json:"played"`

	accuracies float64
	rated      int
}

// Accuracy returns the mean accuracy of the games; false without a move.
func (r *Record) Accuracy() (float64, bool) {
	return r.accuracies / float64(max(1, r.rated)), r.rated > 0
}

// add adds a game of a side.
func (r *Record) add(g *Game, side board.Color) {
	r.Games++
	r.Points += points(g.Result, side)
	if a := g.Accuracy[side]; a != nil {
		r.accuracies += *a
		r.rated++
	}
	for i := range g.Moves {
		if m := &g.Moves[i]; m.black == (side == board.Black) {
			r.Played.add(m)
		}
	}
}

func points(result string, side board.Color) float64 {
	switch {
	case result == "1/2-1/2":
		return 0.5
	case (result == "1-0") == (side == board.White) && (result == "1-0" || result == "0-1"):
		return 1
	}
	return 0
}

// Summary is what a review reports.
type Summary struct {
	Games      int      `json:"games"`
	Unlabelled int64    `json:"unlabelled"` // games left out because not every position has a label
	Player     string   `json:"player,omitempty"`
	Sides      []Record `json:"sides"` // the player and the opponents; without a player White and Black
	Colors     []Record `json:"colors"`
	Openings   []Record `json:"openings"` // by the player, or both
	Clocks     []Record `json:"clocks"`   // moves by the time that was left; empty without clocks
	Motifs     []Motif  `json:"motifs"`

	list     []listed
	openings map[string]*Record
	moments  []moment
}

// Motif counts moves with marks by what they overlooked; a move may be of several.
type Motif struct {
	Name  string `json:"name"`
	Moves int    `json:"moves"`
}

// listed is a game in the list of the first page.
type listed struct {
	title, result, date string
	accuracy            [2]*float64
	blunders            [2]int
	opening             string
}

// moment is a move with a mark.
type moment struct {
	game, ply int
	at        board.Position
	move      Move
	title     string
}

// shownMoments is how many moves the first page shows: those that lost most.
const shownMoments = 24

// newSummary returns an empty summary.
func newSummary(player string) *Summary {
	s := &Summary{Player: player, Sides: []Record{{Name: "White"}, {Name: "Black"}}, openings: map[string]*Record{},
		Colors: []Record{{Name: "White"}, {Name: "Black"}},
		Clocks: []Record{{Name: "under 30 s"}, {Name: "30 s or more"}}}
	if player != "" {
		s.Sides = []Record{{Name: player}, {Name: "opponents"}}
	}
	for _, m := range motifs {
		s.Motifs = append(s.Motifs, Motif{Name: m.name})
	}
	return s
}

// add adds a game.
func (s *Summary) add(g *Game) {
	s.Games++
	mine := g.mine
	for side := range board.Color(2) {
		if s.Player == "" {
			s.Sides[side].add(g, side)
		} else if mine[side] {
			s.Sides[0].add(g, side)
		} else {
			s.Sides[1].add(g, side)
		}
		if !mine[side] {
			continue
		}
		s.Colors[side].add(g, side)
		if s.Player == "" && side == board.Black {
			continue // each game once, by White's results
		}
		name := g.OpeningName()
		if s.openings[name] == nil {
			s.openings[name] = &Record{Name: name}
		}
		s.openings[name].add(g, side)
	}
	at := g.start
	for i := range g.Moves {
		m := &g.Moves[i]
		side := board.White
		if m.black {
			side = board.Black
		}
		if mine[side] {
			s.move(g, i, m, &at)
		}
		at.Play(m.move)
	}
	s.list = append(s.list, listed{title: g.Title(), result: g.Result, date: g.Date, accuracy: g.Accuracy,
		blunders: [2]int{g.Sides[0].Blunders, g.Sides[1].Blunders}, opening: g.OpeningName()})
}

// move adds a move of the player, or of either.
func (s *Summary) move(g *Game, ply int, m *Move, at *board.Position) {
	if m.clockBefore != nil {
		i := 1
		if *m.clockBefore < 300 {
			i = 0
		}
		s.Clocks[i].Played.add(m)
	}
	if m.Class == Fine {
		return
	}
	for i, motif := range motifs {
		if motif.is(m, at) {
			s.Motifs[i].Moves++
		}
	}
	s.moments = append(s.moments, moment{game: s.Games, ply: ply, at: *at, move: *m, title: g.Title()})
	slices.SortStableFunc(s.moments, func(a, b moment) int { return cmp.Compare(b.move.WinLoss, a.move.WinLoss) })
	s.moments = s.moments[:min(len(s.moments), shownMoments)]
}

// end sorts the openings by games.
func (s *Summary) end() {
	for _, r := range s.openings {
		s.Openings = append(s.Openings, *r)
	}
	slices.SortFunc(s.Openings, func(a, b Record) int {
		return cmp.Or(cmp.Compare(b.Games, a.Games), strings.Compare(a.Name, b.Name))
	})
}

// motifs are what moves with marks overlook.
var motifs = []struct {
	name string
	is   func(m *Move, at *board.Position) bool
}{
	{"left a piece to be taken", func(m *Move, at *board.Position) bool {
		after := at.After(m.move)
		return len(m.reply) > 0 && after.Captured(m.reply[0]) != board.NoPieceType && after.Exchange(m.reply[0]) >= 2
	}},
	{"missed a capture that wins material", func(m *Move, at *board.Position) bool {
		return len(m.line) > 0 && at.Captured(m.line[0]) != board.NoPieceType && at.Exchange(m.line[0]) >= 2
	}},
	{"missed a mate", func(m *Move, _ *board.Position) bool {
		return m.MateIn != nil && *m.MateIn > 0 && (m.MateTo == nil || *m.MateTo < 0)
	}},
	{"walked into a mate", func(m *Move, _ *board.Position) bool {
		return m.MateTo != nil && *m.MateTo < 0 && (m.MateIn == nil || *m.MateIn > 0)
	}},
	{"let a win go", func(m *Move, _ *board.Position) bool { return m.Before >= 300 && m.After < 100 }},
	{"lost a position that was even", func(m *Move, _ *board.Position) bool {
		return m.Before > -100 && m.Before < 100 && m.After <= -300
	}},
	{"seen by half of the players of this rating", func(m *Move, _ *board.Position) bool {
		return m.BestLikely != nil && *m.BestLikely >= 0.5
	}},
	{"found by one in ten of them or fewer", func(m *Move, _ *board.Position) bool {
		return m.BestLikely != nil && *m.BestLikely <= 0.1
	}},
	{"a trap: one in ten or more of them play it too", func(m *Move, _ *board.Position) bool {
		return m.Class == Blunder && m.Likely != nil && *m.Likely >= 0.1
	}},
}
