package ingest

import (
	"context"
	"errors"
	"io"

	"talbot/dataset"
)

// next returns the next row of an input, filtered: a line or a reject, io.EOF at the end.
func (g *ingester) next(r Reader) (f entry, _ error) {
	l, imported, err := r.Next()
	if err != nil {
		if errors.As(err, &f.reject) {
			err = nil
		}
		return f, err
	}
	f.line, f.scores = &l, scoresOf(r)
	if g.filtering {
		g.Filters.choose(&f, false)
	}
	if f.reject != nil || len(imported.Labels) == 0 {
		return f, nil
	}
	f.imported = []dataset.Imported{imported}
	for _, label := range imported.Labels {
		switch label.Status {
		case dataset.Labelled:
			f.evals.Imported++
		case dataset.Failed: // beyond any score
			f.evals.Unread++
		case dataset.Terminal:
			f.evals.NoSample++
		}
	}
	return f, nil
}

// rows reads an input in this goroutine and hands out the rows after number done.
func (g *ingester) rows(ctx context.Context, r Reader, done int64, each func(*entry) error) error {
	for n := 0; ; n++ {
		f, err := g.next(r)
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
func (f *entry) number() int64 {
	if f.reject != nil {
		return f.reject.Number
	}
	return f.line.Number
}

// offset returns where the game or row begins.
func (f *entry) offset() int64 {
	if f.reject != nil {
		return f.reject.Offset
	}
	return f.line.Offset
}
