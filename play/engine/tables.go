package engine

import (
	"context"
	"errors"
	"time"

	"talbot/board"
	"talbot/play/mcts"
	"talbot/stockfish"
	"talbot/tablebase/syzygy"
)

const (
	probeTimeout = time.Second // of one query, after which the tables are given up
	maxAnswers   = 1 << 20     // that are kept, 24 bytes each and the map's own
)

// answer is the cached result of a position.
type answer struct {
	mcts.Ending
	known bool
}

// TableProber implements [mcts.Prober]. It belongs to one goroutine at a time.
type TableProber struct {
	set     *syzygy.Set
	notes   []string
	tables  *stockfish.Tables
	answers map[uint64]answer
	err     error
}

// OpenTables starts Stockfish, the executable of a configuration, and has it read the tables in a folder, or in several
// separated as in PATH, without those that a check finds to be damaged.
func OpenTables(ctx context.Context, engine stockfish.Config, path string, check syzygy.Check) (*TableProber, error) {
	set, verdict, err := syzygy.OpenIntact(ctx, path, check)
	if err != nil {
		return nil, err
	}
	t, err := stockfish.OpenTables(ctx, engine, set)
	if err != nil {
		return nil, errors.Join(err, set.Close())
	}
	return &TableProber{set: set, tables: t, notes: verdict.Notes(), answers: map[uint64]answer{}}, nil
}

// Pieces is the largest number of pieces that the tables know, kings included.
func (p *TableProber) Pieces() int { return p.tables.Pieces() }

// Probe returns the result of a position from a halfmove clock of 0.
func (p *TableProber) Probe(pos *board.Position) (mcts.Ending, bool) {
	key := pos.Key()
	a, asked := p.answers[key]
	if asked || p.err != nil {
		return a.Ending, a.known
	}
	ctx, cancel := context.WithTimeout(context.Background(), probeTimeout)
	defer cancel()
	var wdl int
	if wdl, a.DTZ, a.known, p.err = p.tables.Lookup(ctx, pos); p.err != nil {
		return mcts.Ending{}, false
	}
	a.WDL = mcts.WDL(wdl)
	if len(p.answers) >= maxAnswers {
		clear(p.answers)
	}
	p.answers[key] = a
	return a.Ending, a.known
}

// Err returns why nothing is answered any more; nil: all is well.
func (p *TableProber) Err() error { return p.err }

// Notes says which tables are not used because they are damaged, and which are used although they were not read, a line
// each.
func (p *TableProber) Notes() []string { return p.notes }

// Close ends the process. Nothing is to be asked any more.
func (p *TableProber) Close() error { return errors.Join(p.tables.Close(), p.set.Close()) }
