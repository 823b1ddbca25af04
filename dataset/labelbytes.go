package dataset

import (
	"encoding/binary"
	"errors"

	"talbot/board"
)

// AppendBytes appends the label as bytes that [LabelFromBytes] reads back; equal labels have equal bytes. Shards store
// labels by columns, not so.
func (l *Label) AppendBytes(b []byte) []byte {
	le := binary.LittleEndian
	b = append(b, byte(l.Status))
	b = le.AppendUint16(b, uint16(l.Best))
	b = append(b, byte(len(l.Lines)))
	for i := range l.Lines {
		s := &l.Lines[i]
		for _, v := range [...]uint16{uint16(s.Score), s.WDL.Win, s.WDL.Draw, s.WDL.Loss} {
			b = le.AppendUint16(b, v)
		}
		b = binary.AppendUvarint(b, uint64(s.Depth))
		b = binary.AppendUvarint(b, uint64(s.Nodes))
		b = binary.AppendUvarint(b, uint64(len(s.PV)))
		for _, m := range s.PV {
			b = le.AppendUint16(b, uint16(m))
		}
	}
	return b
}

var errLabelBytes = errors.New("malformed label")

// LabelFromBytes takes a label off the front of b. What it reads is of the right form, but not checked to make sense
// (see [Line.Check]).
func LabelFromBytes(b []byte) (l Label, rest []byte, err error) {
	r := byteReader{b: b}
	l.Status = LabelStatus(r.fixed(1))
	l.Best = board.Move(r.fixed(2))
	n := int(r.fixed(1))
	for i := 0; i < n && !r.bad; i++ {
		var s Searched
		s.Score = Score(r.fixed(2))
		s.WDL = WDL{Win: r.fixed(2), Draw: r.fixed(2), Loss: r.fixed(2)}
		s.Depth, s.Nodes = int(r.uvarint()), int64(r.uvarint())
		pv := r.uvarint()
		if pv > uint64(len(r.b)/2) {
			r.bad = true
			break
		}
		s.PV = make([]board.Move, pv)
		for k := range s.PV {
			s.PV[k] = board.Move(r.fixed(2))
		}
		l.Lines = append(l.Lines, s)
	}
	if r.bad {
		return Label{}, nil, errLabelBytes
	}
	return l, r.b, nil
}

// byteReader takes values off a text; bad is set once it is too short.
type byteReader struct {
	b   []byte
	bad bool
}

func (r *byteReader) uvarint() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *byteReader) fixed(n int) uint16 {
	if len(r.b) < n {
		r.bad, r.b = true, nil
		return 0
	}
	v := uint16(r.b[0])
	if n == 2 {
		v |= uint16(r.b[1]) << 8
	}
	r.b = r.b[n:]
	return v
}
