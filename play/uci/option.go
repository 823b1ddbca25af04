package uci

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"talbot/play/engine"
	"talbot/play/mcts"
)

// Option is a setting of an engine.
type Option struct {
	Name     string
	Kind     string // check, spin, combo, button or string
	Default  string // not of a button
	Min, Max int64  // of a spin
	Vars     []string

	// For documents:
	Bounds    string // of a number with a fraction, which UCI takes as a string
	Searchers string // those that read it; "": all, or it concerns none
	About     string // in a sentence

	set func(e *Engine, value string) error
}

// line is the option as "uci" prints it.
func (o *Option) line() string {
	var b strings.Builder
	fmt.Fprintf(&b, "option name %s type %s", o.Name, o.Kind)
	if o.Kind != "button" {
		b.WriteString(" default ")
		if b.WriteString(o.Default); o.Default == "" {
			b.WriteString("<empty>")
		}
	}
	if o.Kind == "spin" {
		fmt.Fprintf(&b, " min %d max %d", o.Min, o.Max)
	}
	for _, v := range o.Vars {
		b.WriteString(" var " + v)
	}
	return b.String()
}

// check returns the value in the form that set reads, or why it cannot be.
func (o *Option) check(value string) (string, error) {
	switch o.Kind {
	case "check":
		value = strings.ToLower(value)
		if value != "true" && value != "false" {
			return "", errors.New("must be true or false")
		}
	case "spin":
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil || n < o.Min || n > o.Max {
			return "", fmt.Errorf("must be a whole number from %d to %d", o.Min, o.Max)
		}
		return strconv.FormatInt(n, 10), nil
	case "combo":
		i := slices.IndexFunc(o.Vars, func(v string) bool { return strings.EqualFold(v, value) })
		if i < 0 {
			return "", fmt.Errorf("must be one of %s", strings.Join(o.Vars, ", "))
		}
		return o.Vars[i], nil
	case "string":
		if value == "<empty>" {
			return "", nil
		}
	}
	return value, nil
}

// sameNetwork is the value of WeightsFile that lc0 has by default.
const sameNetwork = "<autodiscover>"

// logFile is the option that is set by the goroutine that reads commands.
const logFile = "LogFile"

const (
	defaultOverhead = 30 * time.Millisecond
	leastThreads    = 4 // that can be set on any machine
	mostHash        = 1 << 20
)

// Options lists the options, in the order in which "uci" prints them. ratings says that the network or the searcher
// looks at the players' ratings; search has the defaults of those of the search.
func Options(ratings bool, search mcts.Options) []*Option {
	threads := runtime.NumCPU()
	list := []*Option{
		{Name: "Threads", Kind: "spin", Default: strconv.Itoa(threads), Min: 1, Max: int64(max(threads, leastThreads)),
			About: "processor cores for the network on go and ONNX Runtime (there only if set before the network is " +
				"loaded); XLA takes what the machine gives",
			set: spin(func(_ *Engine, n int64) { runtime.GOMAXPROCS(min(int(n), threads)) })},
		{Name: "Move Overhead", Kind: "spin", Max: 60_000,
			Default: strconv.FormatInt(defaultOverhead.Milliseconds(), 10),
			About:   "milliseconds to reserve on each move for delays between engine and clock",
			set:     spin(func(e *Engine, n int64) { e.overhead = time.Duration(n) * time.Millisecond })},
		{Name: "Ponder", Kind: "check", Default: "false",
			About: "tells the engine that it may be asked to ponder; it needs no preparation for that",
			set:   func(*Engine, string) error { return nil }},
		{Name: "Searcher", Kind: "combo", Default: engine.AutoSearcher,
			Vars:  append([]string{engine.AutoSearcher}, mcts.Names()...),
			About: "how moves are found; auto takes what fits the network",
			set: func(e *Engine, v string) error {
				e.setup.Searcher = v
				return nil
			}},
		{Name: "WeightsFile", Kind: "string", Default: sameNetwork,
			About: "network to play with, loaded before the next search: a run, a checkpoint, an exported network or " +
				"one of lc0's; `" + sameNetwork + "` is the one that the engine was started with",
			set: (*Engine).setWeights},
		{Name: "SyzygyPath", Kind: "string", Searchers: "puct, gumbel",
			About: "folders of Syzygy tables, separated as in PATH",
			set:   (*Engine).setTables},
		{Name: ownBook, Kind: "check", Default: "false", About: "plays the moves of BookFile without a search",
			set: check(func(e *Engine) *bool { return &e.ownBook })},
		{Name: bookFile, Kind: "string",
			About: "opening book of the format Polyglot; a move is drawn in proportion to its weight, with Seed",
			set:   (*Engine).setBook},
		{Name: "BestBookMove", Kind: "check", Default: "false",
			About: "plays the book's move with the greatest weight",
			set:   check(func(e *Engine) *bool { return &e.bestBookMove })},
		{Name: "UCI_ShowWDL", Kind: "check", Default: "false",
			About: "shows chances of win, draw and loss in per mille",
			set:   check(func(e *Engine) *bool { return &e.wdl })},
		{Name: "UCI_Opponent", Kind: "string",
			About: "title, rating, human or computer, and name of the opponent; only the rating is used, and only " +
				"where there is UCI_Elo",
			set: (*Engine).setOpponent},
		{Name: "Clear Hash", Kind: "button", About: "forgets tree and cache",
			set: func(e *Engine, _ string) error {
				e.stale = true
				return nil
			}},
		{Name: "VerboseMoveStats", Kind: "check", Default: "false",
			About: "shows visits, prior and value of every move at the root before the move is played",
			set:   check(func(e *Engine) *bool { return &e.setup.Verbose })},
		{Name: logFile, Kind: "string", About: "file to which all commands and answers are appended"},
	}
	for i := range mcts.Settings {
		if o := searchOption(&mcts.Settings[i], ratings, &search); o != nil {
			list = append(list, o)
		}
	}
	return list
}

// searchOption is the option of a search setting; nil if there is none.
func searchOption(s *mcts.Setting, ratings bool, search *mcts.Options) *Option {
	o := &Option{Name: s.Name, Kind: "string", Default: s.Get(search), About: s.Doc,
		Searchers: s.Searchers(),
		set: func(e *Engine, v string) error {
			if err := s.Set(&e.setup.Options, v); err != nil {
				return fmt.Errorf("%s %w", s.Name, err)
			}
			return nil
		}}
	switch s.Kind {
	case mcts.Integer:
		o.Kind, o.Min, o.Max = "spin", int64(s.Min), int64(min(s.Max, math.MaxInt32))
	case mcts.Switch:
		o.Kind = "check"
	case mcts.Number:
		o.Bounds = s.Bounds()
	}
	switch s.Name {
	case "Seed":
		o.Default = "0"
		o.About = "seed of all random choices; 0 draws a new one for each game if Temperature is above 0"
		o.set = spin(func(e *Engine, n int64) { e.seed = uint64(n) })
	case "Rating":
		o.Name, o.About = "UCI_Elo", "rating of the players to imitate; 0: unknown"
	}
	if !ratings && (s.Name == "Rating" || s.Name == "OpponentRating") {
		return nil
	}
	return o
}

// setOption is the command "setoption".
func (e *Engine) setOption(text string) {
	name, value, ok := parseOption(text)
	if !ok {
		e.note("setoption without a name")
		return
	}
	i := slices.IndexFunc(e.options, func(o *Option) bool { return strings.EqualFold(o.Name, name) })
	if i < 0 {
		e.note("there is no option %s", quote(name))
		return
	}
	o := e.options[i]
	checked, err := o.check(value)
	if err == nil {
		err = o.set(e, checked)
	}
	e.refuse(o.Name, value, err)
}

// refuse says why an option cannot have a value, if there is a reason.
func (e *Engine) refuse(name, value string, err error) {
	if err != nil {
		e.note("option %s: %s: %v", name, quote(value), err)
	}
}

// setOpponent is the option UCI_Opponent, as "GM 2800 human Gary Kasparov" or "none none computer Shredder". The rating
// of a former opponent is forgotten.
func (e *Engine) setOpponent(value string) error {
	s, ok := mcts.SettingByName("OpponentRating")
	if !ok || !e.Ratings {
		return nil
	}
	rating := "0"
	if words := strings.Fields(value); len(words) > 1 {
		if _, err := strconv.Atoi(words[1]); err == nil {
			rating = words[1]
		}
	}
	return s.Set(&e.setup.Options, rating)
}

// setLog is the option LogFile, which does not wait for a search.
func (e *Engine) setLog(value string) error {
	if e.log != nil {
		err := e.log.Close()
		e.log = nil
		e.out.setLog(nil)
		if err != nil {
			return err
		}
	}
	if value == "" || value == "<empty>" {
		return nil
	}
	f, err := os.OpenFile(value, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	e.log = f
	e.out.setLog(f)
	return nil
}

// setWeights is the option WeightsFile. Settings of the search that have the old network's defaults get the new one's.
func (e *Engine) setWeights(value string) error {
	if value == sameNetwork {
		value = ""
	}
	if value == e.weights {
		return nil
	}
	if e.Load == nil {
		return errors.New("networks cannot be loaded here")
	}
	n, err := e.Load(value)
	if err != nil {
		return err
	}
	was, search := e.Network.search(), n.search()
	for i := range mcts.Settings {
		s := &mcts.Settings[i]
		if s.Get(&e.setup.Options) != s.Get(&was) {
			continue
		}
		if err := s.Set(&e.setup.Options, s.Get(&search)); err != nil {
			return fmt.Errorf("%s %w", s.Name, err)
		}
	}
	e.replaced = cmp.Or(e.replaced, e.Player)
	e.Network, e.weights, e.stale, e.title = n, value, true, ""
	e.offer(search)
	return nil
}

// setTables is the option SyzygyPath.
func (e *Engine) setTables(value string) error {
	if value == e.tablesPath {
		return nil
	}
	e.closeTables()
	if value == "" {
		return nil
	}
	if e.Tables == nil {
		return errors.New("tables cannot be read here")
	}
	t, err := e.Tables(value)
	if err != nil {
		return err
	}
	e.tables, e.tablesPath, e.setup.Tables, e.lost = t, value, t, false
	for _, note := range t.Notes() {
		e.note("SyzygyPath: %s", note)
	}
	return nil
}

// closeTables closes the tables of SyzygyPath.
func (e *Engine) closeTables() {
	if e.tables != nil {
		_ = e.tables.Close() // its process is killed in any case
	}
	e.tables, e.tablesPath, e.setup.Tables = nil, "", nil
}

// Tables are endgame tables that are open.
type Tables interface {
	mcts.Prober
	io.Closer
	Err() error      // why they answer no more; nil: they do
	Notes() []string // what is wrong with the files
}

// spin sets what an option of the kind spin stands for; the value is within its bounds.
func spin(set func(*Engine, int64)) func(*Engine, string) error {
	return func(e *Engine, v string) error {
		n, err := strconv.ParseInt(v, 10, 64)
		if err == nil {
			set(e, n)
		}
		return err
	}
}

// check sets what an option of the kind check stands for.
func check(value func(*Engine) *bool) func(*Engine, string) error {
	return func(e *Engine, v string) error {
		*value(e) = v == "true"
		return nil
	}
}
