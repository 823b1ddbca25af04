// Package stockfish turns positions with their history into labels by driving a UCI engine (Stockfish, or any engine
// that speaks UCI).
//
// It takes a start position and the legal moves played from it, and returns a [dataset.Label] with the engine's
// evaluation, with scores from the side to move's view. The engine is not trusted: every step has a deadline, every
// line a length limit, every move is checked on the board, and an engine that has misbehaved once is killed with its
// whole process group and never used again (see package uci).
//
// An [Engine] is one process and belongs to one goroutine at a time. A [Pool] is several engines with one goroutine
// each while Label runs.
package stockfish

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/child"
	"talbot/stockfish/uci"
)

// Engine is one UCI process that has passed its handshake. It is not safe for concurrent use.
type Engine struct {
	cfg    Config
	path   string
	client *uci.Client
	set    []dataset.Tag // options set, sorted by name
	stale  bool          // its memory is to be cleared before the next search
}

// Start runs the executable cfg.Path (see [Find] for an empty path), waits for
// uciok, sets the options and waits for readyok. The caller closes the engine.
//
// Errors: a configuration the engine cannot serve (an option that is not offered, a value out of its range), no such
// executable, or an engine that dies, stays silent for cfg.StartTimeout or breaks the protocol.
func Start(ctx context.Context, cfg Config) (*Engine, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	path, err := Find(cfg.Path)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("stockfish: starting %q: %w", path, context.Cause(ctx))
	}
	e := &Engine{cfg: cfg, path: path, stale: true}
	e.client, err = uci.Start(ctx, uci.Config{
		Config:  child.Config{Path: path, Args: cfg.Args, Env: cfg.env},
		Timeout: cfg.startTimeout(),
		Options: func(offered map[string]uci.Option) (_ []dataset.Tag, err error) {
			e.set, err = chooseOptions(cfg, offered)
			return e.set, err
		},
		Clock: cfg.testClock,
	})
	if err != nil {
		return nil, fmt.Errorf("stockfish: %w", err)
	}
	return e, nil
}

// chooseOptions decides what to set, sorted by name and spelt as offered. Of our
// own settings only MultiPV must be offered, and only if it is over 1.
func chooseOptions(cfg Config, offered map[string]uci.Option) ([]dataset.Tag, error) {
	type existing struct {
		dataset.Tag
		must bool
	}
	wishes := []existing{
		{dataset.Tag{Name: "Threads", Value: "1"}, false},
		{dataset.Tag{Name: "Hash", Value: strconv.Itoa(cfg.hash())}, false},
		{dataset.Tag{Name: "UCI_ShowWDL", Value: "true"}, false},
	}
	if n := cfg.multiPV(); n > 1 {
		wishes = append(wishes, existing{dataset.Tag{Name: "MultiPV", Value: strconv.Itoa(n)}, true})
	}
	for _, o := range cfg.Options {
		wishes = append(wishes, existing{o, true})
	}
	var set []dataset.Tag
	for _, w := range wishes {
		if _, ok := offered[strings.ToLower(w.Name)]; !ok && !w.must {
			continue
		}
		o, err := uci.Choose(offered, w.Name, w.Value)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(set, func(t dataset.Tag) bool { return t.Name == o.Name }) {
			return nil, fmt.Errorf("engine option %q is set twice", o.Name)
		}
		set = append(set, o)
	}
	slices.SortFunc(set, func(a, b dataset.Tag) int { return strings.Compare(a.Name, b.Name) })
	return set, nil
}

// Name is the engine's own name and version ("Stockfish 15.1"), empty if it gave none.
func (e *Engine) Name() string { return e.client.Name }

// Path is the executable that was started.
func (e *Engine) Path() string { return e.path }

// NewLine says that the next search is the first of another line: with
// [LineScope] the engine forgets what it has searched before.
func (e *Engine) NewLine() { e.stale = true }

// Compiler is the engine's description of its own compilation, which it prints after the word "compiler", which
// Stockfish knows beside UCI; empty if it says nothing. An error is as after [Engine.Search].
func (e *Engine) Compiler(ctx context.Context) (string, error) {
	var said strings.Builder
	err := e.ask(ctx, "readyok", "compiler\nisready\n", e.cfg.startTimeout(), func(line []byte) (bool, error) {
		if string(line) == "readyok" {
			return true, nil
		}
		if said.Len() < child.MaxTail && !bytes.HasPrefix(line, []byte("Unknown command")) {
			said.WriteString(uci.Text(line, uci.MaxQuote) + "\n")
		}
		return false, nil
	})
	return strings.TrimSpace(said.String()), err
}

// Close asks a healthy engine to quit, kills what is left of its process group and waits for the end. It returns an
// error only if the process could not be brought to its end. Closing twice is harmless.
func (e *Engine) Close() error {
	if err := e.client.Close(); err != nil {
		return fmt.Errorf("stockfish: %w", err)
	}
	return nil
}

// ask is [uci.Client.Ask] with an error that names the engine.
func (e *Engine) ask(ctx context.Context, step, commands string, within time.Duration,
	visit func(line []byte) (bool, error)) error {
	if err := e.client.Ask(ctx, step, commands, within, visit); err != nil {
		return fmt.Errorf("stockfish: %s (pid %d): %w", e.path, e.client.PID(), err)
	}
	return nil
}

// JobError is the error for an impossible search: the start is no legal position, or the moves are not legal from it.
// The engine has not seen it, another one would not help, and the line is not what it claims to be.
type JobError struct {
	Ply    int        // of the first illegal move, from 0
	Move   board.Move // NoMove if the start is the fault
	FEN    string     // before it
	Reason error      // of the start, nil otherwise
}

func (e *JobError) Error() string {
	if e.Reason != nil {
		return fmt.Sprintf("stockfish: start %q: %v", e.FEN, e.Reason)
	}
	return fmt.Sprintf("stockfish: move %s at ply %d is illegal in %q", e.Move, e.Ply, e.FEN)
}

// ShortError is the error for a search that ended before every line that was asked for had an exact score at the same
// depth. The engine has done nothing wrong, and under a limit of nodes or depth another one would do the same.
type ShortError struct {
	Lines int   // asked for
	Limit Limit // too small for them
	FEN   string
}

func (e *ShortError) Error() string {
	return fmt.Sprintf("stockfish: %s is not enough to score %d moves (--multipv) in %q; use a larger limit or a "+
		"smaller --multipv", e.Limit, e.Lines, e.FEN)
}

var errNoScore = errors.New("bestmove before all moves had an exact score")

// Search labels the position reached from start by moves, which it sends along so that the engine knows what has been
// repeated; only are the legal moves that are searched, different ones, nil: all. Before it the engine forgets what
// [HashScope] says. There is one label for each of [Engine.Fingerprints]:
// those of Config.Shallower, then that of the limit.
//
// Labels with status Terminal mean checkmate, stalemate or a dead position; those are not searched. In any other label
// every search line has an exact score, seen from the side to move, and at least one legal move. With MultiPV the lines
// are the latest complete set of one depth, and the last set of that depth, and start with different moves; there are
// fewer lines than MultiPV only if there are fewer legal moves. The label of a shallower depth is the latest such set
// up to that depth, and its best move is the first line's.
//
// Errors: after a [*JobError] or a [*ShortError], or when ctx had ended before, the engine is as good as it was. After
// any other error, which includes the end of ctx during the search, the process is dead and only Close is left.
func (e *Engine) Search(ctx context.Context, start board.Position, moves []board.Move, only ...board.Move) (
	[]dataset.Label, error) {
	if err := e.client.Err(); err != nil {
		return nil, fmt.Errorf("stockfish: %w", err)
	}
	pos, err := replay(start, moves)
	if err != nil {
		return nil, err
	}
	if pos.IsDead() || !pos.HasLegalMove() {
		labels := make([]dataset.Label, 1+len(e.cfg.Shallower))
		for i := range labels {
			labels[i].Status = dataset.Terminal
		}
		return labels, nil
	}
	for _, m := range only {
		if !pos.IsLegal(m) {
			return nil, &JobError{Ply: len(moves), Move: m, FEN: pos.FEN()}
		}
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("stockfish: search: %w", context.Cause(ctx))
	}
	if err := e.ask(ctx, "readyok", e.commands(start, moves, only), e.cfg.startTimeout(), uci.Ready); err != nil {
		return nil, err
	}

	var labels []dataset.Label
	short := false
	found := newSearchLines(&pos, e.cfg.multiPV(), e.cfg.Shallower, only)
	err = e.ask(ctx, "bestmove", "", e.cfg.searchTimeout(), func(line []byte) (done bool, err error) {
		word, rest := uci.CutWord(line)
		switch string(word) {
		case "info":
			i, err := uci.ParseInfo(rest)
			if err == nil {
				err = found.add(i)
			}
			return false, err
		case "bestmove":
			best, _ := uci.CutWord(rest)
			if short = found.incomplete(string(best), &pos); short {
				return true, nil
			}
			labels, err = found.labels(&pos, string(best))
			return err == nil, err
		}
		return false, nil
	})
	if err != nil {
		return nil, fmt.Errorf("%w; position %q", err, pos.FEN())
	}
	if short {
		return nil, &ShortError{Lines: found.lineCount, Limit: e.cfg.Limit, FEN: pos.FEN()}
	}
	return labels, nil
}

// commands is everything for one search in one write. The engine answers isready before it starts on go.
func (e *Engine) commands(start board.Position, moves, only []board.Move) string {
	var b []byte
	if e.stale || e.cfg.HashScope() == PositionScope {
		b = append(b, "ucinewgame\n"...)
		e.stale = false
	}
	b = uci.AppendPosition(append(b, "isready\n"...), start, moves)
	b = append(append(b, "go "...), e.cfg.Limit.String()...)
	for i, m := range only {
		if i == 0 {
			b = append(b, " searchmoves"...) // the last word but its moves
		}
		b = m.AppendUCI(append(b, ' '))
	}
	return string(append(b, '\n'))
}

// replay plays moves from start. An engine would silently stop at the first illegal one and search a different
// position, and many end or talk nonsense when the start is no legal position.
func replay(start board.Position, moves []board.Move) (board.Position, error) {
	pos := start
	if start != board.StartPosition() {
		if read, err := board.ParseFEN(start.FEN()); err != nil || read != start {
			if err == nil {
				err = errors.New("position does not match its FEN")
			}
			return pos, &JobError{FEN: start.FEN(), Reason: err}
		}
	}
	for k, m := range moves {
		if !pos.IsLegal(m) {
			return pos, &JobError{Ply: k, Move: m, FEN: pos.FEN()}
		}
		pos.Play(m)
	}
	return pos, nil
}
