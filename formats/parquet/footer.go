package parquet

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"talbot/internal/fault"
)

// Errors on which callers branch.
var (
	// ErrDamaged: the file breaks the format where it cannot be read on.
	ErrDamaged = fault.New(fault.ExitFailed, "damaged Parquet file", "download the file again")
	// ErrUnsupported: the file needs what is not read.
	ErrUnsupported = fault.New(fault.ExitFailed, "unsupported Parquet file",
		"write it again with plain columns, compressed with zstd: polars.read_parquet(FILE).write_parquet(NEW)")
	// ErrColumns: the columns of the file are not of a known kind.
	ErrColumns = fault.New(fault.ExitFailed, "a Parquet file with unknown columns",
		"rename the columns; docs/19-other-formats.md lists what is read")
)

const (
	magic     = "PAR1"
	maxFooter = 16 << 20 // bytes of the directory
)

// Looks reports whether a file begins as a Parquet file does.
func Looks(head []byte) bool { return strings.HasPrefix(string(head[:min(len(head), 4)]), magic) }

// file is an open file.
type file struct {
	in     *source
	size   int64
	rows   int64
	groups []format.RowGroup
	leaves []leaf
}

// source is what a file is read from.
type source struct {
	in     io.ReaderAt
	failed error // of reading it, which is not the file's fault
}

func (s *source) ReadAt(p []byte, at int64) (int, error) {
	n, err := s.in.ReadAt(p, at)
	if err != nil && err != io.EOF {
		s.failed = err
	}
	return n, err
}

// readAll fills p.
func (s *source) readAll(p []byte, at int64) error {
	if n, err := s.ReadAt(p, at); n < len(p) {
		return fmt.Errorf("reading %d bytes at %d: %w", len(p), at, err)
	}
	return nil
}

// leaf is a column that has values, the deepest of its name.
type leaf struct {
	name     string // of the topmost column
	path     string
	kind     format.Type
	time     int64 // units in a second, for a time of day; 0: not one
	length   int   // of values of fixed length
	maxDef   uint32
	maxRep   uint32
	repeated uint32 // definition level from which there is an element, of lists
	nested   bool   // more than a list of values
	decimal  bool
	half     bool // Float16
	date     bool // days since 1970-01-01
}

// open reads the directory at the end of a file.
func open(in io.ReaderAt, size int64) (*file, error) {
	var tail [8]byte
	if size < 12 {
		return nil, fmt.Errorf("%w: %d bytes", ErrDamaged, size)
	}
	f := &file{in: &source{in: in}, size: size}
	if err := f.in.readAll(tail[:], size-8); err != nil {
		return nil, err
	}
	length := int64(binary.LittleEndian.Uint32(tail[:]))
	switch {
	case string(tail[4:]) == "PARE":
		return nil, fmt.Errorf("%w: it is encrypted", ErrUnsupported)
	case string(tail[4:]) != magic:
		return nil, fmt.Errorf("%w: it does not end as one; it may be cut short", ErrDamaged)
	case length > min(size-12, maxFooter):
		return nil, fmt.Errorf("%w: a directory of %d bytes, %d are possible", ErrDamaged, length,
			min(size-12, maxFooter))
	}
	footer := make([]byte, length)
	if err := f.in.readAll(footer, size-8-length); err != nil {
		return nil, err
	}
	var meta format.FileMetaData
	if _, err := decode(footer, &meta); err != nil {
		return nil, fmt.Errorf("%w: its directory: %w", ErrDamaged, err)
	}
	f.rows, f.groups = meta.NumRows, meta.RowGroups
	w := walk{schema: meta.Schema}
	if err := w.leaves(); err != nil {
		return nil, err
	}
	f.leaves = w.found
	sum := int64(0)
	for i, g := range f.groups {
		if len(g.Columns) != len(f.leaves) || g.NumRows < 0 || sum+g.NumRows < sum {
			return nil, fmt.Errorf("%w: row group %d has %d columns and %d rows, the file has %d columns", ErrDamaged,
				i+1, len(g.Columns), g.NumRows, len(f.leaves))
		}
		sum += g.NumRows
	}
	if sum != f.rows {
		return nil, fmt.Errorf("%w: it claims %d rows, its row groups %d", ErrDamaged, f.rows, sum)
	}
	return f, nil
}

// walk goes over a schema in its order: each group before what is in it.
type walk struct {
	schema []format.SchemaElement
	next   int
	found  []leaf
}

func (w *walk) leaves() error {
	if len(w.schema) == 0 || !w.schema[0].NumChildren.Valid {
		return fmt.Errorf("%w: no schema", ErrDamaged)
	}
	w.next = 1
	for range w.schema[0].NumChildren.V {
		if err := w.element(leaf{}, 0); err != nil {
			return err
		}
	}
	if w.next != len(w.schema) {
		return fmt.Errorf("%w: a schema of %d elements of which %d are used", ErrDamaged, len(w.schema), w.next)
	}
	return nil
}

// element reads an element of the schema and what is in it. l is what is known from above.
func (w *walk) element(l leaf, depth int) error {
	if w.next >= len(w.schema) || depth > maxDepth {
		return fmt.Errorf("%w: its schema is cut or too deep", ErrDamaged)
	}
	e := &w.schema[w.next]
	w.next++
	if depth == 0 {
		l.name, l.path = e.Name, e.Name
	} else {
		l.path += "." + e.Name
	}
	switch {
	case !e.RepetitionType.Valid || e.RepetitionType.V == format.Required:
	case e.RepetitionType.V == format.Optional:
		l.maxDef++
	default:
		l.maxRep++
		l.maxDef++
		l.repeated = l.maxDef
	}
	if n := e.NumChildren; n.Valid && n.V > 0 {
		// A list is a group with a repeated one, which has one element.
		if n.V > 1 || depth > 1 || l.maxRep > 1 {
			l.nested = true
		}
		for range n.V {
			if err := w.element(l, depth+1); err != nil {
				return err
			}
		}
		return nil
	}
	if !e.Type.Valid {
		return fmt.Errorf("%w: column %q has no type", ErrDamaged, l.path)
	}
	l.kind, l.length = e.Type.V, int(e.TypeLength.V)
	l.nested = l.nested || l.maxRep > 1 || depth > 0 && l.maxRep == 0
	l.decimal = e.ConvertedType.Valid && e.ConvertedType.V == deprecated.Decimal
	switch t := e.LogicalType.Value.(type) {
	case *format.DecimalType:
		l.decimal = true
	case *format.Float16Type:
		l.half = l.kind == format.FixedLenByteArray && l.length == 2
	case *format.DateType:
		l.date = true
	case *format.TimeType:
		if t.Unit.Value != nil && t.Unit.Value.Duration() > 0 {
			l.time = int64(1e9 / t.Unit.Value.Duration())
		}
	}
	l.date = l.date || e.ConvertedType.Valid && e.ConvertedType.V == deprecated.Date
	if c := e.ConvertedType; l.time == 0 && c.Valid && c.V == deprecated.TimeMillis {
		l.time = 1e3
	} else if l.time == 0 && c.Valid && c.V == deprecated.TimeMicros {
		l.time = 1e6
	}
	w.found = append(w.found, l)
	return nil
}

// names returns the names of the topmost columns, in their order.
func (f *file) names() (names []string) {
	for _, l := range f.leaves {
		if !slices.Contains(names, l.name) {
			names = append(names, l.name)
		}
	}
	return names
}

// find returns the place of the first column of one of the names, whatever their case; −1 if there is none.
func (f *file) find(names ...string) int {
	for _, name := range names {
		for i := range f.leaves {
			if strings.EqualFold(f.leaves[i].name, name) {
				return i
			}
		}
	}
	return -1
}

// isList reports whether there is a column of that name that has lists of values of that type.
func (f *file) isList(name string, kind format.Type) bool {
	i := f.find(name)
	return i >= 0 && f.leaves[i].maxRep == 1 && !f.leaves[i].nested && f.leaves[i].kind == kind
}

func (l *leaf) isFloat() bool  { return l.kind == format.Float || l.kind == format.Double || l.half }
func (l *leaf) isNumber() bool { return l.kind == format.Int32 || l.kind == format.Int64 }
