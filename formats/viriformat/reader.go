package viriformat

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"talbot/board"
	"talbot/dataset"
)

const (
	headerSize = 32
	moveSize   = 4
	maxMoves   = 20_000 // of a game that is read
	lookAhead  = 10_000 // positions that show whose view the scores are from
)

var (
	errHeader  = errors.New("no game begins here")
	errRights  = errors.New("castling rights of Chess960")
	errIllegal = errors.New("an illegal move")
	errCut     = errors.New("the file ends within a game")
)

// Reader reads games as lines: start, moves that were played, the result, and the scores as imported labels. It reads
// 10,000 positions ahead, and compares the signs of their scores with results and material ([dataset.Signs]). A Reader
// is for one goroutine.
type Reader struct {
	in     *bufio.Reader
	offset int64 // of what in gives next
	view   dataset.View
	engine string
	// unchecked says that signs are not compared.
	unchecked bool

	ahead  []game
	done   error // returned after ahead
	begun  bool
	number int64
	sizes  dataset.Sizes
}

// game is a game or a reject.
type game struct {
	line   dataset.Line
	labels []dataset.Label
	reject *dataset.Reject
}

// NewReader returns a reader of an unpacked file whose scores are from that view, which is White's by the format. The
// origin, which may be empty, names who made them.
func NewReader(in io.Reader, origin string, view dataset.View, unchecked bool) *Reader {
	engine := "viriformat"
	if origin != "" {
		engine += " " + origin
	}
	return &Reader{in: bufio.NewReaderSize(in, 1<<16), engine: engine, view: view, unchecked: unchecked}
}

// Next returns the next game with its labels, by ascending Number, or io.EOF after the last. A game that cannot be used
// is a *[dataset.Reject], and reading can go on; every other error is final, [dataset.ErrView] among them.
func (r *Reader) Next() (l dataset.Line, labels dataset.Imported, err error) {
	if err := r.Check(); err != nil {
		return l, labels, err
	}
	if len(r.ahead) == 0 && r.done == nil {
		r.ahead = r.ahead[:0]
		r.read()
	}
	if len(r.ahead) == 0 {
		return l, labels, r.done
	}
	g := r.ahead[0]
	r.ahead = r.ahead[1:]
	if g.reject != nil {
		return l, labels, g.reject
	}
	for i := range g.labels {
		r.sizes.Add(g.labels[i].Lines[0].Score)
	}
	return g.line, dataset.Imported{Engine: r.engine, Labels: g.labels}, nil
}

// Check reads ahead and returns [dataset.ErrView] if the signs of the scores contradict results or material.
func (r *Reader) Check() error {
	if r.begun {
		return nil
	}
	r.begun = true
	for positions := 0; positions < lookAhead && r.done == nil; {
		positions += len(r.read().labels)
	}
	if r.unchecked {
		return nil
	}
	var signs dataset.Signs
	positions := 0
	for i := range r.ahead {
		g := &r.ahead[i]
		p := g.line.Start
		for k := range g.labels {
			signs.AddScore(&p, g.labels[k].Lines[0].Score, g.line.Result)
			p.Play(g.line.Moves[k])
		}
		positions += len(g.labels)
	}
	return signs.Check(r.view, positions)
}

// Table says how the scores were read so far.
func (r *Reader) Table() dataset.Table { return r.sizes.Table(dataset.CentipawnUnit.String(), r.view) }

// read appends the next game, or sets done.
func (r *Reader) read() (g game) {
	start := r.offset
	header, err := r.in.Peek(headerSize)
	if len(header) == 0 {
		if r.done = err; err == nil {
			r.done = io.EOF
		}
		return g
	}
	r.number++
	reject := func(reason dataset.Reason, at int64, err error) {
		g = game{reject: &dataset.Reject{Reason: reason, Number: r.number, Offset: start, At: at, Err: err}}
	}
	defer func() { r.ahead = append(r.ahead, g) }()
	var h board.Position
	var result dataset.Result
	if err == nil {
		h, result, err = readHeader(header)
	} else if err == io.EOF {
		err = errCut
	}
	if err != nil && !errors.Is(err, errRights) {
		reject(dataset.BadFEN, start, fmt.Errorf("%w; %d bytes up to the next game are lost", err, r.resync()))
		return g
	}
	r.skip(headerSize)
	if err != nil {
		reject(dataset.Chess960, start, err)
		if !r.toEnd() {
			reject(dataset.BadSyntax, r.offset, errCut)
		}
		return g
	}
	g.line = dataset.Line{Source: dataset.SourceGame, Number: r.number, Offset: start, Start: h, Result: result,
		Samples: dataset.AllMoves()}
	for p := h; ; {
		word, err := r.in.Peek(moveSize)
		if err != nil {
			r.skip(len(word))
			reject(dataset.BadSyntax, r.offset, errCut)
			return g
		}
		at := r.offset
		move, raw := binary.LittleEndian.Uint16(word), int(int16(binary.LittleEndian.Uint16(word[2:])))
		if r.skip(moveSize); move == 0 && raw == 0 {
			break
		}
		m, err := readMove(&p, move)
		if err != nil || len(g.line.Moves) == maxMoves {
			reason := dataset.IllegalMove
			if err == nil {
				reason, err = dataset.TooLong, fmt.Errorf("more than %d moves", maxMoves)
			}
			ply := len(g.line.Moves)
			reject(reason, at, fmt.Errorf("ply %d at byte %d: %w", ply, at, err))
			g.reject.Ply = ply
			r.toEnd()
			return g
		}
		if r.view == dataset.WhiteView && p.Turn() == board.Black {
			raw = -raw
		}
		g.line.Moves = append(g.line.Moves, m)
		g.labels = append(g.labels, dataset.Label{Status: dataset.Labelled,
			Lines: []dataset.Searched{{Score: dataset.Centipawns(raw)}}})
		p.Play(m)
	}
	if len(g.line.Moves) == 0 {
		reject(dataset.NoMoves, start, nil)
	}
	return g
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
	var setup, bare board.Setup // with rights and en passant square, and without
	var rooks []board.Square
	king := [2]board.Square{board.NoSquare, board.NoSquare}
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
		piece := board.NewPiece(color, board.Pawn+board.PieceType(kind))
		if piece.Type() == board.King {
			king[color] = on
		}
		setup.Put(piece, on)
		bare.Put(piece, on)
	}
	for ; i < 32; i++ {
		if data[8+i/2]>>(i%2*4)&15 != 0 {
			return p, 0, errHeader
		}
	}
	if data[24]&128 != 0 {
		setup.Turn = board.Black
	}
	switch passed := board.Square(data[24] & 127); {
	case passed > 64:
		return p, 0, errHeader
	case passed < 64:
		setup.Passed(passed)
	}
	setup.HalfmoveClock, setup.FullmoveNumber = int(data[25]), int(binary.LittleEndian.Uint16(data[26:]))
	standard := true
	for _, on := range rooks {
		color := board.White
		if on.Rank() != 0 {
			color = board.Black
		}
		home := board.Square(56 * int(color))
		if king[color] != home+4 || on != home && on != home+7 {
			standard = false
			continue
		}
		setup.AllowCastling(color, on == home+7)
	}
	if !standard {
		bare.Turn = setup.Turn
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
	m := board.NewMove(from, to)
	piece := p.PieceAt(from)
	passing := piece.Type() == board.Pawn && from.File() != to.File() && p.PieceAt(to) == board.NoPiece
	ok := word>>12&3 == 0
	switch word >> 14 {
	case normal:
		ok = ok && !passing && !isCastling(piece, m)
	case enPassant:
		ok = ok && passing
	case castling:
		ok = ok && piece.Type() == board.King && p.PieceAt(to) == board.NewPiece(p.Turn(), board.Rook)
		king := from + 2
		if to < from {
			king = from - 2
		}
		m = board.NewMove(from, king)
		ok = ok && (to&7 == 0 || to&7 == 7) && from&7 == 4
	case promotion:
		ok, m = true, board.NewPromotion(from, to, board.Knight+board.PieceType(word>>12&3))
	}
	if !ok || !p.IsLegal(m) {
		return 0, fmt.Errorf("%w %v", errIllegal, m)
	}
	return m, nil
}

func isCastling(piece board.Piece, m board.Move) bool {
	return piece.Type() == board.King && (m.To() == m.From()+2 || m.To()+2 == m.From())
}
