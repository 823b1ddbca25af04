package board

// Game is a position with its past: what repetitions and history planes are
// read from. The zero value is unusable; see [NewGame].
type Game struct {
	positions []Position
}

// NewGame returns a game that begins at start, after moves, which must be legal.
func NewGame(start Position, moves ...Move) *Game {
	g := &Game{positions: make([]Position, 0, 128)}
	g.Reset(start, moves...)
	return g
}

// Reset is [NewGame] that keeps the memory.
func (g *Game) Reset(start Position, moves ...Move) {
	g.positions = append(g.positions[:0], start)
	for _, m := range moves {
		g.Push(m)
	}
}

// Push plays m, which must be legal.
func (g *Game) Push(m Move) {
	g.positions = append(g.positions, g.positions[len(g.positions)-1])
	g.positions[len(g.positions)-1].Play(m)
}

// Rewind takes moves back to the one after which [Game.Ply] was ply, which is not above the present one.
func (g *Game) Rewind(ply int) { g.positions = g.positions[:ply+1] }

// Position returns the present position; the pointer is valid until the next Push, Rewind or Reset.
func (g *Game) Position() *Position { return &g.positions[len(g.positions)-1] }

// Ply returns the number of moves played since the start.
func (g *Game) Ply() int { return len(g.positions) - 1 }

// Previous returns the position k plies ago (0 is the present one), nil if the game does not reach back that far.
func (g *Game) Previous(k int) *Position {
	i := len(g.positions) - 1 - k
	if k < 0 || i < 0 {
		return nil
	}
	return &g.positions[i]
}

// Repetitions returns how often the present position occurred before in the game: 0 for a new one, 2 when it stands for
// the third time. Only plies since the last capture or pawn move are looked at, by the clock.
func (g *Game) Repetitions() int { return g.RepetitionsAt(0) }

// RepetitionsAt returns the Repetitions of the position k plies ago, at its time.
func (g *Game) RepetitionsAt(k int) int {
	last := len(g.positions) - 1 - k
	now := &g.positions[last]
	n := 0
	for i := last - 4; i >= 0 && i >= last-int(now.halfmove); i -= 2 {
		if g.positions[i].key == now.key {
			n++
		}
	}
	return n
}
