package mcts

import (
	"context"
	"math"
	"testing"

	"talbot/board"
	"talbot/internal/splitmix"
	"talbot/internal/testkit"
)

// fake is a network made of two functions, or of a hash of what it may see. It fails the test where it is asked about
// what an evaluator is never asked.
type fake struct {
	t         testing.TB
	batch     int
	sizes     []int // nil: batch alone
	abilities Capabilities
	past      int
	prior     func(g *board.Game, m board.Move) float64 // nil: equal
	value     func(g *board.Game) float64               // nil: 0
	after     func() error                              // called by Evaluate
	left      func(g *board.Game) float32               // nil: 0
	drawn     float32                                   // chance of a draw
	illegal   bool
	lacks     error // what CanAppraise says

	slots  []Evaluation
	asked  int64
	counts []int // positions of each batch
}

func newFake(t testing.TB, batch int) *fake {
	return &fake{t: t, batch: batch, abilities: Capabilities{Prior: true, Value: true},
		slots: make([]Evaluation, batch)}
}

func (f *fake) Batch() int { return f.batch }
func (f *fake) Sizes() []int {
	if f.sizes == nil {
		return []int{f.batch}
	}
	return f.sizes
}
func (f *fake) Capabilities() Capabilities { return f.abilities }
func (f *fake) History() int               { return f.past }

// CanAppraise says that nothing is missing.
func (f *fake) CanAppraise() error { return f.lacks }

// Appraise says what Put and Evaluate would: priors, and the value behind each move.
func (f *fake) Appraise(ctx context.Context, at *AppraisalInput, dst []LikelyMove) ([]LikelyMove, error) {
	if f.after != nil {
		if err := f.after(); err != nil {
			return dst, err
		}
	}
	f.asked++
	ply := at.Game.Ply()
	for _, m := range at.Legal {
		l := LikelyMove{Move: m, Share: 1}
		if f.prior != nil {
			l.Share = f.prior(at.Game, m)
		}
		if f.value != nil {
			at.Game.Push(m)
			l.Value = -f.value(at.Game)
			at.Game.Rewind(ply)
		}
		dst = append(dst, l)
	}
	return dst, ctx.Err()
}

func (f *fake) Put(i int, g *board.Game, legal []board.Move) {
	if i < 0 || i >= f.batch || len(legal) == 0 {
		f.t.Errorf("slot %d of %d, %d legal moves", i, f.batch, len(legal))
	}
	a := &f.slots[i]
	*a = Evaluation{Prior: a.Prior[:0], Illegal: f.illegal}
	if f.value != nil {
		a.Value = float32(f.value(g))
	}
	if f.left != nil {
		a.MovesLeft = f.left(g)
	}
	a.WDL = [3]float32{(1 + a.Value - f.drawn) / 2, f.drawn, (1 - a.Value - f.drawn) / 2}
	sum := 0.0
	for _, m := range legal {
		p := 1.0
		if f.prior != nil {
			p = f.prior(g, m)
		}
		sum += p
		a.Prior = append(a.Prior, float32(p))
	}
	for j, p := range a.Prior {
		a.Prior[j] = float32(math.Log(float64(p) / sum))
	}
}

func (f *fake) Evaluate(ctx context.Context, answers []Evaluation) error {
	if len(answers) == 0 || len(answers) > f.batch {
		f.t.Errorf("a batch of %d", len(answers))
	}
	f.asked += int64(len(answers))
	f.counts = append(f.counts, len(answers))
	if f.after != nil {
		if err := f.after(); err != nil {
			return err
		}
	}
	for i := range answers {
		prior := append(answers[i].Prior[:0], f.slots[i].Prior...)
		answers[i] = f.slots[i]
		answers[i].Prior = prior
	}
	return ctx.Err()
}

// noisy makes a network whose answers are a hash of the position as the side to move sees it, and of its past.
func noisy(t testing.TB, batch, past int) *fake {
	f := newFake(t, batch)
	f.past = past
	h := uint64(0)
	f.value = func(g *board.Game) float64 {
		h = 0
		for k := 0; k <= past; k++ {
			p := g.Previous(k)
			if p == nil {
				break
			}
			q := *p
			if g.Position().Turn() == board.Black {
				q = q.Mirror()
			}
			h = splitmix.Mix(h ^ q.Key())
		}
		return float64(int64(h)) / (1 << 63) * 0.8
	}
	f.prior = func(g *board.Game, m board.Move) float64 { // called after value
		return 0.05 + float64(splitmix.Mix(h+uint64(fromSide(g.Position().Turn(), m)))>>40)/(1<<24)
	}
	return f
}

// gameAt returns a game after moves.
func gameAt(t testing.TB, fen string, moves ...string) *board.Game {
	t.Helper()
	p := testkit.Must(board.ParseFEN(fen))
	start := p
	return board.NewGame(start, testkit.Must(p.PlayUCI(moves...))...)
}

// set gives a searcher a position.
func set(t testing.TB, s Searcher, fen string, moves ...string) *board.Game {
	t.Helper()
	g := gameAt(t, fen, moves...)
	start := *g.Previous(g.Ply())
	p := start
	s.Position(&start, testkit.Must(p.PlayUCI(moves...)))
	return g
}

// search searches and fails the test on an error.
func search(t testing.TB, s Searcher, l Limits) *Report {
	t.Helper()
	r, err := s.Search(t.Context(), l, nil)
	testkit.OK(t, err)
	return r
}

func mustNew(t testing.TB, name string, e Evaluator, change ...func(*Options)) Searcher {
	t.Helper()
	o := Defaults()
	o.Hash = 8 << 20
	o.CacheSize = 1000
	for _, f := range change {
		f(&o)
	}
	s, err := New(name, e, o)
	testkit.OK(t, err)
	return s
}
