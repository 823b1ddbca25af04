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
	Needs: []Fact{Result, Score}, Lacks: positionsLack, begin: each(textRow),
}

// bulletFormat is a record of 32 bytes a sample.
var bulletFormat = &Format{
	Name: "bullet", About: "bulletformat: positions without rights and counters",
	Needs: []Fact{Result, Score}, Lacks: positionsLack, begin: each(bulletRecord),
}

// recordWriter writes a record for each sample, of its position and its score in centipawns from the mover's view.
type recordWriter struct {
	out    *bufio.Writer
	record func(p *board.Position, result dataset.Result, score int) []byte
}

// each begins files of such records.
func each(record func(p *board.Position, result dataset.Result, score int) []byte) func(*durable.AtomicFile,
	*Request) (writer, error) {
	return func(out *durable.AtomicFile, _ *Request) (writer, error) {
		return recordWriter{bufio.NewWriter(out), record}, nil
	}
}

func (w recordWriter) sample(s *Sample) error {
	label, _ := s.Label()
	_, err := w.out.Write(w.record(s.Position(), s.Line().Result, centipawns(label.Lines[0].Score)))
	return err
}

func (w recordWriter) end() error { return w.out.Flush() }

// positionsLack is what formats of positions with a score and the result lack.
var positionsLack = []Fact{History, Headers, Clocks, Policies, MultiPV, Variations, Chances, Effort, Tables,
	OtherLabels, Predictions}

// points are White's of a known result.
var points = map[dataset.Result]string{dataset.WhiteWins: "1.0", dataset.Draw: "0.5", dataset.BlackWins: "0.0"}

// textRow returns a row with the score from White's view.
func textRow(p *board.Position, result dataset.Result, score int) []byte {
	if p.Turn() == board.Black {
		score = -score
	}
	return fmt.Appendf(nil, "%s | %d | %s\n", p.FEN(), score, points[result])
}

// centipawns returns a score as these formats have it: a mate in n plies is ±(32000 − n).
func centipawns(s dataset.Score) int {
	if cp, ok := s.Centipawns(); ok {
		return cp
	}
	return int(binpack.RawScore(s))
}

// bulletRecord returns the record of a position, all from the side to move's view (crate bulletformat 1.8.0,
// ChessBoard): occupied squares, a nibble for each, score, result (2 won, 1 drawn, 0 lost) and the kings' squares; of
// the ranks the mover's first is the first.
func bulletRecord(p *board.Position, result dataset.Result, score int) []byte {
	q := *p
	points := byte(1)
	if result != dataset.Draw {
		points = 0
		if (result == dataset.WhiteWins) == (q.Turn() == board.White) {
			points = 2
		}
	}
	if q.Turn() == board.Black {
		q = q.Mirror()
	}
	record := make([]byte, 32)
	binary.LittleEndian.PutUint64(record, uint64(q.Occupied()))
	for i, left := 0, q.Occupied(); left != 0; i, left = i+1, left&(left-1) {
		piece := q.PieceAt(left.First())
		nibble := byte(piece.Color())<<3 | byte(piece.Type()-board.Pawn)
		record[8+i/2] |= nibble << (i % 2 * 4)
	}
	binary.LittleEndian.PutUint16(record[24:], uint16(int16(score)))
	record[26] = points
	record[27] = byte(q.Pieces(board.White, board.King).First())
	record[28] = byte(q.Pieces(board.Black, board.King).First().Mirror())
	return record
}
