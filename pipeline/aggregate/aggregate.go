// Package aggregate counts which moves were played in each position, by the rating of the side to move.
//
// [Request] reads datasets of games and writes a dataset of positions: a line for each position and rating band, whose
// policy is how often each move was played. What does not fit into memory is sorted on disk, in files beside the
// shards:
//
//  1. All lines are read once, and a table of small counters ([sieve]) finds which positions may have been seen often
//     enough. It may take a rare position for a frequent one, but never the other way round.
//  2. All lines are read again. The moves played in those positions are sorted and counted, a few million plies at a
//     time, into files of [partitions] sections.
//  3. Each section is gathered from all files. Here positions are compared in full, so that two are never mistaken for
//     one, and those that were seen often enough become lines.
//
// An interrupted command resumes after the last file of the second pass or the last shard of the third; only the first
// pass is repeated, if the second was not finished. The result does not depend on the number of workers.
//
// The workers end before Run returns.
package aggregate

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"time"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/fault"
	"talbot/internal/humanize"
	"talbot/internal/ordered"
	"talbot/internal/output"
	"talbot/internal/progress"
	"talbot/shards"
)

// Presets are named sets of filters.
var Presets = map[string]func(*dataset.Filter){
	"prior": func(f *dataset.Filter) { f.MinBaseTime, f.DropUnknownElo = 3*time.Minute, true },
}

// Request counts the moves that were played in each position of games.
type Request struct {
	output.Job
	In    []string // folders of datasets
	Bands Bands
	// MinCount is how many moves a position must have been seen with, over all bands, and MinBand how many of a band.
	MinCount, MinBand int
	Filter            dataset.Filter // of games
	MinClock          time.Duration  // that the mover must have left before a move; moves without a clock count
	GamesOf           *dataset.Split // games of that split of their dataset; nil: all
	Splits            dataset.Splits // of the positions
	Workers           int            // 0 = all cores
}

// Summary is what aggregate reports. Games and rejects are lines of the input; positions, samples and bytes are of the
// dataset that was made.
type Summary struct {
	output.Summary
	Unique    int64          `json:"unique"`           // positions × bands: the samples
	Different int64          `json:"unique_positions"` // different positions among them
	Moves     int64          `json:"moves"`            // played in them
	Bands     []dataset.Band `json:"bands"`
	Temporary int64          `json:"temporary_bytes"` // of the files that were sorted on disk
}

var (
	// ErrNothingKept: no position was seen often enough.
	ErrNothingKept = errors.New("no position was seen often enough")
	// ErrTwice: a dataset was given more than once, so that its games would count twice.
	ErrTwice = fault.New(fault.ExitUsage, "the dataset is given twice", "give each dataset once")
	// ErrSplits: only games of one split count, but they were split by other percentages than the positions.
	ErrSplits = fault.New(fault.ExitUsage, "the games are split by other percentages than --split",
		"give --split the percentages of the games, as `talbot stats` has them; otherwise moves of games that are to "+
			"be held out would count")
)

// state is what progress.json keeps of an aggregation.
type state struct {
	Chunks    int            `json:"chunks"` // sorted
	Parts     int            `json:"parts"`  // merged
	Games     counts         `json:"games"`
	Bands     []dataset.Band `json:"bands"`
	Rare      dataset.Drops  `json:"rare"`
	Different int64          `json:"different"`
	Temporary int64          `json:"temporary"`
}

// aggregation is an aggregation under way.
type aggregation struct {
	Request
	games     gameReader
	bands     []dataset.Band
	chunks    [][]setBlock
	positions int64 // in all chunks
	out       *output.Folder
	state     state
	workers   []worker
	runs      []*run
	first     int64 // units of work that were done before
}

// chunkSize is how many positions are sorted together, and sieveCounters the most counters of the sieve; tests
// make them small.
var (
	chunkSize     int64  = chunkPositions
	sieveCounters uint64 = maxCounters
)

// GCPercent is a setting of the garbage collector (GOGC) that keeps a process close to the memory that [Request.Run]
// states.
const GCPercent = 35

// Run counts. Memory is up to 256 MiB for the [sieve], what a worker sorts (up to 50 MB, some 15 MB with the usual
// minimum counts), and what a partition holds, a 1024th of all that was sorted, for each worker. The errors:
// [ErrNothingKept], [ErrTwice], [ErrSplits], those of [shards.OpenDataset] and [output.Open], and
// [dataset.ErrDamaged], also for moves that are illegal.
func (r Request) Run(ctx context.Context) (Summary, error) {
	start := time.Now()
	if err := r.check(); err != nil {
		return Summary{}, err
	}
	if r.Workers <= 0 {
		r.Workers = runtime.GOMAXPROCS(0)
	}
	bands := r.Bands.list()
	a := &aggregation{Request: r, bands: bands,
		games: gameReader{filter: r.Filter, minClock: r.MinClock, bands: bands, split: r.GamesOf}}
	defer a.close()
	if err := a.open(); err != nil {
		return Summary{}, err
	}
	for range r.Workers {
		c, err := newCoder()
		if err != nil {
			return Summary{}, err
		}
		a.workers = append(a.workers, worker{coder: c})
	}
	if err := a.work(ctx); err != nil {
		return Summary{}, a.out.Explain(err)
	}
	return a.finish(start)
}

func (r *Request) check() error {
	if r.MinCount < 1 || r.MinBand < 1 {
		return fmt.Errorf("minimum counts must be at least 1: %d and %d", r.MinCount, r.MinBand)
	}
	if err := r.Bands.Check(); err != nil {
		return err
	}
	return r.Filter.Check()
}

// parents opens the datasets.
func (a *aggregation) parents() (list []dataset.Parent, err error) {
	columns := shards.Ratings
	if len(a.Filter.Flags()) > 0 {
		columns |= shards.Tags
	}
	if a.MinClock > 0 {
		columns |= shards.Clocks
	}
	for _, dir := range a.In {
		d, err := shards.OpenDataset(dir, columns)
		if err != nil {
			return nil, err
		}
		a.games.sets = append(a.games.sets, d)
		if a.GamesOf != nil && d.Manifest.Splits != a.Splits {
			return nil, fmt.Errorf("%q: %w: %s and %s", dir, ErrSplits, d.Manifest.Splits, a.Splits)
		}
		p := d.Manifest.Parent(dir)
		if slices.ContainsFunc(list, func(q dataset.Parent) bool { return p.Manifest == q.Manifest }) {
			return nil, fmt.Errorf("%q: %w", dir, ErrTwice)
		}
		list = append(list, p)
		if err := output.CheckApart(dir, a.Out); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// open opens the datasets and the folder.
func (a *aggregation) open() error {
	parents, err := a.parents()
	if err != nil {
		return err
	}
	a.chunks, a.positions = a.games.chunks(chunkSize)
	a.state = state{Games: newCounts(), Bands: slices.Clone(a.bands), Rare: dataset.Drops{}}
	identity := struct { // a program that cuts other parts cannot go on with these
		Parents    []dataset.Parent
		Positions  int64
		Partitions int
	}{parents, chunkSize, partitions}
	a.out, err = output.Open(dataset.Manifest{
		Verb: "aggregate", Splits: a.Splits, Flags: a.flags(), Parents: parents,
		Inputs: []dataset.Input{{Name: "positions"}},
	}, identity, output.Options{Job: a.Job, Workers: a.Workers, State: &a.state, SideFile: a.sideFile})
	return err
}

// sideFile says which files are runs, and which of them are whole.
func (a *aggregation) sideFile(name string, _ int) (own, wanted bool) {
	number := runNumber(name)
	return isOwnFile(name), number >= 0 && number < a.state.Chunks
}

func (a *aggregation) close() {
	for _, d := range a.games.sets {
		d.Close()
	}
	for _, w := range a.workers {
		w.close()
	}
	if a.out != nil {
		a.out.Close()
	}
}

// flags returns what decides the content, as the manifest has it.
func (r *Request) flags() dataset.Flags {
	flags := r.Filter.Flags()
	flags.Add(true, "bands", r.Bands.String())
	flags.Add(true, "min-count", strconv.Itoa(r.MinCount))
	flags.Add(true, "min-band", strconv.Itoa(r.MinBand))
	flags.Add(r.MinClock > 0, "min-clock", r.MinClock.String())
	if r.GamesOf != nil {
		flags.Add(true, "games-of", r.GamesOf.String())
	}
	return flags
}

// work goes through the three passes.
func (a *aggregation) work(ctx context.Context) error {
	if a.state.Chunks == len(a.chunks) {
		a.first = 2*a.positions + a.mergedPositions()
	} else {
		s, err := a.count(ctx)
		if err != nil {
			return err
		}
		if err := a.sort(ctx, s); err != nil {
			return err
		}
	}
	return a.merge(ctx)
}

// mergedPositions is the share of the last pass that is done, in positions.
func (a *aggregation) mergedPositions() int64 { return a.positions * int64(a.state.Parts) / partitions }

// report reports the progress: done counts the positions of all three passes.
func (a *aggregation) report(note string, done int64) {
	a.Report(progress.Progress{Verb: "aggregate", Unit: "positions", Note: note, Done: done, First: a.first,
		Total: 3 * a.positions, Count: done, Rate: done - a.first})
}

// each calls work with the chunks from number from on, and use with its results, in their order. before is the work
// done before the first chunk.
func (a *aggregation) each(ctx context.Context, from int, note string, before int64,
	work func(w *worker, number int, c *counts) error, use func(*counts) error) error {
	done := from
	for c, err := range ordered.N(ctx, len(a.chunks)-from, a.Workers, func(n, i int) (*counts, error) {
		c := newCounts()
		return &c, work(&a.workers[n], from+i, &c)
	}) {
		if err == nil {
			err = use(c)
		}
		if err != nil {
			return err
		}
		done++
		a.report(note, before+a.positions*int64(done)/int64(len(a.chunks)))
	}
	return nil
}

// worker is what a goroutine keeps.
type worker struct {
	*coder
	lines   []dataset.Line
	keys    []uint64 // of the positions of a block
	records []record
}

// count makes the sieve; nil if all positions are wanted.
func (a *aggregation) count(ctx context.Context) (*sieve, error) {
	s := newSieve(a.positions, max(a.MinCount, a.MinBand), sieveCounters)
	if s == nil {
		a.first = a.positions
		return nil, nil
	}
	return s, a.each(ctx, 0, "counting", 0, func(w *worker, number int, c *counts) error {
		for _, at := range a.chunks[number] {
			w.keys = w.keys[:0]
			if err := a.games.block(at, &w.lines, c, func(p *board.Position, _ board.Move, _ int) {
				w.keys = append(w.keys, keyOf(p))
			}); err != nil {
				return err
			}
			s.add(w.keys)
		}
		return ctx.Err()
	}, func(*counts) error { return nil })
}

// sort writes the runs that are not yet written.
func (a *aggregation) sort(ctx context.Context, s *sieve) error {
	sizes := make([]int64, len(a.chunks))
	return a.each(ctx, a.state.Chunks, "sorting", a.positions, func(w *worker, number int, c *counts) (err error) {
		w.records = w.records[:0]
		for _, at := range a.chunks[number] {
			kept := len(w.records)
			w.keys = w.keys[:0]
			if err := a.games.block(at, &w.lines, c, func(p *board.Position, m board.Move, band int) {
				key := keyOf(p)
				w.keys = append(w.keys, key)
				w.records = append(w.records, record{position: pack(p), part: uint16(key >> partitionShift), move: m,
					band: uint8(band), count: 1})
			}); err != nil {
				return err
			}
			for i, r := range w.records[kept:] {
				if s.mayBeFrequent(w.keys[i]) {
					w.records[kept] = r
					kept++
				}
			}
			w.records = w.records[:kept]
		}
		sortRecords(w.records)
		sizes[number], err = w.write(a.out.Path(runName(number)), mergeEqual(w.records))
		return errors.Join(err, ctx.Err())
	}, func(c *counts) error {
		a.state.Games.add(c)
		a.state.Temporary += sizes[a.state.Chunks]
		a.state.Chunks++
		return a.out.Mark()
	})
}

// merge makes lines of the partitions that are not yet merged.
func (a *aggregation) merge(ctx context.Context) error {
	for i := range a.chunks {
		r, err := openRun(a.out.Path(runName(i)))
		if err != nil {
			return fmt.Errorf("%w: %w", output.ErrUnfinished, err)
		}
		a.runs = append(a.runs, r)
	}
	from := a.state.Parts
	for m, err := range ordered.N(ctx, partitions-from, a.Workers, func(worker, i int) (*merged, error) {
		return a.workers[worker].merge(a, from+i)
	}) {
		if err != nil {
			if errors.Is(err, dataset.ErrDamaged) {
				err = fmt.Errorf("%w: %w", output.ErrUnfinished, err)
			}
			return err
		}
		if err := a.write(m); err != nil {
			return err
		}
		a.report("merging", 2*a.positions+a.mergedPositions())
	}
	return nil
}

// write writes the lines of the next partition.
func (a *aggregation) write(m *merged) error {
	c := &a.out.Manifest().Counts
	for i := range m.lines {
		m.lines[i].Number = c.GamesKept + 1
		if err := a.out.Write(&m.lines[i]); err != nil {
			return err
		}
	}
	for i := range m.bands {
		a.state.Bands[i].Samples += m.bands[i].Samples
		a.state.Bands[i].Moves += m.bands[i].Moves
	}
	a.state.Rare = a.state.Rare.Add(m.rare)
	a.state.Different += m.positions
	a.state.Parts++
	if a.out.Full() {
		return a.out.EndShard()
	}
	return nil
}

// finish writes the manifest.
func (a *aggregation) finish(start time.Time) (Summary, error) {
	figures := a.figures()
	c := &a.out.Manifest().Counts
	if c.GamesKept == 0 {
		err := fmt.Errorf("%w: %s counted in %s, at least %d needed in a position and %d in a band "+
			"(lines left out: %s; moves left out: %s)", ErrNothingKept, humanize.Count(a.state.Games.Moves, "move"),
			humanize.Count(figures.GamesRead, "line"), a.MinCount, a.MinBand, humanize.Reasons(figures.Rejects),
			humanize.Reasons(figures.MovesDropped))
		return Summary{}, errors.Join(err, a.out.Discard())
	}
	input := &a.out.Manifest().Inputs[0]
	input.Games, input.Aggregate = c.GamesKept, figures
	if err := a.out.Finish(nil); err != nil {
		return Summary{}, err
	}
	sum := Summary{Summary: a.out.Summary(start), Unique: c.Samples, Different: a.state.Different,
		Moves: figures.Moves, Bands: figures.Bands, Temporary: a.state.Temporary}
	sum.GamesRead, sum.GamesKept, sum.Rejects = figures.GamesRead, figures.GamesUsed, figures.Rejects
	sum.SamplesDropped = figures.MovesDropped
	return sum, nil
}

// figures returns what the manifest says of the games.
func (a *aggregation) figures() *dataset.Aggregate {
	g := &a.state.Games
	f := &dataset.Aggregate{GamesRead: g.Read, GamesUsed: g.Read, Rejects: g.Rejects, Bands: a.state.Bands,
		MovesDropped: dataset.Drops{}.Add(g.Dropped)}
	for _, n := range g.Rejects {
		f.GamesUsed -= n
	}
	for _, b := range f.Bands {
		f.Moves += b.Moves
	}
	if n := a.state.Rare[RareBand]; n > 0 {
		f.MovesDropped[RareBand] = n
	}
	if n := g.Moves - f.Moves - a.state.Rare[RareBand]; n > 0 {
		f.MovesDropped[RarePosition] = n // the sieve dropped most of them
	}
	return f
}
