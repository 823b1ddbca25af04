package studio

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"talbot/board"
	"talbot/internal/chart"
	"talbot/play/engine"
	"talbot/play/mcts"
)

// seat is a game of a person against a network, or of two networks that a person watches. It is safe for concurrent
// use: what changes it waits for the others, and ends the search that runs.
type seat struct {
	id      string
	network string // its name for people; of two networks White's
	setup   engine.Setup
	turns   chan struct{}
	partner string       // the name of Black's, of two networks; "" = a person plays
	second  engine.Setup // of the partner

	acting sync.Mutex // held by what changes the game
	game   *engine.Session
	hints  bool // the network is asked in the person's turn, too
	paused bool // of two networks none moves
	stop   context.CancelFunc
	ended  chan struct{} // closed when the search has; nil: there was none

	mu    sync.Mutex // of the rest
	asked time.Time
	shown view
	pgn   string // of the game that is shown; "" until the network is loaded for the first time
}

// view is what a page shows of a game.
type view struct {
	Version   int64    `json:"version"` // grows with each change
	Positions []string `json:"positions"`
	Moves     []played `json:"moves"`
	Legal     []string `json:"legal"` // UCI; in the person's turn only
	Human     string   `json:"human"` // "" where two networks play
	Turn      string   `json:"turn"`
	Check     bool     `json:"check"`
	Result    string   `json:"result"` // in words; "" while the game is played
	Thinking  bool     `json:"thinking"`
	Loading   bool     `json:"loading"`
	Error     string   `json:"error"`
	Network   string   `json:"network"`
	Hints     bool     `json:"hints"`
	Nodes     int64    `json:"nodes"`
	Seconds   float64  `json:"seconds"`
	Thought   *thought `json:"thought"` // of the last search; nil without any
}

// played is a move of the game.
type played struct {
	UCI string `json:"uci"`
	SAN string `json:"san"`
}

// thought is what a search says so far.
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
	Moves  string `json:"moves"`
	Score  string `json:"score"` // from White's view; "" where nothing is known
	Visits int64  `json:"visits"`
}

type likely struct {
	UCI   string  `json:"uci"`
	SAN   string  `json:"san"`
	Share float64 `json:"share"`
}

func (s *seat) lastAsked() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

// look returns what to show, to a page that is open.
func (s *seat) look() view {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = time.Now()
	return s.shown
}

// text returns the game as PGN, and the search goes on; "" while the network is not loaded.
func (s *seat) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pgn
}

// act ends the search, changes the game, and lets the network go on where it is to move.
func (s *seat) act(change func(*engine.Session) error) error {
	s.acting.Lock()
	defer s.acting.Unlock()
	s.halt()
	err := change(s.game)
	s.publish(nil)
	s.begin()
	return err
}

// halt ends the search and waits until it has.
func (s *seat) halt() {
	if s.stop != nil {
		s.stop()
		<-s.ended
		s.stop = nil
	}
}

// close ends the game.
func (s *seat) close() {
	s.acting.Lock()
	defer s.acting.Unlock()
	s.halt()
	s.game.Player.Close()
	if s.game.Partner != nil {
		s.game.Partner.Close()
	}
}

// watched reports whether two networks play.
func (s *seat) watched() bool { return s.game.Partner != nil }

// setupOf is that of a player.
func (s *seat) setupOf(p *engine.Player) engine.Setup {
	if p == s.game.Partner {
		return s.second
	}
	return s.setup
}

// ready reports whether whoever plays is.
func (s *seat) ready() bool {
	return s.game.Player.Ready(s.setup) && (!s.watched() || s.game.Partner.Ready(s.second))
}

// begin starts a search, if one is wanted: then the game is the search's until it ends.
func (s *seat) begin() {
	_, over := s.game.Result()
	own := s.game.ToMove() == nil
	if over || own && !s.hints || s.watched() && s.paused {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.stop, s.ended = cancel, make(chan struct{})
	s.mu.Lock()
	s.asked = time.Now()
	s.shown.Thinking, s.shown.Loading, s.shown.Error = true, !s.ready(), ""
	s.shown.Version++
	s.mu.Unlock()
	go func() {
		defer close(s.ended)
		defer cancel()
		stop := watchPage(ctx, cancel, s.lastAsked)
		defer stop()
		var err error
		if s.watched() {
			err = s.watch(ctx)
		} else {
			err = s.search(ctx)
		}
		s.publish(err)
	}()
}

// watchPage ends what a page has asked for once it has not asked again for a while: it is closed.
func watchPage(ctx context.Context, cancel context.CancelFunc, lastAsked func() time.Time) (stop func()) {
	t := time.NewTicker(time.Second)
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-t.C:
				if time.Since(lastAsked()) > gone {
					cancel()
				}
			}
		}
	}()
	return t.Stop
}

// watchedPace is how long a move of two networks takes at least, so that a person can follow.
const watchedPace = 700 * time.Millisecond

// watch lets two networks play until the game is over. Between their moves others have their turn.
func (s *seat) watch(ctx context.Context) error {
	for {
		begun := time.Now()
		if err := s.search(ctx); err != nil {
			return err
		}
		if _, over := s.game.Result(); over {
			return nil
		}
		s.publishMoves()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(watchedPace - time.Since(begun)):
		}
	}
}

// search lets the network move, and asks it about the person's turn where that is wanted.
func (s *seat) search(ctx context.Context) error {
	select {
	case s.turns <- struct{}{}:
		defer func() { <-s.turns }()
	case <-ctx.Done():
		return ctx.Err()
	}
	thinker := s.game.Thinker()
	if err := thinker.Prepare(ctx, s.setupOf(thinker)); err != nil {
		return err
	}
	s.publishMoves()
	s.mu.Lock()
	s.shown.Loading, s.shown.Version = false, s.shown.Version+1
	s.mu.Unlock()
	if s.game.ToMove() != nil {
		at, ply := *s.game.Position(), len(s.game.Moves())
		s.game.Report = func(r *mcts.Report) { s.tell(thinker, &at, ply, r) }
		t, err := s.game.Reply(ctx)
		if err != nil {
			return err
		}
		if t != nil {
			s.tell(thinker, &at, ply, t.Report)
		}
	}
	if _, over := s.game.Result(); over || !s.hints {
		return nil
	}
	s.publishMoves()
	at, ply := *s.game.Position(), len(s.game.Moves())
	s.game.Report = func(r *mcts.Report) { s.tell(thinker, &at, ply, r) }
	t, err := s.game.Think(ctx)
	if err == nil {
		s.tell(thinker, &at, ply, t.Report)
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
func (s *seat) tell(p *engine.Player, at *board.Position, ply int, r *mcts.Report) {
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
			t.Lines = append(t.Lines, thinking{sanLine(*at, l.PV), score, l.Visits})
		}
		if l.Prior > 0 {
			t.Prior = append(t.Prior, likely{l.PV[0].String(), at.SAN(l.PV[0]), float64(l.Prior)})
		}
	}
	byShare(t.Prior)
	t.Prior = t.Prior[:min(len(t.Prior), shownPrior)]
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shown.Thought = t
	s.shown.Version++
}

// scoreOf writes a line's score from White's view, and returns White's expected score; "" and nil where there is none.
func scoreOf(p *engine.Player, at *board.Position, r *mcts.Report, l *mcts.Line) (string, *float64) {
	if !p.Scored(r, l) {
		return "", nil
	}
	sign := 1
	if at.Turn() == board.Black {
		sign = -1
	}
	expected := 0.5 + float64(sign)*min(max(float64(l.Value), -1), 1)/2
	if l.Mate != 0 {
		return fmt.Sprintf("#%d", sign*l.Mate), &expected
	}
	cp, _ := p.Score(l).Centipawns()
	return fmt.Sprintf("%+.2f", float64(sign*cp)/100), &expected
}

// publish shows the game as it is, and how a search ended. The caller may use the game.
func (s *seat) publish(err error) {
	s.publishMoves()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shown.Thinking, s.shown.Loading, s.shown.Error = false, false, ""
	if err != nil && !errors.Is(err, context.Canceled) {
		s.shown.Error = chart.Plain(err.Error())
	}
	s.shown.Version++
}

// publishMoves shows the game's moves.
func (s *seat) publishMoves() {
	v := view{Human: s.game.Human.String(), Network: s.network, Hints: s.hints, Nodes: s.game.Nodes,
		Seconds: s.game.MoveTime.Seconds(), Moves: []played{}, Legal: []string{}}
	p := s.game.Start
	v.Positions = append(v.Positions, p.FEN())
	for _, m := range s.game.Moves() {
		v.Moves = append(v.Moves, played{m.String(), p.SAN(m)})
		p.Play(m)
		v.Positions = append(v.Positions, p.FEN())
	}
	v.Turn, v.Check = p.Turn().String(), p.InCheck()
	r, over := s.game.Result()
	if over {
		v.Result = resultText(r)
	} else if s.game.ToMove() == nil {
		for _, m := range p.LegalMoves(nil) {
			v.Legal = append(v.Legal, m.String())
		}
	}
	if s.watched() {
		v.Human = ""
	}
	text := ""
	if s.ready() { // its name is the network's
		text = s.game.PGN()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pgn = text
	v.Thought, v.Error = s.shown.Thought, s.shown.Error
	if v.Thought != nil && v.Thought.Ply > len(v.Moves) {
		v.Thought = nil
	}
	v.Thinking, v.Loading, v.Version = s.shown.Thinking, s.shown.Loading, s.shown.Version+1
	s.shown = v
}

func resultText(r engine.Outcome) string {
	if r.Drawn {
		return "Draw: " + r.End
	}
	name := r.Winner.String()
	return string(name[0]-'a'+'A') + name[1:] + " wins: " + r.End
}
