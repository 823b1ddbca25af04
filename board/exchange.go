package board

// pawnsWorth is the value of the pieces in pawns; the king cannot be captured.
var pawnsWorth = [...]int{Pawn: 1, Knight: 3, Bishop: 3, Rook: 5, Queen: 9, King: 0}

// Exchange returns what a legal move wins or loses on the square that it reaches, in pawns, from the view of its player
// (knight and bishop 3, rook 5, queen 9): what it takes and what it promotes to, less the most that the opponent can
// win by capturing there, if both keep capturing on that square with legal moves, in the order that is best for each,
// and stop when it pays. What hangs elsewhere does not count.
func (p *Position) Exchange(m Move) int {
	const all = 1000 // more than all material
	return p.exchange(m, -all, all)
}

// exchange is [Position.Exchange] where it is between two bounds; else a number on the same side of them.
func (p *Position) exchange(m Move, low, high int) int {
	after := p.After(m)
	won := p.gain(m)
	// The opponent may stop, which wins nothing.
	return won - after.recapture(m.To(), max(won-high, 0), won-low)
}

// recapture returns the most that the side to move wins by capturing on a square, at least best, which it has already;
// from high on any number will do. A pawn there may be captured en passant, and the exchange continues after it.
func (p *Position) recapture(to Square, best, high int) int {
	if best >= high || p.ep == NoSquare && p.attackersTo(to, p.turn, p.Occupied()) == 0 {
		return best
	}
	var buffer [MaxMoves]Move
	moves := p.LegalMoves(buffer[:0])
	for pt := Pawn; pt <= King; pt++ { // the least valuable first: most often it is the best
		for _, m := range moves {
			if p.TypeAt(m.From()) != pt || m.To() != to && !(p.IsEnPassant(m) && m.To()^8 == to) {
				continue
			}
			if best = max(best, p.exchange(m, best, high)); best >= high {
				return best
			}
		}
	}
	return best
}

// gain is what a move takes and promotes to.
func (p *Position) gain(m Move) int {
	won := pawnsWorth[p.Captured(m)]
	if pt := m.Promotion(); pt != NoPieceType {
		won += pawnsWorth[pt] - pawnsWorth[Pawn]
	}
	return won
}
