package parquet

import (
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
)

// maxList is how many elements of a list are read.
const maxList = 1024

// damage is the rest of a row group that is not read.
type damage struct {
	group  int   // 1-based
	row    int64 // the first row that is lost, 1-based in the file
	lost   int64 // rows
	offset int64 // where the group's first column that is read begins in the file
	err    error
}

func (d *damage) Error() string {
	return fmt.Sprintf("row group %d: %v; %d rows up to its end are lost", d.group, d.err, d.lost)
}

func (d *damage) Unwrap() error { return d.err }

// reader reads some columns of a file, row by row.
type reader struct {
	file     *file
	leaves   []int // the columns that are read
	columns  []column
	unpacker *zstd.Decoder

	group  int   // that is read, from 0
	left   int64 // rows of it
	begun  bool
	number int64 // of the last row, 1-based
	offset int64 // of its group
}

// column is a column of a group, and its values in the last row.
type column struct {
	pages *pages
	cells []value // one, or those of a list
	ahead value   // of a list: the first value of the next row
	full  bool    // there is one
	def   uint32  // its definition level
}

// newReader returns a reader of the columns of those places in f.leaves.
func newReader(f *file, leaves []int) (*reader, error) {
	for _, i := range leaves {
		switch l := &f.leaves[i]; {
		case l.nested:
			return nil, fmt.Errorf("%w: column %q is nested", ErrUnsupported, l.path)
		case l.decimal || l.kind == format.Int96 || l.kind == format.Boolean:
			return nil, fmt.Errorf("%w: column %q has values of type %v", ErrUnsupported, l.path, l.kind)
		}
	}
	return &reader{file: f, leaves: leaves, columns: make([]column, len(leaves))}, nil
}

// next reads the next row. After a *damage it can be called again; io.EOF is the end.
func (r *reader) next() error {
	for !r.begun || r.left == 0 {
		if r.begun {
			r.group, r.begun = r.group+1, false
		}
		if r.group == len(r.file.groups) {
			return io.EOF
		}
		if r.file.groups[r.group].NumRows == 0 {
			r.group++
		} else if err := r.begin(); err != nil {
			return r.damage(err)
		}
	}
	for i := range r.columns {
		if err := r.columns[i].next(); err != nil {
			if err == io.EOF {
				err = fmt.Errorf("column %q has fewer values than rows", r.columns[i].pages.leaf.path)
			}
			return r.damage(err)
		}
	}
	if r.left == 1 {
		for i := range r.columns {
			if c := &r.columns[i]; c.pages.left > 0 || c.full {
				return r.damage(fmt.Errorf("column %q has more values than rows", c.pages.leaf.path))
			}
		}
	}
	r.left--
	r.number++
	return nil
}

// begin begins a row group.
func (r *reader) begin() error {
	g := &r.file.groups[r.group]
	r.begun, r.left, r.offset = true, g.NumRows, 0
	for i, at := range r.leaves {
		if n := g.Columns[at].MetaData.NumValues; n != g.NumRows && r.file.leaves[at].maxRep == 0 {
			return fmt.Errorf("column %q has %d values for %d rows", r.file.leaves[at].path, n, g.NumRows)
		}
		p, err := newPages(r.file, &r.file.leaves[at], &g.Columns[at], &r.unpacker)
		if err != nil {
			return err
		}
		if i == 0 {
			r.offset = p.at
		}
		r.columns[i] = column{pages: p, cells: r.columns[i].cells[:0]}
	}
	return nil
}

// damage gives up the rest of the group. Errors that are not about its bytes are final.
func (r *reader) damage(err error) error {
	if r.file.in.failed != nil {
		return r.file.in.failed
	}
	if errors.Is(err, ErrUnsupported) {
		return fmt.Errorf("row group %d: %w", r.group+1, err)
	}
	d := &damage{r.group + 1, r.number + 1, r.left, r.offset, err}
	r.number += r.left
	r.group, r.begun, r.left = r.group+1, false, 0
	return d
}

// next reads the values of the next row.
func (c *column) next() error {
	if c.pages.leaf.maxRep == 0 {
		if len(c.cells) == 0 {
			c.cells = make([]value, 1)
		}
		_, _, err := c.pages.next(&c.cells[0])
		return err
	}
	c.cells = c.cells[:0]
	if !c.full {
		rep, def, err := c.pages.next(&c.ahead)
		if err != nil {
			return err
		}
		if rep > 0 {
			return errStructure
		}
		c.full, c.def = true, def
	}
	for {
		if c.def >= c.pages.leaf.repeated {
			c.cells = append(c.cells, c.ahead)
		}
		rep, def, err := c.pages.next(&c.ahead)
		switch {
		case err == io.EOF:
			c.full = false
			return nil
		case err != nil:
			return err
		}
		if c.def = def; rep == 0 {
			return nil
		}
		if len(c.cells) == maxList {
			return errors.New("a list that is too long")
		}
	}
}

// share returns how much of the file was read, 0 to 1.
func (r *reader) share() float64 {
	if r.file.rows == 0 {
		return 1
	}
	return float64(r.number) / float64(r.file.rows)
}
