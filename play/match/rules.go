package match

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"talbot/board"
	"talbot/dataset"
	"talbot/stockfish"
	"talbot/syzygy"
)

// Rules end games before the rules of chess do. The zero value has none.
type Rules struct {
	// MaxMoves ends a game that has so many moves of both sides, the opening's included, as a draw unless the judge
	// says otherwise; 0: none.
	MaxMoves int
	Resign   *ResignRule
	Draw     *DrawRule
	// Tables is where Syzygy tables are, separated as in PATH; a game is over as soon as they know its result under the
	// 50-move rule. TablesEngine is the Stockfish that reads them.
	Tables       string
	TablesEngine string
	TablesCheck  syzygy.Check // before the match; damaged tables are left out
	Judge        *Judge
}

// ResignRule ends a game that both players see as decided: Moves moves of each in a row have scores of at least Score
// centipawns for the winner and at most −Score for the loser.
type ResignRule struct{ Moves, Score int }

// DrawRule ends a game that both players see as even: from move From on, Moves moves of each in a row have scores of at
// most Score centipawns either way.
type DrawRule struct{ From, Moves, Score int }

// Judge is a third engine that is asked about the position after every Every moves of both sides. A game is over when
// it says twice in a row that the same side is ahead by Score centipawns, and at the maximum length when it says so
// once.
type Judge struct {
	Entrant
	Every, Score int
}

// Check reports rules that cannot be followed.
func (r *Rules) Check() error {
	switch {
	case r.Judge != nil && r.Judge.Limits.Control != (TimeControl{}):
		return errors.New("a judge has no clock: give it nodes, a depth or a time for each move")
	case r.MaxMoves < 0:
		return fmt.Errorf("the maximum length, %d moves, is negative", r.MaxMoves)
	case r.Resign != nil && (r.Resign.Moves < 1 || r.Resign.Score < 1):
		return errors.New("the resign rule needs at least one move and one centipawn")
	case r.Draw != nil && (r.Draw.Moves < 1 || r.Draw.Score < 0 || r.Draw.From < 0):
		return errors.New("the draw rule needs at least one move, and no negative number")
	case r.Judge != nil && (r.Judge.Every < 1 || r.Judge.Score < 1):
		return errors.New("the judge must be asked after at least one move, and decide from at least one centipawn")
	}
	return nil
}

// String lists the rules, for the PGN.
func (r *Rules) String() string {
	var all []string
	if r.Tables != "" {
		all = append(all, "endgame tables")
	}
	if r.MaxMoves > 0 {
		all = append(all, fmt.Sprintf("at most %d moves", r.MaxMoves))
	}
	if x := r.Resign; x != nil {
		all = append(all, fmt.Sprintf("resign after %d moves at %d", x.Moves, x.Score))
	}
	if x := r.Draw; x != nil {
		all = append(all, fmt.Sprintf("draw from move %d after %d moves within %d", x.From, x.Moves, x.Score))
	}
	if x := r.Judge; x != nil {
		all = append(all, fmt.Sprintf("%s judges every %d moves from %d", x.Name, x.Every, x.Score))
	}
	return strings.Join(all, "; ")
}

// ParseResignRule reads "5,600": moves and centipawns.
func ParseResignRule(s string) (*ResignRule, error) {
	n, err := numbers(s, 2)
	if err != nil {
		return nil, fmt.Errorf("resign rule %q: give moves and centipawns, such as 5,600", s)
	}
	return &ResignRule{Moves: n[0], Score: n[1]}, nil
}

// ParseDrawRule reads "40,8,10": the first move, moves and centipawns.
func ParseDrawRule(s string) (*DrawRule, error) {
	n, err := numbers(s, 3)
	if err != nil {
		return nil, fmt.Errorf("draw rule %q: give the first move, moves and centipawns, such as 40,8,10", s)
	}
	return &DrawRule{From: n[0], Moves: n[1], Score: n[2]}, nil
}

func numbers(s string, count int) ([]int, error) {
	parts := strings.Split(s, ",")
	if len(parts) != count {
		return nil, fmt.Errorf("%d numbers, expected %d", len(parts), count)
	}
	all := make([]int, count)
	for i, p := range parts {
		var err error
		if all[i], err = strconv.Atoi(strings.TrimSpace(p)); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// referee applies the rules to one game at a time. It belongs to one goroutine.
type referee struct {
	rules  *Rules
	tables *stockfish.Tables // nil: none
	judge  Player            // nil: none

	ahead [2]int         // plies in a row that say the colour is winning
	even  int            // plies in a row that say nobody is
	said  dataset.Result // the judge's last word
}

// newGame forgets the last game.
func (f *referee) newGame(ctx context.Context, seed uint64) error {
	f.ahead, f.even, f.said = [2]int{}, 0, dataset.ResultUnknown
	if f.judge == nil {
		return nil
	}
	if err := f.judge.NewGame(ctx, seed); err != nil {
		return fmt.Errorf("judge: %w", err)
	}
	return nil
}

// hear takes note of what the player of that colour said with its move.
func (f *referee) hear(turn board.Color, p Ply) {
	if r := f.rules.Resign; r != nil {
		for _, c := range []board.Color{board.White, board.Black} {
			says := p.Scored && p.Score >= dataset.Centipawns(r.Score)
			if c != turn {
				says = p.Scored && p.Score <= dataset.Centipawns(-r.Score)
			}
			if f.ahead[c]++; !says {
				f.ahead[c] = 0
			}
		}
	}
	if r := f.rules.Draw; r != nil {
		if f.even++; !p.Scored || p.Score > dataset.Centipawns(r.Score) || p.Score < dataset.Centipawns(-r.Score) {
			f.even = 0
		}
	}
}

// decide says whether the rules end the game.
func (f *referee) decide(ctx context.Context, g *board.Game, start board.Position, moves []board.Move) (
	result dataset.Result, end End, err error) {
	p := g.Position()
	if f.tables != nil {
		class, known, err := f.tables.Probe(ctx, p)
		switch {
		case err != nil:
			return 0, "", err
		case known && class == dataset.Drawn:
			return dataset.Draw, ByTables, nil
		case known:
			return Winner(p.Turn(), class == dataset.Won), ByTables, nil
		}
	}
	if r := f.rules.Resign; r != nil {
		for _, c := range []board.Color{board.White, board.Black} {
			if f.ahead[c] >= 2*r.Moves {
				return Winner(c, true), ByResign, nil
			}
		}
	}
	if r := f.rules.Draw; r != nil && f.even >= 2*r.Moves && len(moves) >= 2*r.From {
		return dataset.Draw, ByDraw, nil
	}
	full := f.rules.MaxMoves > 0 && len(moves) >= 2*f.rules.MaxMoves
	if j := f.rules.Judge; j != nil && (full || len(moves) > 0 && len(moves)%(2*j.Every) == 0) {
		says, err := f.ask(ctx, g, start, moves)
		if err != nil {
			return 0, "", err
		}
		if says != dataset.ResultUnknown && (full || says == f.said) {
			return says, ByJudge, nil
		}
		f.said = says
	}
	if full {
		return dataset.Draw, ByLength, nil
	}
	return 0, "", nil
}

// Winner is the result where the colour wins, or loses.
func Winner(c board.Color, wins bool) dataset.Result {
	if (c == board.White) == wins {
		return dataset.WhiteWins
	}
	return dataset.BlackWins
}

// ask returns what the judge says of the present position. One that fails is asked again once, started anew.
func (f *referee) ask(ctx context.Context, g *board.Game, start board.Position, moves []board.Move) (dataset.Result,
	error) {
	j := f.rules.Judge
	r := Request{Start: start, Moves: moves, Game: g, Limits: j.Limits, Patience: judgePatience}
	a, err := f.judge.Move(ctx, &r)
	if err != nil && ctx.Err() == nil {
		if err = f.judge.NewGame(ctx, 0); err == nil {
			a, err = f.judge.Move(ctx, &r)
		}
	}
	if err != nil {
		return 0, fmt.Errorf("judge: %w", err)
	}
	turn := g.Position().Turn()
	switch {
	case a.Scored && a.Score >= dataset.Centipawns(j.Score):
		return Winner(turn, true), nil
	case a.Scored && a.Score <= dataset.Centipawns(-j.Score):
		return Winner(turn, false), nil
	}
	return dataset.ResultUnknown, nil
}
