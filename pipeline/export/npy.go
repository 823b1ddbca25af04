package export

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"talbot/board"
	"talbot/encode"
	"talbot/internal/durable"
)

// npyFormat is NumPy's file of one array (format version 1.0), of records that numpy.load can map into memory: the
// input of a recipe's network and its targets.
var npyFormat = &Format{
	Name: "npy", About: "NumPy records of a recipe's input and targets", Encoded: true,
	Lacks: []Fact{Policies, Headers, Clocks, Predictions},
	begin: func(out *durable.AtomicFile, r *Request) (writer, error) { return newNpyWriter(out, r) },
}

// bitPlanes is an encoder whose input is planes of bits, bit i = square i.
type bitPlanes interface {
	Planes(dst []uint64, g *board.Game)
}

// npyWriter writes records of little-endian fields: the planes as bytes of one rank each, bit 0 = file a, or else the
// input as float32; one float32 for each of the recipe's floats, NaN where it is not known; and the first words of the
// move with the greatest weight as int32, -1 where there is none.
type npyWriter struct {
	out     *durable.AtomicFile
	w       *bufio.Writer
	encoder encode.Encoder
	targets encode.Targets
	layout  encode.Layout
	planes  bitPlanes // nil: the input is not of bits
	fields  string    // of the header
	count   int64

	view    encode.View
	target  encode.Target
	bits    []uint64
	packed  []uint64
	numbers []float32
	record  []byte
}

func newNpyWriter(out *durable.AtomicFile, r *Request) (*npyWriter, error) {
	w := &npyWriter{out: out, w: bufio.NewWriterSize(out, 1<<20), encoder: r.Encoder, targets: r.Targets,
		layout: r.Encoder.Layout()}
	var fields []string
	if w.planes, _ = r.Encoder.(bitPlanes); w.planes != nil {
		w.bits = make([]uint64, w.layout.Shape[0])
		fields = append(fields, fmt.Sprintf("('planes', '|u1', (%d, 8))", w.layout.Shape[0]))
	} else {
		w.packed, w.numbers = make([]uint64, w.layout.Words), make([]float32, w.layout.Numbers())
		fields = append(fields, "('input', '<f4', "+tuple(w.layout.Shape)+")")
	}
	for _, name := range w.layout.Floats {
		fields = append(fields, fmt.Sprintf("('%s', '<f4')", name))
	}
	switch n := w.layout.Codes; {
	case w.layout.Moves == encode.NoMoves:
	case n == 1:
		fields = append(fields, "('policy', '<i4')")
	default:
		fields = append(fields, fmt.Sprintf("('policy', '<i4', (%d,))", n))
	}
	w.fields = "[" + strings.Join(fields, ", ") + "]"
	_, err := w.w.Write(w.header())
	return w, err
}

// tuple writes a shape as Python does.
func tuple(shape []int) string {
	text := strings.Trim(strings.ReplaceAll(fmt.Sprint(shape), " ", ", "), "[]")
	if len(shape) == 1 {
		text += ","
	}
	return "(" + text + ")"
}

// header returns the header for the records so far, which is as long for any number of them
// (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html).
func (w *npyWriter) header() []byte {
	const fixed, align, digits = 10, 64, 20
	head := func(count string) string {
		return "{'descr': " + w.fields + ", 'fortran_order': False, 'shape': (" + count + ",), }"
	}
	size := (fixed+len(head(strings.Repeat("9", digits)))+1+align-1)/align*align - fixed
	b := binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(size))
	text := head(fmt.Sprint(w.count))
	return append(append(b, text...), strings.Repeat(" ", size-len(text)-1)+"\n"...)
}

func (w *npyWriter) sample(s *Sample) error {
	le := binary.LittleEndian
	w.view.Visit(s.Walker, s.Counted)
	b := w.record[:0]
	if w.planes != nil {
		w.planes.Planes(w.bits, s.Game())
		for _, plane := range w.bits {
			b = le.AppendUint64(b, plane)
		}
	} else {
		w.encoder.Pack(w.packed, &w.view)
		w.encoder.Unpack(w.numbers, w.packed)
		for _, x := range w.numbers {
			b = le.AppendUint32(b, math.Float32bits(x))
		}
	}
	w.target.Reset(&w.layout)
	w.encoder.Target(&w.target, &w.view, w.targets)
	for _, x := range w.target.Floats {
		b = le.AppendUint32(b, math.Float32bits(x))
	}
	if w.layout.Moves != encode.NoMoves {
		for _, code := range w.policy() {
			b = le.AppendUint32(b, uint32(code))
		}
	}
	w.record = b
	w.count++
	_, err := w.w.Write(b)
	return err
}

// policy returns the words of the move with the greatest weight, the first of several.
func (w *npyWriter) policy() []int32 {
	best := -1
	for i, m := range w.target.Moves {
		if (m.Weight > 0 || w.layout.Scores) && (best < 0 || m.Weight > w.target.Moves[best].Weight) {
			best = i
		}
	}
	if best < 0 {
		none := make([]int32, w.layout.Codes)
		for i := range none {
			none[i] = -1
		}
		return none
	}
	return w.view.EncodeMove(w.encoder, w.layout.Codes, w.target.Moves[best].Move)
}

// end writes the header again, with the number of records.
func (w *npyWriter) end() error {
	if err := w.w.Flush(); err != nil {
		return err
	}
	return w.out.Overwrite(w.header())
}
