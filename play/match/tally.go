package match

import (
	"encoding/json"
	"math"
	"strconv"

	"talbot/board"
	"talbot/dataset"
	"talbot/play/match/stats"
)

// tally counts games, in any order, from the view of the first player.
type tally struct {
	counts               Figures               // without what they are worth
	whiteWins, blackWins int                   // of all games
	singles              stats.Trinomial       // games that are in no whole pair
	faults               []map[FaultKind]int64 // by player
	moves, illegal       []int64               // by player: moves, and those in place of an illegal favourite
	endings              map[End]int64
	plies                int64

	seen  map[seenGame]bool
	halfs map[int]int // points in half points of the one game of a pair that was counted, by pair
}

// seenGame is a game with its players, by colour.
type seenGame struct {
	key     gameKey
	players [2]int
}

func newTally(players int) *tally {
	t := &tally{endings: map[End]int64{}, seen: map[seenGame]bool{}, halfs: map[int]int{}}
	t.moves, t.illegal = make([]int64, players), make([]int64, players)
	for range players {
		t.faults = append(t.faults, map[FaultKind]int64{})
	}
	return t
}

// outcome is a game as a tally needs it.
type outcome struct {
	number  int
	points  int // of the first player, in half points
	result  dataset.Result
	key     gameKey
	players [2]int
	end     End
	fault   *FaultNote
	plies   int
	moves   [2]int // by colour, without the opening's
	illegal [2]int // of these, in place of an illegal favourite
	opening string // what openings are grouped by
}

func outcomeOf(r *Record) outcome {
	o := outcome{number: r.Number, points: r.Points(0), result: r.Result, key: r.key(), players: r.Players,
		end: r.End, fault: r.Fault, plies: len(r.Plies), opening: openingName(r)}
	for i := r.Book; i < len(r.Plies); i++ {
		colour := (int(r.Start.Turn()) + i) % 2
		o.moves[colour]++
		if r.Plies[i].Illegal {
			o.illegal[colour]++
		}
	}
	return o
}

// opponent returns the player that is not the first.
func (o *outcome) opponent() int { return o.players[board.White] + o.players[board.Black] }

// add counts a game.
func (t *tally) add(o outcome) {
	t.counts.Games++
	t.plies += int64(o.plies)
	t.endings[o.end]++
	if o.fault != nil {
		t.faults[o.fault.Player][o.fault.Kind]++
	}
	for colour, player := range o.players {
		t.moves[player] += int64(o.moves[colour])
		t.illegal[player] += int64(o.illegal[colour])
	}
	switch o.result {
	case dataset.WhiteWins:
		t.whiteWins++
	case dataset.BlackWins:
		t.blackWins++
	}
	game := seenGame{o.key, o.players}
	if t.seen[game] {
		t.counts.Identical++
		return
	}
	t.seen[game] = true
	if t.seen[seenGame{o.key, [2]int{o.players[1], o.players[0]}}] {
		t.counts.Mirrored++ // and counted: a pair of such games is a tie, which figures without it would overlook
	}
	switch o.points {
	case 0:
		t.counts.Losses++
	case 1:
		t.counts.Draws++
	case 2:
		t.counts.Wins++
	}
	pair := o.number / 2
	if other, ok := t.halfs[pair]; ok {
		delete(t.halfs, pair)
		t.singles[other]--
		t.counts.Pentanomial[other+o.points]++
		return
	}
	t.halfs[pair] = o.points
	t.singles[o.points]++
}

// encounter returns the first player's score.
func (t *tally) encounter() stats.Encounter {
	return stats.Encounter{Pairs: t.counts.Pentanomial, Singles: t.singles}
}

// outcomes returns the outcomes for figures: whole pairs where there are any, else single games.
func (t *tally) outcomes() stats.Outcomes {
	if t.counts.Pentanomial.Pairs() > 0 {
		return t.counts.Pentanomial.Outcomes()
	}
	return t.singles.Outcomes()
}

// Number is a figure that may not exist: NaN and infinities are null in JSON.
type Number float64

// MarshalJSON writes the number, or null.
func (n Number) MarshalJSON() ([]byte, error) {
	if x := float64(n); math.IsNaN(x) || math.IsInf(x, 0) {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, float64(n), 'g', -1, 64), nil
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (n *Number) UnmarshalJSON(text []byte) error {
	if *n = Number(math.NaN()); string(text) == "null" {
		return nil
	}
	return json.Unmarshal(text, (*float64)(n))
}

// Known reports whether the figure exists.
func (n Number) Known() bool { return !math.IsNaN(float64(n)) && !math.IsInf(float64(n), 0) }
