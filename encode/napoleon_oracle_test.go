package encode

import (
	"bufio"
	"encoding/binary"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"talbot/board"
	"talbot/internal/testkit/shareddata"
)

// sharedPositions returns n positions with White to move and n with Black to move, spread over a shared table of
// positions. It skips the test where the table is not at hand.
func sharedPositions(t *testing.T, n int) []board.Position {
	t.Helper()
	f, err := os.Open(shareddata.Path(t, "evals/sf-d22-anderssen.csv.zst"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := zstd.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	var all [2][]board.Position
	in := bufio.NewScanner(z)
	in.Scan() // the header
	for in.Scan() {
		fen, _, _ := strings.Cut(in.Text(), ",")
		p, err := board.ParseFEN(fen)
		if err != nil {
			t.Fatal(err)
		}
		all[p.Turn()] = append(all[p.Turn()], p)
	}
	if err := in.Err(); err != nil {
		t.Fatal(err)
	}
	var chosen []board.Position
	for colour, side := range all {
		if len(side) < n {
			t.Fatalf("%d positions with %v to move", len(side), board.Color(colour))
		}
		for i := range n {
			chosen = append(chosen, side[i*len(side)/n])
		}
	}
	return chosen
}

// TestNapoleonOracle compares 2,000 positions, as many of either colour, with python-chess; 20,000 with TALBOT_FULL=1.
func TestNapoleonOracle(t *testing.T) {
	t.Parallel()
	n := 1000
	if os.Getenv("TALBOT_FULL") != "" {
		n = 10_000
	}
	positions := sharedPositions(t, n)
	in, end := pythonChess(t, fens(positions), "napoleon_oracle.py")
	answer := make([]byte, 8*NapoleonWords+napoleonSize)
	want := make([]float32, napoleonSize)
	for i := range positions {
		p := &positions[i]
		if _, err := io.ReadFull(in, answer); err != nil {
			t.Fatalf("position %d of %d: %v", i+1, len(positions), err)
		}
		words, numbers := napoleonOf(p)
		wantWords := make([]uint64, NapoleonWords)
		for k := range wantWords {
			wantWords[k] = binary.LittleEndian.Uint64(answer[8*k:])
		}
		if !slices.Equal(words, wantWords) {
			t.Fatalf("%q: packed %x, want %x", p.FEN(), words, wantWords)
		}
		for k, b := range answer[8*NapoleonWords:] {
			want[k] = float32(int8(b))
		}
		sameNapoleon(t, p, numbers, want)
	}
	end()
}
