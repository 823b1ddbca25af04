package onnx

import (
	"encoding/binary"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// message is an encoded protobuf message that grows by appending fields.
type message []byte

func (m *message) bytes(field protowire.Number, b []byte) {
	*m = protowire.AppendBytes(protowire.AppendTag(*m, field, protowire.BytesType), b)
}

func (m *message) text(field protowire.Number, s string) { m.bytes(field, []byte(s)) }

func (m *message) number(field protowire.Number, n int64) {
	*m = protowire.AppendVarint(protowire.AppendTag(*m, field, protowire.VarintType), uint64(n))
}

func (m *message) float(field protowire.Number, x float32) {
	*m = protowire.AppendFixed32(protowire.AppendTag(*m, field, protowire.Fixed32Type), math.Float32bits(x))
}

// The numbers of TensorProto.DataType.
const (
	typeFloat = 1
	typeUint8 = 2
	typeInt8  = 3
	typeInt32 = 6
	typeInt64 = 7
)

// The numbers of AttributeProto.AttributeType.
const (
	attributeFloat = 1
	attributeInt   = 2
	attributeInts  = 7
)

// attribute is an AttributeProto.
func attribute(name string, value any) message {
	var m message
	m.text(1, name)
	switch v := value.(type) {
	case float32:
		m.float(2, v)
		m.number(20, attributeFloat)
	case int:
		m.number(3, int64(v))
		m.number(20, attributeInt)
	case []int:
		for _, n := range v {
			m.number(8, int64(n))
		}
		m.number(20, attributeInts)
	default:
		panic("onnx: attribute of an unknown type")
	}
	return m
}

// tensor is a TensorProto with its numbers, little-endian, in raw_data.
func tensor(name string, dims []int, kind int64, raw []byte) message {
	var m message
	for _, d := range dims {
		m.number(1, int64(d))
	}
	m.number(2, kind)
	m.text(8, name)
	m.bytes(9, raw)
	return m
}

func floats(name string, dims []int, data []float32) message {
	raw := make([]byte, 0, 4*len(data))
	for _, x := range data {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(x))
	}
	return tensor(name, dims, typeFloat, raw)
}

func integers(name string, data ...int64) message {
	var raw []byte
	for _, n := range data {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(n))
	}
	return tensor(name, []int{len(data)}, typeInt64, raw)
}

// valueInfo is a ValueInfoProto of a float32 tensor whose first axis is free.
func valueInfo(name, doc string, dims ...int) message {
	var shape, axis message
	axis.text(2, "N")
	shape.bytes(1, axis)
	for _, d := range dims {
		axis = nil
		axis.number(1, int64(d))
		shape.bytes(1, axis)
	}
	var tensor, kind, m message
	tensor.number(1, typeFloat)
	tensor.bytes(2, shape)
	kind.bytes(1, tensor)
	m.text(1, name)
	m.bytes(2, kind)
	m.text(3, doc)
	return m
}
