package mcts

import "talbot/board"

// Options are the parameters of all searchers. [Defaults] gives the usual ones; each is described in [Settings].
type Options struct {
	// Of every searcher.
	MultiPV       int     // lines of a report; puct does not end before that many moves are proven
	Verbose       bool    // reports have a line for each move
	Temperature   float64 // of the choice of a move; 0: the best one
	TempCutoffPly int     // plies of a game that the temperature is for; 0: all
	Seed          uint64  // of every choice at random
	PolicyTemp    float64 // the network's priors are taken to the power of 1 / PolicyTemp
	Tables        Prober  // nil: no endgame tables
	ProbeLimit    int     // pieces that tables are asked for, at most
	Ratings       [2]int  // of the own side and the opponent, for networks that know players' ratings; 0: unknown
	PositionCache bool    // the cache's key leaves the past out
	CacheSize     int     // answers that are kept, at most
	Hash          int64   // bytes of tree and cache, at most
	Batch         int     // positions evaluated at once, at most; 0: as the evaluator likes
	MateInOne     bool    // a mate in one is seen as soon as its position is expanded

	FreshTree bool // no tree is kept from position to position

	// Of puct.
	RootNoise      float64 // share of Dirichlet noise in the root's priors
	RootNoiseTotal float64 // sum of its parameters, which all legal moves share alike
	C              float64 // weight of the prior
	CFactor        float64 // C grows by CFactor · ln((N + CBase) / CBase)
	CBase          float64
	FPU            float64 // f: what the value of an unvisited move is lowered by
	MaxCollisions  int     // descents in a batch that may end where another waits

	// Of gumbel.
	Considered  int     // moves of the root that are considered at first
	GumbelNoise float64 // what the noise on the root's moves is multiplied by
	CVisit      float64 // σ(q) = (CVisit + max n) · CScale · q
	CScale      float64
	Rescale     bool // q is 0 for the worst of a position's moves and 1 for the best
	Planned     int  // visits that are planned for where there is neither a limit of nodes nor an estimate

	// Of talbotbot.
	TalbotBotC float64

	// Of napoleon.
	Iterations  int     // a search's length where no limit on nodes is given
	Exploration float64 // e: the share of playouts in a value

	// Of rollouts.
	Simulations  int // a search's length where no limit on nodes is given
	RolloutDepth int // plies of a simulation, at most; 0: no limit
	ValueDepth   int // of the engine's search after a move
}

// Prober knows endgames, as Syzygy tables do. It is asked by one goroutine.
type Prober interface {
	// Pieces is the largest number of pieces it knows, kings included.
	Pieces() int
	// Probe says how a position ends when both play on without a mistake from a halfmove clock of 0: its real clock is
	// not looked at. It must be quick; ok is false where the answer is not known, or not yet: it is asked again.
	Probe(p *board.Position) (e Ending, ok bool)
	// Busy reports whether some of what was asked will be known soon.
	Busy() bool
}

// Ending is the result of a position by tables, from the view of the side to move.
type Ending struct {
	WDL WDL
	DTZ int // plies to the next capture or pawn move under perfect play, may be one too few; 0: not known
}

// WDL is a class of endings. A cursed win and a blessed loss are draws by the fifty-move rule.
type WDL int8

// The classes.
const (
	Loss WDL = iota - 2
	BlessedLoss
	Draw
	CursedWin
	Win
)

// Defaults returns the options as they are without settings.
func Defaults() (o Options) {
	for i := range Settings {
		if s := &Settings[i]; s.Set(&o, s.Default) != nil {
			panic("mcts: the default of " + s.Name + " is not one of its values")
		}
	}
	return o
}
