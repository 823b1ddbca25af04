package parquet

import (
	"encoding/binary"
	"errors"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
)

// What a structure of the format may have: parquet-go makes room for what one claims.
const (
	maxElements = 500_000 // of its lists, all together
	maxDepth    = 20      // of structures in each other
)

var errStructure = errors.New("a structure that breaks the format")

// decode reads the structure that data begins with, in Thrift's compact form, into v and returns its size.
// io.ErrUnexpectedEOF says that data end within it.
func decode(data []byte, v any) (size int, err error) {
	m := measure{data: data, elements: maxElements}
	if err := m.structure(0); err != nil {
		return 0, err
	}
	var protocol thrift.CompactProtocol
	if err := thrift.NewDecoder(protocol.NewReaderFromBytes(data[:m.at:m.at])).Decode(v); err != nil {
		return 0, err
	}
	return m.at, nil
}

// measure walks over a structure without decoding it, and finds what claims more than there is.
type measure struct {
	data     []byte
	at       int
	elements int // that may still come
}

// The types of the compact form.
const (
	thriftTrue = iota + 1
	thriftFalse
	thriftByte
	thriftInt16
	thriftInt32
	thriftInt64
	thriftDouble
	thriftBinary
	thriftList
	thriftSet
	thriftMap
	thriftStruct
)

func (m *measure) structure(depth int) error {
	if depth > maxDepth {
		return errStructure
	}
	for {
		b, err := m.byte()
		if err != nil || b == 0 {
			return err
		}
		if b>>4 == 0 { // the number of the field follows
			if _, err := m.varint(); err != nil {
				return err
			}
		}
		kind := b & 15
		if kind == thriftTrue || kind == thriftFalse {
			continue
		}
		if err := m.value(kind, depth); err != nil {
			return err
		}
	}
}

func (m *measure) value(kind byte, depth int) error {
	switch kind {
	case thriftTrue, thriftFalse, thriftByte:
		return m.skip(1)
	case thriftInt16, thriftInt32, thriftInt64:
		_, err := m.varint()
		return err
	case thriftDouble:
		return m.skip(8)
	case thriftBinary:
		n, err := m.varint()
		if err != nil {
			return err
		}
		return m.skip(n)
	case thriftList, thriftSet:
		return m.list(depth)
	case thriftStruct:
		return m.structure(depth + 1)
	}
	return errStructure // maps, too: the format has none
}

func (m *measure) list(depth int) error {
	b, err := m.byte()
	if err != nil {
		return err
	}
	n := uint64(b >> 4)
	if n == 15 {
		if n, err = m.varint(); err != nil {
			return err
		}
	}
	if n > uint64(m.elements) {
		return errStructure
	}
	m.elements -= int(n)
	for range n {
		if err := m.value(b&15, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (m *measure) byte() (byte, error) {
	if m.at == len(m.data) {
		return 0, io.ErrUnexpectedEOF
	}
	m.at++
	return m.data[m.at-1], nil
}

func (m *measure) skip(n uint64) error {
	if n > uint64(len(m.data)-m.at) {
		return io.ErrUnexpectedEOF
	}
	m.at += int(n)
	return nil
}

func (m *measure) varint() (uint64, error) {
	v, n := binary.Uvarint(m.data[m.at:])
	switch {
	case n == 0:
		return 0, io.ErrUnexpectedEOF
	case n < 0:
		return 0, errStructure
	}
	m.at += n
	return v, nil
}
