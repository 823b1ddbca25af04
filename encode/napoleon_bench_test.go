package encode

import (
	"testing"

	"talbot/board"
)

// napoleonPositions are those of random games.
func napoleonPositions() (all []board.Position) {
	for seed := range uint64(64) {
		p := board.StartPosition()
		for _, m := range randomLine(seed, p, 80).Moves {
			all = append(all, p)
			p.Play(m)
		}
	}
	return all
}

func BenchmarkNapoleonPack(b *testing.B) {
	all := napoleonPositions()
	var words [NapoleonWords]uint64
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		packBoard(words[:], &all[i], all[i].Turn())
		if i++; i == len(all) {
			i = 0
		}
	}
}

func BenchmarkNapoleonNumbers(b *testing.B) {
	all := napoleonPositions()
	words := make([][NapoleonWords]uint64, len(all))
	for i := range all {
		packBoard(words[i][:], &all[i], all[i].Turn())
	}
	var numbers [napoleonSize]float32
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		Napoleon{}.Unpack(numbers[:], words[i][:])
		if i++; i == len(all) {
			i = 0
		}
	}
}
