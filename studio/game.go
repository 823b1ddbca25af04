package studio

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"runtime"
	"slices"
	"sync"
	"time"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/chart"
	"talbot/play/engine"
	"talbot/play/match"
	"talbot/play/mcts"
)

// liveGame is a game of a person against a network, or of two networks that a person watches. It is safe for concurrent
// use: what changes it waits for the others, and ends the search that runs.
type liveGame struct {
	asking  // its mutex protects shown and pgn, too
	id      string
	network string // its name for people; of two networks White's
	setup   engine.Setup
	turns   turns
	partner string       // the name of Black's, of two networks; "" = a person plays
	second  engine.Setup // of the partner

	acting sync.Mutex // held by what changes the game
	game   *engine.Session
	hints  bool // the network is asked in the person's turn, too
	paused bool // of two networks none moves
	stop   context.CancelFunc
	ended  chan struct{} // closed when the search has; nil: there was none

	shown view
	pgn   string // of the game that is shown; "" until the network is loaded for the first time
}

// view is a game as its page shows it.
type view struct {
	Version int64 `json:"version"` // grows with each change
	state
	Thinking bool     `json:"thinking"`
	Loading  bool     `json:"loading"`
	Error    string   `json:"error"`
	Thought  *thought `json:"thought"` // of the last search; nil without any
}

// state is what the moves and settings of a game decide.
type state struct {
	replay
	Legal   []string `json:"legal"` // UCI; in the person's turn only
	Human   string   `json:"human"` // "" where two networks play
	Turn    string   `json:"turn"`
	Result  string   `json:"result"` // in words; "" while the game is played
	Network string   `json:"network"`
	Hints   bool     `json:"hints"`
	Nodes   int64    `json:"nodes"`
	Seconds float64  `json:"seconds"`
}

// thought is the present result of a search.
type thought struct {
	Ply   int        `json:"ply"` // of the position that it is about
	Nodes int64      `json:"nodes"`
	Depth int        `json:"depth"`
	White *float64   `json:"white"` // expected score of White, 0 to 1; nil if there is no score
	Score string     `json:"score"` // from White's view
	Lines []thinking `json:"lines"` // the best
	Prior []likely   `json:"prior"` // the likeliest moves
}

type thinking struct {
	Moves string `json:"moves"`
	Score string `json:"score"` // from White's view; "" where nothing is known
}

type likely struct {
	UCI   string  `json:"uci"`
	SAN   string  `json:"san"`
	Share float64 `json:"share"`
}

// look returns what to show, to a page that is open.
func (g *liveGame) look() view {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ask()
	return g.shown
}

// update changes what is shown.
func (g *liveGame) update(change func(*view)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	change(&g.shown)
	g.shown.Version++
}

// text returns the game as PGN without stopping the search; "" while the network is not loaded.
func (g *liveGame) text() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.pgn
}

// act ends the search, changes the game, and lets the network go on where it is to move.
func (g *liveGame) act(change func(*engine.Session) error) error {
	g.acting.Lock()
	defer g.acting.Unlock()
	g.halt()
	err := change(g.game)
	g.publish(nil)
	g.begin()
	return err
}

// halt ends the search and waits until it has.
func (g *liveGame) halt() {
	if g.stop != nil {
		g.stop()
		<-g.ended
		g.stop = nil
	}
}

// close ends the game.
func (g *liveGame) close() {
	g.acting.Lock()
	defer g.acting.Unlock()
	g.halt()
	g.game.Player.Close()
	if g.game.Partner != nil {
		g.game.Partner.Close()
	}
}

// watched reports whether two networks play.
func (g *liveGame) watched() bool { return g.game.Partner != nil }

// setupOf returns the setup of a player.
func (g *liveGame) setupOf(p *engine.Player) engine.Setup {
	if p == g.game.Partner {
		return g.second
	}
	return g.setup
}

// ready reports whether whoever plays is.
func (g *liveGame) ready() bool {
	return g.game.Player.Ready(g.setup) && (!g.watched() || g.game.Partner.Ready(g.second))
}

// begin starts a search, if one is wanted: then the game is the search's until it ends.
func (g *liveGame) begin() {
	over := g.game.Over()
	own := g.game.ToMove() == nil
	if over || own && !g.hints || g.watched() && g.paused {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	g.stop, g.ended = cancel, make(chan struct{})
	loading := !g.ready()
	g.update(func(v *view) { v.Thinking, v.Loading, v.Error = true, loading, "" })
	go func() {
		defer close(g.ended)
		defer cancel()
		defer g.whileAsked(cancel)()
		var err error
		if g.watched() {
			err = g.watch(ctx)
		} else {
			err = g.search(ctx)
		}
		g.publish(err)
	}()
}

// watchedPace is the least time for a move of two networks, so that a person can follow.
const watchedPace = 700 * time.Millisecond

// watch lets two networks play until the game is over. Between their moves others have their turn.
func (g *liveGame) watch(ctx context.Context) error {
	for {
		begun := time.Now()
		if err := g.search(ctx); err != nil {
			return err
		}
		if g.game.Over() {
			return nil
		}
		g.publishMoves()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(watchedPace - time.Since(begun)):
		}
	}
}

// search lets the network move, and asks it about the person's turn where that is wanted.
func (g *liveGame) search(ctx context.Context) error {
	return g.turns.do(ctx, func() error { return g.think(ctx) })
}

func (g *liveGame) think(ctx context.Context) error {
	thinker := g.game.Thinker()
	if err := thinker.Prepare(ctx, g.setupOf(thinker)); err != nil {
		return err
	}
	g.publishMoves()
	g.update(func(v *view) { v.Loading = false })
	if g.game.ToMove() != nil {
		if err := g.follow(ctx, thinker, g.game.Reply); err != nil {
			return err
		}
	}
	if g.game.Over() || !g.hints {
		return nil
	}
	g.publishMoves()
	return g.follow(ctx, thinker, g.game.Think)
}

// follow shows what a search of a player says of the position, while it runs and at its end.
func (g *liveGame) follow(ctx context.Context, p *engine.Player,
	search func(context.Context) (*engine.Thought, error)) error {
	at, ply := *g.game.Position(), len(g.game.Moves())
	g.game.Report = func(r *mcts.Report) { g.tell(p, &at, ply, r) }
	t, err := search(ctx)
	if err == nil && t != nil {
		g.tell(p, &at, ply, t.Report)
	}
	return err
}

// How much of a search is shown.
const (
	shownLines = 4
	shownPlies = 10
	shownPrior = 8
)

// tell shows what a search of a player says.
func (g *liveGame) tell(p *engine.Player, at *board.Position, ply int, r *mcts.Report) {
	t := &thought{Ply: ply, Nodes: r.Nodes, Depth: r.Depth}
	for i := range r.Lines {
		l := &r.Lines[i]
		if len(l.PV) == 0 {
			continue
		}
		score, white := scoreOf(p, at, r, l)
		if i == 0 {
			t.Score, t.White = score, white
		}
		if i < shownLines {
			t.Lines = append(t.Lines, thinking{sanLine(*at, l.PV), score})
		}
		if l.Prior > 0 {
			t.Prior = append(t.Prior, likely{l.PV[0].String(), at.SAN(l.PV[0]), float64(l.Prior)})
		}
	}
	slices.SortStableFunc(t.Prior, func(a, b likely) int { return cmp.Compare(b.Share, a.Share) })
	t.Prior = t.Prior[:min(len(t.Prior), shownPrior)]
	g.update(func(v *view) { v.Thought = t })
}

// scoreOf writes a line's score from White's view, and returns White's expected score; "" and nil where there is none.
func scoreOf(p *engine.Player, at *board.Position, r *mcts.Report, l *mcts.Line) (string, *float64) {
	if !p.Scored(r, l) {
		return "", nil
	}
	expected := 0.5 + min(max(float64(l.Value), -1), 1)/2
	if at.Turn() == board.Black {
		expected = 1 - expected
	}
	return whiteScore(at, p.Score(l)), &expected
}

// publish shows the game as it is, and how a search ended. The caller may use the game.
func (g *liveGame) publish(err error) {
	g.publishMoves()
	g.update(func(v *view) {
		v.Thinking, v.Loading, v.Error = false, false, ""
		if err != nil && !errors.Is(err, context.Canceled) {
			v.Error = chart.Plain(err.Error())
		}
	})
}

// publishMoves shows the game's moves.
func (g *liveGame) publishMoves() {
	p := g.game.Start
	now := state{replay: newReplay(p), Human: g.game.Human.String(), Network: g.network, Hints: g.hints,
		Nodes: g.game.Nodes, Seconds: g.game.MoveTime.Seconds(), Legal: []string{}}
	for _, m := range g.game.Moves() {
		now.play(&p, m, replayMove{})
	}
	now.Turn = p.Turn().String()
	if g.game.Over() {
		now.Result = resultText(g.game.Result())
	} else if g.game.ToMove() == nil {
		for _, m := range p.LegalMoves(nil) {
			now.Legal = append(now.Legal, m.String())
		}
	}
	if g.watched() {
		now.Human = ""
	}
	text := ""
	if g.ready() { // its name is the network's
		text = g.game.PGN()
	}
	g.update(func(v *view) {
		g.pgn, v.state = text, now
		if v.Thought != nil && v.Thought.Ply > len(now.Moves) {
			v.Thought = nil
		}
	})
}

func resultText(result dataset.Result, end match.End) string {
	text := map[dataset.Result]string{dataset.Draw: "Draw: ", dataset.WhiteWins: "White wins: ",
		dataset.BlackWins: "Black wins: "}[result]
	return text + string(end)
}

// games are the games of all pages. It is safe for concurrent use.
type games struct {
	turns turns // of searches

	mu     sync.Mutex
	all    map[string]*liveGame
	closed bool
}

// Bounds of the games.
const (
	maxGames  = 16
	abandoned = time.Minute // without a request, after which a game makes room for another one
)

func newGames() *games {
	return &games{turns: make(turns, max(1, runtime.GOMAXPROCS(0)/2)), all: map[string]*liveGame{}}
}

var errFull = errors.New("too many games are open: close the pages of some and try again in a minute")

// add begins a game. Where there are too many, the one that was not asked for the longest time goes, if its page is
// closed.
func (s *games) add(one *liveGame) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errFull
	}
	if len(s.all) >= maxGames {
		var oldest *liveGame
		for _, other := range s.all {
			if oldest == nil || other.lastAsked().Before(oldest.lastAsked()) {
				oldest = other
			}
		}
		if time.Since(oldest.lastAsked()) < abandoned {
			return errFull
		}
		delete(s.all, oldest.id)
		go oldest.close()
	}
	one.id, one.turns = rand.Text(), s.turns
	s.all[one.id] = one
	return nil
}

// get returns a game; nil if there is none.
func (s *games) get(id string) *liveGame {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all[id]
}

// close ends all games.
func (s *games) close() {
	s.mu.Lock()
	all := s.all
	s.all, s.closed = map[string]*liveGame{}, true
	s.mu.Unlock()
	for _, one := range all {
		one.close()
	}
}
