package diff

import (
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/testkit/madeup"
)

// TestLabelsWait: lines with different labels wait for each other only as far as their order differs.
func TestLabelsWait(t *testing.T) {
	game := madeup.Lines(t)[0]
	many := func(labelled, backwards bool) string {
		var lines []dataset.Line
		for i := range 200 {
			l := game
			l.Start = madeup.Line(t, "4k3/8/8/8/8/8/8/4K2R w - - 0 1").Start
			if backwards {
				i = 199 - i
			}
			l.Moves, l.Samples = numbered(l.Start, i), dataset.LastPosition()
			if l.Labels = nil; labelled {
				l.Labels = []dataset.LabelColumn{{Labels: []dataset.Label{{Status: dataset.Failed}}}}
			}
			lines = append(lines, l)
		}
		return madeup.Dataset(t, lines, 30)
	}
	for backwards, most := range map[bool]int{false: 1, true: 200} {
		d := &differ{Request: Request{A: many(false, false), B: many(true, backwards)}, result: &Difference{}}
		r, err := d.run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if r.Lines.Labels != 200 || len(r.Labels) != 1 || r.Labels[0].OnlyB != 200 {
			t.Errorf("%+v, %+v", r.Lines, r.Labels)
		}
		if d.mostWaiting > most {
			t.Errorf("%d lines waited, at most %d should; backwards %v", d.mostWaiting, most, backwards)
		}
	}
}

// numbered returns the moves of a line that is another one for each number.
func numbered(p board.Position, number int) (moves []board.Move) {
	for range 6 {
		legal := p.LegalMoves(nil)
		m := legal[number%len(legal)]
		number /= len(legal)
		moves = append(moves, m)
		p.Play(m)
	}
	return moves
}
