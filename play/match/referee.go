package match

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"talbot/board"
	"talbot/dataset"
	"talbot/tablebase/syzygy"
)

// Rules end games before the rules of chess do. The zero value has none.
type Rules struct {
	// MaxMoves ends a game after that many moves of both sides, the opening's included, as a draw unless the judge
	// says otherwise; 0: none.
	MaxMoves int
	Resign   *ResignRule
	Draw     *DrawRule
	// Tables are the folders of Syzygy tables, separated as in PATH; a game is over as soon as they know its result
	// under the 50-move rule. TablesEngine is the Stockfish that reads them.
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

// Judge is a third player that is asked about the position after every Every moves of both sides. A game is over when
// it says twice in a row that the same side is ahead by Score centipawns, and at the maximum length when it says so
// once.
type Judge struct {
	Entrant
	Every, Score int
}

// Check reports rules that cannot be followed.
func (r *Rules) Check() error {
	switch {
	case r.MaxMoves < 0:
		return fmt.Errorf("the maximum length of a game is %d moves: give 1 or more, or 0 for none", r.MaxMoves)
	case r.Resign != nil && (r.Resign.Moves < 1 || r.Resign.Score < 1):
		return errors.New("the resign rule needs at least one move and one centipawn")
	case r.Draw != nil && (r.Draw.Moves < 1 || r.Draw.Score < 0 || r.Draw.From < 0):
		return errors.New("the draw rule needs at least one move, and no negative number")
	case r.Judge != nil && r.Judge.Limits.Control != (TimeControl{}):
		return errors.New("a judge has no clock: give it nodes, a depth or a time for each move")
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
	var r ResignRule
	if !parseNumbers(s, &r.Moves, &r.Score) {
		return nil, fmt.Errorf("resign rule %q: give moves and centipawns, such as 5,600", s)
	}
	return &r, nil
}

// ParseDrawRule reads "40,8,10": the first move, moves and centipawns.
func ParseDrawRule(s string) (*DrawRule, error) {
	var r DrawRule
	if !parseNumbers(s, &r.From, &r.Moves, &r.Score) {
		return nil, fmt.Errorf("draw rule %q: give the first move, moves and centipawns, such as 40,8,10", s)
	}
	return &r, nil
}

// parseNumbers reads as many numbers as asked for, separated by commas.
func parseNumbers(s string, to ...*int) bool {
	parts := strings.Split(s, ",")
	for i := range min(len(parts), len(to)) {
		var err error
		if *to[i], err = strconv.Atoi(strings.TrimSpace(parts[i])); err != nil {
			return false
		}
	}
	return len(parts) == len(to)
}

// Tables know how positions with few pieces end.
type Tables interface {
	// Probe returns the result for the side to move, with best play under the 50-move rule, if it is known.
	Probe(ctx context.Context, p *board.Position) (result dataset.Class, known bool, err error)
}

// Referee ends games by rules, tables and a judge. It applies them to one game at a time, and belongs to one goroutine.
type Referee struct {
	Rules  *Rules
	Tables Tables // nil: none
	Judge  Player // of Rules.Judge; nil: none

	ahead   [2]int         // plies in a row that say the colour is winning
	even    int            // plies in a row that say neither side is
	verdict dataset.Result // the judge's last one
}

// newGame forgets the last game.
func (f *Referee) newGame(ctx context.Context, seed uint64) error {
	f.ahead, f.even, f.verdict = [2]int{}, 0, dataset.ResultUnknown
	if f.Judge == nil {
		return nil
	}
	if err := f.Judge.NewGame(ctx, seed); err != nil {
		return fmt.Errorf("judge: %w", err)
	}
	return nil
}

// count counts the scores that players give with their moves; turn is the one that made this.
func (f *Referee) count(turn board.Color, p Ply) {
	within := func(low, high int) bool {
		return p.Scored && p.Score >= dataset.Centipawns(low) && p.Score <= dataset.Centipawns(high)
	}
	next := func(n *int, agrees bool) {
		if *n++; !agrees {
			*n = 0
		}
	}
	if r := f.Rules.Resign; r != nil {
		next(&f.ahead[turn], p.Scored && p.Score >= dataset.Centipawns(r.Score))
		next(&f.ahead[turn.Other()], p.Scored && p.Score <= dataset.Centipawns(-r.Score))
	}
	if r := f.Rules.Draw; r != nil {
		next(&f.even, within(-r.Score, r.Score))
	}
}

// decide reports whether the rules end the game: with "" they do not.
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
	if f.Judge != nil && (full || len(moves) > 0 && len(moves)%(2*f.Rules.Judge.Every) == 0) {
		verdict, err := f.ask(ctx, g, start, moves)
		if err != nil {
			return 0, "", fmt.Errorf("judge: %w", err)
		}
		if verdict != dataset.ResultUnknown && (full || verdict == f.verdict) {
			return verdict, ByJudge, nil
		}
		f.verdict = verdict
	}
	if full {
		return dataset.Draw, ByLength, nil
	}
	return 0, "", nil
}

// ask returns the judge's verdict on the current position. A judge that fails is restarted and asked once more.
func (f *Referee) ask(ctx context.Context, g *board.Game, start board.Position, moves []board.Move) (dataset.Result,
	error) {
	j := f.Rules.Judge
	r := MoveRequest{Start: start, Moves: moves, Game: g, Limits: j.Limits, Patience: j.Limits.Patience()}
	a, err := f.Judge.Move(ctx, &r)
	if err != nil && ctx.Err() == nil {
		if err = f.Judge.NewGame(ctx, 0); err == nil {
			a, err = f.Judge.Move(ctx, &r)
		}
	}
	turn := g.Position().Turn()
	switch {
	case err != nil:
		return 0, err
	case a.Scored && a.Score >= dataset.Centipawns(j.Score):
		return Winner(turn, true), nil
	case a.Scored && a.Score <= dataset.Centipawns(-j.Score):
		return Winner(turn, false), nil
	}
	return dataset.ResultUnknown, nil
}
