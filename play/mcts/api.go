package mcts

import (
	"context"
	"time"

	"talbot/board"
)

// Evaluator answers about positions: the network, seen from the search. It is used by one goroutine at a time. The
// search fills slots, evaluates them as one batch, and reads the answers.
type Evaluator interface {
	// Batch is the number of slots, 1 or more.
	Batch() int
	// Sizes are the numbers of positions that are computed at once without filling up, ascending, Batch the last. Not
	// to be changed.
	Sizes() []int
	// Put makes slot i ask about the game's present position, with its real past. legal are its legal moves, at least
	// one; the answer's priors have their order. Game and legal are not kept.
	Put(i int, g *board.Game, legal []board.Move)
	// Evaluate answers slots 0 to len(answers)-1, as many as there are up to Batch. So that searches repeat, an answer
	// depends on its position, its slot and that number alone: what else is asked has no part in it. The memory of the
	// answers' priors is used again. An error (or the end of ctx) leaves the answers half written.
	Evaluate(ctx context.Context, answers []Evaluation) error
	// Capabilities says which parts of an Evaluation are given.
	Capabilities() Capabilities
	// History is the number of earlier positions that an answer depends on, besides how often the present one occurred
	// before: 4 for talbotbot and tahl, 0 for those that see none. The halfmove clock is nothing that it may depend on.
	History() int
}

// Capabilities says which parts of an Evaluation an evaluator gives.
type Capabilities struct{ Prior, Value, WDL, MovesLeft bool }

// values reports whether positions have a value.
func (k Capabilities) values() bool { return k.Value || k.WDL }

// Evaluation is a network's evaluation of a position, from the view of the side to move.
type Evaluation struct {
	Prior []float32  // log-probability of each legal move among the legal ones
	Value float32    // in [-1, 1]
	WDL   [3]float32 // of win, draw and loss; they sum to 1
	// MovesLeft is how many plies the game goes on, 0 or more.
	MovesLeft float32
	// The move that the network finds most probable is not legal (a network without a mask, such as nosearch's).
	Illegal bool
}

// Limits end a search; a zero is no limit.
type Limits struct {
	Nodes       int64        // visits added by this search, terminal and cached ones included
	Depth       int          // see Report
	Mate        int          // not 0: search for a mate, of any length, until one is proven or memory is full
	SearchMoves []board.Move // only these at the root; nil: all
	// ShouldStop is asked after each batch, and before the first, whether to stop. The time manager is one. nil: never
	// stop.
	ShouldStop func(Progress) bool
	// VisitsLeft is asked before each batch how many visits there is time for, about; nil: as many as Nodes allows.
	VisitsLeft func() int64
}

// Progress is the progress of a search.
type Progress struct {
	Nodes        int64         // visits added
	Batch        time.Duration // that the last batch took
	Smallest     bool          // it was one of the smallest
	Growth       float64       // size of the next batch divided by that of the last; 0: not known
	Best, Second int64         // visits of the root's two most visited moves
	Settled      bool          // nothing can change any more: one legal move, or the root is proven
}

// Searcher chooses moves. It belongs to one goroutine.
type Searcher interface {
	// Position sets what to search: moves are legal and were played from start. A tree is kept where it fits.
	Position(start *board.Position, moves []board.Move)
	// Search searches until a limit, the end of ctx or where nothing is left to learn, and returns the result. The
	// end of ctx is no error: the best so far is returned, which is always a legal move, if there is one. report,
	// where not nil, is called with the state so far about once a second and whenever the best move changes. It may
	// keep the report.
	Search(ctx context.Context, l Limits, report func(*Report)) (*Report, error)
	// Clear forgets all games: tree and cache.
	Clear()
}

// Report is the result of a search of a position, from the view of the side to move.
type Report struct {
	Nodes     int64  // visits added by this search
	Depth     int    // one more than the mean distance of visits from the root, in plies, rounded down
	SelDepth  int    // the greatest distance, at least 1
	HashFull  int    // per mille of tree and cache; 1000: something did not fit
	TableHits int64  // answers of tables
	Illegal   int64  // of the network's answers, those whose favourite move was not legal
	Lines     []Line // best first: as many as MultiPV, at least one where there is a legal move
	// Root is the search's estimate of the position, and Raw that of the network alone. Searchers that grow no
	// tree leave both zero, and so does Raw where the position's moves come from a tree that was kept.
	Root, Raw Estimate
	// FallbackMove says that there was no search, and that the first line stands in for the network's favourite, which
	// is illegal.
	FallbackMove bool
}

// Estimate is the worth of a position to its side to move.
type Estimate struct {
	Value float32    // in [-1, 1]
	WDL   [3]float32 // as in [Line]
}

// Line is a root move and what follows.
type Line struct {
	PV     []board.Move
	Value  float32    // in [-1, 1]
	WDL    [3]float32 // of win, draw, loss; for networks that do not give them see the package's description
	Mate   int        // proven mate in moves, negative: the side to move is mated; 0: none
	Proven bool       // Value is certain
	Visits int64
	Prior  float32
	// Target is the move's weight in the policy that a network should learn from this search; all moves' sum to 1.
	// gumbel makes it the improved policy, the softmax of log-prior + σ(q), the others that grow a tree the share of
	// visits. Where the root is proven to win or lose, the moves of the best distance to mate share it; where it is a
	// proven draw, the moves that are proven to hold it. A move that is proven to lose has none. 0 of searchers without
	// a tree.
	Target float32
	// Quick: nothing is known of the move but what [QuickSearch] says. Centipawns are its value then.
	Quick      bool
	Centipawns int
}
