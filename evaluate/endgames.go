package evaluate

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"

	"talbot/board"
	"talbot/dataset"
	"talbot/network/run"
)

// Tables say how endgames end with best play. They need to serve one goroutine only.
type Tables interface {
	// Probe returns the result under the 50-move rule, for the side to move; false where it is not known.
	Probe(ctx context.Context, p *board.Position) (dataset.Class, bool, error)
}

// verdictBound is how far from 0 a value is taken for a win or a loss: the verdict is the nearest of −1, 0 and 1.
const verdictBound = 0.5

// verdict is the result that a value stands for.
func verdict(value float64) dataset.Class {
	switch {
	case value > verdictBound:
		return dataset.Won
	case value < -verdictBound:
		return dataset.Lost
	}
	return dataset.Drawn
}

// EndgameReport is how a network does where endgame tables know the result.
type EndgameReport struct {
	EndgameFigures
	Unseen *EndgameFigures `json:"unseen"` // nil if it is not known what was trained on
	// Verdicts are numbers of positions by the tables' result, then by the network's verdict: loss, draw, win.
	Verdicts   [3][3]int64               `json:"verdicts"`
	ByPieces   map[string]EndgameFigures `json:"by_pieces"`   // "3", "4", kings included
	ByMaterial map[string]EndgameFigures `json:"by_material"` // the stronger side first, either side to move: "KRPvKR"
}

// EndgameFigures are over positions of which the tables' result is known. A figure over no positions is null, as are
// those of a value that the network does not give. The value's verdict is a win above 0.5, a loss below −0.5, else a
// draw.
type EndgameFigures struct {
	Samples       int64    `json:"samples"`
	ValueAccuracy *float64 `json:"value_accuracy"` // share of verdicts that are the result
	ValueOpposite *float64 `json:"value_opposite"` // share of the won called lost and the lost called won
	ValueMSE      *float64 `json:"value_mse"`      // of the value against −1, 0 or 1
	Moves         Kept     `json:"moves"`          // won and drawn positions together
	Won           Kept     `json:"won"`
	Drawn         Kept     `json:"drawn"`
}

// Kept is how often moves keep the result of positions that are won or drawn. In lost ones there is nothing to lose.
// Moves are judged only where there are tables to ask about the position after them, and the network has a policy.
type Kept struct {
	Positions int64    `json:"positions"`
	Kept      *float64 `json:"kept"`   // by the network's first legal move
	Random    *float64 `json:"random"` // by a legal move drawn for each position
	// Interval is the 95 % interval of Kept: of all positions the bootstrap's, of others Wilson's, which takes each
	// line for one position; nil: not known.
	Interval *[2]float64 `json:"interval"`
}

// Verdict holds what the network keeps against what a move at random does; "" without moves.
func (k Kept) Verdict() Verdict {
	if k.Kept == nil || k.Random == nil {
		return ""
	}
	return Compare(*k.Kept, *k.Random, false, k.Interval)
}

// endgameTally sums up positions with a result.
type endgameTally struct {
	samples, valued int64
	verdicts        [3][3]int64
	squared         float64
	moves           [3]keptTally // by result
	both            keptTally    // of won and of drawn positions
}

type keptTally struct {
	positions, kept, random int64
	lines, last             int64 // how many lines they are of, which come one after the other, and the last
}

// add adds positions of a line.
func (t *endgameTally) add(u *endgameTally, line int64) {
	t.samples += u.samples
	t.valued += u.valued
	t.squared += u.squared
	for result := range t.moves {
		for said := range t.verdicts[result] {
			t.verdicts[result][said] += u.verdicts[result][said]
		}
		t.moves[result].add(&u.moves[result], line)
	}
	t.both.add(&u.both, line)
}

func (t *keptTally) add(u *keptTally, line int64) {
	if u.positions == 0 {
		return
	}
	if t.lines == 0 || t.last != line {
		t.lines, t.last = t.lines+1, line
	}
	t.positions, t.kept, t.random = t.positions+u.positions, t.kept+u.kept, t.random+u.random
}

func (t *keptTally) figures() Kept {
	n := float64(t.positions)
	k := Kept{Positions: t.positions, Kept: run.Ratio(float64(t.kept), n), Random: run.Ratio(float64(t.random), n)}
	if k.Kept != nil {
		k.Interval = Wilson(*k.Kept, float64(t.lines))
	}
	return k
}

// Wilson is the 95 % interval of a share of n (Wilson, 1927).
func Wilson(share, n float64) *[2]float64 {
	const z = 1.96
	middle, half := share+z*z/(2*n), z*math.Sqrt(share*(1-share)/n+z*z/(4*n*n))
	return &[2]float64{max(0, (middle-half)/(1+z*z/n)), min(1, (middle+half)/(1+z*z/n))}
}

// right is how many verdicts are the result.
func (t *endgameTally) right() (n int64) {
	for result := range t.verdicts {
		n += t.verdicts[result][result]
	}
	return n
}

func (t *endgameTally) figures() EndgameFigures {
	v, decided := &t.verdicts, int64(0)
	for said := range v {
		decided += v[dataset.Won][said] + v[dataset.Lost][said]
	}
	return EndgameFigures{Samples: t.samples, ValueMSE: run.Ratio(t.squared, float64(t.valued)),
		ValueAccuracy: run.Ratio(float64(t.right()), float64(t.valued)),
		ValueOpposite: run.Ratio(float64(v[dataset.Won][dataset.Lost]+v[dataset.Lost][dataset.Won]), float64(decided)),
		Moves:         t.both.figures(), Won: t.moves[dataset.Won].figures(), Drawn: t.moves[dataset.Drawn].figures()}
}

// judge is the endgame tally of a placed sample.
func (a *Accumulator) judge(ctx context.Context, q *assessment) (t endgameTally, err error) {
	at := q.sample.Origin
	p := &at.Position
	result, known := at.Result, at.HasResult
	if !known && a.tables != nil && !p.IsDead() {
		if result, known, err = a.tables.Probe(ctx, p); err != nil {
			return t, err
		}
	}
	if !known {
		return t, nil
	}
	t.samples = 1
	if a.capabilities.Value {
		t.valued = 1
		t.verdicts[result][verdict(q.value)] = 1
		e := q.value - (float64(result) - float64(dataset.Drawn))
		t.squared = e * e
	}
	if a.tables == nil || result == dataset.Lost || q.first < 0 {
		return t, nil
	}
	legal := q.sample.Legal
	drawn := legal[p.Key()%uint64(len(legal))]
	kept, known, err := keeps(ctx, a.tables, p, legal[q.first], result)
	if err != nil || !known {
		return t, err
	}
	random, known, err := keeps(ctx, a.tables, p, drawn, result)
	if err == nil && known {
		t.both = keptTally{positions: 1, kept: kept, random: random}
		t.moves[result] = t.both
	}
	return t, err
}

// keeps returns 1 if the position after a move is worth at least that result to the mover; false if the tables do not
// know it. The 50-move count begins with the move: shuffling in a won position keeps it won until it does not.
func keeps(ctx context.Context, tables Tables, p *board.Position, m board.Move, result dataset.Class) (kept int64,
	known bool, err error) {
	after := p.After(m)
	reached := dataset.Drawn
	switch {
	case after.IsCheckmate():
		reached = dataset.Won
	case after.IsStalemate() || after.IsDead():
	default:
		fresh, err := board.ParseFEN(after.EPD()) // without counters
		if err != nil {
			return 0, false, err
		}
		theirs, known, err := tables.Probe(ctx, &fresh)
		if err != nil || !known {
			return 0, false, err
		}
		reached = dataset.Won - theirs
	}
	if reached >= result {
		kept = 1
	}
	return kept, true, nil
}

// endgames are sums by number of pieces and by material.
type endgames struct {
	all, unseen       endgameTally
	pieces, materials map[string]*endgameTally
}

func (g *endgames) add(s *Sample, t *endgameTally) {
	if t.samples == 0 {
		return
	}
	if g.pieces == nil {
		g.pieces, g.materials = map[string]*endgameTally{}, map[string]*endgameTally{}
	}
	line := s.Origin.Line
	g.all.add(t, line)
	if s.Unseen {
		g.unseen.add(t, line)
	}
	p, make := &s.Origin.Position, func() *endgameTally { return new(endgameTally) }
	in(g.pieces, strconv.Itoa(p.Occupied().Len()), make).add(t, line)
	in(g.materials, p.Material().Fold().String(), make).add(t, line)
}

// report returns nil without any position whose result is known.
func (g *endgames) report(trainKnown bool) *EndgameReport {
	if g.all.samples == 0 {
		return nil
	}
	r := &EndgameReport{EndgameFigures: g.all.figures(), Verdicts: g.all.verdicts,
		ByPieces: map[string]EndgameFigures{}, ByMaterial: map[string]EndgameFigures{}}
	if trainKnown {
		f := g.unseen.figures()
		r.Unseen = &f
	}
	for name, t := range g.pieces {
		r.ByPieces[name] = t.figures()
	}
	for name, t := range g.materials {
		r.ByMaterial[name] = t.figures()
	}
	return r
}

// FewestEndgames is how many positions a material needs to be compared with others.
const FewestEndgames = 20

// Worst returns at most n materials of at least 20 positions in which the network does worst, the worst first: by the
// share of results kept, or without tables by that of right verdicts.
func (r *EndgameReport) Worst(n int) []string {
	share := func(name string) float64 {
		f := r.ByMaterial[name]
		if r.Moves.Positions > 0 {
			return run.OrZero(f.Moves.Kept)
		}
		return run.OrZero(f.ValueAccuracy)
	}
	var names []string
	for name, f := range r.ByMaterial {
		if count := f.Moves.Positions; count >= FewestEndgames || r.Moves.Positions == 0 &&
			f.Samples >= FewestEndgames {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(share(a), share(b)), cmp.Compare(a, b)) })
	return names[:min(n, len(names))]
}
