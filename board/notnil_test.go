package board

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/notnil/chess"
)

// TestAgainstNotnil plays games of Carlsen through this package and through
// notnil/chess, and compares at every ply the set of legal moves, the SAN of
// the move played and the position reached. Every 20th game, all 4,089 with
// TALBOT_FULL=1.
func TestAgainstNotnil(t *testing.T) {
	games := sharedGames(t, "pgn/gm/carlsen.pgn.zst")
	if len(games) != 4089 {
		t.Fatalf("%d games read, want 4089", len(games))
	}
	stride := 20
	if full {
		stride = 1
	}
	var wg sync.WaitGroup
	var plies, next atomic.Int64
	for range 2 {
		wg.Go(func() {
			for {
				i := (int(next.Add(1)) - 1) * stride
				if i >= len(games) {
					return
				}
				if err := compareGame(games[i]); err != nil {
					t.Errorf("game %d: %v", i+1, err)
				}
				plies.Add(int64(len(games[i])))
			}
		})
	}
	wg.Wait()
	t.Logf("%d plies", plies.Load())
	if full && plies.Load() != 374845 {
		t.Errorf("%d plies, want 374845", plies.Load())
	}
}

func compareGame(sans [][]byte) error {
	ours, theirs := StartPosition(), chess.StartingPosition()
	for ply, san := range sans {
		legal := theirs.ValidMoves()
		if err := compareMoves(&ours, legal); err != nil {
			return fmt.Errorf("ply %d: %v: %w", ply, ours.FEN(), err)
		}
		m, err := ours.ParseSAN(san)
		if err != nil {
			return fmt.Errorf("ply %d: %v: %w", ply, ours.FEN(), err)
		}
		i := slices.IndexFunc(legal, func(n *chess.Move) bool { return n.String() == m.String() })
		want := chess.AlgebraicNotation{}.Encode(theirs, legal[i])
		if got := ours.SAN(m); got != want || strings.TrimRight(got, "+#") != strings.TrimRight(string(san), "+#") {
			return fmt.Errorf("ply %d: %v: SAN %s, want %s (in the file %s)", ply, ours.FEN(), got, want, san)
		}
		ours.Play(m)
		theirs = theirs.Update(legal[i])
		if err := comparePositions(&ours, theirs); err != nil {
			return fmt.Errorf("ply %d: after %v: %w", ply, m, err)
		}
	}
	return nil
}

func compareMoves(p *Position, theirs []*chess.Move) error {
	var got, want []string
	for _, m := range p.LegalMoves(nil) {
		got = append(got, m.String())
	}
	for _, m := range theirs {
		want = append(want, m.String())
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		return fmt.Errorf("moves %v, want %v", got, want)
	}
	return nil
}

// comparePositions compares FENs. The other library notes an en passant square
// after every double push: here it must stand if and only if that library has
// an en passant capture among its legal moves.
func comparePositions(p *Position, theirs *chess.Position) error {
	got, want := strings.Fields(p.FEN()), strings.Fields(theirs.String())
	capture := slices.ContainsFunc(theirs.ValidMoves(), func(m *chess.Move) bool { return m.HasTag(chess.EnPassant) })
	if !capture {
		want[3] = "-"
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("FEN %v, want %v", got, want)
	}
	q, err := ParseFEN(theirs.String())
	if err != nil {
		return err
	}
	if q != *p {
		return fmt.Errorf("FEN %v parses to %v", theirs, q.FEN())
	}
	return nil
}
