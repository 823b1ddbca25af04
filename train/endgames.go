package train

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"talbot/board"
	"talbot/dataset"
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
	ByMaterial map[string]EndgameFigures `json:"by_material"` // the stronger side first, whoever moves: "KRPvKR"
}

// EndgameFigures are over positions of which the tables' result is known. A figure over no positions is null. The
// value's verdict is a win above 0.5, a loss below −0.5, else a draw.
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
// Moves are judged only where there are tables to ask about the position after them.
type Kept struct {
	Positions int64    `json:"positions"`
	Kept      *float64 `json:"kept"`   // by the network's first legal move
	Random    *float64 `json:"random"` // by a legal move drawn for each position
}

// endgameTally sums up positions with a result.
type endgameTally struct {
	samples  int64
	verdicts [3][3]int64
	squared  float64
	moves    [3]keptTally // by result
}

type keptTally struct{ positions, kept, random int64 }

func (t *endgameTally) add(u *endgameTally, n int64) {
	if u.samples == 0 {
		return
	}
	t.samples += n * u.samples
	t.squared += float64(n) * u.squared
	for result := range t.moves {
		for said := range t.verdicts[result] {
			t.verdicts[result][said] += n * u.verdicts[result][said]
		}
		t.moves[result].add(&u.moves[result], n)
	}
}

func (t *keptTally) add(u *keptTally, n int64) {
	t.positions, t.kept, t.random = t.positions+n*u.positions, t.kept+n*u.kept, t.random+n*u.random
}

func (t *keptTally) figures() Kept {
	n := float64(t.positions)
	return Kept{t.positions, ratio(float64(t.kept), n), ratio(float64(t.random), n)}
}

func (t *endgameTally) figures() EndgameFigures {
	both := t.moves[dataset.Won]
	both.add(&t.moves[dataset.Drawn], 1)
	v, decided := &t.verdicts, int64(0)
	for said := range v {
		decided += v[dataset.Won][said] + v[dataset.Lost][said]
	}
	right := v[dataset.Lost][dataset.Lost] + v[dataset.Drawn][dataset.Drawn] + v[dataset.Won][dataset.Won]
	return EndgameFigures{Samples: t.samples, ValueMSE: ratio(t.squared, float64(t.samples)),
		ValueAccuracy: ratio(float64(right), float64(t.samples)),
		ValueOpposite: ratio(float64(v[dataset.Won][dataset.Lost]+v[dataset.Lost][dataset.Won]), float64(decided)),
		Moves:         both.figures(), Won: t.moves[dataset.Won].figures(), Drawn: t.moves[dataset.Drawn].figures()}
}

// judge is the endgame tally of a sample, of whose legal moves the network would play the one of that index.
func (a *Accumulator) judge(ctx context.Context, at *Place, first int, value float64) (t endgameTally, err error) {
	p := &at.Position
	result, known := at.Result, at.HasResult
	if !known && a.Tables != nil && !p.IsDead() {
		if result, known, err = a.Tables.Probe(ctx, p); err != nil {
			return t, err
		}
	}
	if !known {
		return t, nil
	}
	t.samples = 1
	t.verdicts[result][verdict(value)] = 1
	e := value - (float64(result) - float64(dataset.Drawn))
	t.squared = e * e
	if a.Tables == nil || result == dataset.Lost {
		return t, nil
	}
	legal := p.LegalMoves(nil)
	drawn := legal[p.Key()%uint64(len(legal))]
	kept, known, err := keeps(ctx, a.Tables, p, legal[first], result)
	if err != nil || !known {
		return t, err
	}
	random, known, err := keeps(ctx, a.Tables, p, drawn, result)
	if err == nil && known {
		t.moves[result] = keptTally{1, kept, random}
	}
	return t, err
}

// keeps returns 1 if the position after a move is worth at least that result to who moved; false if the tables do not
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
type endgames struct{ pieces, materials map[string]*endgameTally }

func (g *endgames) add(p *board.Position, t *endgameTally) {
	if t.samples == 0 {
		return
	}
	if g.pieces == nil {
		g.pieces, g.materials = map[string]*endgameTally{}, map[string]*endgameTally{}
	}
	in(g.pieces, strconv.Itoa(p.Occupied().Len())).add(t, 1)
	in(g.materials, p.Material().Fold().String()).add(t, 1)
}

// report returns nil without any position whose result is known.
func (g *endgames) report(all, unseen *endgameTally) *EndgameReport {
	if all.samples == 0 {
		return nil
	}
	r := &EndgameReport{EndgameFigures: all.figures(), Verdicts: all.verdicts, ByPieces: map[string]EndgameFigures{},
		ByMaterial: map[string]EndgameFigures{}}
	if unseen != nil {
		f := unseen.figures()
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
			return orZero(f.Moves.Kept)
		}
		return orZero(f.ValueAccuracy)
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
