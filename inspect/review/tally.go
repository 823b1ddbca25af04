package review

import (
	"cmp"
	"slices"
	"strings"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/humanize"
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

// totals returns the figures of a move.
func (m *Move) totals() *Totals {
	one := map[Class]int{m.Class: 1}
	return &Totals{Moves: 1, losses: max(0, bounded(m.Before)-bounded(m.After)), Inaccuracies: one[Inaccuracy],
		Mistakes: one[Mistake], Blunders: one[Blunder], accuracy: map[string]float64{m.Phase: m.Accuracy},
		counts: map[string]int{m.Phase: 1}}
}

// add adds the figures of other moves.
func (t *Totals) add(o *Totals) {
	if t.Phases == nil {
		t.Phases, t.accuracy, t.counts = map[string]float64{}, map[string]float64{}, map[string]int{}
	}
	t.Moves += o.Moves
	t.Inaccuracies += o.Inaccuracies
	t.Mistakes += o.Mistakes
	t.Blunders += o.Blunders
	t.losses += o.losses
	t.Loss = float64(t.losses) / float64(max(1, t.Moves))
	for phase, n := range o.counts {
		t.accuracy[phase] += o.accuracy[phase]
		t.counts[phase] += n
		t.Phases[phase] = t.accuracy[phase] / float64(t.counts[phase])
	}
}

// Record is how games ended for a side, and how it played them.
type Record struct {
	Name       string  `json:"name"`
	Games      int     `json:"games"`
	Unfinished int     `json:"unfinished,omitempty"` // of them without a result
	Points     float64 `json:"points"`
	// Accuracy is the mean of the games; nil without a move.
	Accuracy *float64 `json:"accuracy"`
	Played   Totals   `json:"played"`

	accuracies float64
	rated      int
}

// add adds a game of a side.
func (r *Record) add(g *Game, side board.Color) {
	r.Games++
	if g.Result == dataset.ResultUnknown.String() {
		r.Unfinished++
	}
	r.Points += points(g.Result, side)
	if a := g.Accuracy[side]; a != nil {
		r.accuracies += *a
		r.rated++
		r.Accuracy = new(r.accuracies / float64(r.rated))
	}
	r.Played.add(&g.Sides[side])
}

// scoreText returns the score in the games with a result for people.
func (r *Record) scoreText() string {
	if r.Games == r.Unfinished {
		return "–"
	}
	return humanize.Percent(r.Points / float64(r.Games-r.Unfinished))
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
	Games      int    `json:"games"`
	Unlabelled int64  `json:"unlabelled"` // games left out because not every position has a label
	Player     string `json:"player,omitempty"`
	// LeftOut counts the games that were not read by reason.
	LeftOut  map[dataset.Reason]int64 `json:"left_out,omitempty"`
	Sides    []Record                 `json:"sides"` // the player and the opponents; without a player White and Black
	Colors   []Record                 `json:"colors"`
	Openings []Record                 `json:"openings"` // by the player, or both
	Clocks   []Record                 `json:"clocks"`   // moves by the time that was left; empty without clocks
	Motifs   []Motif                  `json:"motifs"`
	Traps    []Traps                  `json:"traps,omitempty"` // of the sides; empty where nobody was asked
	Puzzles  int                      `json:"puzzles"`

	list     []listed
	openings map[string]*Record
	moments  []moment
	lures    []lure
	found    []*puzzle // positions that may be puzzles
}

// Motif counts moves by what they overlooked; a move may be of several.
type Motif struct {
	Name  string  `json:"name"`
	Moves int     `json:"moves"` // the player's, or both players'
	Sides [2]int  `json:"sides"` // by [Summary.Sides]
	List  []Place `json:"list"`  // of Moves those that lost most
}

// Place is a move of a game.
type Place struct {
	Game    int     `json:"game"` // from 1
	Ply     int     `json:"ply"`  // from 0
	Title   string  `json:"title"`
	Move    string  `json:"move"` // with its number and mark
	Score   string  `json:"score"`
	WinLoss float64 `json:"win_loss"`
}

// shownPlaces is how many moves of a motif the first page lists.
const shownPlaces = 5

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
		s.Motifs = append(s.Motifs, Motif{Name: m.name, List: []Place{}})
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
		s.overlooked(g, i, m, &at, mine[side])
		if m.rating > 0 {
			if l, ok := newLure(m, &at, s.side(m, mine[side]), i > 0); ok {
				s.lures = append(s.lures, l)
			}
		}
		if mine[side] {
			s.move(g, i, m, &at)
		}
		at.Play(m.move)
	}
	s.found = append(s.found, g.puzzles()...)
	s.list = append(s.list, g.listed())
}

func (g *Game) listed() listed {
	return listed{title: g.Title(), result: g.Result, date: g.Date, accuracy: g.Accuracy,
		blunders: [2]int{g.Sides[0].Blunders, g.Sides[1].Blunders}, opening: g.OpeningName()}
}

// move adds a move of the player, or of either.
func (s *Summary) move(g *Game, ply int, m *Move, at *board.Position) {
	if m.clockBefore != nil {
		i := 1
		if *m.clockBefore < 300 {
			i = 0
		}
		s.Clocks[i].Played.add(m.totals())
	}
	if !m.moment() {
		return
	}
	s.moments = append(s.moments, moment{game: s.Games, ply: ply, at: *at, move: *m, title: g.Title()})
	slices.SortStableFunc(s.moments, func(a, b moment) int { return cmp.Compare(b.move.WinLoss, a.move.WinLoss) })
	s.moments = s.moments[:min(len(s.moments), shownMoments)]
}

// moment reports whether a move is worth a look.
func (m *Move) moment() bool { return m.Class != Fine || m.Tables != "" }

// side returns whose move it is, in [Summary.Sides].
func (s *Summary) side(m *Move, mine bool) int {
	if s.Player == "" && m.black || s.Player != "" && !mine {
		return 1
	}
	return 0
}

// overlooked counts a move by its motifs, and lists it where it is the player's.
func (s *Summary) overlooked(g *Game, ply int, m *Move, at *board.Position, mine bool) {
	if !m.moment() {
		return
	}
	side := s.side(m, mine)
	for i, motif := range motifs {
		if !motif.is(m, at) {
			continue
		}
		count := &s.Motifs[i]
		if count.Sides[side]++; !mine {
			continue
		}
		count.Moves++
		count.List = append(count.List, Place{Game: s.Games, Ply: ply, Title: g.Title(),
			Move: numbered(at, m.SAN) + m.Mark(), Score: m.scoreText(), WinLoss: m.WinLoss})
		slices.SortStableFunc(count.List, func(a, b Place) int { return cmp.Compare(b.WinLoss, a.WinLoss) })
		count.List = count.List[:min(len(count.List), shownPlaces)]
	}
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
	{"threw an endgame away, by the tables", func(m *Move, _ *board.Position) bool { return m.Tables != "" }},
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
}
