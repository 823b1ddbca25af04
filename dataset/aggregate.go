package dataset

import (
	"fmt"
	"strconv"

	"talbot/board"
)

// Aggregate is what aggregated positions ([SourceAggregate]) were counted from.
type Aggregate struct {
	GamesRead int64            `json:"games_read"` // lines of the parents: GamesUsed and the sum of Rejects
	GamesUsed int64            `json:"games_used"`
	Rejects   map[Reason]int64 `json:"rejects"`
	Moves     int64            `json:"moves"` // played in the positions that were kept: the sum of all weights
	// MovesDropped are the other moves of the games that were used, by reason.
	MovesDropped Drops  `json:"moves_dropped"`
	Bands        []Band `json:"bands"` // ascending; each rating is in one of them
}

// Band is a range of ratings of the side to move, and how much of a dataset is in it.
type Band struct {
	From    int   `json:"from"`    // the lowest rating; 0 in the lowest band
	To      int   `json:"to"`      // the lowest rating above it; 0 in the highest band
	Elo     int   `json:"elo"`     // the rating that its samples have: that of the side to move, the other's is unknown
	Samples int64 `json:"samples"` // positions
	Moves   int64 `json:"moves"`   // played in them
}

// String says which ratings are in the band: "below 1500", "1500–1999", "from 2500" or "all ratings".
func (b Band) String() string {
	switch {
	case b.From == 0 && b.To == 0:
		return "all ratings"
	case b.From == 0:
		return "below " + strconv.Itoa(b.To)
	case b.To == 0:
		return "from " + strconv.Itoa(b.From)
	}
	return fmt.Sprintf("%d–%d", b.From, b.To-1)
}

// BandOf returns the number of the band that a rating is in.
func BandOf(bands []Band, elo int) int {
	for i := len(bands) - 1; i > 0; i-- {
		if elo >= bands[i].From {
			return i
		}
	}
	return 0
}

// MoverElo returns the rating of the side to move at the start of the line; 0 if it is not known.
func (l *Line) MoverElo() int {
	if l.Start.Turn() == board.White {
		return l.WhiteElo
	}
	return l.BlackElo
}

// BandsOf returns the bands of the aggregated positions that a line is of, and the number of its own; nil for every
// other line.
func (m *Manifest) BandsOf(l *Line) (bands []Band, own int) {
	if l.Source != SourceAggregate || l.Input >= len(m.Inputs) || m.Inputs[l.Input].Aggregate == nil {
		return nil, 0
	}
	bands = m.Inputs[l.Input].Aggregate.Bands
	for i := range bands {
		if bands[i].Elo == l.MoverElo() {
			return bands, i
		}
	}
	return nil, 0
}

// check returns an error if the figures contradict themselves.
func (a *Aggregate) check() error {
	rejected := int64(0)
	for reason, n := range a.Rejects {
		if n < 0 {
			return fmt.Errorf("%d rejects as %q", n, reason)
		}
		rejected += n
	}
	if a.GamesUsed < 0 || a.GamesRead != a.GamesUsed+rejected {
		return fmt.Errorf("%d games read, but %d used and %d rejected", a.GamesRead, a.GamesUsed, rejected)
	}
	for reason, n := range a.MovesDropped {
		if n < 0 {
			return fmt.Errorf("%d moves dropped as %q", n, reason)
		}
	}
	moves := int64(0)
	for i, b := range a.Bands {
		if min(b.Samples, b.Moves) < 0 || b.Elo < 0 || (b.To == 0) != (i == len(a.Bands)-1) ||
			(i == 0 && b.From != 0) || (i > 0 && b.From != a.Bands[i-1].To) || (b.To != 0 && b.To <= b.From) {
			return fmt.Errorf("band %d: ratings from %d to %d", i, b.From, b.To)
		}
		moves += b.Moves
	}
	if moves != a.Moves {
		return fmt.Errorf("%d moves, but %d in the bands", a.Moves, moves)
	}
	return nil
}
