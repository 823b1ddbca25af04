package polyglot

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"sort"

	"talbot/board"
	"talbot/internal/durable"
	"talbot/internal/splitmix"
)

// entrySize is the size of an entry.
const entrySize = 16

// Entry is a move of a position in a book.
type Entry struct {
	Move   board.Move
	Weight uint16
}

// Book is a book that is open. Several goroutines may use it.
type Book struct {
	file    *os.File
	entries int64
}

// Open opens a book, whose keys it compares with one another once. The errors name the file.
func Open(path string) (*Book, error) {
	f, err := durable.OpenRegular(path)
	if err != nil {
		return nil, err
	}
	b := &Book{file: f}
	if err := b.check(); err != nil {
		return nil, errors.Join(fmt.Errorf("book %q: %w", path, err), f.Close())
	}
	return b, nil
}

// check counts the entries and reports what no book has.
func (b *Book) check() error {
	r := bufio.NewReaderSize(b.file, 1<<18)
	var e [entrySize]byte
	var last uint64
	same := 0
	for ; ; b.entries++ {
		n, err := io.ReadFull(r, e[:])
		key := binary.BigEndian.Uint64(e[:])
		if same++; key != last {
			same = 1
		}
		switch {
		case err == io.EOF && b.entries == 0:
			return errors.New("it is empty")
		case err == io.EOF:
			return nil
		case errors.Is(err, io.ErrUnexpectedEOF):
			return fmt.Errorf("%d bytes follow the last entry, at byte %d: it is cut short, or no Polyglot book",
				n, b.entries*entrySize)
		case err != nil:
			return err
		case b.entries > 0 && key < last:
			return fmt.Errorf("byte %d: the keys do not ascend: it is damaged, or no Polyglot book",
				b.entries*entrySize)
		case same > board.MaxMoves:
			return fmt.Errorf("byte %d: more than %d entries of one position: it is no Polyglot book",
				b.entries*entrySize, board.MaxMoves)
		}
		last = key
	}
}

// Path returns the path that the book was opened by.
func (b *Book) Path() string { return b.file.Name() }

// Close closes the file.
func (b *Book) Close() error { return b.file.Close() }

// at reads an entry.
func (b *Book) at(i int64) (e [entrySize]byte, err error) {
	_, err = b.file.ReadAt(e[:], i*entrySize)
	if err != nil {
		err = fmt.Errorf("book %q: byte %d: %w", b.file.Name(), i*entrySize, err)
	}
	return e, err
}

// Entries returns the entries of a game's present position, in the order of the file. Without them the position is not
// in the book. Moves that are not legal are left out: they are of another position that has the same key.
func (b *Book) Entries(g *board.Game) (list []Entry, err error) {
	key, p := Key(g), g.Position()
	i := int64(sort.Search(int(b.entries), func(i int) bool {
		e, failed := b.at(int64(i))
		if err == nil {
			err = failed
		}
		return binary.BigEndian.Uint64(e[:]) >= key
	}))
	for ; err == nil && i < b.entries; i++ {
		var e [entrySize]byte
		if e, err = b.at(i); err != nil || binary.BigEndian.Uint64(e[:]) != key {
			break
		}
		if m := decode(p, binary.BigEndian.Uint16(e[8:])); m != board.NoMove {
			list = append(list, Entry{m, binary.BigEndian.Uint16(e[10:])})
		}
	}
	return list, err
}

// Choose returns the book's move of a game's present position, [board.NoMove] if it has none: the first of those with
// the greatest weight if best is set, else one drawn in proportion to the weights. The same seed draws the same move
// in a position. Moves without a weight are not played.
func (b *Book) Choose(g *board.Game, seed uint64, best bool) (board.Move, error) {
	list, err := b.Entries(g)
	if err != nil {
		return board.NoMove, err
	}
	sum, first := uint64(0), Entry{}
	for _, e := range list {
		sum += uint64(e.Weight)
		if e.Weight > first.Weight {
			first = e
		}
	}
	if sum == 0 || best {
		return first.Move, nil
	}
	drawn := splitmix.Mix(seed^Key(g)) % sum
	for _, e := range list {
		if drawn < uint64(e.Weight) {
			return e.Move, nil
		}
		drawn -= uint64(e.Weight)
	}
	return first.Move, nil
}

// promotions are what pawns promote to, by number.
var promotions = [8]board.PieceType{1: board.Knight, 2: board.Bishop, 3: board.Rook, 4: board.Queen}

// decode returns the legal move that is written so, [board.NoMove] if there is none.
func decode(p *board.Position, raw uint16) board.Move {
	to, from := board.Square(raw&63), board.Square(raw>>6&63)
	m, turn := board.NewMove(from, to), p.Turn()
	switch n := raw >> 12; {
	case n != 0 && (n >= 8 || promotions[n] == board.NoPieceType):
		return board.NoMove
	case n != 0:
		m = board.NewPromotion(from, to, promotions[n])
	case p.Pieces(turn, board.King).Has(from) && p.Pieces(turn, board.Rook).Has(to):
		file := 2
		if to > from {
			file = 6
		}
		if m = board.NewMove(from, board.NewSquare(file, from.Rank())); !p.IsCastling(m) {
			return board.NoMove
		}
	}
	if !p.IsLegal(m) {
		return board.NoMove
	}
	return m
}

// encode is the inverse of decode, for legal moves.
func encode(p *board.Position, m board.Move) uint16 {
	to := m.To()
	if p.IsCastling(m) {
		file := 0
		if to > m.From() {
			file = 7
		}
		to = board.NewSquare(file, to.Rank())
	}
	raw := uint16(to) | uint16(m.From())<<6
	for n, pt := range promotions {
		if pt != board.NoPieceType && pt == m.Promotion() {
			raw |= uint16(n) << 12
		}
	}
	return raw
}
