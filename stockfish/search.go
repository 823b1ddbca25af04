package stockfish

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"talbot/board"
	"talbot/dataset"
)

// JobError is the error for a search that could not be asked for: the moves
// are not legal from the start position. The engine has not seen it, another
// one would not help, and the line is not what it claims to be.
type JobError struct {
	Ply  int // of the first illegal move, from 0
	Move board.Move
	FEN  string // before it
}

func (e *JobError) Error() string {
	return fmt.Sprintf("stockfish: move %s at ply %d is illegal in %q", e.Move, e.Ply, e.FEN)
}

var errNoScore = errors.New("bestmove before a complete set of exact scores with their moves")

// Search labels the position reached from start by moves, which it sends along
// so that the engine knows what has been repeated.
//
// Under a node or depth limit, or with Config.Fresh, the engine first forgets
// everything. Under a time limit it keeps its hash table.
//
// A label with status Terminal means checkmate, stalemate or a dead position;
// no engine is asked about those. In any other label every search line has an
// exact score, seen from the side to move, and at least one legal move. With
// MultiPV the lines are the latest complete set of them, so that they are of
// one iteration and start with different moves; there are fewer lines than
// MultiPV only if there are fewer legal moves.
//
// Errors: after a [*JobError], or when ctx had ended before, the engine is as it
// was. After any other error, which includes the end of ctx during the search,
// the process is dead and only Close is left.
func (e *Engine) Search(ctx context.Context, start board.Position, moves []board.Move) (dataset.Label, error) {
	if e.broken != nil {
		return dataset.Label{}, e.broken
	}
	pos, err := replay(start, moves)
	if err != nil {
		return dataset.Label{}, err
	}
	if pos.IsDead() || !pos.HasLegalMove() {
		return dataset.Label{Status: dataset.Terminal}, nil
	}
	if ctx.Err() != nil {
		return dataset.Label{}, fmt.Errorf("stockfish: search: %w", context.Cause(ctx))
	}
	stop := context.AfterFunc(ctx, e.proc.kill)
	defer func() {
		if !stop() && e.broken == nil {
			e.broken = fmt.Errorf("stockfish: engine was killed: %w", context.Cause(ctx))
		}
	}()

	deadline := time.Now().Add(e.cfg.startTimeout())
	if err := e.send(ctx, "position", e.commands(start, moves), deadline); err != nil {
		return dataset.Label{}, err
	}
	err = e.read(ctx, "readyok", deadline, func(line []byte) (bool, error) {
		// A bestmove that is still to come from an earlier search would be
		// taken for this one's.
		if bytes.HasPrefix(line, []byte("bestmove")) {
			return false, errors.New("bestmove without a search")
		}
		return string(line) == "readyok", nil
	})
	if err != nil {
		return dataset.Label{}, err
	}

	var label dataset.Label
	found := newFound(&pos, e.cfg.multiPV())
	deadline = time.Now().Add(e.cfg.searchTimeout())
	err = e.read(ctx, "bestmove", deadline, func(line []byte) (done bool, err error) {
		w := words{rest: line}
		w.next()
		switch string(w.word) {
		case "info":
			i, err := parseInfo(w.rest)
			if err == nil {
				err = found.add(i)
			}
			return false, err
		case "bestmove":
			w.next()
			label, err = found.label(&pos, string(w.word))
			return err == nil, err
		}
		return false, nil
	})
	if err != nil {
		return dataset.Label{}, fmt.Errorf("%w; position %q", err, pos.FEN())
	}
	return label, nil
}

// commands is everything for one search in one write. The engine answers
// isready before it starts on go.
func (e *Engine) commands(start board.Position, moves []board.Move) string {
	var b strings.Builder
	if e.cfg.clears() {
		b.WriteString("ucinewgame\n")
	}
	b.WriteString("isready\nposition ")
	if start == board.StartPosition() {
		b.WriteString("startpos")
	} else {
		b.WriteString("fen ")
		b.WriteString(start.FEN())
	}
	for k, m := range moves {
		if k == 0 {
			b.WriteString(" moves")
		}
		b.WriteByte(' ')
		b.WriteString(m.String())
	}
	fmt.Fprintf(&b, "\ngo %s\n", e.cfg.Limit)
	return b.String()
}

// replay plays moves from start. An engine would silently stop at the first
// illegal one and search a different position.
func replay(start board.Position, moves []board.Move) (board.Position, error) {
	pos := start
	for k, m := range moves {
		if !pos.IsLegal(m) {
			return pos, &JobError{Ply: k, Move: m, FEN: pos.FEN()}
		}
		pos.Play(m)
	}
	return pos, nil
}

// found collects the lines of one search, per MultiPV rank.
type found struct {
	want  int    // lines to expect
	now   []info // by rank - 1: the set being reported; rank 0 where there is no exact line
	whole []info // the latest complete set of exact lines, nil if none yet
}

func newFound(pos *board.Position, multiPV int) *found {
	legal := len(pos.LegalMoves(make([]board.Move, 0, 64)))
	n := min(multiPV, legal)
	return &found{want: n, now: make([]info, n)}
}

// add takes one line. Engines report the ranks of a set in order, so rank 1
// opens a new set.
func (f *found) add(i info) error {
	if !i.scored {
		return nil
	}
	if i.rank > f.want {
		return fmt.Errorf("line of rank %d where %d were asked for", i.rank, f.want)
	}
	if i.rank == 1 {
		for k := range f.now {
			f.now[k].rank = 0
		}
	}
	old := &f.now[i.rank-1]
	if !i.exact() {
		old.rank = 0
		return nil
	}
	i.pv = append(old.pv[:0], i.pv...) // the line is only lent
	*old = i
	for k := range f.now {
		if f.now[k].rank == 0 {
			return nil
		}
	}
	f.now, f.whole = f.whole, f.now // both keep their memory
	if f.now == nil {
		f.now = make([]info, f.want)
	}
	for k := range f.now {
		f.now[k].rank = 0
	}
	return nil
}

// label is what the search found, once the engine has said which move is best.
func (f *found) label(pos *board.Position, best string) (dataset.Label, error) {
	m, err := pos.ParseUCI(best)
	if err != nil {
		return dataset.Label{}, fmt.Errorf("bestmove %q: %w", best, err)
	}
	if f.whole == nil {
		return dataset.Label{}, errNoScore
	}
	label := dataset.Label{Status: dataset.Labelled, Best: m, Lines: make([]dataset.Searched, 0, f.want)}
	for k := range f.whole {
		i := &f.whole[k]
		pv, err := playable(*pos, i.pv)
		if err != nil {
			return dataset.Label{}, fmt.Errorf("line of rank %d: %w", i.rank, err)
		}
		for _, other := range label.Lines {
			if other.PV[0] == pv[0] {
				return dataset.Label{}, fmt.Errorf("lines of rank %d and of an earlier one both start with %s", i.rank, pv[0])
			}
		}
		label.Lines = append(label.Lines, dataset.Searched{
			Score: i.score, WDL: i.wdl, Depth: i.depth, Nodes: i.nodes, PV: pv,
		})
	}
	return label, nil
}

// playable is the longest legal beginning of a variation. It is an error if
// there is none.
func playable(pos board.Position, pv []byte) ([]board.Move, error) {
	var moves []board.Move
	for w := (words{rest: pv}); w.next(); {
		m, err := pos.ParseUCI(string(w.word))
		if err != nil {
			if len(moves) == 0 {
				return nil, fmt.Errorf("first move %q: %w", w.word, err)
			}
			break
		}
		moves = append(moves, m)
		pos.Play(m)
	}
	return moves, nil
}
