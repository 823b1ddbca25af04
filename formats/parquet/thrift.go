package parquet

import (
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
	in := new(thrift.CompactProtocol).NewReaderFromBytes(data)
	m := measure{in, maxElements}
	if err := m.value(thrift.STRUCT, 0); err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return 0, err
	}
	size = in.BytesRead()
	in.ResetBytes(data[:size:size])
	return size, thrift.NewDecoder(in).Decode(v)
}

// measure walks over a structure without decoding it, and finds what claims more than there is.
type measure struct {
	in       thrift.Reader
	elements int // that may still come
}

// value passes over a value; a flag as the element of a list is one of 8 bits.
func (m *measure) value(kind thrift.Type, depth int) (err error) {
	switch kind {
	case thrift.I8:
		_, err = m.in.ReadInt8()
	case thrift.I16, thrift.I32, thrift.I64:
		_, err = m.in.ReadInt64()
	case thrift.DOUBLE:
		_, err = m.in.ReadFloat64()
	case thrift.BINARY:
		_, err = m.in.ReadBytes()
	case thrift.LIST, thrift.SET:
		err = m.list(depth)
	case thrift.STRUCT:
		err = m.structure(depth)
	default:
		err = errStructure // maps, too: the format has none
	}
	return err
}

func (m *measure) structure(depth int) error {
	if depth > maxDepth {
		return errStructure
	}
	for {
		field, err := m.in.ReadField()
		if err != nil || field.Type == thrift.STOP {
			return err
		}
		if field.Type == thrift.TRUE || field.Type == thrift.FALSE {
			continue
		}
		if err := m.value(field.Type, depth+1); err != nil {
			return err
		}
	}
}

func (m *measure) list(depth int) error {
	list, err := m.in.ReadList()
	if err != nil {
		return err
	}
	if int(list.Size) > m.elements || depth > maxDepth {
		return errStructure
	}
	m.elements -= int(list.Size)
	if list.Type == thrift.TRUE || list.Type == thrift.FALSE {
		list.Type = thrift.I8
	}
	for range list.Size {
		if err := m.value(list.Type, depth+1); err != nil {
			return err
		}
	}
	return nil
}
