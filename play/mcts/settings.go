package mcts

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"talbot/board"
)

// Kind is the kind of a setting's values.
type Kind uint8

// The kinds. UCI knows no numbers with a fraction: there they are strings.
const (
	Integer Kind = iota
	Number
	Switch // true or false
)

// Setting is an option with a name, as UCI options, matches' parameters and documents know it.
type Setting struct {
	Name      string // the UCI option's
	Key       string // a match's parameter's: "c" in run:RUN,c=1.7
	searchers string // that use it, separated by blanks; "": all
	Doc       string // one sentence without a full stop
	Kind      Kind
	Min, Max  float64 // both included
	Default   string

	field func(*Options) any // a pointer to what is set
}

// Settings are all settings, in the order in which they are shown. What else [Options] has is not set by text.
var Settings = []Setting{
	{"Hash", "hash", "puct gumbel talbotbot napoleon rollouts",
		"memory for tree and cache together, in MiB", Integer, 1,
		1 << 20, "256", func(o *Options) any { return mebibytes{&o.Hash} }},
	{"NNCacheSize", "cache", "puct gumbel talbotbot", "network evaluations to cache, within Hash; 0 caches none",
		Integer, 0, 1e9, "200000", func(o *Options) any { return &o.CacheSize }},
	{"PositionCache", "position-cache", "puct gumbel talbotbot",
		"whether cached evaluations are used for the same position with another history", Switch, 0, 1, "false",
		func(o *Options) any { return &o.PositionCache }},
	{"MinibatchSize", "batch", "",
		"positions to evaluate at once, at most (go and ONNX Runtime: at most 32); 0 takes the backend's best",
		Integer, 0, 1024, "0",
		func(o *Options) any { return &o.Batch }},
	{"MultiPV", "multipv", "",
		"lines that are shown; with several, a mate in the first does not end the search", Integer, 1, 500, "1",
		func(o *Options) any { return &o.MultiPV }},
	{"Temperature", "temperature", "",
		"temperature for drawing the move by its visits (policy: by its prior; value: by e to the power of its " +
			"value); 0 plays the best", Number, 0, 100, "0",
		func(o *Options) any { return &o.Temperature }},
	{"TempCutoffPly", "temp-cutoff", "", "plies from the start of the game in which Temperature is used; 0: all",
		Integer, 0, 10000, "0", func(o *Options) any { return &o.TempCutoffPly }},
	{"Seed", "seed", "", "seed of all random choices", Integer, 0, 1<<53 - 1, "1",
		func(o *Options) any { return &o.Seed }},
	{"PolicyTemperature", "policy-temp", "puct",
		"flattens the network's priors if above 1, sharpens them if below", Number, 0.05, 20, "1.7",
		func(o *Options) any { return &o.PolicyTemp }},
	{"SyzygyProbeLimit", "probe-limit", "puct gumbel",
		"maximum number of pieces for probing tables; 0 probes none", Integer,
		0, 7, "7", func(o *Options) any { return &o.ProbeLimit }},
	{"MateInOne", "mate-in-one", "puct gumbel", "whether to look for a mate in one in every expanded position",
		Switch, 0, 1, "true", func(o *Options) any { return &o.MateInOne }},
	{"Look", "look", "puct", "whether priors are weighed by what each move wins or loses of material at once", Switch,
		0, 1, "false", func(o *Options) any { return &o.Look }},

	{"CPuct", "c", "puct", "weight of priors against values", Number, 0, 100, "1.2",
		func(o *Options) any { return &o.C }},
	{"CPuctFactor", "c-factor", "puct", "growth of CPuct: CPuct + CPuctFactor · ln((N + CPuctBase) / CPuctBase)",
		Number, 0, 1000, "3.9", func(o *Options) any { return &o.CFactor }},
	{"CPuctBase", "c-base", "puct", "visits at which CPuct begins to grow", Number, 1, 1e9, "38700",
		func(o *Options) any { return &o.CBase }},
	{"FpuReduction", "fpu", "puct",
		"f: an unvisited move is taken to be worth the position's value less f · √(visited prior mass)", Number,
		-100, 100, "0.33", func(o *Options) any { return &o.FPU }},
	{"MovesLeftMaxEffect", "moves-left-max", "puct",
		"most that is added to a move's value for ending a won game sooner or a lost one later, by networks that say " +
			"how long games last", Number, 0, 1, "0.0345", func(o *Options) any { return &o.LeftMax }},
	{"MovesLeftThreshold", "moves-left-threshold", "puct", "value, of either sign, from which that is done", Number, 0,
		0.999, "0.8", func(o *Options) any { return &o.LeftThreshold }},
	{"MovesLeftSlope", "moves-left-slope", "puct", "what a ply is worth, up to MovesLeftMaxEffect", Number, 0, 1,
		"0.0027", func(o *Options) any { return &o.LeftSlope }},
	{"MaxCollisions", "collisions", "puct gumbel",
		"descents of a full batch that may end at a node already waiting for the network", Integer, 0, 10000, "0",
		func(o *Options) any { return &o.MaxCollisions }},
	{"RootNoise", "root-noise", "puct", "share of Dirichlet noise in the priors of the first move; 0: none", Number, 0,
		1, "0", func(o *Options) any { return &o.RootNoise }},
	{"RootNoiseTotal", "root-noise-total", "puct",
		"sum of the noise's parameters: each of n legal moves has an n-th of it", Number, 0.01, 1000, "10.83",
		func(o *Options) any { return &o.RootNoiseTotal }},
	{"ConsideredMoves", "considered", "gumbel", "moves that sequential halving begins with", Integer, 1, 256, "16",
		func(o *Options) any { return &o.Considered }},
	{"GumbelNoise", "gumbel-noise", "gumbel",
		"scale of the noise that draws these moves; 0: none, for playing strength",
		Number, 0, 100, "0", func(o *Options) any { return &o.GumbelNoise }},
	{"CVisit", "c-visit", "gumbel", "a value q in [0, 1] is added to the log-prior as (CVisit + max n) · CScale · q",
		Number, 0, 1e6, "50", func(o *Options) any { return &o.CVisit }},
	{"CScale", "c-scale", "gumbel", "see CVisit", Number, 0, 1000, "1", func(o *Options) any { return &o.CScale }},
	{"RescaleValues", "rescale", "gumbel", "whether q is 0 for the worst of a position's moves and 1 for the best",
		Switch, 0, 1, "false", func(o *Options) any { return &o.Rescale }},
	{"PlannedNodes", "planned", "gumbel",
		"nodes to plan for if neither a limit nor the clock gives a number",
		Integer, 2, 1e9, "800", func(o *Options) any { return &o.Planned }},
	{"TalbotBotC", "talbotbot-c", "talbotbot", "weight of priors against values", Number, 0, 100, "5",
		func(o *Options) any { return &o.TalbotBotC }},
	{"Iterations", "iterations", "napoleon",
		"nodes if no limit on nodes is given; an earlier version of Napoleon used 50, with Exploration 0.25",
		Integer, 1, 1e9, "1000", func(o *Options) any { return &o.Iterations }},
	{"Exploration", "exploration", "napoleon", "share of playouts in a value; the rest is the network's", Number, 0, 1,
		"0.05", func(o *Options) any { return &o.Exploration }},
	{"Simulations", "simulations", "rollouts", "nodes if no limit on nodes is given", Integer, 1, 1e9, "1200",
		func(o *Options) any { return &o.Simulations }},
	{"RolloutDepth", "rollout-depth", "rollouts", "maximum length of a simulation in plies; 0: no limit", Integer, 0,
		1000, "0", func(o *Options) any { return &o.RolloutDepth }},
	{"ValueDepth", "value-depth", "rollouts",
		"depth to which the engine searches after each likely move; with --probability it is always 10",
		Integer, 1, 60, "10", func(o *Options) any { return &o.ValueDepth }},
	{"Rating", "elo", "", "rating of the side that the network plays, for networks that take ratings; 0: unknown",
		Integer, 0, 4000, "0", func(o *Options) any { return &o.Ratings[0] }},
	{"OpponentRating", "opponent-rating", "", "the opponent's rating; 0: unknown", Integer, 0, 4000, "0",
		func(o *Options) any { return &o.Ratings[1] }},
}

// mebibytes is a number of bytes that is set in MiB.
type mebibytes struct{ bytes *int64 }

// SettingByName finds a setting by its name or key, in upper or lower case.
func SettingByName(name string) (s *Setting, ok bool) {
	i := slices.IndexFunc(Settings, func(s Setting) bool {
		return strings.EqualFold(s.Name, name) || strings.EqualFold(s.Key, name)
	})
	if i < 0 {
		return nil, false
	}
	return &Settings[i], true
}

// AppliesTo reports whether a searcher uses the setting.
func (s *Setting) AppliesTo(searcher string) bool {
	return s.searchers == "" || slices.Contains(strings.Fields(s.searchers), searcher)
}

// Searchers lists the searchers that use it, "puct, talbotbot"; "": all.
func (s *Setting) Searchers() string { return strings.ReplaceAll(s.searchers, " ", ", ") }

// Set sets it in o. Errors quote the value and say what is possible; o is as it was then.
func (s *Setting) Set(o *Options, value string) error {
	if s.Kind == Switch {
		on, err := strconv.ParseBool(value)
		if err != nil {
			return fmt.Errorf("%q must be true or false", value)
		}
		*s.field(o).(*bool) = on
		return nil
	}
	x, err := strconv.ParseFloat(value, 64)
	switch {
	case err != nil || math.IsNaN(x) || s.Kind == Integer && x != math.Trunc(x):
		return fmt.Errorf("%q must be %s", value, [...]string{"a whole number", "a number"}[s.Kind])
	case x < s.Min || x > s.Max:
		return fmt.Errorf("%q must be from %s", value, s.Bounds())
	}
	switch f := s.field(o).(type) {
	case *int:
		*f = int(x)
	case *uint64:
		*f = uint64(x)
	case *float64:
		*f = x
	case mebibytes:
		*f.bytes = int64(x) << 20
	}
	return nil
}

// Get returns its value in o as text that Set reads.
func (s *Setting) Get(o *Options) string {
	switch f := s.field(o).(type) {
	case *bool:
		return strconv.FormatBool(*f)
	case *int:
		return strconv.Itoa(*f)
	case *uint64:
		return strconv.FormatUint(*f, 10)
	case *float64:
		return plain(*f)
	case mebibytes:
		return strconv.FormatInt(*f.bytes>>20, 10)
	}
	return ""
}

// Bounds says what a number may be, such as "0 to 100".
func (s *Setting) Bounds() string { return plain(s.Min) + " to " + plain(s.Max) }

// plain writes a number without an exponent.
func plain(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

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
	Look          bool    // priors are weighed by what each move wins or loses of material
	MateInOne     bool    // a mate in one is seen as soon as its position is expanded

	FreshTree bool // no tree is kept from position to position

	// Of puct.
	RootNoise      float64 // share of Dirichlet noise in the root's priors
	RootNoiseTotal float64 // sum of its parameters, which all legal moves share alike
	C              float64 // weight of the prior
	CFactor        float64 // C grows by CFactor · ln((N + CBase) / CBase)
	CBase          float64
	FPU            float64 // f: what the value of an unvisited move is lowered by
	LeftMax        float64 // what ending a won game sooner adds to a value, at most
	LeftThreshold  float64 // the value from which it does
	LeftSlope      float64 // of a ply
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
	// not looked at. ok is false where the answer is not known.
	Probe(p *board.Position) (e Ending, ok bool)
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
