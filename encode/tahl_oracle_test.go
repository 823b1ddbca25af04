package encode

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/formats/rows"
	"talbot/internal/testkit/shareddata"
	"talbot/pgn"
)

// sharedGames returns n games of those that Tal played, spread over the shared file. It skips the test where the file
// is not at hand.
func sharedGames(t *testing.T, n int) (chosen []dataset.Line) {
	t.Helper()
	in, err := rows.Open(shareddata.Path(t, "pgn/gm/tal.pgn.zst"))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	var all []dataset.Line
	s, p := pgn.NewSplitter(in), new(pgn.Parser)
	for {
		batch, err := s.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, game := range batch.Games {
			if line, reject := p.Parse(game); reject == nil {
				all = append(all, line)
			}
		}
		batch.Release()
	}
	for i := range n {
		chosen = append(chosen, all[i*len(all)/n])
	}
	return chosen
}

// TestTahlOracle compares 2,000 positions of Tal's games with python-chess, as many of either colour, and what the
// legal moves change in every eighth of them; 20,000 and all legal moves with TALBOT_FULL=1.
func TestTahlOracle(t *testing.T) {
	t.Parallel()
	const games = 700
	n, every := 1000, 8
	if os.Getenv("TALBOT_FULL") != "" {
		n, every = 10_000, 1
	}
	var views []func() *View
	var asked bytes.Buffer
	left := [2]int{n, n}
	for _, l := range sharedGames(t, games) {
		fmt.Fprintf(&asked, "%s|", l.Start.FEN())
		for _, m := range l.Moves {
			fmt.Fprintf(&asked, "%v ", m)
		}
		asked.WriteByte('|')
		for ply := range len(l.Moves) + 1 {
			// two of three plies, so that the positions of no colour run out before the games do
			side := (board.Color(ply%2) + l.Start.Turn()) % 2
			if ply%3 == 2 || left[side] == 0 {
				continue
			}
			left[side]--
			views = append(views, func() *View { return viewAt(t, &l, ply) })
			fmt.Fprintf(&asked, "%d ", ply)
		}
		asked.WriteByte('\n')
	}
	if left != [2]int{} {
		t.Fatalf("%v positions too few", left)
	}
	answers, end := pythonChess(t, &asked, "tahl_oracle.py", strconv.Itoa(every))
	moves := 0
	for i, view := range views {
		var want tahlGolden
		line, err := answers.ReadBytes('\n')
		if err == nil {
			err = json.Unmarshal(line, &want)
		}
		if err != nil {
			t.Fatalf("position %d of %d: %v", i+1, len(views), err)
		}
		sameTahl(t, view(), &want)
		moves += len(want.Changes)
	}
	end()
	t.Logf("%d positions and %d moves", len(views), moves)
	if moves < 20*len(views)/every {
		t.Errorf("%d moves in every %dth of %d positions", moves, every, len(views))
	}
}
