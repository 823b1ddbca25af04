package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/fault"
	"talbot/play/mcts"
)

// PlayerNetwork is a network as a player needs it.
type PlayerNetwork interface {
	// Evaluator returns an evaluator for one search; several may be in use at once.
	Evaluator() RatedEvaluator
	// Warm makes ready what takes long at the first answer, and returns how long a full batch and the smallest take.
	Warm(ctx context.Context) (full, smallest time.Duration, err error)
	// DefaultSearcher returns the searcher that is used unless another one is chosen.
	DefaultSearcher() string
	// Centipawns returns the score that a value of a searcher stands for.
	Centipawns(searcher string, value float32) int
	// Title says in a line what it is and what it computes on.
	Title() string
	Close()
}

// Evaluator asks a network.
type RatedEvaluator interface {
	mcts.Evaluator
	// Rate says how strong the players are, for networks that look at it; 0 = not known.
	Rate(white, black int)
}

// Open opens a network for batches of that many positions; 0 takes the backend's best.
type OpenFunc func(batch int) (PlayerNetwork, error)

// AutoSearcher is the searcher that fits the network.
const AutoSearcher = "auto"

// Setup has the settings of a player.
type Setup struct {
	Searcher string // one of [mcts.Names], or [AutoSearcher]
	mcts.Options
}

// NetworkBatch is the batch that the network is opened for: 0 is what its backend likes.
func (s *Setup) NetworkBatch() int {
	if m, err := mcts.MethodOf(s.Searcher); err == nil && s.Batch == 0 && m.OnePosition {
		return 1
	}
	return s.Batch
}

// appraisal is about what an engine's search to depth 10 takes, before one was timed.
const appraisal = 500 * time.Millisecond

// Player plays. The zero value is not ready: see [NewPlayer].
type Player struct {
	open     OpenFunc
	network  PlayerNetwork // nil: not opened
	batch    int           // that it was opened for
	setup    Setup         // of the searcher
	method   mcts.Method   // of the searcher
	eval     RatedEvaluator
	searcher mcts.Searcher // nil if there is none for the setup
	warm     BatchTimes    // what batches took when the network was opened
	took     BatchTimes
	game     *board.Game // that is searched
	rated    [2]int      // what the network was told, by colour
}

// New returns a player of the network that open opens when it is first needed.
func NewPlayer(open OpenFunc) *Player { return &Player{open: open} }

// Close frees the network. The player may be used again.
func (p *Player) Close() {
	if p.network != nil {
		p.network.Close()
	}
	*p = Player{open: p.open}
}

// Prepare makes the player ready to search as the setup says: at first it loads and compiles the network, later it does
// what a change needs. A new setup forgets all games. After an error the player is not ready.
func (p *Player) Prepare(ctx context.Context, s Setup) error {
	if s.Searcher == "" {
		s.Searcher = AutoSearcher
	}
	batch := s.NetworkBatch()
	if !p.Loaded(s) {
		p.Close()
		n, err := p.open(batch)
		if err != nil {
			return err
		}
		full, smallest, err := n.Warm(ctx)
		if err != nil {
			n.Close()
			return err
		}
		p.network, p.batch, p.eval, p.method = n, batch, n.Evaluator(), mcts.Method{}
		p.warm = BatchTimes{Slow: full, Usual: full, Smallest: smallest}
	}
	if p.searcher != nil && p.setup == s {
		return nil
	}
	p.searcher = nil
	name := s.Searcher
	if name == AutoSearcher {
		name = p.network.DefaultSearcher()
	}
	searcher, err := mcts.New(name, p.eval, s.Options)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrSearcher, err)
	}
	method, err := mcts.MethodOf(name)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrSearcher, err)
	}
	if method.Name != p.method.Name {
		p.took = p.warm
		switch {
		case method.Engine: // its simulations wait for an engine, which is started by the first
			first := max(p.warm.Slow, appraisal)
			p.took = BatchTimes{Slow: first, Usual: first}
		case !method.GrowingBatches: // a move of theirs is not a small batch
			p.took.Smallest = 0
		}
	}
	p.searcher, p.setup, p.method = searcher, s, method
	return nil
}

// Loaded reports whether the network is, as the setup needs it.
func (p *Player) Loaded(s Setup) bool { return p.network != nil && p.batch == s.NetworkBatch() }

// Ready reports whether the player is ready to search as the setup says.
func (p *Player) Ready(s Setup) bool {
	if s.Searcher == "" {
		s.Searcher = AutoSearcher
	}
	return p.searcher != nil && p.setup == s
}

// Title says in a line what plays.
func (p *Player) Title() string { return p.network.Title() + ", searcher " + p.method.Name }

// Searcher is the name of the searcher in use.
func (p *Player) Searcher() string { return p.method.Name }

// Batch returns the times of the network's batches.
func (p *Player) Batch() BatchTimes { return p.took }

// Clear forgets all games.
func (p *Player) Clear() {
	if p.searcher != nil {
		p.searcher.Clear()
	}
}

// Evaluator returns the evaluator of the searches.
func (p *Player) Evaluator() RatedEvaluator { return p.eval }

// Position sets what to search: moves are legal and were played from start. The player has the side to move.
func (p *Player) Position(start *board.Position, moves []board.Move) {
	p.game = board.NewGame(*start, moves...)
	rated := p.setup.Ratings
	if p.game.Position().Turn() == board.Black {
		rated[0], rated[1] = rated[1], rated[0]
	}
	if rated != p.rated { // what is kept was answered for others
		p.searcher.Clear()
		p.rated = rated
	}
	p.eval.Rate(rated[0], rated[1])
	p.searcher.Position(start, moves)
}

// ErrSearcher says that a network cannot be played with a searcher.
var ErrSearcher = fault.New(fault.ExitFailed, "the network cannot be played with this searcher",
	"leave out the searcher to play with what fits the network")

// ErrSearch says that a search failed; the move is legal all the same.
var ErrSearch = errors.New("the search failed")

// Search searches the position within limits and the time that t gives; nil: there is no limit of time. The
// report has a line wherever there is a legal move, also beside an error, which then wraps [ErrSearch]. After an error
// [Player.Ready] reports whether the player can continue.
func (p *Player) Search(ctx context.Context, l mcts.Limits, t *TimeManager, report func(*mcts.Report)) (r *mcts.Report,
	err error) {
	defer func() {
		if x := recover(); x != nil {
			r, err = nil, fmt.Errorf("panic: %v", x)
			p.searcher = nil // its state is unknown; [Player.Prepare] makes another one
		}
		if r == nil {
			r = &mcts.Report{}
		}
		if len(r.Lines) == 0 || len(r.Lines[0].PV) == 0 || t != nil && unsearched(r) {
			r.Lines = Fallback(p.game, l.SearchMoves)
		}
		if err != nil {
			err = fmt.Errorf("%w: %w", ErrSearch, err)
		}
	}()
	if t != nil {
		l.ShouldStop, l.VisitsLeft = t.Stop, t.VisitsLeft
		defer func() { p.took = t.Batch() }()
		if p.method.NoSearch { // these do not ask whether there is time
			if t.Stop(mcts.Progress{}) {
				return nil, nil
			}
			begun := time.Now()
			r, err = p.searcher.Search(ctx, l, report)
			if r != nil && r.Nodes > 0 { // how long a move takes counts, not a batch
				t.Stop(mcts.Progress{Nodes: r.Nodes, Batch: time.Since(begun)})
			}
			return r, err
		}
	}
	return p.searcher.Search(ctx, l, report)
}

// unsearched reports whether nothing is known of the moves: there was no time for the network, and no earlier search
// came here.
func unsearched(r *mcts.Report) bool {
	return r.Nodes == 0 && r.Lines[0].Visits == 0 && r.Lines[0].Prior == 0 && !r.Lines[0].Proven
}

// Fallback returns the move for a search without a result: the best legal move by [mcts.QuickSearch], of some where
// that is asked for.
func Fallback(g *board.Game, searchMoves []board.Move) []mcts.Line {
	moves := searchMoves
	if len(moves) == 0 {
		moves = g.Position().LegalMoves(nil)
	}
	return mcts.QuickSearch(g, moves)
}

// Score returns a line's score from the view of the side to move: mates are proven ones.
func (p *Player) Score(l *mcts.Line) dataset.Score {
	switch {
	case l.Mate != 0:
		return dataset.MateIn(l.Mate)
	case l.Quick:
		return dataset.Centipawns(l.Centipawns)
	}
	return dataset.Centipawns(p.network.Centipawns(p.method.Name, l.Value))
}

// Scored tells whether [Player.Score] of a line of the last search's report means something: not if the network gives
// no values, or if nothing is known of the line. The first has at least the value of the position, if that is known.
func (p *Player) Scored(r *mcts.Report, l *mcts.Line) bool {
	if l.Mate != 0 || l.Proven {
		return true
	}
	first := l == &r.Lines[0] && (r.Nodes > 0 || l.Prior > 0)
	return (l.Visits > 0 || l.Quick || first) && p.Values()
}

// Values tells whether there are values: the network's, or an engine's.
func (p *Player) Values() bool {
	knows := p.eval.Capabilities()
	return knows.Value || knows.WDL || p.method.Engine
}

// PerMille returns chances of win, draw and loss in per mille, which sum to 1000.
func PerMille(chances [3]float32) (wdl [3]int) {
	win := int(math.Round(1000 * float64(chances[0])))
	loss := int(math.Round(1000 * float64(chances[2])))
	win = max(0, min(1000, win))
	loss = max(0, min(1000-win, loss))
	return [3]int{win, 1000 - win - loss, loss}
}
