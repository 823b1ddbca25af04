package match

import (
	"errors"
	"fmt"
	"strings"

	"talbot/tablebase/syzygy"
)

// Rules end games before the rules of chess do. The zero value has none.
type Rules struct {
	Adjudication
	// Tables are the folders of Syzygy tables, separated as in PATH; a game is over as soon as they know its result
	// under the 50-move rule. TablesEngine is the Stockfish that reads them.
	Tables       string
	TablesEngine string
	TablesCheck  syzygy.Check // before the match; damaged tables are left out
	Judge        *Judge
}

// Judge is a third player that decides games: see [JudgePlayer].
type Judge struct {
	Entrant
	Every, Score int
}

// Check reports rules that cannot be followed.
func (r *Rules) Check() error {
	switch {
	case r.Judge != nil && r.Judge.Limits.Control != (TimeControl{}):
		return errors.New("a judge has no clock: give it nodes, a depth or a time for each move")
	case r.Judge != nil && (r.Judge.Every < 1 || r.Judge.Score < 1):
		return errors.New("the judge must be asked after at least one move, and decide from at least one centipawn")
	}
	return r.Adjudication.Check()
}

// String lists the rules, for the PGN.
func (r *Rules) String() string {
	all := r.List()
	if r.Tables != "" {
		all = append([]string{"endgame tables"}, all...)
	}
	if x := r.Judge; x != nil {
		all = append(all, fmt.Sprintf("%s judges every %d moves from %d", x.Name, x.Every, x.Score))
	}
	return strings.Join(all, "; ")
}
