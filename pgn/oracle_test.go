package pgn

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/notnil/chess"
)

// TestAgainstNotnil reads clean games with another library, which has its own rules and its own scanner, and compares
// every move and every position's pieces, turn and castling rights.
func TestAgainstNotnil(t *testing.T) {
	files := []string{
		"testdata/clean.pgn",
		sharedData + "/pgn/dirty/python-chess/kasparov-deep-blue-1997.pgn",
		sharedData + "/pgn/dirty/notnil-chess/0006.pgn",
		sharedData + "/pgn/dirty/notnil-chess/0007.pgn",
	}
	for _, file := range files {
		t.Run(file, func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Skipf("SKIPPED: the shared test data are not here: %v", err)
			}
			var want []*chess.Game
			for scanner := chess.NewScanner(bytes.NewReader(text)); scanner.Scan(); {
				want = append(want, scanner.Next())
			}
			games := splitText(t, text)
			if len(games) != len(want) || len(games) == 0 {
				t.Fatalf("%d games, notnil/chess has %d", len(games), len(want))
			}
			p := new(Parser)
			for i, g := range games {
				line, reject := p.Parse(g)
				if reject != nil {
					t.Fatal(reject)
				}
				moves, positions := want[i].Moves(), want[i].Positions()
				if len(moves) != len(line.Moves) {
					t.Fatalf("game %d: %d moves, notnil/chess has %d", i+1, len(line.Moves), len(moves))
				}
				pos := line.Start
				for ply, m := range line.Moves {
					if m.String() != moves[ply].String() {
						t.Fatalf("game %d ply %d: %v, notnil/chess has %v", i+1, ply, m, moves[ply])
					}
					pos.Play(m)
					got, theirs := strings.Fields(pos.FEN()), strings.Fields(positions[ply+1].String())
					if strings.Join(got[:3], " ") != strings.Join(theirs[:3], " ") {
						t.Fatalf("game %d ply %d: %v, notnil/chess has %v", i+1, ply, got, theirs)
					}
				}
			}
		})
	}
}
