package engine

import (
	"context"
	"errors"
	"sync"

	"talbot/board"
	"talbot/play/mcts"
	"talbot/stockfish"
	"talbot/tablebase/syzygy"
)

const (
	waiting = 1024    // questions that wait at most; more are forgotten, and asked again
	kept    = 1 << 20 // answers that are kept at most, 24 bytes each and the map's own
)

// answer is the cached result of a position.
type answer struct {
	mcts.Ending
	known bool
}

// TableProber implements [mcts.Prober]. Probe belongs to one goroutine, Close to its owner at that time.
type TableProber struct {
	set       *syzygy.Set
	notes     []string
	tables    *stockfish.Tables
	questions chan board.Position
	cancel    context.CancelFunc
	ended     chan struct{}

	mu      sync.Mutex
	answers map[uint64]answer
	asked   map[uint64]bool
	err     error
}

// Open starts Stockfish, the executable of a configuration, and has it read the tables in a folder, or in several
// separated as in PATH, without those that a check finds to be damaged. It starts a goroutine, which Close ends.
func OpenTables(ctx context.Context, engine stockfish.Config, path string, check syzygy.Check) (*TableProber, error) {
	set, verdict, err := syzygy.OpenIntact(ctx, path, check)
	if err != nil {
		return nil, err
	}
	t, err := stockfish.OpenTables(ctx, engine, set)
	if err != nil {
		return nil, errors.Join(err, set.Close())
	}
	ctx, cancel := context.WithCancel(ctx)
	p := &TableProber{set: set, tables: t, notes: verdict.Notes(),
		questions: make(chan board.Position, waiting), cancel: cancel, ended: make(chan struct{}),
		answers: map[uint64]answer{}, asked: map[uint64]bool{}}
	go p.ask(ctx)
	return p, nil
}

// Pieces is the largest number of pieces that the tables know, kings included.
func (p *TableProber) Pieces() int { return p.tables.Pieces() }

// Probe returns the result of a position from a halfmove clock of 0, if it has been found out.
func (p *TableProber) Probe(pos *board.Position) (mcts.Ending, bool) {
	key := pos.Key()
	p.mu.Lock()
	defer p.mu.Unlock()
	if a, ok := p.answers[key]; ok {
		return a.Ending, a.known
	}
	if !p.asked[key] && p.err == nil {
		select {
		case p.questions <- *pos:
			p.asked[key] = true
		default:
		}
	}
	return mcts.Ending{}, false
}

// Busy implements [mcts.Prober].
func (p *TableProber) Busy() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.asked) > 0 && p.err == nil
}

// Err returns why nothing is answered any more; nil: all is well.
func (p *TableProber) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// Notes says which tables are not used because they are damaged, and which are used although they were not read, a line
// each.
func (p *TableProber) Notes() []string { return p.notes }

// Close ends the process. Nothing is to be asked any more.
func (p *TableProber) Close() error {
	p.cancel()
	<-p.ended
	return errors.Join(p.tables.Close(), p.set.Close())
}

// ask answers questions until ctx ends.
func (p *TableProber) ask(ctx context.Context) {
	defer close(p.ended)
	for {
		select {
		case <-ctx.Done():
			return
		case pos := <-p.questions:
			wdl, dtz, known, err := p.tables.Lookup(ctx, &pos)
			p.mu.Lock()
			delete(p.asked, pos.Key())
			if err != nil {
				p.err = err
			} else {
				if len(p.answers) >= kept {
					clear(p.answers)
				}
				p.answers[pos.Key()] = answer{mcts.Ending{WDL: mcts.WDL(wdl), DTZ: dtz}, known}
			}
			p.mu.Unlock()
			if err != nil {
				return
			}
		}
	}
}
