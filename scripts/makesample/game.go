package main

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/notnil/chess"
)

const startFEN = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

const (
	openingPlies  = 10 // plies drawn among several moves
	openingChoice = 6
	openingSpread = 20 // centipawns
	openingNodes  = 1_000
	longest       = 90  // plies
	adjudged      = 300 // centipawns that win a game of that length
	resigned      = 600 // centipawns, for four plies
	drawn         = 20  // centipawns, for eight plies from drawnFrom on
	drawnFrom     = 60
)

// players are the strengths: how many nodes a side searches.
var players = [...]int{50, 150, 400, 1000}

// game is a game with what the players thought.
type game struct {
	number       int
	engine       string
	white, black int      // nodes
	moves        []string // UCI
	san          []string
	scores       []int // of the best move of every ply, centipawns for the side to move
	result       string
	termination  string // of the PGN tag, "" for an end by the rules
	positions    []*chess.Position
}

// playGame plays a game. Both sides share the engine and its hash, which is empty at the start.
func playGame(e *engine, seed uint64, number int) (*game, error) {
	r := rand.New(rand.NewPCG(seed, uint64(number)))
	g := &game{number: number, engine: e.name, white: players[r.IntN(len(players))],
		black: players[r.IntN(len(players))]}
	playOut := r.IntN(3) == 0              // lost games are played to the end, not resigned
	slip := openingPlies + r.IntN(longest) // the ply at which any legal move is played
	if err := e.clear(); err != nil {
		return nil, err
	}
	position := chess.StartingPosition()
	g.positions = append(g.positions, position)
	lost, level, seen := 0, 0, map[string]int{}
	for {
		side := g.white
		if len(g.moves)%2 == 1 {
			side = g.black
		}
		uci, err := g.choose(e, r, side, slip)
		if err != nil {
			return nil, err
		}
		move, err := legal(position, uci)
		if err != nil {
			return nil, err
		}
		g.san = append(g.san, chess.AlgebraicNotation{}.Encode(position, move))
		position = position.Update(move)
		g.moves, g.positions = append(g.moves, uci), append(g.positions, position)
		if g.result = ended(position, seen); g.result != "" {
			return g, nil
		}

		score := g.scores[len(g.scores)-1]
		lost, level = count(lost, abs(score) > resigned), count(level, abs(score) < drawn)
		wins := [...]string{"1-0", "0-1"} // for White, for Black
		ply := len(g.moves)
		switch {
		case !playOut && lost >= 4 && score < 0:
			g.result, g.termination = wins[ply%2], "normal" // the side that just moved resigns
			return g, nil
		case ply >= longest && score > adjudged:
			g.result, g.termination = wins[1-ply%2], "adjudication"
			return g, nil
		case ply >= longest && score < -adjudged:
			g.result, g.termination = wins[ply%2], "adjudication"
			return g, nil
		case ply >= longest, ply > drawnFrom && level >= 8:
			g.result, g.termination = "1/2-1/2", "adjudication"
			return g, nil
		}
	}
}

// ended returns the result of a game that ends by the rules at the position, "" if it goes on, and counts the position
// in seen. A chess.Game would compare it with all earlier ones at every move.
func ended(p *chess.Position, seen map[string]int) string {
	place := strings.Join(strings.Fields(p.String())[:4], " ")
	seen[place]++
	switch status := p.Status(); {
	case status == chess.Checkmate && p.Turn() == chess.Black:
		return "1-0"
	case status == chess.Checkmate:
		return "0-1"
	case status == chess.Stalemate, seen[place] == 3, p.HalfMoveClock() >= 100, bare(p):
		return "1/2-1/2"
	}
	return ""
}

// bare reports whether there are two kings and at most one knight or bishop.
func bare(p *chess.Position) bool {
	pieces := p.Board().SquareMap()
	for _, piece := range pieces {
		switch piece.Type() {
		case chess.Pawn, chess.Rook, chess.Queen:
			return false
		}
	}
	return len(pieces) <= 3
}

// choose searches the present position, notes the score of its best move, and returns the move to play.
func (g *game) choose(e *engine, r *rand.Rand, nodes, slip int) (string, error) {
	if len(g.moves) < openingPlies {
		lines, err := openings.lines(e, g.moves)
		if err != nil {
			return "", err
		}
		g.scores = append(g.scores, lines[0].cp)
		return draw(r, lines), nil
	}
	f, err := e.search(startFEN, g.moves, nodes, 1)
	if err != nil {
		return "", err
	}
	g.scores = append(g.scores, f.lines[0].cp)
	if len(g.moves) == slip {
		moves := g.positions[len(g.moves)].ValidMoves()
		return moves[r.IntN(len(moves))].String(), nil
	}
	return f.lines[0].move, nil
}

// draw draws a line's move with weight exp(−loss/openingSpread), the loss in centipawns against the best line.
func draw(r *rand.Rand, lines []searched) string {
	weights, sum := make([]float64, len(lines)), 0.0
	for i, s := range lines {
		weights[i] = math.Exp(-float64(lines[0].cp-s.cp) / openingSpread)
		sum += weights[i]
	}
	x := r.Float64() * sum
	for i, w := range weights {
		if x -= w; x < 0 {
			return lines[i].move
		}
	}
	return lines[0].move
}

// legal returns the legal move of that name. It is taken from the list because a move that the library decodes itself
// does not know that it gives check.
func legal(position *chess.Position, uci string) (*chess.Move, error) {
	for _, m := range position.ValidMoves() {
		if m.String() == uci {
			return m, nil
		}
	}
	return nil, fmt.Errorf("%q is not legal in %q", uci, position)
}

// writePGN writes the game in export format.
func (g *game) writePGN(w io.Writer) {
	tag := func(name, value string) { fmt.Fprintf(w, "[%s %q]\n", name, value) }
	tag("Event", "talbot sample games")
	tag("Site", "?")
	tag("Date", "????.??.??")
	tag("Round", fmt.Sprint(g.number))
	tag("White", fmt.Sprintf("%s, %d nodes", g.engine, g.white))
	tag("Black", fmt.Sprintf("%s, %d nodes", g.engine, g.black))
	tag("Result", g.result)
	if g.termination != "" {
		tag("Termination", g.termination)
	}
	fmt.Fprintln(w)
	column := 0
	word := func(text string) {
		switch {
		case column == 0:
		case column+1+len(text) > 79:
			fmt.Fprintln(w)
			column = 0
		default:
			fmt.Fprint(w, " ")
			column++
		}
		fmt.Fprint(w, text)
		column += len(text)
	}
	for ply, san := range g.san {
		if ply%2 == 0 {
			word(fmt.Sprintf("%d.", ply/2+1))
		}
		word(san)
	}
	word(g.result)
	fmt.Fprint(w, "\n\n")
}

// count adds one if it goes on, and starts again if not.
func count(n int, more bool) int {
	if more {
		return n + 1
	}
	return 0
}

func abs(x int) int { return max(x, -x) }
