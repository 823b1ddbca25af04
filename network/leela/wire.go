package leela

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/compute/dtypes/bfloat16"
	"github.com/gomlx/compute/dtypes/float16"
	"google.golang.org/protobuf/encoding/protowire"
)

// message has the fields of a protocol buffer's message: those of numbers, and those of bytes in the order in which
// they occur.
type message struct {
	numbers map[protowire.Number]uint64
	parts   map[protowire.Number][][]byte
}

func parse(b []byte) (message, error) {
	m := message{map[protowire.Number]uint64{}, map[protowire.Number][][]byte{}}
	for len(b) > 0 {
		field, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return m, protowire.ParseError(n)
		}
		b = b[n:]
		switch kind {
		case protowire.VarintType:
			var v uint64
			v, n = protowire.ConsumeVarint(b)
			m.numbers[field] = v
		case protowire.Fixed32Type:
			var v uint32
			v, n = protowire.ConsumeFixed32(b)
			m.numbers[field] = uint64(v)
		case protowire.BytesType:
			var v []byte
			if v, n = protowire.ConsumeBytes(b); n >= 0 {
				m.parts[field] = append(m.parts[field], v)
			}
		default:
			n = protowire.ConsumeFieldValue(field, kind, b)
		}
		if n < 0 {
			return m, protowire.ParseError(n)
		}
		b = b[n:]
	}
	return m, nil
}

// one returns the bytes of a field that is not repeated, none without it. The parts of a message that occurs several
// times are one message, by the rules of protocol buffers.
func (m message) one(field protowire.Number) []byte {
	if parts := m.parts[field]; len(parts) == 1 {
		return parts[0]
	}
	return bytes.Join(m.parts[field], nil)
}

// has reports whether a field of bytes occurs.
func (m message) has(field protowire.Number) bool { return len(m.parts[field]) > 0 }

func (m message) float(field protowire.Number) float32 {
	return math.Float32frombits(uint32(m.numbers[field]))
}

// Encodings of a tensor's numbers.
const (
	linear16 = 1 + iota
	half
	brain
	single
)

// layer is a tensor: its numbers as they are stored.
type layer struct {
	least, most float32
	encoding    uint64
	params      []byte
}

func parseLayer(b []byte) (layer, error) {
	m, err := parse(b)
	if err != nil {
		return layer{}, err
	}
	l := layer{least: m.float(1), most: m.float(2), encoding: linear16, params: m.one(3)}
	if n, ok := m.numbers[4]; ok && n != 0 {
		l.encoding = n
	}
	switch {
	case l.encoding > single:
		return l, fmt.Errorf("its numbers have the unknown encoding %d", l.encoding)
	case len(l.params)%l.width() != 0:
		return l, fmt.Errorf("%d bytes are no numbers of %d", len(l.params), l.width())
	case l.encoding == linear16 && !finite(l.least, l.most, l.most-l.least):
		return l, fmt.Errorf("its numbers are from %g to %g", l.least, l.most)
	}
	return l, nil
}

func (l layer) width() int {
	if l.encoding == single {
		return 4
	}
	return 2
}

// size is how many numbers there are.
func (l layer) size() int { return len(l.params) / l.width() }

var errNotFinite = errors.New("a number is infinite or none")

// numbers decodes the numbers.
func (l layer) numbers() ([]float32, error) {
	x := make([]float32, l.size())
	for i := range x {
		at := l.params[i*l.width():]
		switch l.encoding {
		case linear16:
			t := float32(binary.LittleEndian.Uint16(at)) / 65535
			x[i] = l.least*(1-t) + l.most*t
		case half:
			x[i] = float16.FromBits(binary.LittleEndian.Uint16(at)).Float32()
		case brain:
			x[i] = bfloat16.FromBits(binary.LittleEndian.Uint16(at)).Float32()
		case single:
			x[i] = math.Float32frombits(binary.LittleEndian.Uint32(at))
		}
		if !finite(x[i]) {
			return nil, errNotFinite
		}
	}
	return x, nil
}

func finite(list ...float32) bool {
	for _, x := range list {
		if x-x != 0 {
			return false
		}
	}
	return true
}

// appendLayer appends numbers as LINEAR16. A tensor of equal numbers has 0 for all of them, so that the least decides.
func appendLayer(b []byte, numbers []float32) ([]byte, error) {
	least, most := float32(math.Inf(1)), float32(math.Inf(-1))
	for _, x := range numbers {
		least, most = min(least, x), max(most, x)
	}
	if !finite(least, most, most-least) {
		return nil, errNotFinite
	}
	params := make([]byte, 2*len(numbers))
	for i, x := range numbers {
		if most > least {
			t := math.RoundToEven(float64(x-least) / float64(most-least) * 65535)
			binary.LittleEndian.PutUint16(params[2*i:], uint16(t))
		}
	}
	b = appendFloat(b, 1, least)
	b = appendFloat(b, 2, most)
	return appendBytes(b, 3, params), nil
}

// exact reports whether numbers are read as they are after [appendLayer].
func exact(numbers []float32) bool {
	b, err := appendLayer(nil, numbers)
	if err != nil {
		return false
	}
	l, err := parseLayer(b)
	if err != nil {
		return false
	}
	read, err := l.numbers()
	return err == nil && slices.Equal(read, numbers)
}

func appendFloat(b []byte, field protowire.Number, x float32) []byte {
	return protowire.AppendFixed32(protowire.AppendTag(b, field, protowire.Fixed32Type), math.Float32bits(x))
}

func appendNumber(b []byte, field protowire.Number, n uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), n)
}

func appendBytes(b []byte, field protowire.Number, v []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), v)
}
