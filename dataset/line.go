package dataset

import (
	"fmt"
	"slices"
	"strings"

	"talbot/board"
)

// Line is a start position and the legal moves from there, with where it came from. A game is a line, and so
// are a puzzle and a synthetic endgame. A line of n moves has n + 1 positions, at the plies 0 … n.
//
// Slices of lines that were read from a shard may share memory with other lines: do not append to them.
type Line struct {
	Source        Source
	Input         int   // index into the manifest's inputs
	Number        int64 // 1-based game, CSV row or draw in that input
	Offset        int64 // of the game's or row's first byte, in the decompressed input
	Start         board.Position
	Moves         []board.Move // legal, from Start on
	LeftRights    bool         // castling rights that cannot be were left out of Start; not stored
	LeftPast      bool         // what was played before Start was left out; not stored
	Reconstructed int          // leading plies of made-up history, which nobody played: see [Line.WithoutHistory]
	Samples       Samples      // which plies are samples
	Result        Result
	WhiteElo      int   // 0 = unknown
	BlackElo      int   // 0 = unknown
	Tags          []Tag // kept headers, values as valid UTF-8

	// Clocks has the time that the mover had left after each move, in tenths of a second, or [NoClock]; nil when none
	// is known.
	Clocks []int32

	// Policies has one list of policy targets for each sample, in sample order; nil when the line has none. An
	// empty list is a sample without policy target.
	Policies [][]WeightedMove

	// Labels has one column for each fingerprint that labelled this line, by ascending fingerprint.
	Labels []LabelColumn

	// Predictions has one column for each network with predictions for this line, by ascending network.
	Predictions []PredictionColumn
}

// HasNoTarget reports whether a line with these policies has samples and none of them has a policy target. That is not
// the same as having no policies, where the move that was played may be the target.
func HasNoTarget(policies [][]WeightedMove) bool {
	for _, list := range policies {
		if len(list) > 0 {
			return false
		}
	}
	return len(policies) > 0
}

// WeightedMove is a move and its weight (≥ 0) in a sample's policy. Weights need not sum to 1.
type WeightedMove struct {
	Move   board.Move
	Weight float32
}

// Tag is a name with a value: a header of a game, an option of an engine, a flag of a command.
type Tag struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Flags are those flags of a command that decide the content of a dataset, with their values.
type Flags []Tag

// Add adds a flag if it is given.
func (f *Flags) Add(given bool, name, value string) {
	if given {
		*f = append(*f, Tag{Name: name, Value: value})
	}
}

// Tag returns the value of the line's first tag of that name, or "".
func (l *Line) Tag(name string) string {
	for _, t := range l.Tags {
		if t.Name == name {
			return t.Value
		}
	}
	return ""
}

// SampleCount returns how many samples the line has.
func (l *Line) SampleCount() int { return l.Samples.Count(len(l.Moves)) }

// Keep leaves the line only some of its samples, given by their numbers in ascending order, each with all that belongs
// to it: policy, labels and predictions. No other function removes samples from a line. The line's new columns are
// copies.
func (l *Line) Keep(samples []int) {
	plies := l.Samples.Plies(nil, len(l.Moves))
	bitmap := make([]byte, len(l.Moves)/8+1)
	for _, k := range samples {
		bitmap[plies[k]/8] |= 1 << (plies[k] % 8)
	}
	l.Samples = SomePlies(bitmap)
	if l.Policies != nil {
		l.Policies = pick(l.Policies, samples)
	}
	l.Labels, l.Predictions = slices.Clone(l.Labels), slices.Clone(l.Predictions)
	for i := range l.Labels {
		l.Labels[i].Labels = pick(l.Labels[i].Labels, samples)
	}
	for i := range l.Predictions {
		l.Predictions[i].Predictions = pick(l.Predictions[i].Predictions, samples)
	}
}

// pick returns the elements of those numbers.
func pick[T any](list []T, numbers []int) []T {
	picked := make([]T, len(numbers))
	for i, k := range numbers {
		picked[i] = list[k]
	}
	return picked
}

// Result is the result of a game.
type Result uint8

// The results.
const (
	ResultUnknown Result = iota
	WhiteWins
	Draw
	BlackWins
)

var resultNames = [...]string{"*", "1-0", "1/2-1/2", "0-1"}

// String returns the result as PGN writes it.
func (r Result) String() string { return nameOf("Result", r, resultNames[:]) }

// ParseResult reads a result exactly as PGN writes it.
func ParseResult(s string) (Result, error) {
	return parseName[Result]("result", s, resultNames[:])
}

// nameOf returns the name of a number, or the type and the number if it has none.
func nameOf[T ~uint8](kind string, number T, names []string) string {
	if int(number) < len(names) {
		return names[number]
	}
	return fmt.Sprintf("%s(%d)", kind, uint8(number))
}

// parseName returns the number of a name; an error says what it is the name of and lists all.
func parseName[T ~uint8](what, name string, names []string) (T, error) {
	i := slices.Index(names, name)
	if i < 0 {
		return 0, fmt.Errorf("%s must be %s or %s: %q", what, strings.Join(names[:len(names)-1], ", "),
			names[len(names)-1], name)
	}
	return T(i), nil
}
