package ingest

import (
	"encoding/binary"
	"math/rand/v2"

	"talbot/board"
	"talbot/dataset"
	"talbot/synth"
)

// MaxHistory is the longest history that ingest reconstructs, in plies.
const MaxHistory = 16

// pastReconstructor puts reconstructed history in front of lines; the zero value is ready for use.
type pastReconstructor struct{ reconstructor *synth.Reconstructor }

// prepend reconstructs a history of plies moves, which depends on the seed and the line alone, and reports whether
// there is one. If not the line stays as it is.
func (v *pastReconstructor) prepend(l *dataset.Line, plies int, seed uint64) (bool, error) {
	if v.reconstructor == nil {
		var err error
		if v.reconstructor, err = synth.NewReconstructor(synth.DefaultPast); err != nil {
			return false, err
		}
	}
	hash := l.GameHash()
	rng := rand.New(rand.NewPCG(seed, binary.LittleEndian.Uint64(hash[:])))
	moves := make([]board.Move, plies)
	start, ok := v.reconstructor.Reconstruct(rng, l.Start, moves)
	if ok {
		l.Prepend(start, moves)
	}
	return ok, nil
}
