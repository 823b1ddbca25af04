package board

// Setup is a position being composed: pieces on squares, the side to move, castling rights, en passant square and
// counters. Nothing is checked until [Setup.Position].
type Setup struct {
	Turn           Color
	HalfmoveClock  int // plies since the last capture or pawn move, up to 65,535
	FullmoveNumber int // up to 65,535; 0 stands for 1
	position       Position
	passed         Square // 0, which no pawn passes, stands for none
}

// Put places a piece on a square in place of what was there; [NoPiece] empties the square.
func (s *Setup) Put(p Piece, on Square) { s.PutAll(p, on.Bitboard()) }

// PutAll is [Setup.Put] for several squares.
func (s *Setup) PutAll(p Piece, b Bitboard) {
	for pt := range s.position.pieces {
		s.position.pieces[pt] &^= b
	}
	for c := range s.position.colors {
		s.position.colors[c] &^= b
	}
	if p.Type() != NoPieceType {
		s.position.pieces[p.Type()] |= b
		s.position.colors[p.Color()] |= b
	}
}

// AllowCastling gives side c the right to castle.
func (s *Setup) AllowCastling(c Color, kingSide bool) {
	right := whiteQueenSide
	if kingSide {
		right = whiteKingSide
	}
	s.position.castling |= right << (2 * c)
}

// AllowCastlingWith gives the right to castle with the rook on a square of a back rank, if the rook and its king are at
// home there, and reports whether they are.
func (s *Setup) AllowCastlingWith(rook Square) bool {
	c := White
	if rook.Rank() != 0 {
		c = Black
	}
	home := Square(56 * c)
	if rook != home && rook != home+7 || !s.position.Pieces(c, King).Has(home+4) {
		return false
	}
	s.AllowCastling(c, rook != home)
	return true
}

// Passed says that a pawn of the side not to move has just passed a square. As
// everywhere the square is kept only if a capture on it is legal.
func (s *Setup) Passed(on Square) { s.passed = on }

// Occupied returns the squares that hold a piece.
func (s *Setup) Occupied() Bitboard { return s.position.Occupied() }

// Position returns the composed position, or why it is not a legal one (see [Position.Validate]).
func (s *Setup) Position() (Position, error) {
	p := s.position
	p.turn, p.ep = s.Turn, NoSquare
	p.halfmove, p.fullmove = uint16(s.HalfmoveClock), uint16(max(s.FullmoveNumber, 1))
	if err := p.Validate(); err != nil {
		return Position{}, err
	}
	if s.passed != 0 {
		if err := p.passed(s.passed); err != nil {
			return Position{}, err
		}
	}
	p.key = p.computeKey()
	return p, nil
}
