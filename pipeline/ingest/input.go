package ingest

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"

	"talbot/board"
	"talbot/dataset"
	"talbot/formats/rows"
	"talbot/internal/cache"
	"talbot/internal/progress"
	"talbot/synth"
)

// file reads one input, or leaves it out.
func (g *ingester) file(ctx context.Context, index int, path string) error {
	if index != g.state.Input {
		g.state.Input, g.state.Number, g.state.Read, g.state.Comments = index, 0, 0, nil
	}
	if g.state.Number == 0 { // otherwise an interrupted run has begun it
		g.beginInput()
	}
	stamp, stamped := cache.StampOf(path)
	in, err := open(path)
	if err == nil {
		defer in.Close()
		err = g.read(ctx, in, index, path)
	}
	if inputs := g.out.Manifest().Inputs; err == nil && stamped && index < len(inputs) && inputs[index].SHA256 != "" {
		g.Cache.PutSum(path, stamp, inputs[index].SHA256)
	}
	if fault, _ := inputFault(err); g.SkipBadFiles && !g.outputFailed && fault != "" {
		return g.leaveOut(index, path, in, fault, err)
	}
	return err
}

// read reads an input that is open.
func (g *ingester) read(ctx context.Context, in *rows.Input, index int, path string) error {
	g.input, g.evaluations, g.comments = in, nil, commentScores{}
	kind, err := kindOf(in)
	if err != nil {
		return err
	}
	if _, _, ok := in.Direct(); kind.OpenAt != nil && !ok {
		g.Warning(fmt.Errorf("%q is copied to a temporary file first: Parquet is read from its end", path))
	}
	r, err := kind.reader(in, g.Stated, g.out.Path(spoolName))
	if err != nil {
		return fmt.Errorf("%q: %w", path, err)
	}
	each := func(f *entry) error {
		offset := f.offset()
		err := g.add(path, index, f)
		if g.outputFailed = err != nil; err == nil && g.Beginning > 0 && ReadUpTo(r, offset, in.Size()) >= g.Beginning {
			return errBeginning
		}
		return err
	}
	g.reader = r
	defer func() { g.reader = nil }()
	if text, ok := r.(*gameReader); ok {
		err = g.games(ctx, text.batches, g.state.Number, each)
	} else {
		g.evaluations, _ = r.(evaluationReader)
		err = g.rows(ctx, r, g.state.Number, each)
	}
	if _, unnamed := inputFault(err); unnamed {
		err = fmt.Errorf("%q: %w", path, err)
	}
	if err != nil && err != errBeginning {
		return err
	}
	input := dataset.Input{Name: inputName(path), Games: g.state.Read}
	if input.Games == 0 {
		return fmt.Errorf("%q: %w", path, ErrNoGames)
	}
	if err == nil {
		sum, err := in.Sum()
		if err != nil {
			return err
		}
		input.SHA256 = hex.EncodeToString(sum[:])
	}
	input.Bytes, input.Table = in.RawRead(), g.state.Comments
	if g.evaluations != nil {
		table := g.evaluations.Table()
		input.Table = &table
	}
	m := g.out.Manifest()
	m.Inputs = append(m.Inputs, input)
	g.endInput(index, input.Bytes)
	return nil
}

// errBeginning: the beginning of an input was read, and no more was asked for.
var errBeginning = errors.New("the beginning was read")

// drafting reports whether the shards get a last pass, in which lines can be dropped.
func (in *Request) drafting() bool { return !in.KeepDuplicates || in.SkipBadFiles }

// reject counts and reports what was left out.
func (g *ingester) reject(path string, f *entry) {
	reject := f.reject
	c := &g.out.Manifest().Counts
	c.GamesRead++
	c.Rejects[reject.Reason]++
	if reject.Reason == dataset.Duplicate {
		g.rejects.addCopy(path, reject, withGoal(f.line.GameKey(), f.line))
	} else {
		g.rejects.add(path, reject)
	}
	if g.Rejected != nil {
		g.Rejected(path, reject)
	}
}

// add takes one game or row in order.
func (g *ingester) add(path string, index int, f *entry) error {
	p := &g.state
	c := &g.out.Manifest().Counts
	p.Number = f.number()
	p.Read++
	if f.scores != nil {
		if p.Scores == nil {
			p.Scores = &Scores{}
		}
		p.Scores.add(f.scores)
	}
	if f.line != nil && f.line.LeftRights {
		p.LeftRights++
	}
	if f.line != nil && f.line.LeftPast {
		p.LeftPast++
	}
	if f.reject == nil && !g.KeepDuplicates && !g.seen.Add(withGoal(f.line.GameKey(), f.line)) {
		f.reject = &dataset.Reject{Reason: dataset.Duplicate, Number: f.line.Number, Offset: f.line.Offset}
		f.evals, f.drops = Evals{Duplicate: f.evals.total()}, nil
	}
	c.SamplesDropped = c.SamplesDropped.Add(f.drops)
	p.Evals.add(f.evals)
	c.ResultConflicts.Add(f.conflict.Movetext, f.conflict.Board)
	if f.conflict.Moves {
		c.MoveConflicts++
	}
	if f.reject != nil {
		g.reject(path, f)
		return nil
	}
	if g.History > 0 && f.line.Source != dataset.SourceGame {
		if err := g.reconstruct(f.line); err != nil {
			return err
		}
	}
	f.line.Input = index
	g.attach(f.line, f.imported)
	if err := g.out.Write(f.line); err != nil {
		return err
	}
	if g.out.Full() {
		return g.out.EndShard()
	}
	return nil
}

// MaxHistory is the longest history that ingest reconstructs, in plies.
const MaxHistory = 16

// reconstruct puts a history in front of a line, which depends on the seed and the line alone. If there is none the
// line stays as it is.
func (g *ingester) reconstruct(l *dataset.Line) (err error) {
	if g.past == nil {
		if g.past, err = synth.NewReconstructor(synth.DefaultPast); err != nil {
			return err
		}
	}
	hash := l.GameHash()
	rng := rand.New(rand.NewPCG(g.Seed, binary.LittleEndian.Uint64(hash[:])))
	moves := make([]board.Move, g.History)
	if start, ok := g.past.Reconstruct(rng, l.Start, moves); ok {
		l.Prepend(start, moves)
	} else {
		g.state.NoHistory++
	}
	return nil
}

func (g *ingester) report() {
	c := g.out.Manifest().Counts
	p := progress.Progress{
		Verb: "ingest", Unit: "games", Count: c.GamesKept, Rate: c.GamesKept - g.keptBefore, First: g.bytesBefore,
		Done: g.bytes.before + ReadUpTo(g.reader, g.input.RawRead(), g.input.Size()), Total: g.bytes.total,
	}
	if n := c.GamesRead - c.GamesKept; n > 0 {
		p.Note = fmt.Sprintf("%d left out", n)
	}
	g.Report(p)
}
