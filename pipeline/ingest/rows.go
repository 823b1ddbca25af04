package ingest

import (
	"context"
	"errors"
	"io"

	"talbot/dataset"
	"talbot/rows"
)

// puzzles, epd and table return what hands out the next row of an input: a line or a reject, io.EOF at the end.
func (g *ingester) puzzles(in io.Reader) func() (found, error) {
	r := rows.NewPuzzleReader(in)
	return func() (found, error) {
		l, err := r.Next()
		return g.row(l, err)
	}
}

func (g *ingester) epd(in io.Reader) func() (found, error) {
	r := rows.NewEPDReader(in)
	return func() (found, error) {
		l, err := r.Next()
		f, err := g.row(l, err)
		f.glued = r.Glued()
		return f, err
	}
}

func (g *ingester) table(in io.Reader) func() (found, error) {
	r := rows.NewTableReader(in, g.Tables)
	g.evaluations = r
	return g.evaluated(r.Next)
}

// evalLines is table for lines of JSON.
func (g *ingester) evalLines(in io.Reader) func() (found, error) {
	r := rows.NewEvalLineReader(in)
	g.evaluations = r
	return g.evaluated(r.Next)
}

// evaluated returns what hands out the next position of a reader with its evaluations.
func (g *ingester) evaluated(next func() (dataset.Line, dataset.Imported, error)) func() (found, error) {
	return func() (found, error) {
		l, imported, err := next()
		f, err := g.row(l, err)
		if err == nil && f.reject == nil {
			f.imported = []dataset.Imported{imported}
			if imported.Labels[0].Status == dataset.Labelled {
				f.evals.Imported = 1
			} else {
				f.evals.NoSample = 1
			}
		}
		return f, err
	}
}

// row filters what a reader of rows gave.
func (g *ingester) row(l dataset.Line, err error) (f found, _ error) {
	if err != nil {
		if errors.As(err, &f.reject) {
			return f, nil
		}
		return f, err
	}
	f.line = &l
	if g.Filters.active() {
		g.Filters.choose(&f)
	}
	return f, nil
}

// rows reads an input of rows in this goroutine and hands out those behind number done.
func (g *ingester) rows(ctx context.Context, next func() (found, error), done int64, each func(*found) error) error {
	for n := 0; ; n++ {
		f, err := next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if f.number() > done {
			if err := each(&f); err != nil {
				return err
			}
		}
		if n%1024 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			g.report()
		}
	}
}

// number returns the number of the game or row.
func (f *found) number() int64 {
	if f.reject != nil {
		return f.reject.Number
	}
	return f.line.Number
}
