package dataset

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strconv"
	"time"

	"github.com/cespare/xxhash/v2"

	"talbot/board"
)

// Side says whose moves of a game are samples.
type Side uint8

// The sides.
const (
	BothSides  Side = iota
	PlayerSide      // the player's that the filter names
	WinnerSide      // the winner's
)

// The reasons for which sampling drops samples; they count samples, not lines.
const (
	SkippedPly    Reason = "skip_plies"           // one of the first plies of a game
	OtherSide     Reason = "side"                 // a move of the other side
	LowClock      Reason = "low_clock"            // played with too little time left
	NotDrawn      Reason = "sample_rate"          // not drawn
	OverGameLimit Reason = "max_samples_per_game" // drawn, but others come before it
)

// Sampling says which samples of a line are kept. The zero value keeps all. Only SkipPlies, Side and MinClock are about
// games alone.
type Sampling struct {
	SkipPlies  int           // of each game
	Side       Side          // of games
	MinClock   time.Duration // that the mover must have left before the move; moves without clock pass
	MaxPerGame int           // 0: all
	Rate       float64       // probability of each sample; 0: all
	Seed       uint64
}

// Active reports whether anything may be dropped.
func (s *Sampling) Active() bool { return *s != Sampling{Seed: s.Seed} }

// Drops counts dropped samples by reason.
type Drops map[Reason]int64

// Add adds other to d and returns the sum; d may be nil.
func (d Drops) Add(other Drops) Drops {
	if len(other) == 0 {
		return d
	}
	if d == nil {
		d = Drops{}
	}
	for reason, n := range other {
		d[reason] += n
	}
	return d
}

// Apply drops samples of a line. white and black say which sides the player had. What is drawn is a pure function of
// the seed, the line's [Line.GameHash] and the ply: a smaller rate or maximum keeps a part of what a larger one keeps.
func (s *Sampling) Apply(l *Line, white, black bool) Drops {
	n := len(l.Moves)
	all := l.Samples.Plies(nil, n)
	kept, drops := make([]rankedSample, 0, len(all)), Drops{}
	hash := l.GameHash()
	for k, ply := range all {
		d := rankedSample{sample: k, ply: ply, draw: s.draw(hash, ply)}
		switch {
		case l.Source == SourceGame && ply < s.SkipPlies:
			drops[SkippedPly]++
		case l.Source == SourceGame && !s.chosenSide(l, ply, white, black):
			drops[OtherSide]++
		case l.Source == SourceGame && l.ShortOfTime(ply, s.MinClock):
			drops[LowClock]++
		case s.Rate > 0 && float64(d.draw>>11)/(1<<53) >= s.Rate:
			drops[NotDrawn]++
		default:
			kept = append(kept, d)
		}
	}
	if s.MaxPerGame > 0 && len(kept) > s.MaxPerGame {
		drops[OverGameLimit] += int64(len(kept) - s.MaxPerGame)
		slices.SortFunc(kept, func(a, b rankedSample) int { return cmp.Or(cmp.Compare(a.draw, b.draw), a.ply-b.ply) })
		kept = kept[:s.MaxPerGame]
		slices.SortFunc(kept, func(a, b rankedSample) int { return a.ply - b.ply })
	}
	if len(kept) < len(all) {
		numbers := make([]int, len(kept))
		for i, d := range kept {
			numbers[i] = d.sample
		}
		l.Keep(numbers)
	}
	return drops
}

// rankedSample is a sample with its draw.
type rankedSample struct {
	sample, ply int
	draw        uint64
}

// draw returns a number of the sample that looks random.
func (s *Sampling) draw(hash [16]byte, ply int) uint64 {
	var b [28]byte
	copy(b[:], hash[:])
	binary.LittleEndian.PutUint64(b[16:], s.Seed)
	binary.LittleEndian.PutUint32(b[24:], uint32(ply))
	return xxhash.Sum64(b[:])
}

// chosenSide reports whether the side to move at a ply is asked for.
func (s *Sampling) chosenSide(l *Line, ply int, white, black bool) bool {
	isWhite := (l.Start.Turn() == board.White) == (ply%2 == 0)
	switch s.Side {
	case PlayerSide:
		return isWhite && white || !isWhite && black
	case WinnerSide:
		return isWhite && l.Result == WhiteWins || !isWhite && l.Result == BlackWins
	}
	return true
}

// Fraction is a share of the samples, spread over all lines; 0 and 1 are all of them. label and predict take the same
// samples with the same fraction, and a larger one contains a smaller one.
type Fraction float64

// Part reports whether the fraction leaves samples out.
func (f Fraction) Part() bool { return f > 0 && f < 1 }

// Has reports whether the sample at a ply of a line with that hash ([Line.GameHash]) is in the fraction.
func (f Fraction) Has(l *Line, hash [16]byte, ply int) bool {
	return !f.Part() || Uniform("", hash, ply-l.Reconstructed) < float64(f)
}

// Flag is what a manifest says of a fraction that leaves samples out.
func (f Fraction) Flag() Tag {
	return Tag{Name: "fraction", Value: strconv.FormatFloat(float64(f), 'g', -1, 64)}
}

// Uniform returns a number in [0, 1) that looks random, a function of what it is drawn for, the hash of a line
// ([Line.GameHash]) and a ply.
func Uniform(purpose string, hash [16]byte, ply int) float64 {
	b := binary.LittleEndian.AppendUint32(append([]byte(purpose), hash[:]...), uint32(ply))
	return float64(xxhash.Sum64(b)>>11) / (1 << 53)
}
