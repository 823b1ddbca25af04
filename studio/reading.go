package studio

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"talbot/board"
	"talbot/internal/chart"
	"talbot/network/backend"
	"talbot/play/engine"
	"talbot/play/people"
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

// reading is what people would play in a position, as far as that is known. It is safe for concurrent use.
type reading struct {
	asking
	cancel context.CancelFunc
	ended  chan struct{} // closed when nothing more is found out
	shown  readingView
}

// readingView is what a page shows of a reading.
type readingView struct {
	Version  int           `json:"version"` // grows with each change
	Done     bool          `json:"done"`
	Loading  bool          `json:"loading"`
	Problem  string        `json:"problem"` // why there is no answer; "" = none
	Note     string        `json:"note"`    // what is left out; "" = nothing
	Over     string        `json:"over"`    // there is no move to play; "" = there is
	Ratings  []int         `json:"ratings"`
	Moves    []readingMove `json:"moves"`
	Rest     []float64     `json:"rest"`    // the share of all other moves, by rating
	Best     string        `json:"best"`    // UCI; "" = not known
	Engine   string        `json:"engine"`  // that judged; "" = none
	Judged   int           `json:"judged"`  // moves
	Weighed  int           `json:"weighed"` // ratings for which the second network was asked
	Position string        `json:"position"`
}

// readingMove is a move of a position.
type readingMove struct {
	UCI    string    `json:"uci"`
	SAN    string    `json:"san"`
	Shares []float64 `json:"shares"` // by rating
	Score  string    `json:"score"`  // from White's view; "" = not known
	Cost   *float64  `json:"cost"`   // in points of expected score, 0 to 1; nil = not known
	Traps  []bool    `json:"traps"`  // by rating
	Line   string    `json:"line"`   // the engine's
}

// Bounds of readings.
const (
	maxReadings    = 256 // that are kept
	maxShownMoves  = 12
	maxPeopleSeats = 16
	maxPeopleRuns  = 2 // networks that are kept open
)

// readings answer the pages for people. A page has one question at a time: its next one ends the one before. It is safe
// for concurrent use.
type readings struct {
	backend, engine string
	turn            chan struct{} // held by what uses a network or the engine
	ctx             context.Context
	end             context.CancelFunc
	runs            sync.WaitGroup

	// Of who has the turn.
	open       opened[*people.Network]
	judge      *people.Judge
	judgeNodes int64

	mu    sync.Mutex
	known map[string]*reading // answers that are whole, by question
	order []string            // of known, the oldest first
	asked map[string]*asked   // by seat
}

// asked is what a page asks now.
type asked struct {
	key string
	*reading
}

func newReadings(backend, engine string) *readings {
	r := &readings{backend: backend, engine: engine, turn: make(chan struct{}, 1), known: map[string]*reading{},
		asked: map[string]*asked{}, open: opened[*people.Network]{most: maxPeopleRuns}}
	r.ctx, r.end = context.WithCancel(context.Background())
	return r
}

func (r *readings) close() {
	r.mu.Lock()
	r.end()
	r.mu.Unlock()
	r.runs.Wait()
	r.open.close()
	if r.judge != nil {
		_ = r.judge.Close()
	}
}

// errBusy says that there are too many pages.
var errBusy = errors.New("too many pages ask at the same time: close some of them")

// of returns the answer to a seat's question, which begins where it is new.
func (r *readings) of(seat string, q *question) (readingView, error) {
	key := q.key()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ctx.Err() != nil {
		return readingView{}, r.ctx.Err()
	}
	one := r.asked[seat]
	if one != nil && one.key == key {
		return one.look(), nil
	}
	if one != nil {
		one.cancel()
		delete(r.asked, seat)
	}
	if whole := r.known[key]; whole != nil {
		return whole.look(), nil
	}
	for id, other := range r.asked { // of pages that are closed
		if len(r.asked) >= maxPeopleSeats && time.Since(other.lastAsked()) > gone {
			delete(r.asked, id)
		}
	}
	if len(r.asked) >= maxPeopleSeats {
		return readingView{}, errBusy
	}
	began := &reading{asking: asking{asked: time.Now()}, ended: make(chan struct{}),
		shown: readingView{Loading: true, Ratings: people.Ratings(), Moves: []readingMove{}}}
	ctx, cancel := context.WithCancel(r.ctx)
	began.cancel = cancel
	r.asked[seat] = &asked{key, began}
	r.runs.Go(func() {
		defer cancel()
		stop := watchPage(ctx, cancel, began.lastAsked)
		defer stop()
		err := r.answer(ctx, q, began)
		began.finish(err)
		r.keep(seat, key, began, err)
		close(began.ended)
	})
	return began.look(), nil
}

// keep stores an answer that is whole, and forgets one that was given up, so that it is asked again.
func (r *readings) keep(seat, key string, one *reading, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		if a := r.asked[seat]; a != nil && a.reading == one && errors.Is(err, context.Canceled) {
			delete(r.asked, seat)
		}
		return
	}
	if r.known[key] == nil {
		r.order = append(r.order, key)
	}
	r.known[key] = one
	for len(r.order) > maxReadings {
		delete(r.known, r.order[0])
		r.order = r.order[1:]
	}
}

func (one *reading) look() readingView {
	one.mu.Lock()
	defer one.mu.Unlock()
	one.asked = time.Now()
	return one.shown
}

// change changes what is shown.
func (one *reading) change(do func(*readingView)) {
	one.mu.Lock()
	defer one.mu.Unlock()
	do(&one.shown)
	one.shown.Version++
}

func (one *reading) finish(err error) {
	if errors.Is(err, context.Canceled) {
		return
	}
	one.change(func(v *readingView) {
		v.Loading, v.Done = false, true
		if err != nil {
			v.Problem = chart.Plain(err.Error())
		}
	})
}

// inTurn waits until nobody else uses the networks and the engine.
func (r *readings) inTurn(ctx context.Context, do func() error) error {
	select {
	case r.turn <- struct{}{}:
		defer func() { <-r.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return do()
}

// answer finds the answer to a question out, bit by bit.
func (r *readings) answer(ctx context.Context, q *question, one *reading) error {
	g := board.NewGame(q.start)
	for _, m := range q.moves {
		g.Push(m)
	}
	at := *g.Position()
	legal := at.LegalMoves(nil)
	one.change(func(v *readingView) { v.Position, v.Over = at.FEN(), overText(&at, legal) })
	if one.shown.Over != "" {
		return nil
	}
	ratings := people.Ratings()
	shares := make([][]float64, len(ratings))
	err := r.inTurn(ctx, func() error {
		n, err := r.network(ctx, q)
		if err == nil {
			shares, err = n.Shares(ctx, g, legal, ratings)
		}
		return err
	})
	if err != nil {
		return err
	}
	view := people.NewView(ratings, legal, shares)
	one.show(view, &at, q)
	if q.weigher != nil {
		for i, rating := range ratings {
			err := r.inTurn(ctx, func() error {
				n, err := r.network(ctx, q)
				if err == nil {
					shares[i], err = n.Weigh(ctx, q.start, q.moves, legal, rating)
				}
				return err
			})
			if err != nil {
				return err
			}
			view = people.NewView(ratings, legal, shares)
			view.Knows = true
			one.change(func(v *readingView) { v.Weighed = i + 1 })
			one.show(view, &at, q)
		}
	}
	return r.judgeMoves(ctx, q, one, view, &at)
}

// judgeMoves says what the moves cost.
func (r *readings) judgeMoves(ctx context.Context, q *question, one *reading, view *people.View,
	at *board.Position) error {
	moves := append([]board.Move{board.NoMove}, view.Shown(q.played, maxShownMoves)...) // at first the best one
	for i, m := range moves {
		err := r.inTurn(ctx, func() error {
			j, err := r.judgeWith(ctx, q.nodes)
			if err != nil {
				return err
			}
			one.change(func(v *readingView) { v.Engine, v.Judged = chart.Plain(j.Name()), i })
			if m == board.NoMove {
				return j.Best(ctx, view, q.start, q.moves)
			}
			return j.Move(ctx, view, q.start, q.moves, m)
		})
		if errors.Is(err, stockfish.ErrNotFound) {
			one.change(func(v *readingView) {
				v.Note = "What moves cost is not known without an engine: " + stockfish.Remedy + "."
			})
			return nil
		}
		if err != nil {
			return err
		}
		one.show(view, at, q)
	}
	return nil
}

// network returns the network of a question. The caller has the turn.
func (r *readings) network(ctx context.Context, q *question) (*people.Network, error) {
	c := engine.Config{Path: q.run.Path, Backend: r.backend, Engine: r.engine,
		Threads: max(1, runtime.GOMAXPROCS(0)/2)}
	if c.Backend == "auto" { // an answer does not wait for a compiler
		c.Backend = backend.AtOnce
	}
	key := c.Path + "\n" + q.run.stamp
	if q.weigher != nil {
		c.Probability = q.weigher.Path
		key += "\n" + c.Probability + "\n" + q.weigher.stamp
	}
	n, err := r.open.get(key, func() (*people.Network, error) { return people.Open(ctx, c) })
	if err != nil {
		if text := q.run.within(err); ctx.Err() == nil {
			err = errors.New(text)
		}
		return nil, err
	}
	return n, nil
}

// judgeWith returns the engine for a number of nodes. The caller has the turn.
func (r *readings) judgeWith(ctx context.Context, nodes int64) (*people.Judge, error) {
	if r.judge != nil && r.judgeNodes == nodes {
		return r.judge, nil
	}
	j, err := people.NewJudge(ctx, r.engine, nodes)
	if err != nil {
		return nil, err
	}
	if r.judge != nil {
		_ = r.judge.Close()
	}
	r.judge, r.judgeNodes = j, nodes
	return j, nil
}

// show shows what is known of the moves.
func (one *reading) show(view *people.View, at *board.Position, q *question) {
	rows := []readingMove{}
	rest := make([]float64, len(view.Ratings))
	for i := range rest {
		rest[i] = 1
	}
	list := view.Shown(q.played, maxShownMoves)
	best := view.Best()
	if best != nil && !slices.Contains(list, best.Move) {
		list = append(list, best.Move)
	}
	for _, m := range list {
		move := view.Find(m)
		row := readingMove{UCI: m.String(), SAN: at.SAN(m), Shares: move.Shares}
		if move.Judged {
			row.Score, row.Line = whiteScore(at, move.Score), sanLine(*at, move.Line)
		}
		if cost, known := view.Cost(move); known {
			row.Cost = &cost
		}
		for i := range view.Ratings {
			rest[i] = max(0, rest[i]-move.Shares[i])
			row.Traps = append(row.Traps, view.Trap(move, i))
		}
		rows = append(rows, row)
	}
	one.change(func(v *readingView) {
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
