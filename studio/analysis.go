package studio

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"talbot/board"
	"talbot/internal/chart"
	"talbot/stockfish"
)

// question is a position that a page for people asks about.
type question struct {
	run, weigher *folder // of the recipes prior and probability; no weigher: nil
	start        board.Position
	moves        []board.Move // to the position
	played       board.Move   // in it; [board.NoMove]: nothing
	nodes        int64        // of the engine, for each move
}

// key is the same for what has the same answer.
func (q *question) key() string {
	var b strings.Builder
	fmt.Fprintln(&b, q.run.Path, q.run.stamp, q.start.FEN(), q.moves, q.played, q.nodes)
	if q.weigher != nil {
		fmt.Fprint(&b, q.weigher.Path, q.weigher.stamp)
	}
	return b.String()
}

// analysisView is an analysis as its page shows it.
type analysisView struct {
	Version  int            `json:"version"` // grows with each change
	Done     bool           `json:"done"`
	Loading  bool           `json:"loading"`
	Problem  string         `json:"problem"` // why there is no answer; "" = none
	Note     string         `json:"note"`    // what is left out; "" = nothing
	Over     string         `json:"over"`    // there is no move to play; "" = there is
	Ratings  []int          `json:"ratings"`
	Moves    []analysedMove `json:"moves"`
	Rest     []float64      `json:"rest"`    // the share of all other moves, by rating
	Best     string         `json:"best"`    // UCI; "" = not known
	Engine   string         `json:"engine"`  // that judged; "" = none
	Judged   int            `json:"judged"`  // moves
	Weighed  int            `json:"weighed"` // ratings for which the second network was asked
	Position string         `json:"position"`
}

// analysedMove is a move of a position.
type analysedMove struct {
	UCI    string    `json:"uci"`
	SAN    string    `json:"san"`
	Shares []float64 `json:"shares"` // by rating
	Score  string    `json:"score"`  // from White's view; "" = not known
	Cost   *float64  `json:"cost"`   // in points of expected score, 0 to 1; nil = not known
	Traps  []bool    `json:"traps"`  // by rating
	Line   string    `json:"line"`   // the engine's
}

// maxShownMoves is how many moves of a position are searched, and maxAnalyses how many analyses are kept.
const (
	maxShownMoves = 12
	maxAnalyses   = 256
)

// analyse returns the analysis of a question as far as it is known, and starts it where it is new. A page asks one
// question at a time.
func (s *Server) analyse(page string, q question) (v analysisView, err error) {
	j, err := s.analyses.get(q.key(), page, func() (analysisView, func(*work[analysisView]) error) {
		return analysisView{Loading: true, Ratings: ratings, Moves: []analysedMove{}},
			func(j *work[analysisView]) error {
				return (&analysis{work: j, networks: s.networks, question: q}).run()
			}
	})
	if err != nil {
		return v, err
	}
	j.look(func(now *analysisView, done bool, err error) {
		if v = *now; done {
			v.Version, v.Done, v.Loading = v.Version+1, true, false
		}
		if err != nil {
			v.Problem = chart.Plain(q.run.within(err))
		}
	})
	return v, nil
}

// analysis is one that runs.
type analysis struct {
	*work[analysisView]
	networks *networks
	question
	game  *board.Game // at the position
	legal []board.Move
	human *humanMoves // nil: nothing is known yet
}

// run answers the question bit by bit. Between the bits others have their turn.
func (a *analysis) run() error {
	a.game = board.NewGame(a.start, a.moves...)
	at := a.game.Position()
	a.legal = at.LegalMoves(nil)
	over := overText(at, a.legal)
	a.update(func(v *analysisView) { v.Position, v.Over = at.FEN(), over })
	if over != "" {
		return nil
	}
	var shares [][]float64
	err := a.ask(func(n *openNetwork) (err error) {
		if !rated(n.Encoder()) {
			return errUnrated
		}
		shares, err = humanShares(a.ctx, n.evaluator, a.game, a.legal, ratings)
		return err
	})
	if err != nil {
		return err
	}
	a.human = newHumanMoves(ratings, a.legal, shares)
	a.show()
	for i := 0; a.weigher != nil && i < len(ratings); i++ {
		err := a.ask(func(n *openNetwork) (err error) {
			shares[i], err = a.weighedShares(n.evaluator, ratings[i])
			return err
		})
		if err != nil {
			return err
		}
		a.human = newHumanMoves(ratings, a.legal, shares)
		a.human.weighed = true
		a.update(func(v *analysisView) { v.Weighed = i + 1 })
		a.show()
	}
	err = a.judgeMoves()
	if errors.Is(err, stockfish.ErrNotFound) {
		a.update(func(v *analysisView) {
			v.Note = "What moves cost is not known without an engine: " + stockfish.Remedy + "."
		})
		return nil
	}
	return err
}

// update changes what the page shows.
func (a *analysis) update(do func(*analysisView)) {
	a.change(func(v *analysisView) {
		do(v)
		v.Version++
	})
}

// ask uses the network of the question.
func (a *analysis) ask(use func(*openNetwork) error) error {
	return a.networks.turn.do(a.ctx, func() error {
		n, err := a.networks.of(a.ctx, a.question.run, a.weigher)
		if err != nil {
			return err
		}
		return use(n)
	})
}

// judgeMoves finds out what the moves cost.
func (a *analysis) judgeMoves() error {
	list := append([]board.Move{board.NoMove}, a.human.shown(a.played, maxShownMoves)...) // at first the best one
	for i, m := range list {
		err := a.networks.turn.do(a.ctx, func() error {
			pool, err := a.networks.judge(a.ctx, a.nodes)
			if err != nil {
				return err
			}
			engine := chart.Plain(pool.Fingerprints()[0].Engine)
			a.update(func(v *analysisView) { v.Engine, v.Judged = engine, i })
			return a.human.search(a.ctx, pool, a.start, a.moves, m)
		})
		if err != nil {
			return err
		}
		a.show()
	}
	return nil
}

// show shows what is known of the moves.
func (a *analysis) show() {
	at, human := a.game.Position(), a.human
	rows, rest := []analysedMove{}, slices.Repeat([]float64{1}, len(ratings))
	list, best := human.shown(a.played, maxShownMoves), human.best()
	if best != nil && !slices.Contains(list, best.Move) {
		list = append(list, best.Move)
	}
	for _, m := range list {
		move := human.find(m)
		row := analysedMove{UCI: m.String(), SAN: at.SAN(m), Shares: move.shares}
		if move.judged {
			row.Score, row.Line = whiteScore(at, move.score), sanLine(*at, move.line)
		}
		if cost, known := human.cost(move); known {
			row.Cost = &cost
		}
		for i := range ratings {
			rest[i] = max(0, rest[i]-move.shares[i])
			row.Traps = append(row.Traps, human.trap(move, i))
		}
		rows = append(rows, row)
	}
	a.update(func(v *analysisView) {
		v.Loading, v.Moves, v.Rest = false, rows, rest
		if best != nil {
			v.Best = best.Move.String()
		}
	})
}

// overText says why nothing can be played; "" where something can.
func overText(p *board.Position, legal []board.Move) string {
	switch {
	case len(legal) == 0 && p.InCheck():
		return "Checkmate"
	case len(legal) == 0:
		return "Stalemate"
	case p.IsDead():
		return "Nobody can win any more"
	}
	return ""
}
