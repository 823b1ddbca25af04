package match

import (
	"context"
	"math/rand/v2"

	"talbot/board"
)

// Random is a player that draws each legal move with the same chance. The zero value is ready.
type Random struct {
	rng   *rand.Rand
	legal []board.Move
}

// NewGame seeds the player.
func (p *Random) NewGame(_ context.Context, seed uint64) error {
	p.rng = rand.New(rand.NewPCG(seed, 0))
	return nil
}

// Move draws a move.
func (p *Random) Move(_ context.Context, r *MoveRequest) (ChosenMove, error) {
	p.legal = r.Game.Position().LegalMoves(p.legal[:0])
	return ChosenMove{Move: p.legal[p.rng.IntN(len(p.legal))]}, nil
}

// Close does nothing.
func (p *Random) Close() error { return nil }
