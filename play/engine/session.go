package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"talbot/board"
	"talbot/dataset"
	"talbot/formats/polyglot"
	"talbot/play/match"
	"talbot/play/mcts"
)

// Session is a game and how it is played. Its fields may change between calls.
type Session struct {
	Player   *Player // prepared
	Partner  *Player // plays the person's side, prepared; nil: the person does
	Start    board.Position
	Human    board.Color   // the person's side, or the partner's; the network has the other one
	Nodes    int64         // of each search; 0: no limit
	MoveTime time.Duration // of each search; 0: no limit
	// Openings are what games begin with from [Session.Restart] on, in turn; none: they begin at Start.
	Openings []match.Opening
	// Book is what the network plays from before it searches; nil: none. Seed draws the moves, others in each game.
	Book         *polyglot.Book
	Seed         uint64
	BestBookMove bool // the book's move with the greatest weight is played instead

	// Report, if not nil, is called with what each search has found so far, as [mcts.Searcher] does, in the caller's
	// goroutine.
	Report func(*mcts.Report)

	games    int // that [Session.Restart] began
	opening  int // moves of this game that are its opening
	moves    []board.Move
	took     []time.Duration // by move
	began    time.Time       // of the game: when it was first looked at or moved in
	turn     time.Time       // when the side to move was given the position
	resigned bool            // by the person
}

// push plays a move that was made now.
func (s *Session) push(m board.Move) {
	now := time.Now()
	s.Begin()
	s.moves, s.took = append(s.moves, m), append(s.took, now.Sub(s.turn))
	s.turn = now
}

// Begin starts the time of a game's first move, if that does not run.
func (s *Session) Begin() {
	if s.began.IsZero() {
		s.began = time.Now()
		s.turn = s.began
	}
}

// The errors of a move out of turn, which the caller reports.
var (
	ErrOver = errors.New("the game is over")
	ErrTurn = errors.New("the network is to move")
)

// Game returns the game with its past, a copy.
func (s *Session) Game() *board.Game {
	return board.NewGame(s.Start, s.moves...)
}

// Position returns the present position.
func (s *Session) Position() *board.Position { return s.Game().Position() }

// Moves returns the moves so far, a copy.
func (s *Session) Moves() []board.Move { return slices.Clone(s.moves) }

// Last returns the last move, [board.NoMove] at the start.
func (s *Session) Last() board.Move {
	if len(s.moves) == 0 {
		return board.NoMove
	}
	return s.moves[len(s.moves)-1]
}

// Resignation is the end of a game that the person gave up.
const Resignation match.End = "resignation"

// Result returns the result of the game and how it ended; [dataset.ResultUnknown] while it is played.
func (s *Session) Result() (dataset.Result, match.End) {
	g := s.Game()
	end, over := match.Over(g)
	switch {
	case over:
		return end.Result(g.Position().Turn()), end
	case s.resigned:
		return match.Winner(s.Human, false), Resignation
	}
	return dataset.ResultUnknown, ""
}

// Over reports whether the game has ended.
func (s *Session) Over() bool {
	result, _ := s.Result()
	return result != dataset.ResultUnknown
}

// Move plays a move of the person, in SAN or UCI notation. Errors: [ErrOver], [ErrTurn], or why it is no legal move.
func (s *Session) Move(text string) error {
	p := s.Position()
	if s.Over() {
		return ErrOver
	}
	if p.Turn() != s.Human || s.Partner != nil {
		return ErrTurn
	}
	m, err := p.ParseSAN([]byte(text))
	if err == nil {
		s.push(m)
	}
	return err
}

// ToMove is the player that is to move; nil: the person is.
func (s *Session) ToMove() *Player {
	if s.Position().Turn() == s.Human {
		return s.Partner
	}
	return s.Player
}

// Thinker is the player that is asked about the position: the one to move, or in the person's turn the network.
func (s *Session) Thinker() *Player {
	if p := s.ToMove(); p != nil {
		return p
	}
	return s.Player
}

// Reply lets the network move and returns what it thinks of the position in which it moved; nil if it is not to move,
// or moved by the book. The errors are the network's, the book's, or the context's.
func (s *Session) Reply(ctx context.Context) (*Thought, error) {
	if s.Over() || s.ToMove() == nil {
		return nil, nil
	}
	if s.Book != nil {
		m, err := s.Book.Choose(s.Game(), s.Seed+uint64(s.games), s.BestBookMove)
		if err != nil {
			return nil, err
		}
		if m != board.NoMove {
			s.push(m)
			return nil, nil
		}
	}
	t, err := s.Think(ctx)
	if err == nil {
		s.push(t.Lines[0].PV[0])
	}
	return t, err
}

// Think asks the network about the position, for either side. Errors: [ErrOver] after the end of a game by the rules,
// the network's, or the context's.
func (s *Session) Think(ctx context.Context) (*Thought, error) {
	if _, over := match.Over(s.Game()); over {
		return nil, ErrOver
	}
	p := s.Thinker()
	t := NewTimeManager(p.Batch())
	if s.MoveTime > 0 {
		t.Begin(time.Now(), MoveTimeBudget(s.MoveTime, 0))
	}
	p.Position(&s.Start, s.moves)
	r, err := p.Search(ctx, mcts.Limits{Nodes: s.Nodes}, t, s.Report)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	thought := &Thought{Report: r, Scored: p.Scored(r, &r.Lines[0])}
	thought.Centipawns, _ = p.Score(&r.Lines[0]).Centipawns()
	return thought, nil
}

// Thought is a search's judgement of a position, from the view of the side to move: the report, whose first line begins
// with the best move, and the score of that line.
type Thought struct {
	*mcts.Report
	Scored     bool // there is a score; without one only the move's prior is known
	Centipawns int  // unless the line is a proven mate
}

// String is the judgement in a few words: a mate, a score in pawns, or the prior of the move.
func (t *Thought) String() string {
	switch l := &t.Lines[0]; {
	case l.Mate > 0:
		return fmt.Sprintf("mate in %d", l.Mate)
	case l.Mate < 0:
		return fmt.Sprintf("mated in %d", -l.Mate)
	case !t.Scored:
		return fmt.Sprintf("prior %.0f %%", 100*l.Prior)
	}
	return fmt.Sprintf("%+.2f", float64(t.Centipawns)/100)
}

// Back takes back moves until the person is to move again, and a resignation. It reports whether there was a move of
// the person to take back. Of two networks it takes back one move.
func (s *Session) Back() bool {
	s.resigned = false
	least := s.opening
	if first := board.NewGame(s.Start, s.moves[:least]...); first.Position().Turn() != s.Human && s.Partner == nil {
		least++
	}
	if len(s.moves) <= least {
		return false
	}
	s.moves = s.moves[:len(s.moves)-1]
	if s.Position().Turn() != s.Human && s.Partner == nil {
		s.moves = s.moves[:len(s.moves)-1]
	}
	s.took, s.turn = s.took[:len(s.moves)], time.Now()
	return true
}

// Swap gives the side to move to the network, and the other side to the person.
func (s *Session) Swap() { s.Human = s.Position().Turn().Other() }

// Resign gives up the game for the person; of one that is over the result stays.
func (s *Session) Resign() { s.resigned = true }

// Restart begins a new game from the start.
func (s *Session) Restart() {
	s.moves, s.took, s.resigned, s.began = nil, nil, false, time.Time{}
	s.games++
	if n := len(s.Openings); n > 0 {
		o := s.Openings[(s.games-1)%n]
		s.Start, s.moves, s.opening = o.Start, slices.Clone(o.Moves), len(o.Moves)
		s.took = make([]time.Duration, s.opening)
	}
	s.Player.Clear()
	if s.Partner != nil {
		s.Partner.Clear()
	}
}

// Movetext is the game so far in SAN, with numbers.
func (s *Session) Movetext() string {
	var g match.PGN
	p := s.Start
	for i, m := range s.moves {
		g.Move(&p, m, i == 0)
		p.Play(m)
	}
	return strings.Join(strings.Fields(g.String()), " ")
}
