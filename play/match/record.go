package match

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"talbot/board"
	"talbot/dataset"
)

// Record is a game of a match.
type Record struct {
	Number  int    // of the game in the match, from 0
	Players [2]int // by colour: indices of the match's players, the first of which is 0
	// The player of the game's fault is an index, too.
	Game
}

// Points returns a player's points in half points: 0, 1 or 2.
func (r *Record) Points(player int) int {
	switch {
	case r.Result == dataset.Draw:
		return 1
	case (r.Result == dataset.WhiteWins) == (r.Players[board.White] == player):
		return 2
	}
	return 0
}

// gameKey is the same for games with the same start, moves and result.
type gameKey [16]byte

func (r *Record) key() (k gameKey) {
	h := sha256.New()
	fmt.Fprintf(h, "%s %v", r.Start.FEN(), r.Result)
	for _, p := range r.Plies {
		h.Write([]byte{byte(p.Move), byte(p.Move >> 8)})
	}
	copy(k[:], h.Sum(nil))
	return k
}

// recordJSON is a record as the journal has it.
type recordJSON struct {
	Number   int        `json:"game"`
	White    int        `json:"white"`
	Black    int        `json:"black"`
	Start    string     `json:"start,omitempty"` // FEN; empty: the standard position
	Book     int        `json:"book"`
	Moves    string     `json:"moves"`    // UCI
	Searches [][4]int64 `json:"searches"` // of each move that is not the opening's: score or none, depth, nodes, µs
	// Illegal has the indices in Said of the moves played in place of an illegal favourite.
	Illegal []int      `json:"illegal,omitempty"`
	Result  string     `json:"result"`
	End     End        `json:"end"`
	Fault   *FaultNote `json:"fault,omitempty"`
	Micros  int64      `json:"micros"`
}

// noScore stands for no score; no score is −32768.
const noScore = -1 << 15

// MarshalJSON writes the record as the journal has it.
func (r *Record) MarshalJSON() ([]byte, error) {
	j := recordJSON{Number: r.Number, White: r.Players[board.White], Black: r.Players[board.Black], Book: r.Book,
		Result: r.Result.String(), End: r.End, Fault: r.Fault, Micros: r.Time.Microseconds(), Searches: [][4]int64{}}
	if r.Start != board.StartPosition() {
		j.Start = r.Start.FEN()
	}
	var b []byte
	for i, p := range r.Plies {
		if i > 0 {
			b = append(b, ' ')
		}
		b = p.Move.AppendUCI(b)
		if i >= r.Book {
			score := int64(noScore)
			if p.Scored {
				score = int64(p.Score)
			}
			j.Searches = append(j.Searches, [4]int64{score, int64(p.Depth), p.Nodes, p.Time.Microseconds()})
			if p.Illegal {
				j.Illegal = append(j.Illegal, i-r.Book)
			}
		}
	}
	j.Moves = string(b)
	return json.Marshal(j)
}

var errRecord = errors.New("malformed record of a game")

// UnmarshalJSON reads what MarshalJSON wrote, and checks it.
func (r *Record) UnmarshalJSON(data []byte) error {
	var j recordJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return err
	}
	*r = Record{j.Number, [2]int{j.White, j.Black}, Game{Start: board.StartPosition(), Book: j.Book, End: j.End,
		Fault: j.Fault, Time: time.Duration(j.Micros) * time.Microsecond}}
	var err error
	if j.Start != "" {
		if r.Start, err = board.ParseFEN(j.Start); err != nil {
			return err
		}
	}
	if r.Result, err = dataset.ParseResult(j.Result); err != nil {
		return err
	}
	pos := r.Start
	moves, err := pos.PlayUCI(strings.Fields(j.Moves)...)
	if err != nil {
		return err
	}
	if j.Number < 0 || j.White == j.Black || min(j.White, j.Black) < 0 || j.Book < 0 ||
		len(moves) != j.Book+len(j.Searches) || r.Result == dataset.ResultUnknown || j.End == "" {
		return errRecord
	}
	for i, m := range moves {
		p := Ply{Move: m}
		if i >= j.Book {
			said := j.Searches[i-j.Book]
			if p.Scored = said[0] != noScore; p.Scored {
				if p.Score = dataset.Score(said[0]); int64(p.Score) != said[0] || !p.Score.Valid() {
					return errRecord
				}
			}
			p.Depth, p.Nodes, p.Time = int(said[1]), said[2], time.Duration(said[3])*time.Microsecond
		}
		r.Plies = append(r.Plies, p)
	}
	for _, i := range j.Illegal {
		if i < 0 || i >= len(j.Searches) {
			return errRecord
		}
		r.Plies[j.Book+i].Illegal = true
	}
	return nil
}
