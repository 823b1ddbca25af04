package studio

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"talbot/board"
	"talbot/dataset"
	"talbot/encode"
	"talbot/inspect/review"
	"talbot/internal/chart"
	"talbot/play/engine"
	"talbot/play/mcts"
	"talbot/stockfish"
)

// question is a position that a page for people asks about.
type question struct {
	run, weigher *folder // see [Server.peopleRuns]; no weigher: nil
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
	Version int            `json:"version"` // grows with each change
	Done    bool           `json:"done"`
	Loading bool           `json:"loading"`
	Problem string         `json:"problem"` // why there is no answer; "" = none
	Note    string         `json:"note"`    // what is left out; "" = nothing
	Over    string         `json:"over"`    // there is no move to play; "" = there is
	Moves   []analysedMove `json:"moves"`
	Rest    []float64      `json:"rest"`    // the share of all other moves, by rating
	Best    string         `json:"best"`    // UCI; "" = not known
	Engine  string         `json:"engine"`  // that judged; "" = none
	Weighed int            `json:"weighed"` // ratings for which the second network was asked
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
		return analysisView{Loading: true, Moves: []analysedMove{}},
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
	a.update(func(v *analysisView) { v.Over = over })
	if over != "" {
		return nil
	}
	crowds, ratings := a.question.run.crowds(), a.question.run.ratings()
	var shares [][]float64
	for _, c := range crowds {
		err := a.ask(c.folder, func(n *openNetwork) error {
			if c.Kind == aRun && !rated(n.Encoder()) {
				return errUnrated
			}
			more, err := humanShares(a.ctx, n.evaluator, a.game, a.legal, c.ratings)
			shares = append(shares, more...)
			return err
		})
		if err != nil {
			return err
		}
	}
	a.human = newHumanMoves(ratings, a.legal, shares)
	a.show()
	for i := 0; a.weigher != nil && i < len(ratings); i++ {
		err := a.ask(crowds[min(i, len(crowds)-1)].folder, func(n *openNetwork) (err error) {
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
	err := a.judgeMoves()
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

// ask uses a network of the question.
func (a *analysis) ask(run *folder, use func(*openNetwork) error) error {
	return a.networks.turn.do(a.ctx, func() error {
		n, err := a.networks.of(a.ctx, run, a.weigher)
		if err != nil {
			return err
		}
		return use(n)
	})
}

// judgeMoves finds out what the moves cost.
func (a *analysis) judgeMoves() error {
	list := append([]board.Move{board.NoMove}, a.human.shown(a.played, maxShownMoves)...) // at first the best one
	for _, m := range list {
		err := a.networks.turn.do(a.ctx, func() error {
			pool, err := a.networks.judge(a.ctx, a.nodes)
			if err != nil {
				return err
			}
			engine := chart.Plain(pool.Fingerprints()[0].Engine)
			a.update(func(v *analysisView) { v.Engine = engine })
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
	rows, rest := []analysedMove{}, slices.Repeat([]float64{1}, len(human.ratings))
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
		for i := range human.ratings {
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

// ratings are the ratings for which a run is asked, ascending.
var ratings = []int{1100, 1300, 1500, 1700, 1900, 2100, 2300, 2500}

// nearest returns the rating nearest to a given one; of two the lower.
func nearest(ratings []int, rating int) int {
	return engine.Nearest(ratings, rating, func(r int) int { return r })
}

// humanMove is a legal move of a position with the share of the players who would play it.
type humanMove struct {
	board.Move
	priors []float64 // by the network, by rating, 0 to 1
	shares []float64 // after the costs of moves: see [humanMoves]

	judged   bool          // an engine has searched it
	score    dataset.Score // after it, for who plays it
	line     []board.Move  // the engine's, from the move on
	expected float64       // score of who plays it, 0 to 1, by the engine's score
}

// prior is the network's greatest share over all ratings.
func (m *humanMove) prior() float64 { return slices.Max(append([]float64{0}, m.priors...)) }

// judge sets the engine's score of the move.
func (m *humanMove) judge(s dataset.Score, line []board.Move) {
	chances, ok := encode.WinningChances(s)
	m.judged, m.score, m.line, m.expected = ok, s, line, 0.5+float64(chances)/2
}

// humanMoves are the legal moves of a position, the likeliest first, for players of some ratings.
//
// Players see some of what a network without search does not: losing moves are played far less often than it predicts.
// So the shares of the moves that an engine judged are divided up anew among them, each times [review.StillPlayed], as
// the play of chess-deep-learning has it.
type humanMoves struct {
	ratings []int
	moves   []humanMove
	// weighed: the network knows what moves cost, and its shares stay as they are.
	weighed bool
}

// newHumanMoves sorts moves by a network's shares, a list for each rating.
func newHumanMoves(ratings []int, legal []board.Move, shares [][]float64) *humanMoves {
	v := &humanMoves{ratings: ratings}
	for i, m := range legal {
		move := humanMove{Move: m}
		for _, list := range shares {
			move.priors = append(move.priors, list[i])
		}
		move.shares = slices.Clone(move.priors)
		v.moves = append(v.moves, move)
	}
	slices.SortStableFunc(v.moves, func(a, b humanMove) int {
		return cmp.Or(cmp.Compare(b.prior(), a.prior()), cmp.Compare(a.Move, b.Move))
	})
	return v
}

// find returns a move; nil if it is not legal.
func (v *humanMoves) find(m board.Move) *humanMove {
	i := slices.IndexFunc(v.moves, func(other humanMove) bool { return other.Move == m })
	if i < 0 {
		return nil
	}
	return &v.moves[i]
}

// best is the judged move with the highest expected score, of several the one that more people play; nil without any.
func (v *humanMoves) best() *humanMove {
	var best *humanMove
	for i := range v.moves {
		if m := &v.moves[i]; m.judged && (best == nil || better(m.score, best.score)) {
			best = m
		}
	}
	return best
}

// better compares two scores for the same player: of two mates the shorter one is better.
func better(a, b dataset.Score) bool {
	x, _ := encode.TalbotBot{}.Value(a)
	y, _ := encode.TalbotBot{}.Value(b)
	if x != y {
		return x > y
	}
	cp, known := a.Centipawns()
	other, also := b.Centipawns()
	return known && also && cp > other
}

// cost returns the loss of a move against the best one, in points of expected score, 0 to 1; false if it is not known.
func (v *humanMoves) cost(m *humanMove) (cost float64, known bool) {
	best := v.best()
	if best == nil || !m.judged {
		return 0, false
	}
	return max(0, best.expected-m.expected), true
}

// weigh divides the shares of the judged moves up by what they cost.
func (v *humanMoves) weigh() {
	if v.weighed {
		return
	}
	for i, rating := range v.ratings {
		before, after := 0.0, 0.0
		for k := range v.moves {
			m := &v.moves[k]
			if cost, known := v.cost(m); known {
				m.shares[i] = m.priors[i] * review.StillPlayed(cost, rating)
				before, after = before+m.priors[i], after+m.shares[i]
			}
		}
		for k := range v.moves {
			if m := &v.moves[k]; m.judged && after > 0 {
				m.shares[i] *= before / after
			}
		}
	}
}

// trap reports whether a move is a trap for the players of a rating, by its place: see [review.TrapShare].
func (v *humanMoves) trap(m *humanMove, rating int) bool {
	cost, known := v.cost(m)
	return known && cost >= review.TrapCost && m.shares[rating] >= review.TrapShare
}

// shownShare is the share from which on a move is worth a search.
const shownShare = 0.02

// shown returns the moves that are worth a search: those that at least two in a hundred of the players of some rating
// would play, the likeliest first, and the one that was played, if that is legal; so many at most.
func (v *humanMoves) shown(played board.Move, most int) (list []board.Move) {
	for i := range v.moves {
		if m := &v.moves[i]; m.prior() >= shownShare && len(list) < most {
			list = append(list, m.Move)
		}
	}
	if v.find(played) != nil && !slices.Contains(list, played) {
		list = append(list[:min(len(list), most-1)], played)
	}
	return list
}

// errNoScore says that an engine was asked about a position in which there is nothing to search.
var errNoScore = errors.New("the engine gives no score: the position is dead")

// search has an engine search a move of the position after moves, or with [board.NoMove] the position, and judges the
// move that the engine prefers. Each search has an empty memory, so that the scores do not depend on each other. A move
// that was judged already keeps the better of the two scores: the engine chose it among all.
func (v *humanMoves) search(ctx context.Context, engine *stockfish.Pool, start board.Position, moves []board.Move,
	m board.Move) error {
	var only []board.Move
	if m != board.NoMove {
		only = []board.Move{m}
	}
	labels, err := engine.Search(ctx, 0, start, moves, only)
	if err != nil {
		return err
	}
	label := &labels[0]
	if label.Status != dataset.Labelled || len(label.Lines) == 0 {
		return errNoScore
	}
	line := &label.Lines[0]
	if m := v.find(line.PV[0]); m != nil && (!m.judged || better(line.Score, m.score)) {
		m.judge(line.Score, line.PV)
		v.weigh()
	}
	return nil
}

// errUnrated says that a network does not look at ratings or gives no moves.
var errUnrated = errors.New("it does not say what players of a rating would play: take a run of the recipe prior")

// rated reports whether networks with an encoder predict the moves of players of a rating.
func rated(e encode.Encoder) bool {
	l := e.Layout()
	return l.Ratings && l.Moves != encode.NoMoves && l.Candidates == 0
}

// weighs reports whether networks with an encoder weigh what another one predicts.
func weighs(e encode.Encoder) bool { return e.Layout().Candidates > 0 }

// humanShares returns how many of the players of each rating would play each of the legal moves of a game's present
// position: a list for each rating, which sums to 1.
func humanShares(ctx context.Context, e *engine.Evaluator, g *board.Game, legal []board.Move,
	ratings []int) ([][]float64, error) {
	var shares [][]float64
	for some := range slices.Chunk(ratings, e.Batch()) {
		for i, rating := range some {
			e.Rate(rating, rating)
			e.Put(i, g, legal)
		}
		answers := make([]mcts.Evaluation, len(some))
		if err := e.Evaluate(ctx, answers); err != nil {
			return nil, err
		}
		for _, a := range answers {
			list := make([]float64, len(legal))
			for i := range list {
				list[i] = math.Exp(float64(a.Prior[i]))
			}
			shares = append(shares, list)
		}
	}
	return shares, nil
}

// weighedDepth is the depth of the engine's searches; the recipe has others.
const weighedDepth = 10

// weighedShares is [humanShares] for one rating by the network of [engine.Config].Probability, which knows the engine's
// scores of the likeliest moves. Others have a share of 0.
func (a *analysis) weighedShares(e *engine.Evaluator, rating int) ([]float64, error) {
	e.Rate(rating, rating)
	list, err := e.Appraise(a.ctx, &mcts.AppraisalInput{Game: a.game, Legal: a.legal, Start: a.start, Moves: a.moves,
		Depth: weighedDepth}, nil)
	if err != nil {
		return nil, err
	}
	shares := make([]float64, len(a.legal))
	for _, l := range list {
		shares[slices.Index(a.legal, l.Move)] = l.Share
	}
	return shares, nil
}
