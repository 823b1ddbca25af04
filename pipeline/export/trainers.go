package export

import (
	"bufio"
	"encoding/binary"
	"fmt"

	"talbot/board"
	"talbot/dataset"
	"talbot/formats/binpack"
	"talbot/internal/durable"
)

// played is what a format needs that has a move for each position.
var played = Fact{"move", "a move that was played", func(s *Sample) bool { return s.Ply() < len(s.Line().Moves) }}

// binpackFormat is one chain a line.
var binpackFormat = &Format{
	Name: "binpack", About: "Stockfish's binpack, for nnue-pytorch and bullet",
	Needs: []Fact{Result, played},
	Lacks: []Fact{Headers, Clocks, Policies, MultiPV, Variations, Chances, Effort, Tables, OtherLabels, Predictions,
		Reconstructed},
	begin: func(out *durable.AtomicFile, _ *Request) (writer, error) {
		return &binpackWriter{out: binpack.NewWriter(out)}, nil
	},
}

// binpackWriter collects the scores of a line.
type binpackWriter struct {
	out   *binpack.Writer
	line  *dataset.Line
	chain binpack.Chain
}

func (w *binpackWriter) sample(s *Sample) error {
	if l := s.Line(); w.line != l {
		w.line = l
		w.chain = binpack.NewChain(l.Start, l.Moves, l.Result)
	}
	if label, ok := s.Label(); ok {
		w.chain.Scores[s.Ply()] = binpack.RawScore(label.Lines[0].Score)
	}
	return nil
}

func (w *binpackWriter) endLine() error {
	w.line = nil
	return w.out.Write(&w.chain)
}

func (w *binpackWriter) end() error { return w.out.Flush() }

// textFormat is one row a sample.
var textFormat = &Format{
	Name: "text", About: "FEN | score | result, both from White's view, in centipawns",
	Needs: []Fact{Result, Score}, Lacks: positionsLack,
	begin: func(out *durable.AtomicFile, _ *Request) (writer, error) {
		return textWriter{bufio.NewWriter(out)}, nil
	},
}

// positionsLack is what formats of positions with a score and the result lack.
var positionsLack = []Fact{History, Headers, Clocks, Policies, MultiPV, Variations, Chances, Effort, Tables,
	OtherLabels, Predictions}

// points are White's of a known result.
var points = map[dataset.Result]string{dataset.WhiteWins: "1.0", dataset.Draw: "0.5", dataset.BlackWins: "0.0"}

type textWriter struct{ out *bufio.Writer }

func (w textWriter) sample(s *Sample) error {
	label, _ := s.Label()
	score := centipawns(label.Lines[0].Score)
	if s.Position().Turn() == board.Black {
		score = -score
	}
	_, err := fmt.Fprintf(w.out, "%s | %d | %s\n", s.Position().FEN(), score, points[s.Line().Result])
	return err
}

func (w textWriter) end() error { return w.out.Flush() }

// centipawns returns a score as these formats have it: a mate in n plies is ±(32000 − n).
func centipawns(s dataset.Score) int {
	if cp, ok := s.Centipawns(); ok {
		return cp
	}
	return int(binpack.RawScore(s))
}

// bulletFormat is a record of 32 bytes a sample.
var bulletFormat = &Format{
	Name: "bullet", About: "bulletformat: positions without rights and counters",
	Needs: []Fact{Result, Score}, Lacks: positionsLack,
	begin: func(out *durable.AtomicFile, _ *Request) (writer, error) {
		return bulletWriter{bufio.NewWriter(out)}, nil
	},
}

type bulletWriter struct{ out *bufio.Writer }

func (w bulletWriter) sample(s *Sample) error {
	label, _ := s.Label()
	p := s.Position()
	result := 1
	switch r := s.Line().Result; {
	case r == dataset.Draw:
	case (r == dataset.WhiteWins) == (p.Turn() == board.White):
		result = 2
	default:
		result = 0
	}
	record := bulletRecord(p, centipawns(label.Lines[0].Score), result)
	_, err := w.out.Write(record[:])
	return err
}

func (w bulletWriter) end() error { return w.out.Flush() }

// bulletRecord returns the record of a position, its score in centipawns and the result (2 won, 1 drawn, 0 lost), all
// from the side to move's view (crate bulletformat 1.8.0, ChessBoard): occupied squares, a nibble for each, score,
// result and the kings' squares; of the ranks the mover's first is the first.
func bulletRecord(p *board.Position, score, result int) (record [32]byte) {
	q := *p
	if q.Turn() == board.Black {
		q = q.Mirror()
	}
	binary.LittleEndian.PutUint64(record[:], uint64(q.Occupied()))
	for i, left := 0, q.Occupied(); left != 0; i, left = i+1, left&(left-1) {
		piece := q.PieceAt(left.First())
		nibble := byte(piece.Color())<<3 | byte(piece.Type()-board.Pawn)
		record[8+i/2] |= nibble << (i % 2 * 4)
	}
	binary.LittleEndian.PutUint16(record[24:], uint16(int16(score)))
	record[26] = byte(result)
	record[27] = byte(q.Pieces(board.White, board.King).First())
	record[28] = byte(q.Pieces(board.Black, board.King).First().Mirror())
	return record
}
