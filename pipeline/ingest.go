package pipeline

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"talbot/dataset"
	"talbot/pgn"
)

// Ingest is the request to read games and puzzles into a dataset.
type Ingest struct {
	Inputs  []string // files, "-" = standard input
	Out     string   // folder
	Seed    uint64   // recorded; nothing is drawn yet
	Splits  dataset.Splits
	Workers int // 0 = all cores
	// KeepDuplicates keeps every copy of a game, and games that another begins with.
	KeepDuplicates bool
	Progress       func(Progress)                // may be nil
	Rejected       func(string, *dataset.Reject) // told of each game left out, with its file; may be nil
}

// ErrNoGames: an input holds no game at all.
var ErrNoGames = errors.New("no game or puzzle found")

// ingester is an ingest under way. Everything but the parsing of games happens
// in one goroutine, in the order of the inputs, so the output does not depend
// on the number of workers.
type ingester struct {
	Ingest
	out   *output
	seen  *gameSet                      // of kept lines
	bytes struct{ before, total int64 } // of the inputs, as stored
	first int64                         // bytes of the inputs done before this process
	kept  int64                         // before this process
	input *pgn.Input
}

// Run reads the inputs in order. A game that cannot be used is counted by
// reason and left out; an input that cannot be read to its end, or holds no
// game, ends the run. Repeated after an interruption it continues behind the
// last finished shard; the result is the same to the byte.
func (in Ingest) Run(ctx context.Context) (Summary, error) {
	start := time.Now()
	if in.Workers <= 0 {
		in.Workers = runtime.GOMAXPROCS(0)
	}
	if len(in.Inputs) == 0 {
		return Summary{}, errors.New("no inputs")
	}
	g := &ingester{Ingest: in, seen: &gameSet{}}
	identity, err := g.survey()
	if err != nil {
		return Summary{}, err
	}
	m := dataset.Manifest{Verb: "ingest", Seed: in.Seed, Splits: in.Splits}
	if in.KeepDuplicates {
		m.Flags = []dataset.Tag{{Name: "keep-duplicates", Value: "true"}}
	}
	if g.out, err = openOutput(in.Out, m, identity, in.Workers); err != nil {
		return Summary{}, err
	}
	defer g.out.close()
	if err := g.restore(); err != nil {
		return Summary{}, err
	}
	for i, path := range in.Inputs {
		if i < g.out.progress.Input {
			continue
		}
		if err := g.file(ctx, i, path); err != nil {
			return Summary{}, err
		}
	}
	if !in.KeepDuplicates {
		if err := g.dropPrefixes(ctx); err != nil {
			return Summary{}, err
		}
	}
	if err := g.out.finish(); err != nil {
		return Summary{}, err
	}
	return g.out.summary(start), nil
}

// surveyed is what identifies an input before it is read.
type surveyed struct {
	Name string
	Size int64
}

// survey opens every input, so that a wrong path or an empty file is found
// before any work.
func (g *ingester) survey() ([]surveyed, error) {
	var all []surveyed
	for _, path := range g.Inputs {
		if path == "-" {
			all = append(all, surveyed{"-", -1})
			continue
		}
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if !info.Mode().IsRegular() { // a pipe can be opened only once
			all = append(all, surveyed{filepath.Base(path), -1})
			continue
		}
		f, err := pgn.Open(path)
		if err != nil {
			return nil, err
		}
		kind, err := f.Kind()
		f.Close()
		if err != nil {
			return nil, err
		}
		if kind == pgn.KindUnknown {
			return nil, fmt.Errorf("%q: %w", path, ErrNoGames)
		}
		all = append(all, surveyed{filepath.Base(path), info.Size()})
		g.bytes.total += info.Size()
	}
	return all, nil
}

// restore brings back what an interrupted run knew.
func (g *ingester) restore() error {
	if !g.out.resumed {
		return nil
	}
	m := g.out.manifest()
	for _, input := range m.Inputs[:min(g.out.progress.Input, len(m.Inputs))] {
		g.bytes.before += input.Bytes
	}
	g.first, g.kept = g.bytes.before, m.Counts.GamesKept
	if g.KeepDuplicates {
		return nil
	}
	return g.out.lines(func(l *dataset.Line) error {
		g.seen.add(lineKey(l))
		return nil
	})
}

// file reads one input.
func (g *ingester) file(ctx context.Context, index int, path string) error {
	in, err := pgn.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	g.input = in
	kind, err := in.Kind()
	if err != nil {
		return err
	}
	done := int64(0) // games of this input that an interrupted run has done
	if index == g.out.progress.Input {
		done = g.out.progress.Number
	}
	read := int64(0)
	each := func(l *dataset.Line, reject *dataset.Reject) error {
		read++
		if reject != nil {
			g.reject(path, reject)
			g.out.progress.Number = reject.Number
			return nil
		}
		l.Input = index
		return g.line(path, index, l)
	}
	g.out.progress.Input, g.out.progress.Number = index, done
	switch kind {
	case pgn.KindPuzzles:
		err = g.puzzles(ctx, in, done, each)
	case pgn.KindGames:
		err = g.games(ctx, in, done, each)
	default:
		err = fmt.Errorf("%q: %w", path, ErrNoGames)
	}
	if err != nil {
		return err
	}
	if done+read == 0 {
		return fmt.Errorf("%q: %w", path, ErrNoGames)
	}
	sum, err := in.Sum()
	if err != nil {
		return err
	}
	m := g.out.manifest()
	name := filepath.Base(path)
	if path == "-" {
		name = "-"
	}
	m.Inputs = append(m.Inputs, dataset.Input{
		Name: name, Bytes: in.RawRead(), SHA256: hex.EncodeToString(sum[:]), Games: done + read,
	})
	g.bytes.before += in.RawRead()
	g.out.progress.Input, g.out.progress.Number = index+1, 0
	return nil
}

func (g *ingester) reject(path string, reject *dataset.Reject) {
	c := &g.out.manifest().Counts
	c.GamesRead++
	c.Rejects[reject.Reason]++
	if g.Rejected != nil {
		g.Rejected(path, reject)
	}
}

// line takes one good line in order.
func (g *ingester) line(path string, index int, l *dataset.Line) error {
	if !g.KeepDuplicates {
		if !g.seen.add(lineKey(l)) {
			g.reject(path, &dataset.Reject{Reason: Duplicate, Number: l.Number, Offset: l.Offset})
			g.out.progress.Number = l.Number
			return nil
		}
	}
	if err := g.out.write(l); err != nil {
		return err
	}
	g.out.progress.Number = l.Number
	if g.out.full() {
		return g.out.endShard()
	}
	return nil
}

func (g *ingester) report() {
	if g.Progress == nil {
		return
	}
	c := g.out.manifest().Counts
	p := Progress{
		Verb: "ingest", Unit: "games", Count: c.GamesKept, Rate: c.GamesKept - g.kept, First: g.first,
		Done: g.bytes.before + g.input.RawRead(), Total: g.bytes.total,
	}
	if n := c.GamesRead - c.GamesKept; n > 0 {
		p.Note = fmt.Sprintf("%d left out", n)
	}
	g.Progress(p)
}

// puzzles reads a CSV file in this goroutine.
func (g *ingester) puzzles(ctx context.Context, in io.Reader, done int64, each func(*dataset.Line, *dataset.Reject) error) error {
	r := dataset.NewPuzzleReader(in)
	for n := 0; ; n++ {
		l, err := r.Next()
		var reject *dataset.Reject
		switch {
		case err == io.EOF:
			return nil
		case errors.As(err, &reject):
			if reject.Number > done {
				err = each(nil, reject)
			} else {
				err = nil
			}
		case err == nil && l.Number > done:
			err = each(&l, nil)
		}
		if err != nil {
			return err
		}
		if n%1024 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			g.report()
		}
	}
}
