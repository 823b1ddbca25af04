package match

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"talbot/internal/durable"
	"talbot/internal/output"
	"talbot/play/match/stats"
	"talbot/tablebase/syzygy"
)

// run is a match being played. It belongs to one goroutine at a time.
type run struct {
	*Match
	folder  *folder
	logs    []*EngineLog
	began   time.Time
	resumed int
	live    *tally // of all games, as they end
	pgn     pgnWriter
	written int // games that are in the PGN

	test   *tally // of the games before tested, in order; only with a sequential test
	tested int
	stop   int // games that count; the rest came too late for the test

	paged time.Time // when the page was written
}

// Run plays the match and returns what it gave. When drain ends no more game begins, and those under way are played to
// their end; when hard ends they are given up, to be played again. Either returns the result so far with the context's
// error.
//
// Errors: [ErrExists], [ErrOccupied], [ErrOther], [ErrDamaged], [durable.ErrLocked], those of files, a player that
// cannot be started, and tables or a judge that fail. Games that have ended are safe in any case. Existing decides
// whether an existing match is continued, left as it is or replaced: see [output.Existing.Resolve].
func (m *Match) Run(drain, hard context.Context) (Result, error) {
	var mu sync.Mutex
	warn := m.Warn
	m.Warn = func(err error) { // workers warn too
		mu.Lock()
		defer mu.Unlock()
		if warn != nil {
			warn(err)
		}
	}
	defer func() { m.Warn = warn }()
	distinguish(m.Entrants)
	if err := m.Check(); err != nil {
		return Result{}, err
	}
	final := m.Out
	at, err := m.Existing.Resolve(m.Out, m.inspect)
	if err != nil {
		return Result{}, err
	}
	defer func() { m.Out = final }()
	m.Out, m.Resume = at, m.Resume || m.Existing != output.Refuse
	result, err := m.run(drain, hard)
	if err == nil && m.Existing != output.Refuse {
		err = output.Swap(at)
	}
	return result, err
}

// run plays in Out.
func (m *Match) run(drain, hard context.Context) (Result, error) {
	r := &run{Match: m, began: time.Now(), stop: m.total(), live: newTally(len(m.Entrants)),
		test: newTally(len(m.Entrants))}
	var err error
	if r.folder, err = openFolder(m); err != nil {
		return Result{}, err
	}
	defer r.folder.close()
	for _, o := range r.outcomes() {
		if o != nil {
			r.resumed++
			r.live.add(*o)
		}
	}
	began := r.folder.journal.header.Began
	r.pgn = pgnWriter{entrants: m.Entrants, event: m.Event, date: began, rules: m.Rules.String()}
	for _, e := range m.Entrants {
		log, err := r.folder.log(e.Name, m.LogEngines)
		if err != nil {
			return Result{}, err
		}
		r.logs = append(r.logs, log)
	}
	err = r.advance()
	if err == nil && r.played() < r.stop {
		err = r.folder.outdate()
	}
	if err == nil {
		err = r.play(drain, hard)
	}
	if pageErr := r.writePage(); pageErr != nil {
		r.Warn(fmt.Errorf("writing the page of the match: %w", pageErr))
	}
	if finishErr := r.finish(); err == nil || finishErr != nil {
		err = errors.Join(err, finishErr)
	}
	if err == nil && r.played() < r.stop {
		err = context.Cause(drain)
	}
	result := r.result()
	if err != nil {
		return result, err
	}
	text, err := json.MarshalIndent(result, "", "  ")
	if err == nil {
		err = durable.WriteFile(r.folder.path(ResultFile), append(text, '\n'))
	}
	return result, err
}

// outcomes are those of the games by number; nil: not played.
func (r *run) outcomes() []*outcome { return r.folder.journal.outcomes }

// played returns how many of the games that count have ended.
func (r *run) played() (n int) {
	for _, o := range r.outcomes()[:r.stop] {
		if o != nil {
			n++
		}
	}
	return n
}

// advance continues the sequential test and the PGN with the games that have ended, in order and without gaps.
// That way both are the same however many games are played at the same time.
func (r *run) advance() error {
	for r.SPRT != nil && r.tested < r.stop && r.outcomes()[r.tested] != nil {
		r.test.add(*r.outcomes()[r.tested])
		r.tested++
		if r.tested%2 == 0 && r.SPRT.Decide(r.SPRT.LLR(r.test.counts.Pentanomial.Outcomes())) != stats.Undecided {
			r.stop = r.tested
		}
	}
	for r.written < r.stop && r.outcomes()[r.written] != nil {
		if err := r.writePGN(r.written); err != nil {
			return err
		}
		r.written++
	}
	return nil
}

func (r *run) writePGN(number int) error {
	game, err := r.folder.journal.game(r.folder.journal.file, number)
	if err != nil {
		return err
	}
	if err := r.pgn.write(r.folder.pgn, game); err != nil {
		return fmt.Errorf("writing %q: %w", r.folder.path(PGNFile), err)
	}
	return nil
}

// play plays the games that are missing, several at a time.
func (r *run) play(drain, hard context.Context) error {
	ctx, cancel := context.WithCancel(hard)
	defer cancel()
	var missing []int
	for number, o := range r.outcomes() {
		if o == nil {
			missing = append(missing, number)
		}
	}
	var tables *syzygy.Set // that decide games; nil: there are none
	if len(missing) > 0 && r.Rules.Tables != "" {
		set, verdict, err := syzygy.OpenIntact(ctx, r.Rules.Tables, r.Rules.TablesCheck)
		if err != nil {
			return err
		}
		tables = set
		defer func() {
			if err := set.Close(); err != nil {
				r.Warn(err)
			}
		}()
		for _, note := range verdict.Notes() {
			r.Warn(errors.New(note))
		}
	}
	var mu sync.Mutex // of the run
	var failed error
	next := func() (number int, more bool) {
		mu.Lock()
		defer mu.Unlock()
		if len(missing) == 0 || missing[0] >= r.stop || ctx.Err() != nil || drain.Err() != nil {
			return 0, false
		}
		number, missing = missing[0], missing[1:]
		return number, true
	}
	var workers sync.WaitGroup
	for seat := range min(r.Concurrency, len(missing)) {
		w := &worker{match: r.Match, logs: r.logs, seat: seat, set: tables, players: make([]Player, len(r.Entrants))}
		workers.Go(func() {
			defer w.close()
			for number, more := next(); more; number, more = next() {
				record, err := w.play(ctx, number)
				mu.Lock()
				if err == nil {
					err = r.recordGame(record)
				} else if ctx.Err() != nil {
					err = nil // given up
				}
				if failed = cmp.Or(failed, err); failed != nil || r.stop < len(r.outcomes()) {
					cancel()
				}
				mu.Unlock()
			}
		})
	}
	workers.Wait()
	if failed == nil && r.played() < r.stop && hard.Err() != nil {
		return context.Cause(hard)
	}
	return failed
}

// recordGame takes over a game that was played.
func (r *run) recordGame(game *Record) error {
	if err := r.folder.journal.append(game); err != nil {
		return err
	}
	r.live.add(*r.outcomes()[game.Number])
	if f := game.Fault; f != nil {
		r.Warn(fmt.Errorf("game %d: %s loses by %s: %s", game.Number+1, r.Entrants[f.Player].Name, f.Kind.Words(),
			f.Text))
	}
	if err := r.advance(); err != nil {
		return err
	}
	if r.Progress != nil {
		r.Progress(r.progress())
	}
	if time.Since(r.paged) >= pageEvery {
		if err := r.writePage(); err != nil {
			r.Warn(fmt.Errorf("writing the page of the match: %w", err))
		}
	}
	return nil
}

func (r *run) progress() Progress {
	p := Progress{Games: r.live.counts.Games, Total: len(r.outcomes()), Resumed: r.resumed, Figures: r.live.figures(),
		LLR: Number(math.NaN())}
	for _, kinds := range r.live.faults {
		for _, n := range kinds {
			p.Faults += int(n)
		}
	}
	if r.SPRT != nil {
		p.LLR = Number(r.SPRT.LLR(r.test.counts.Pentanomial.Outcomes()))
		p.LLRs[0], p.LLRs[1] = r.SPRT.Bounds()
	}
	return p
}

// finish completes the PGN with the games after a gap, if the match was interrupted.
func (r *run) finish() error {
	for number := r.written; number < r.stop; number++ {
		if r.outcomes()[number] != nil {
			if err := r.writePGN(number); err != nil {
				return err
			}
		}
	}
	for _, l := range r.logs {
		if err := l.Err(); err != nil {
			r.Warn(fmt.Errorf("writing the log of an engine: %w", err))
		}
	}
	return r.folder.finish()
}
