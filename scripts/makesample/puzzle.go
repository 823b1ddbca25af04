package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/notnil/chess"
)

const puzzleHeader = "PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,OpeningTags\n"

const (
	puzzleNodes  = 60_000
	scanNodes    = 3_000
	puzzleGames  = 250 // the first games, in which puzzles are looked for
	puzzlesAGame = 4
	puzzleGap    = 6 // plies between two puzzles of a game
	solverMoves  = 4 // at most
	winning      = 280
	notWinning   = 150
)

// puzzle is a position in which only one move wins, after the move that made it so.
type puzzle struct {
	fen    string // before the opponent's move
	moves  []string
	depth  int // of the search that finds the first move
	themes []string
	game   int
	ply    int
}

// findPuzzles looks for puzzles in a game: positions in which, at every turn of the solver, one move wins and the next
// best does not, by searches of puzzleNodes nodes from an empty hash. A shallow search picks the candidates; taking
// back on the square of the opponent's move does not count.
func findPuzzles(e *engine, g *game) ([]puzzle, error) {
	var puzzles []puzzle
	for ply := openingPlies; ply < len(g.moves) && len(puzzles) < puzzlesAGame; ply++ {
		if g.scores[ply] < notWinning {
			continue // by the search of the game
		}
		f, err := e.search(startFEN, g.moves[:ply], scanNodes, 2)
		if err != nil {
			return nil, err
		}
		if !f.onlyMove() || f.lines[0].move[2:4] == g.moves[ply-1][2:4] {
			continue
		}
		p, err := solve(e, g, ply)
		if err != nil {
			return nil, err
		}
		if len(p.moves) > 0 {
			puzzles = append(puzzles, p)
			ply += puzzleGap
		}
	}
	return puzzles, nil
}

// onlyMove reports whether the best move mates, or wins, and the second does not or takes longer.
func (f found) onlyMove() bool {
	if len(f.lines) < 2 {
		return false
	}
	best, second := f.lines[0], f.lines[1]
	if best.mate > 0 {
		return best.mate <= solverMoves && (second.mate <= 0 || second.mate > best.mate)
	}
	return best.cp >= winning && second.cp <= notWinning
}

// solve returns the puzzle whose solver is to move at the ply, without moves if there is none.
func solve(e *engine, g *game, ply int) (puzzle, error) {
	p := puzzle{fen: g.positions[ply-1].String(), game: g.number, ply: ply}
	line, position := []string{g.moves[ply-1]}, g.positions[ply]
	var score searched
	for range solverMoves {
		f, err := fresh(e, p.fen, line, puzzleNodes, 2)
		if err != nil {
			return p, err
		}
		if !f.onlyMove() {
			break
		}
		if p.depth == 0 {
			p.depth, score = f.depth, f.lines[0]
		}
		line = append(line, f.lines[0].move)
		p.moves = append([]string(nil), line...)
		if position, err = after(position, f.lines[0].move); err != nil {
			return p, err
		}
		if len(position.ValidMoves()) == 0 {
			break
		}
		if f, err = fresh(e, p.fen, line, puzzleNodes, 1); err != nil {
			return p, err
		}
		line = append(line, f.lines[0].move)
		if position, err = after(position, f.lines[0].move); err != nil {
			return p, err
		}
		if len(position.ValidMoves()) == 0 {
			break
		}
	}
	if len(p.moves) > 0 {
		p.themes = themes(p, score, position.Status() == chess.Checkmate, g.positions[ply])
	}
	return p, nil
}

// after returns the position after the move.
func after(position *chess.Position, uci string) (*chess.Position, error) {
	move, err := legal(position, uci)
	if err != nil {
		return nil, err
	}
	return position.Update(move), nil
}

// themes names the puzzle as Lichess would.
func themes(p puzzle, score searched, mated bool, position *chess.Position) []string {
	var t []string
	n := len(p.moves) / 2
	switch {
	case mated:
		t = append(t, "mate", fmt.Sprintf("mateIn%d", n))
	case score.cp >= 2*winning:
		t = append(t, "crushing")
	default:
		t = append(t, "advantage")
	}
	t = append(t, []string{"oneMove", "short", "long", "veryLong"}[n-1])
	if len(position.Board().SquareMap()) <= 12 {
		return append(t, "endgame")
	}
	return append(t, "middlegame")
}

// rating is a guess from the length of the solution and the depth that finds its first move, not from play.
func (p puzzle) rating() int { return 600 + 250*(len(p.moves)/2-1) + 60*min(p.depth, 20) }

// writeRow writes the puzzle as a row of the CSV.
func (p puzzle) writeRow(w io.Writer, number int) {
	fmt.Fprintf(w, "s%04d,%s,%s,%d,%d,0,0,%s,games.pgn#%d:%d,\n", number, p.fen, strings.Join(p.moves, " "), p.rating(),
		500,
		strings.Join(p.themes, " "), p.game, p.ply)
}
