package viriformat

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"talbot/board"
	"talbot/dataset"
	"talbot/formats/scored"
)

const (
	headerSize = 32
	moveSize   = 4
	maxMoves   = 20_000 // of a game that is read
)

var (
	errHeader  = errors.New("no game begins here")
	errRights  = errors.New("castling rights of Chess960")
	errIllegal = errors.New("an illegal move")
	errCut     = errors.New("the file ends within a game")
)

// Reader reads games as lines: start, moves that were played, the result, and the scores as imported labels
// ([scored.Reader]).
type Reader struct {
	scored.Reader
	in     *bufio.Reader
	offset int64 // of what in gives next
	number int64
}

// NewReader returns a reader of an unpacked file whose scores are from that view, which is White's by the format. The
// origin, which may be empty, names who made them.
func NewReader(in io.Reader, origin string, view dataset.View, unchecked bool) *Reader {
	r := &Reader{in: bufio.NewReaderSize(in, 1<<16), Reader: scored.Reader{
		Engine: strings.TrimSpace("viriformat " + origin), Unit: dataset.CentipawnUnit.String(), View: view,
		Unchecked: unchecked,
	}}
	r.Read = r.read
	return r
}

// read adds the next game.
func (r *Reader) read() error {
	head, err := r.in.Peek(headerSize)
	if len(head) == 0 {
		return err
	}
	r.number++
	line := dataset.Line{Source: dataset.SourceGame, Number: r.number, Offset: r.offset, Samples: dataset.AllMoves()}
	if err == io.EOF {
		err = errCut
	}
	if err == nil {
		line.Start, line.Result, err = readHeader(head)
	}
	if err != nil {
		return r.Add(line, nil, r.skipGame(&line, err))
	}
	r.skip(headerSize)
	labels, err := r.moves(&line)
	return r.Add(line, labels, err)
}

// skipGame passes over a game whose header cannot be used, and returns why.
func (r *Reader) skipGame(line *dataset.Line, err error) *dataset.Reject {
	if !errors.Is(err, errRights) {
		return reject(line, dataset.BadFEN, line.Offset,
			fmt.Errorf("%w; %d bytes up to the next game are lost", err, r.resync()))
	}
	if r.skip(headerSize); !r.toEnd() {
		return reject(line, dataset.BadSyntax, r.offset, errCut)
	}
	return reject(line, dataset.Chess960, line.Offset, err)
}

// moves reads the moves of a game and their scores, up to its end.
func (r *Reader) moves(line *dataset.Line) (labels []dataset.Label, err error) {
	for p := line.Start; ; {
		word, err := r.in.Peek(moveSize)
		if err != nil {
			r.skip(len(word))
			return nil, reject(line, dataset.BadSyntax, r.offset, errCut)
		}
		at := r.offset
		move, raw := binary.LittleEndian.Uint16(word), int(int16(binary.LittleEndian.Uint16(word[2:])))
		if r.skip(moveSize); move == 0 && raw == 0 {
			break
		}
		m, err := readMove(&p, move)
		if err != nil || len(line.Moves) == maxMoves {
			reason := dataset.IllegalMove
			if err == nil {
				reason, err = dataset.TooLong, fmt.Errorf("more than %d moves", maxMoves)
			}
			r.toEnd()
			return nil, reject(line, reason, at, fmt.Errorf("ply %d at byte %d: %w", len(line.Moves), at, err))
		}
		if r.View == dataset.WhiteView && p.Turn() == board.Black {
			raw = -raw
		}
		line.Moves = append(line.Moves, m)
		labels = append(labels, dataset.Label{Status: dataset.Labelled,
			Lines: []dataset.Searched{{Score: dataset.Centipawns(raw)}}})
		p.Play(m)
	}
	if len(line.Moves) == 0 {
		return nil, reject(line, dataset.NoMoves, line.Offset, nil)
	}
	return labels, nil
}

// reject says why a game is left out.
func reject(line *dataset.Line, reason dataset.Reason, at int64, err error) *dataset.Reject {
	return &dataset.Reject{Reason: reason, Number: line.Number, Offset: line.Offset, At: at, Ply: len(line.Moves),
		Err: err}
}

// skip passes over bytes that were looked at.
func (r *Reader) skip(n int) {
	n, _ = r.in.Discard(n)
	r.offset += int64(n)
}

// toEnd passes over the rest of a game; false if the file ends before.
func (r *Reader) toEnd() bool {
	for {
		word, err := r.in.Peek(moveSize)
		end := err == nil && binary.LittleEndian.Uint32(word) == 0
		if r.skip(len(word)); err != nil || end {
			return end
		}
	}
}

// resync skips to the next header, which begins after the current byte, and returns how many bytes it skipped.
func (r *Reader) resync() int64 {
	before := r.offset
	for {
		r.skip(1)
		head, err := r.in.Peek(headerSize + moveSize)
		if looks(head) {
			return r.offset - before
		}
		if err != nil && len(head) < headerSize {
			r.skip(len(head))
			return r.offset - before
		}
	}
}

// Looks reports whether a file begins with a game, of which head are at least the first 512 bytes or all.
func Looks(head []byte) bool { return len(head) >= headerSize+2*moveSize && looks(head) }

// looks reports whether data begin with a header, followed by a move of a piece of the side to move, or by the
// end of the game.
func looks(head []byte) bool {
	if len(head) < headerSize+moveSize {
		return false
	}
	p, _, err := readHeader(head)
	if err != nil && !errors.Is(err, errRights) {
		return false
	}
	if err != nil { // the moves of such a game are not known
		from := board.Square(head[headerSize] & 63)
		return p.ByColor(p.Turn()).Has(from)
	}
	word := binary.LittleEndian.Uint16(head[headerSize:])
	if binary.LittleEndian.Uint32(head[headerSize:]) == 0 {
		return true
	}
	_, err = readMove(&p, word)
	return err == nil
}

// castleRook is the type of a rook with the right to castle.
const castleRook = 6

// readHeader reads a header. With errRights the position is that without rights.
func readHeader(data []byte) (p board.Position, result dataset.Result, err error) {
	occupied := board.Bitboard(binary.LittleEndian.Uint64(data))
	if n := occupied.Len(); n > 32 || n < 2 || data[30] > 2 {
		return p, 0, errHeader
	}
	var setup board.Setup
	var rooks []board.Square
	i := 0
	for left := occupied; left != 0; i, left = i+1, left&(left-1) {
		on := left.First()
		nibble := data[8+i/2] >> (i % 2 * 4) & 15
		color, kind := board.Color(nibble>>3), nibble&7
		switch kind {
		case castleRook:
			kind = byte(board.Rook - board.Pawn)
			rooks = append(rooks, on)
		case castleRook + 1:
			return p, 0, errHeader
		}
		setup.Put(board.NewPiece(color, board.Pawn+board.PieceType(kind)), on)
	}
	for ; i < 32; i++ {
		if data[8+i/2]>>(i%2*4)&15 != 0 {
			return p, 0, errHeader
		}
	}
	if data[24]&128 != 0 {
		setup.Turn = board.Black
	}
	bare := setup
	switch passed := board.Square(data[24] & 127); {
	case passed > 64:
		return p, 0, errHeader
	case passed < 64:
		setup.Passed(passed)
	}
	setup.HalfmoveClock, setup.FullmoveNumber = int(data[25]), int(binary.LittleEndian.Uint16(data[26:]))
	standard := true
	for _, on := range rooks {
		standard = setup.AllowCastlingWith(on) && standard
	}
	if !standard {
		setup = bare
	}
	if p, err = setup.Position(); err != nil {
		return p, 0, fmt.Errorf("%w: %w", errHeader, err)
	}
	if !standard {
		return p, 0, errRights
	}
	return p, [...]dataset.Result{dataset.BlackWins, dataset.Draw, dataset.WhiteWins}[data[30]], nil
}

// The types of moves.
const (
	normal = iota
	enPassant
	castling
	promotion
)

// readMove reads a move that is legal and of the type that it says.
func readMove(p *board.Position, word uint16) (board.Move, error) {
	from, to := board.Square(word&63), board.Square(word>>6&63)
	m, kind := board.NewMove(from, to), int(word>>14)
	switch {
	case kind == promotion:
		m = board.NewPromotion(from, to, board.Knight+board.PieceType(word>>12&3))
	case word>>12&3 != 0:
		kind = -1
	case kind == castling && to == from|7:
		m = board.NewMove(from, from+2)
	case kind == castling && to == from&^7:
		m = board.NewMove(from, from-2)
	case kind == castling: // to no rook
		kind = -1
	}
	if !p.IsLegal(m) || kind != kindOf(p, m) {
		return 0, fmt.Errorf("%w %v", errIllegal, m)
	}
	return m, nil
}

// kindOf returns the type of a legal move.
func kindOf(p *board.Position, m board.Move) int {
	switch {
	case m.Promotion() != board.NoPieceType:
		return promotion
	case p.IsCastling(m):
		return castling
	case p.IsEnPassant(m):
		return enPassant
	}
	return normal
}
