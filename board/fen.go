package board

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ParseFEN reads a position in Forsyth-Edwards Notation with four to six fields (missing counters are 0 and 1). Fields
// may be separated by any number of blanks. The result is checked (see [Position.Validate]); an en passant square is
// kept only if a capture there is legal, and is an error if it is impossible (no pawn that could just have made the
// double step). The error quotes the text.
func ParseFEN(s string) (Position, error) {
	p, left, err := parseFEN(s, true)
	if err == nil && left != "" {
		err = errNotHome(strings.IndexByte(rightLetters, left[0]))
	}
	return p, quoteFEN(s, &p, err)
}

// ReadFEN is [ParseFEN] for what others write. Rights to castle (KQkq) without king and rook at home, which editors of
// positions give, are left out and returned. Rights of [ErrChess960] are refused: by file, unless they mean the
// standard rooks (HAha); and of a king and a rook elsewhere on the back rank, unless the source says that it is
// standard chess.
func ReadFEN(s string, standard bool) (p Position, left string, err error) {
	p, left, err = parseFEN(s, standard)
	return p, left, quoteFEN(s, &p, err)
}

// ErrChess960: castling rights that only Chess960 has.
var ErrChess960 = errors.New("castling rights of Chess960")

// quoteFEN returns the error of a FEN with its text, and empties the position if there is one.
func quoteFEN(s string, p *Position, err error) error {
	if err == nil {
		return nil
	}
	*p = Position{}
	if len(s) > 120 {
		s = s[:120] + "…"
	}
	return fmt.Errorf("bad FEN %q: %w", s, err)
}

// rightLetters are the letters of the rights by bit of Position.castling, then those by file for the standard rooks.
const rightLetters = "KQkqHAha"

// castlers returns the squares of king and rook of a right.
func castlers(right int) (king, rook Square) {
	home := Square(56 * (right >> 1 & 1))
	return home + 4, home + Square(7*(1-right&1))
}

func errNotHome(right int) error {
	king, rook := castlers(right)
	return fmt.Errorf("castling rights of %v need king and rook on %v and %v", Color(right>>1), king, rook)
}

// parseRights reads the rights; left are those that the position does not allow.
func (p *Position) parseRights(s string, standard bool) (left string, err error) {
	for i := range len(s) {
		right := strings.IndexByte(rightLetters, s[i])
		if right < 0 && strings.IndexByte("BCDEFGbcdefg", s[i]) < 0 || right >= 0 && p.castling>>(right&3)&1 != 0 {
			return left, fmt.Errorf("castling rights %q, expected letters of KQkq or -", s)
		}
		king, rook := castlers(right)
		c := Color(right >> 1 & 1)
		at, rank := p.king(c), rank1<<(8*king.Rank())
		beside := at.Bitboard() - 1 // the squares of the rooks that have the right in X-FEN
		if rook > king {
			beside = ^beside
		}
		inner := rank &^ 0x8100000000000081 // where a king may be between two rooks
		switch {
		case right >= 0 && at == king && p.Pieces(c, Rook).Has(rook):
			p.castling |= 1 << (right & 3)
		case right < 0 || right > 3 || !standard && inner.Has(at) && p.Pieces(c, Rook)&rank&beside != 0:
			return left, fmt.Errorf("%w: %q", ErrChess960, s)
		default:
			left += s[i : i+1]
		}
	}
	return left, nil
}

func parseFEN(s string, standard bool) (p Position, left string, err error) {
	fields := strings.Fields(s)
	if len(fields) < 4 || len(fields) > 6 {
		return p, "", fmt.Errorf("%d fields, expected 4 to 6", len(fields))
	}
	if err := p.parsePlacement(fields[0]); err != nil {
		return p, "", err
	}
	switch fields[1] {
	case "w":
		p.turn = White
	case "b":
		p.turn = Black
	default:
		return p, "", fmt.Errorf("side to move %q, expected w or b", fields[1])
	}
	p.ep = NoSquare
	p.fullmove = 1
	for i, dst := range []*uint16{&p.halfmove, &p.fullmove} {
		if len(fields) <= 4+i {
			break
		}
		n, err := strconv.ParseUint(fields[4+i], 10, 16)
		if err != nil {
			return p, "", fmt.Errorf("counter %q, expected 0 to 65535", fields[4+i])
		}
		*dst = uint16(n)
	}
	p.fullmove = max(p.fullmove, 1) // some tools write 0
	if err := p.Validate(); err != nil {
		return p, "", err
	}
	if fields[2] != "-" {
		if left, err = p.parseRights(fields[2], standard); err != nil {
			return p, "", err
		}
	}
	if fields[3] != "-" {
		ep, ok := ParseSquare(fields[3])
		if !ok {
			return p, "", fmt.Errorf("unknown en passant square %q", fields[3])
		}
		if err := p.passed(ep); err != nil {
			return p, "", err
		}
	}
	p.key = p.computeKey()
	return p, left, nil
}

func (p *Position) parsePlacement(s string) error {
	file, rank := 0, 7
	for i := range len(s) {
		c := s[i]
		switch {
		case c == '/':
			if file != 8 {
				return fmt.Errorf("rank %d has %d files", rank+1, file)
			}
			if rank == 0 {
				return errors.New("more than 8 ranks")
			}
			file, rank = 0, rank-1
		case c >= '1' && c <= '8':
			file += int(c - '0')
		default:
			pt := pieceTypeOf(c &^ 32)
			if pt == NoPieceType {
				return fmt.Errorf("unknown piece %q", c)
			}
			if file > 7 {
				return fmt.Errorf("rank %d is too long", rank+1)
			}
			color := White
			if c >= 'a' {
				color = Black
			}
			p.put(color, pt, NewSquare(file, rank))
			file++
		}
		if file > 8 {
			return fmt.Errorf("rank %d is too long", rank+1)
		}
	}
	if rank != 0 || file != 8 {
		return fmt.Errorf("placement ends on rank %d after %d files", rank+1, file)
	}
	return nil
}

// passed takes over that a pawn just passed a square, if a capture there is
// legal. The position must be valid otherwise.
func (p *Position) passed(ep Square) error {
	if ep.Rank() != [2]int{5, 2}[p.turn] {
		return fmt.Errorf("impossible en passant square \"%v\"", ep)
	}
	them := p.turn.Other()
	pawn, origin := ep-8, ep+8
	if p.turn == Black {
		pawn, origin = origin, pawn
	}
	if !p.Pieces(them, Pawn).Has(pawn) || p.Occupied().Has(ep) || p.Occupied().Has(origin) {
		return fmt.Errorf("en passant square \"%v\" without a pawn that just passed it", ep)
	}
	if p.epCapturePossible(ep) {
		p.ep = ep
	}
	return nil
}

// FEN returns the position with all six fields.
func (p *Position) FEN() string { return string(p.AppendFEN(nil)) }

// EPD returns the first four fields of the FEN: the position without counters.
func (p *Position) EPD() string { return string(p.AppendEPD(nil)) }

// AppendFEN appends the FEN to dst.
func (p *Position) AppendFEN(dst []byte) []byte {
	dst = append(p.AppendEPD(dst), ' ')
	dst = strconv.AppendUint(dst, uint64(p.halfmove), 10)
	dst = append(dst, ' ')
	return strconv.AppendUint(dst, uint64(p.fullmove), 10)
}

// AppendEPD appends the first four fields of the FEN to dst.
func (p *Position) AppendEPD(dst []byte) []byte {
	if *p == startPosition { // most games begin there
		return append(dst, StartFEN[:len(StartFEN)-len(" 0 1")]...)
	}
	for r := 7; r >= 0; r-- {
		empty := byte(0)
		for f := range 8 {
			piece := p.PieceAt(NewSquare(f, r))
			if piece == NoPiece {
				empty++
				continue
			}
			if empty > 0 {
				dst = append(dst, '0'+empty)
				empty = 0
			}
			dst = append(dst, pieceLetters[piece])
		}
		if empty > 0 {
			dst = append(dst, '0'+empty)
		}
		if r > 0 {
			dst = append(dst, '/')
		}
	}
	dst = append(dst, ' ', "wb"[p.turn], ' ')
	if p.castling == 0 {
		dst = append(dst, '-')
	}
	for i := range 4 {
		if p.castling>>i&1 != 0 {
			dst = append(dst, "KQkq"[i])
		}
	}
	dst = append(dst, ' ')
	return append(dst, p.ep.String()...)
}
