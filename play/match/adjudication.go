package match

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"talbot/board"
	"talbot/dataset"
)

// Adjudication ends games before the rules of chess do. The zero value has none.
type Adjudication struct {
	// MaxMoves ends a game after that many moves of both sides, the opening's included, as a draw unless the judge
	// says otherwise; 0: none.
	MaxMoves int
	Resign   *ResignRule
	Draw     *DrawRule
}

// ResignRule ends a game that both players see as decided: Moves moves of each in a row have scores of at least Score
// centipawns for the winner and at most −Score for the loser.
type ResignRule struct{ Moves, Score int }

// DrawRule ends a game that both players see as even: from move From on, Moves moves of each in a row have scores of at
// most Score centipawns either way.
type DrawRule struct{ From, Moves, Score int }

// Check reports rules that cannot be followed.
func (r *Adjudication) Check() error {
	switch {
	case r.MaxMoves < 0:
		return fmt.Errorf("the maximum length of a game is %d moves: give 1 or more, or 0 for none", r.MaxMoves)
	case r.Resign != nil && (r.Resign.Moves < 1 || r.Resign.Score < 1):
		return errors.New("the resign rule needs at least one move and one centipawn")
	case r.Draw != nil && (r.Draw.Moves < 1 || r.Draw.Score < 0 || r.Draw.From < 0):
		return errors.New("the draw rule needs at least one move, and no negative number")
	}
	return nil
}

// List has each rule in words.
func (r *Adjudication) List() (all []string) {
	if r.MaxMoves > 0 {
		all = append(all, fmt.Sprintf("at most %d moves", r.MaxMoves))
	}
	if x := r.Resign; x != nil {
		all = append(all, fmt.Sprintf("resign after %d moves at %d", x.Moves, x.Score))
	}
	if x := r.Draw; x != nil {
		all = append(all, fmt.Sprintf("draw from move %d after %d moves within %d", x.From, x.Moves, x.Score))
	}
	return all
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

// Tables know how positions with few pieces end.
type Tables interface {
	// Probe returns the result for the side to move, with best play under the 50-move rule, if it is known.
	Probe(ctx context.Context, p *board.Position) (result dataset.Class, known bool, err error)
}

// JudgePlayer is a third player that is asked about the position after every Every moves of both sides. A game is over
// when it says twice in a row that the same side is ahead by Score centipawns, and at the maximum length when it says
// so once.
type JudgePlayer struct {
	Player
	Limits       Limits
	Every, Score int
}

// Referee ends games by rules, tables and a judge. It applies them to one game at a time, and belongs to one goroutine.
// The zero value has none.
type Referee struct {
	Rules  Adjudication
	Tables Tables       // nil: none
	Judge  *JudgePlayer // nil: none

	ahead [2]int         // plies in a row that say the colour is winning
	even  int            // plies in a row that say neither side is
	said  dataset.Result // the judge's last word
}

// newGame forgets the last game.
func (f *Referee) newGame(ctx context.Context, seed uint64) error {
	f.ahead, f.even, f.said = [2]int{}, 0, dataset.ResultUnknown
	if f.Judge == nil {
		return nil
	}
	if err := f.Judge.NewGame(ctx, seed); err != nil {
		return fmt.Errorf("judge: %w", err)
	}
	return nil
}

// hear takes note of the score that the player of a colour gave with its move.
func (f *Referee) hear(turn board.Color, p Ply) {
	if r := f.Rules.Resign; r != nil {
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
	if r := f.Rules.Draw; r != nil {
		if f.even++; !p.Scored || p.Score > dataset.Centipawns(r.Score) || p.Score < dataset.Centipawns(-r.Score) {
			f.even = 0
		}
	}
}

// decide says whether the rules end the game.
func (f *Referee) decide(ctx context.Context, g *board.Game, start board.Position, moves []board.Move) (
	result dataset.Result, end End, err error) {
	p := g.Position()
	if f.Tables != nil {
		class, known, err := f.Tables.Probe(ctx, p)
		switch {
		case err != nil:
			return 0, "", err
		case known && class == dataset.Drawn:
			return dataset.Draw, ByTables, nil
		case known:
			return Winner(p.Turn(), class == dataset.Won), ByTables, nil
		}
	}
	if r := f.Rules.Resign; r != nil {
		for _, c := range []board.Color{board.White, board.Black} {
			if f.ahead[c] >= 2*r.Moves {
				return Winner(c, true), ByResign, nil
			}
		}
	}
	if r := f.Rules.Draw; r != nil && f.even >= 2*r.Moves && len(moves) >= 2*r.From {
		return dataset.Draw, ByDraw, nil
	}
	full := f.Rules.MaxMoves > 0 && len(moves) >= 2*f.Rules.MaxMoves
	if j := f.Judge; j != nil && (full || len(moves) > 0 && len(moves)%(2*j.Every) == 0) {
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

// ask returns the judge's answer for the current position. A judge that fails is restarted and asked once more.
func (f *Referee) ask(ctx context.Context, g *board.Game, start board.Position, moves []board.Move) (dataset.Result,
	error) {
	j := f.Judge
	r := MoveRequest{Start: start, Moves: moves, Game: g, Limits: j.Limits, Patience: judgePatience}
	a, err := j.Move(ctx, &r)
	if err != nil && ctx.Err() == nil {
		if err = j.NewGame(ctx, 0); err == nil {
			a, err = j.Move(ctx, &r)
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
