package ingest

import (
	"encoding/binary"
	"math/rand/v2"

	"talbot/board"
	"talbot/dataset"
	"talbot/synth"
)

// MaxHistory is the longest history that ingest invents, in plies.
const MaxHistory = 16

// pastInventor puts invented history in front of lines; the zero value is ready for use.
type pastInventor struct{ inventor *synth.Inventor }

// prepend invents a past of so many plies, by the seed and the line alone, and reports whether there is one. If not the
// line stays as it is.
func (v *pastInventor) prepend(l *dataset.Line, plies int, seed uint64) (bool, error) {
	if v.inventor == nil {
		var err error
		if v.inventor, err = synth.NewInventor(synth.DefaultPast); err != nil {
			return false, err
		}
	}
	hash := l.GameHash()
	rng := rand.New(rand.NewPCG(seed, binary.LittleEndian.Uint64(hash[:])))
	moves := make([]board.Move, plies)
	start, ok := v.inventor.Invent(rng, l.Start, moves)
	if ok {
		l.Prepend(start, moves)
	}
	return ok, nil
}
