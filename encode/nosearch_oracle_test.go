package encode

import (
	"encoding/binary"
	"os"
	"slices"
	"strings"
	"testing"

	"talbot/board"
)

// legalNumbers are the numbers of the legal moves, in the order of their UCI notation.
func legalNumbers(p *board.Position) (list []uint16) {
	legal := p.LegalMoves(nil)
	slices.SortFunc(legal, func(a, b board.Move) int { return strings.Compare(a.String(), b.String()) })
	for _, m := range legal {
		list = append(list, uint16(UCIIndex(orientMove(p.Turn(), m))))
	}
	return list
}

// TestNoSearchOracle compares 2,000 positions, as many of either colour, with python-chess: words, tokens, and the
// number of every legal move; 20,000 with TALBOT_FULL=1.
func TestNoSearchOracle(t *testing.T) {
	t.Parallel()
	n := 1000
	if os.Getenv("TALBOT_FULL") != "" {
		n = 10_000
	}
	positions := sharedPositions(t, n)
	in, end := pythonChess(t, fens(positions), "nosearch_oracle.py")
	for i := range positions {
		var answer struct {
			Words   [NoSearchWords]uint64
			Numbers [NoSearchTokens + NoSearchBits]uint8
			Moves   uint16
		}
		if err := binary.Read(in, binary.LittleEndian, &answer); err != nil {
			t.Fatalf("position %d of %d: %v", i+1, len(positions), err)
		}
		legal := make([]uint16, answer.Moves)
		if err := binary.Read(in, binary.LittleEndian, legal); err != nil {
			t.Fatal(err)
		}
		p := &positions[i]
		words, numbers := noSearchOf(p)
		if !slices.Equal(words, answer.Words[:]) {
			t.Fatalf("%q: packed %x, want %x", p.FEN(), words, answer.Words)
		}
		for k, want := range answer.Numbers {
			if numbers[k] != float32(want) {
				t.Fatalf("%q: number %d is %g, want %d", p.FEN(), k, numbers[k], want)
			}
		}
		if got := legalNumbers(p); !slices.Equal(got, legal) {
			t.Fatalf("%q: legal moves %v, want %v", p.FEN(), got, legal)
		}
	}
	end()
}
