// Package readlines reads, in tests, all lines of a reader of another format.
package readlines

import (
	"errors"
	"io"
	"testing"

	"talbot/dataset"
)

// Item is a line, with its labels as those of fingerprint 0, or a reject.
type Item struct {
	Line   dataset.Line
	Engine string // of the labels
	Reject *dataset.Reject
}

// Reader is a reader of lines with labels.
type Reader interface {
	Next() (dataset.Line, dataset.Imported, error)
}

// Games reads everything that a file of that size has. Beyond what [All] checks each game and each reject must have the
// next number and a place of its own in the file.
func Games(t testing.TB, r Reader, size int) (lines []dataset.Line, rejects []*dataset.Reject) {
	t.Helper()
	items, err := All(t, r)
	if err != nil {
		t.Fatal(err)
	}
	for i, item := range items {
		l := item.Line
		if l.Number != int64(i+1) || l.Offset > int64(size) || i > 0 && l.Offset == items[i-1].Line.Offset {
			t.Fatalf("game %d at %d is the %dth", l.Number, l.Offset, i+1)
		}
		if item.Reject != nil {
			rejects = append(rejects, item.Reject)
		} else {
			lines = append(lines, l)
		}
	}
	return lines, rejects
}

// All reads everything. It fails unless every line is valid, numbers ascend and offsets do not descend. The error is
// what ended the reading; it is nil for io.EOF.
func All(t testing.TB, r Reader) (items []Item, err error) {
	t.Helper()
	number, offset := int64(0), int64(0)
	for {
		l, imported, err := r.Next()
		reject, rejected := errors.AsType[*dataset.Reject](err)
		switch {
		case rejected:
			l.Number, l.Offset = reject.Number, reject.Offset
		case err == io.EOF:
			return items, nil
		case err != nil:
			return items, err
		default:
			if len(imported.Labels) > 0 {
				l.Labels = []dataset.LabelColumn{{Labels: imported.Labels}}
			}
			if err := l.Check(); err != nil {
				t.Fatal(err)
			}
		}
		if l.Number <= number || l.Offset < offset {
			t.Fatalf("number %d at %d after %d at %d", l.Number, l.Offset, number, offset)
		}
		number, offset = l.Number, l.Offset
		items = append(items, Item{l, imported.Engine, reject})
	}
}
