package stockfish

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"talbot/dataset"
	"talbot/stockfish/uci"
)

// Limit says when a search ends. The zero value is no limit and is refused; use [MoveTime], [Nodes] or [Depth].
type Limit struct {
	moveTime time.Duration
	nodes    int64
	depth    int
}

// MoveTime ends a search after d, in whole milliseconds. Such labels depend on
// the machine, its load and what the engine searched before.
func MoveTime(d time.Duration) Limit { return Limit{moveTime: d} }

// Nodes ends a search after n nodes. Such labels are a function of what the
// engine has been given since its memory was last cleared, see [HashScope].
func Nodes(n int64) Limit { return Limit{nodes: n} }

// Depth ends a search at depth n.
func Depth(n int) Limit { return Limit{depth: n} }

// String is the limit as UCI writes it: "movetime 20", "nodes 20000", "depth 10".
func (l Limit) String() string {
	switch {
	case l.moveTime != 0:
		return fmt.Sprintf("movetime %d", l.moveTime.Milliseconds())
	case l.nodes != 0:
		return fmt.Sprintf("nodes %d", l.nodes)
	default:
		return fmt.Sprintf("depth %d", l.depth)
	}
}

// ParseLimit reads what [Limit.String] writes, and refuses what [Limit.Check] does.
func ParseLimit(s string) (Limit, error) {
	kind, text, _ := strings.Cut(s, " ")
	n, err := strconv.ParseInt(text, 10, 64)
	var l Limit
	switch {
	case err != nil:
	case kind == "movetime" && n < 1<<40:
		l = MoveTime(time.Duration(n) * time.Millisecond)
	case kind == "nodes":
		l = Nodes(n)
	case kind == "depth" && n < 1<<20:
		l = Depth(int(n))
	}
	if err == nil {
		err = l.Check()
	}
	if err != nil || l.String() != s {
		return Limit{}, fmt.Errorf("search limit %q is none", s)
	}
	return l, nil
}

// Time is the time limit of one search, 0 if the limit is another one.
func (l Limit) Time() time.Duration { return l.moveTime }

// Nodes returns the limit of nodes; 0 for other limits.
func (l Limit) Nodes() int64 { return l.nodes }

// Reproducible reports whether labels under this limit are a function of what
// the engine was given since its memory was last cleared, and of the engine.
func (l Limit) Reproducible() bool { return l.moveTime == 0 }

// Check reports a limit that cannot be asked of an engine.
func (l Limit) Check() error {
	switch {
	case l == Limit{}:
		return errors.New("no search limit: give a move time, a number of nodes or a depth")
	case l.moveTime < 0 || l.nodes < 0 || l.depth < 0:
		return fmt.Errorf("search limit %s is negative", l)
	case l.moveTime%time.Millisecond != 0:
		return fmt.Errorf("move time %v is not a whole number of milliseconds", l.moveTime)
	case l.moveTime > 24*time.Hour:
		return fmt.Errorf("move time %v is above a day", l.moveTime)
	case l.depth > 245:
		return fmt.Errorf("search depth %d is above 245", l.depth)
	}
	return nil
}

// HashScope says what an engine's memory (hash table, histories) is kept for.
type HashScope uint8

const (
	// DefaultScope is LineScope for a time limit and PositionScope for others.
	DefaultScope HashScope = iota
	// PositionScope clears the memory before each search: a label under a node or
	// depth limit is then a function of the position and its history.
	PositionScope
	// LineScope clears the memory before the first search of a line. It saves the clearing and searches deeper, and a
	// label under a node or depth limit is a function of the line up to it and of which positions on it were searched.
	LineScope
)

// String returns "position", "line" or "default".
func (s HashScope) String() string {
	switch s {
	case PositionScope:
		return "position"
	case LineScope:
		return "line"
	}
	return "default"
}

// Config is what an engine is started with. Only Limit has no default.
type Config struct {
	Path string   // the executable, as for Find
	Args []string // its arguments, normally none

	Limit   Limit
	Hash    int // MiB of hash table; 0 means 16
	MultiPV int // lines per position; 0 means 1
	Scope   HashScope

	// Shallower are depths below a depth limit whose results are kept too, ascending:
	// one search gives a label for each of them, under a fingerprint of its own.
	Shallower []int

	// SearchMoves says, for the fingerprint, what decides which moves of a position are searched ([Job.SearchMoves]) if
	// not all are.
	SearchMoves string

	// Options are set besides Threads, Hash, MultiPV and UCI_ShowWDL. One that
	// the engine does not offer is an error, as is a value out of its range.
	Options []dataset.Tag

	StartTimeout  time.Duration // from start to readyok, and for every later readyok; 0 means 20 s
	SearchTimeout time.Duration // from readyok to bestmove; 0 means a generous time for the limit

	env       []string  // added to the environment
	testClock uci.Clock // instead of the machine's
}

func (c Config) check() error {
	if err := c.Limit.Check(); err != nil {
		return fmt.Errorf("stockfish: %w", err)
	}
	if c.Hash < 0 || c.MultiPV < 0 || c.StartTimeout < 0 || c.SearchTimeout < 0 {
		return fmt.Errorf("stockfish: negative setting (hash %d, multipv %d, timeouts %v and %v)",
			c.Hash, c.MultiPV, c.StartTimeout, c.SearchTimeout)
	}
	if c.MultiPV > 256 {
		return fmt.Errorf("stockfish: multipv %d is above 256", c.MultiPV)
	}
	if c.Scope > LineScope {
		return fmt.Errorf("stockfish: unknown hash scope %d", c.Scope)
	}
	for i, d := range c.Shallower {
		if d < 1 || i > 0 && d <= c.Shallower[i-1] || d >= c.Limit.depth {
			return fmt.Errorf("stockfish: depths %v are not ascending below the limit, %s", c.Shallower, c.Limit)
		}
	}
	if t := c.SearchTimeout; t > 0 && t <= c.Limit.moveTime {
		return fmt.Errorf("stockfish: search timeout %v must be above the move time %v", t, c.Limit.moveTime)
	}
	if c.SearchMoves != "" && c.HashScope() == LineScope {
		return fmt.Errorf("stockfish: chosen moves (%s) are searched with a memory that is cleared before each search",
			c.SearchMoves)
	}
	for _, o := range c.Options {
		if strings.TrimSpace(o.Name) == "" || strings.ContainsAny(o.Name+o.Value, "\r\n") {
			return fmt.Errorf("stockfish: engine option %q: the value %q must be a single line", o.Name, o.Value)
		}
	}
	return nil
}

func (c Config) hash() int    { return cmp.Or(c.Hash, 16) }
func (c Config) multiPV() int { return cmp.Or(c.MultiPV, 1) }

// HashScope is the scope that the configuration asks for or means.
func (c Config) HashScope() HashScope {
	switch {
	case c.Scope != DefaultScope:
		return c.Scope
	case c.Limit.Reproducible():
		return PositionScope
	}
	return LineScope
}

// Exact reports whether labels are a function of what the engine is given: searched again, they are the same.
func (c Config) Exact() bool { return c.Limit.Reproducible() }

func (c Config) startTimeout() time.Duration { return cmp.Or(c.StartTimeout, uci.StartTimeout) }

// searchTimeout allows for machines that are busy with other things: ten seconds over the move time; 20 and one for
// each 5,000 nodes; five minutes for a depth.
func (c Config) searchTimeout() time.Duration {
	def := 5 * time.Minute
	switch l := c.Limit; {
	case l.moveTime > 0:
		def = l.moveTime + 10*time.Second
	case l.nodes > 0:
		def = 20*time.Second + time.Duration(min(l.nodes/5000, 30*24*3600))*time.Second
	}
	return cmp.Or(c.SearchTimeout, def)
}
