package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/parquet-go/parquet-go/format"
)

// plain has values one after the other.
type plain struct {
	data []byte
	leaf *leaf
}

func (s *plain) next(v *value) error {
	size := 8
	switch s.leaf.kind {
	case format.Int32, format.Float:
		size = 4
	case format.FixedLenByteArray:
		size = s.leaf.length
	case format.ByteArray:
		size = 4
	}
	if size <= 0 || len(s.data) < size {
		return errShort
	}
	raw := s.data[:size:size]
	s.data = s.data[size:]
	switch s.leaf.kind {
	case format.Int32:
		v.number = int64(int32(binary.LittleEndian.Uint32(raw)))
	case format.Float:
		v.setFloat(float64(math.Float32frombits(binary.LittleEndian.Uint32(raw))))
	case format.Int64, format.Double:
		v.number = int64(binary.LittleEndian.Uint64(raw))
	case format.FixedLenByteArray:
		v.text = raw
	case format.ByteArray:
		n := binary.LittleEndian.Uint32(raw)
		if uint64(n) > uint64(len(s.data)) {
			return errShort
		}
		v.text, s.data = s.data[:n:n], s.data[n:]
	default:
		return fmt.Errorf("%w: values of type %v", ErrUnsupported, s.leaf.kind)
	}
	return nil
}

// half returns the number of a Float16.
func half(raw []byte) float64 {
	bits := binary.LittleEndian.Uint16(raw)
	exponent, f := int(bits>>10&31), float64(bits&1023)
	switch {
	case exponent == 0:
		f = math.Ldexp(f, -24)
	case exponent < 31:
		f = math.Ldexp(f+1024, exponent-25)
	case f == 0:
		f = math.Inf(1)
	default:
		return math.NaN()
	}
	if bits>>15 != 0 {
		f = -f
	}
	return f
}

// indexed has numbers of a dictionary.
type indexed struct {
	dictionary []value
	text       bool // of its values, or numbers
	index      runs
}

var errIndex = errors.New("a value that the dictionary does not have")

func (s *indexed) next(v *value) error {
	i, err := s.index.next()
	if err != nil {
		return err
	}
	if uint64(i) >= uint64(len(s.dictionary)) {
		return errIndex
	}
	if d := &s.dictionary[i]; s.text {
		v.text = d.text
	} else {
		v.number = d.number
	}
	return nil
}

// differences has numbers as differences.
type differences struct {
	deltas *deltas
	narrow bool // 32 bits
}

func (s *differences) next(v *value) (err error) {
	v.number, err = s.deltas.next()
	if s.narrow {
		v.number = int64(int32(v.number))
	}
	return err
}

// lengths has all lengths, and then all texts.
type lengths struct {
	lengths *deltas
	data    []byte
}

func newLengths(data []byte) (*lengths, error) {
	walk, err := newDeltas(data)
	if err != nil {
		return nil, err
	}
	if walk.total > uint64(maxPage) {
		return nil, errStructure
	}
	for walk.total > 0 {
		if _, err := walk.next(); err != nil {
			return nil, err
		}
	}
	again, err := newDeltas(data)
	return &lengths{again, walk.rest()}, err
}

func (s *lengths) next(v *value) error {
	n, err := s.lengths.next()
	if err != nil {
		return err
	}
	if n < 0 || n > int64(len(s.data)) {
		return errShort
	}
	v.text, s.data = s.data[:n:n], s.data[n:]
	return nil
}
