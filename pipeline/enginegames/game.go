package enginegames

import (
	"fmt"
	"math/rand/v2"

	"talbot/board"
	"talbot/dataset"
	"talbot/play/match"
)

// search asks the engine about the position that moves lead to; only: nil for all legal moves.
type search func(start board.Position, moves, only []board.Move) (dataset.Label, error)

// engineGame is one game under way.
type engineGame struct {
	Style
	random   *rand.Rand
	search   search
	board    *board.Game
	line     dataset.Line
	labels   []dataset.Label // of the plies from first on
	first    int             // the first ply that was searched
	legal    []board.Move
	blunders float64 // share of weak moves in this game
	playOn   bool    // a decided game goes on
	winning  int     // plies for which White (above 0) or Black (below) has been winning
	level    int     // plies for which neither side has been ahead
}

// play plays game number from one of the openings. Its random choices do not depend on other games.
func play(s Style, seed uint64, number int64, openings []match.Opening, ask search) (dataset.Line, error) {
	g := &engineGame{Style: s, random: rand.New(rand.NewPCG(seed, uint64(number))), search: ask}
	o := openings[g.random.IntN(len(openings))]
	u := g.random.Float64()
	g.blunders, g.playOn = s.Blunders*u*u*u, g.random.IntN(playedOut) == 0
	g.board = board.NewGame(o.Start)
	g.line = dataset.Line{Source: dataset.SourceEngine, Number: number, Start: o.Start}
	for _, m := range o.Moves {
		g.push(m)
	}
	for range g.random.IntN(s.RandomPlies + 1) {
		if _, over := match.Over(g.board); over {
			break
		}
		g.push(g.anyMove())
	}
	g.first = len(g.line.Moves)
	end, err := g.playOut()
	if err != nil {
		return dataset.Line{}, fmt.Errorf("game %d, ply %d: %w", number, len(g.line.Moves), err)
	}
	g.line.Tags = []dataset.Tag{{Name: "End", Value: string(end)}}
	g.sample()
	return g.line, nil
}

// playOut searches and plays until the game ends.
func (g *engineGame) playOut() (match.End, error) {
	for {
		if end, over := match.Over(g.board); over {
			g.line.Result = end.Result(g.board.Position().Turn())
			return end, nil
		}
		if len(g.line.Moves) >= g.MostPlies {
			return match.ByLength, nil
		}
		label, err := g.search(g.line.Start, g.line.Moves, nil)
		if err != nil {
			return "", err
		}
		g.labels = append(g.labels, label)
		if end, over := g.adjudicate(label.Lines[0].Score); over {
			return end, nil
		}
		m, err := g.choose(label.Best)
		if err != nil {
			return "", err
		}
		g.push(m)
	}
}

// choose is the move to be played where the engine's choice is best.
func (g *engineGame) choose(best board.Move) (board.Move, error) {
	if g.random.Float64() >= g.blunders {
		return best, nil
	}
	if g.random.IntN(2) == 0 {
		return g.anyMove(), nil
	}
	g.legal = g.board.Position().LegalMoves(g.legal[:0])
	g.random.Shuffle(len(g.legal), func(i, j int) { g.legal[i], g.legal[j] = g.legal[j], g.legal[i] })
	label, err := g.search(g.line.Start, g.line.Moves, g.legal[:min(2+g.random.IntN(3), len(g.legal))])
	return label.Best, err
}

func (g *engineGame) anyMove() board.Move {
	g.legal = g.board.Position().LegalMoves(g.legal[:0])
	return g.legal[g.random.IntN(len(g.legal))]
}

func (g *engineGame) push(m board.Move) {
	g.line.Moves = append(g.line.Moves, m)
	g.board.Push(m)
}

// adjudicate ends a game whose score, from the side to move's view, has been decisive for long enough.
func (g *engineGame) adjudicate(score dataset.Score) (match.End, bool) {
	cp, isCP := score.Centipawns()
	ahead := 0 // 1 = White
	switch mate, _ := score.Mate(); {
	case isCP && cp >= g.Decided, !isCP && mate > 0:
		ahead = 1
	case isCP && cp <= -g.Decided, !isCP && mate < 0:
		ahead = -1
	}
	if g.board.Position().Turn() == board.Black {
		ahead = -ahead
	}
	switch {
	case ahead == 0:
		g.winning = 0
	case ahead*g.winning < 0:
		g.winning = ahead
	default:
		g.winning += ahead
	}
	if g.level++; !isCP || cp < -drawnScore || cp > drawnScore {
		g.level = 0
	}
	switch {
	case g.Decided > 0 && !g.playOn && max(g.winning, -g.winning) >= decidedPlies:
		g.line.Result = match.Winner(board.White, g.winning > 0)
		return match.ByResign, true
	case g.level >= drawnPlies && len(g.line.Moves) >= drawnFrom:
		g.line.Result = dataset.Draw
		return match.ByDraw, true
	}
	return "", false
}

// sample makes every position that was searched a sample with its label.
func (g *engineGame) sample() {
	if len(g.labels) == 0 {
		return
	}
	g.line.Samples = dataset.PliesFrom(g.first, len(g.labels))
	g.line.Labels = []dataset.LabelColumn{{Fingerprint: 0, Labels: g.labels}}
}
