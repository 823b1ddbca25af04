package shards

import "encoding/binary"

// varints reads the numbers of a column. A column that is left out gives zeros.
type varints struct {
	b    []byte
	none bool
	bad  bool // a number was cut short or over 64 bits
}

func newVarints(raw []byte) varints { return varints{b: raw, none: raw == nil} }

func (v *varints) uint() uint64 {
	if v.none {
		return 0
	}
	if len(v.b) > 0 && v.b[0] < 0x80 {
		n := uint64(v.b[0])
		v.b = v.b[1:]
		return n
	}
	n, size := binary.Uvarint(v.b)
	if size <= 0 {
		v.b, v.bad = nil, true
		return 0
	}
	v.b = v.b[size:]
	return n
}

func (v *varints) int() int64 {
	u := v.uint()
	return int64(u>>1) ^ -int64(u&1)
}

// upTo returns the next number, which must be at most that.
func (v *varints) upTo(limit int) int {
	n := v.uint()
	if n > uint64(limit) {
		v.bad = true
		return 0
	}
	return int(n)
}

// end reports whether all was read without an error.
func (v *varints) end() bool { return !v.bad && len(v.b) == 0 }
