package export

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"

	"talbot/board"
	"talbot/encode"
	"talbot/internal/durable"
)

// leelaFormat is a chunk of lc0's training data for each line, in version 6, in a tar archive.
var leelaFormat = &Format{
	Name: "lc0", About: "lc0's training data, version 6, for lczero-training",
	Needs: []Fact{Result, target},
	Lacks: []Fact{Headers, Clocks, MultiPV, Variations, Tables, OtherLabels, Predictions, Reconstructed},
	begin: func(out *durable.AtomicFile, r *Request) (writer, error) {
		return &leelaWriter{out: tar.NewWriter(out), targets: r.Targets}, nil
	},
}

// target is what a format needs that learns a move.
var target = Fact{"move", "a move to learn", func(s *Sample) bool {
	l := s.Line()
	switch {
	case l.Policies != nil:
		return len(l.Policies[s.Walker.Sample()]) > 0
	case s.Ply() < len(l.Moves) && l.Source.Teaches():
		return true
	}
	label, ok := s.Label()
	return ok && label.Best != board.NoMove
}}

// leelaEncoder is the encoding of input format 1.
var leelaEncoder = encode.Leela{Input: 1}

// leelaWriter collects the records of a line.
type leelaWriter struct {
	out     *tar.Writer
	targets encode.Targets
	view    encode.View
	target  encode.Target
	chunk   []byte // not compressed yet
	chunks  int
}

// sample appends the record of a sample: the shares of the policy target as probabilities of the legal moves, −1 for
// all others; q and d of the label, or else of the result; the plies that are left. What no dataset knows is NaN: the
// values of the network before the search, those of the move that was played, and the search's plies left.
func (w *leelaWriter) sample(s *Sample) error {
	v, l := &w.view, s.Line()
	v.Visit(s.Walker, s.Counted)
	layout := leelaEncoder.Layout()
	w.target.Reset(&layout)
	leelaEncoder.Target(&w.target, v, w.targets)
	p := v.Position()

	number := func(m board.Move) uint16 {
		var code [1]int32
		leelaEncoder.EncodeMove(code[:], v, m)
		return uint16(code[0])
	}
	probabilities := make([]float32, board.LeelaMoves)
	for i := range probabilities {
		probabilities[i] = -1
	}
	best := board.NoMove
	greatest := float32(0)
	for _, m := range w.target.Moves {
		probabilities[number(m.Move)] = m.Weight
		if m.Weight > greatest {
			best, greatest = m.Move, m.Weight
		}
	}
	planes := make([]uint64, encode.LeelaPlanes)
	leelaEncoder.Planes(planes, v.Game)
	for i, plane := range planes {
		planes[i] = bits.ReverseBytes64(bits.Reverse64(plane)) // file a is the highest bit
	}

	nan := float32(math.NaN())
	result, _ := v.Result()
	drawn := 1 - max(result, -result)
	q, d := w.target.Floats[0], w.target.Floats[2]
	if q != q {
		q, d = result, drawn
	}
	label, labelled := s.Label()
	visits := uint32(1)
	if labelled && label.Best != board.NoMove {
		best, visits = label.Best, uint32(max(1, min(label.Lines[0].Nodes, math.MaxInt32)))
	}
	played, ok := v.Played()
	if !ok {
		played = best
	}
	left := float32(len(l.Moves) - s.Ply())

	b := binary.LittleEndian.AppendUint32(w.chunk, 6)
	b = binary.LittleEndian.AppendUint32(b, 1)
	b = appendAll(b, probabilities)
	b = appendAll(b, planes[:encode.LeelaPlanes-8])
	us, them := p.Turn(), p.Turn().Other()
	for _, right := range []bool{p.CanCastle(us, false), p.CanCastle(us, true), p.CanCastle(them, false),
		p.CanCastle(them, true), us == board.Black} {
		b = append(b, byte(map[bool]int{true: 1}[right]))
	}
	b = append(b, byte(min(p.HalfmoveClock(), 255)), 0, 0)
	b = appendAll(b, []float32{q, q, d, d, nan, nan, left, result, drawn, nan, nan, nan, nan, nan, nan})
	b = binary.LittleEndian.AppendUint32(b, visits)
	b = binary.LittleEndian.AppendUint16(b, number(played))
	b = binary.LittleEndian.AppendUint16(b, number(best))
	b = appendAll(b, []float32{0}) // divergence of the policy from the network's
	w.chunk = binary.LittleEndian.AppendUint32(b, 0)
	return nil
}

// appendAll appends numbers, the lowest byte first.
func appendAll[N float32 | uint64](b []byte, numbers []N) []byte {
	b, _ = binary.Append(b, binary.LittleEndian, numbers) // of numbers of a known size
	return b
}

// endLine writes the chunk of the line.
func (w *leelaWriter) endLine() error {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(w.chunk); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	w.chunk = w.chunk[:0]
	err := w.out.WriteHeader(&tar.Header{Name: fmt.Sprintf("game_%06d.gz", w.chunks), Mode: 0o644,
		Size: int64(packed.Len()), Format: tar.FormatUSTAR})
	if err != nil {
		return err
	}
	w.chunks++
	_, err = w.out.Write(packed.Bytes())
	return err
}

func (w *leelaWriter) end() error { return w.out.Close() }
