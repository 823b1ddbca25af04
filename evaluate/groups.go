package evaluate

import (
	"fmt"
	"strconv"

	"talbot/board"
)

// The kinds of groups that figures are reported by.
const (
	bySource = iota
	byPhase
	byPieces
	byRating
	bySide
	groupKinds
)

// groupMembers are the kinds' names in JSON.
var groupMembers = [groupKinds]string{"by_source", "by_phase", "by_pieces", "by_rating", "by_side"}

// group adds a sample to its group of each kind.
func (a *Accumulator) group(s *Sample, t tally) {
	names := [groupKinds]string{bySource: s.Source}
	if at := s.Origin; at != nil {
		names[byPhase] = at.Position.Phase().String()
		names[byPieces] = pieceBand(at.Position.Occupied().Len())
		names[byRating] = ratingBand(at.Rating)
		names[bySide] = "white"
		if at.Position.Turn() == board.Black {
			names[bySide] = "black"
		}
	}
	for kind, name := range names {
		if name == "" && kind != bySource {
			continue
		}
		if a.groups[kind] == nil {
			a.groups[kind] = map[string]tally{}
		}
		in(a.groups[kind], name, newTally).add(t, 1)
		if s.Origin != nil && kind != bySource {
			a.groupBoots[kind].add(s.Origin.Line, part{source: name}, t)
		}
	}
}

// groupIntervals are those of all groups, by member and name.
func (a *Accumulator) groupIntervals() map[string]map[string]Intervals {
	list := map[string]map[string]Intervals{}
	for kind, groups := range a.groups {
		boot := &a.groupBoots[kind]
		if kind == bySource {
			boot = &a.boot
		}
		of := map[string]Intervals{}
		for name := range groups {
			of[name] = boot.intervals(func(p part) bool { return p.source == name })
		}
		list[groupMembers[kind]] = of
	}
	return list
}

// in is what a map has under a key, a new one where there is nothing yet.
func in[K comparable, T any](groups map[K]T, key K, make func() T) T {
	t, ok := groups[key]
	if !ok {
		t = make()
		groups[key] = t
	}
	return t
}

func figuresOf(groups map[string]tally) map[string]Figures {
	list := map[string]Figures{}
	for name, t := range groups {
		list[name] = t.figures()
	}
	return list
}

// pieceBand is "2-5", "6-9" … "26-29" or "30-32".
func pieceBand(pieces int) string {
	if pieces >= 30 {
		return "30-32"
	}
	from := pieces - (pieces-2)%4
	return fmt.Sprintf("%d-%d", from, from+3)
}

// ratingBand is the lower end of a band of 200 points.
func ratingBand(rating int) string {
	if rating <= 0 {
		return "unknown"
	}
	return strconv.Itoa(rating / 200 * 200)
}
