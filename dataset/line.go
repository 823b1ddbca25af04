package dataset

import (
	"fmt"
	"slices"

	"talbot/board"
)

// Line is a start position and the legal moves played from it, with where it came from. A game is a line, and so
// are a puzzle and a synthetic endgame. A line of n moves has n + 1 positions, at the plies 0 … n.
//
// Slices of lines that were read from a shard may share memory with other lines: do not append to them.
type Line struct {
	Source        Source
	Input         int   // index into the manifest's inputs
	Number        int64 // 1-based game, CSV row or draw in that input
	Offset        int64 // of the game's or row's first byte, in the decompressed input
	Start         board.Position
	Moves         []board.Move // legal, played from Start
	Reconstructed int          // leading plies that are reconstructed history
	Samples       Samples      // which plies are samples
	Result        Result
	WhiteElo      int   // 0 = unknown
	BlackElo      int   // 0 = unknown
	Tags          []Tag // kept headers, values as valid UTF-8

	// Policies has one list of policy targets for each sample, in sample order; nil when the line has none. An
	// empty list is a sample without policy target.
	Policies [][]WeightedMove

	// Labels has one column for each fingerprint that labelled this line, by ascending fingerprint.
	Labels []LabelColumn

	// Predictions has one column for each network that was asked about this line, by ascending network.
	Predictions []PredictionColumn
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

// Source says what kind of data a line is.
type Source uint8

// The sources of lines.
const (
	SourceGame Source = iota
	SourcePuzzle
	SourceEndgame
	SourceTable     // a position of a table of evaluations
	SourceAggregate // a position with how often each move was played from it in games
)

var sourceNames = [...]string{"game", "puzzle", "endgame", "table", "aggregate"}

// SourceNames returns the names of all sources, in the order of their numbers.
func SourceNames() []string { return slices.Clone(sourceNames[:]) }

// Known reports whether the source is one of those.
func (s Source) Known() bool { return int(s) < len(sourceNames) }

// String returns "game", "puzzle", "endgame", "table" or "aggregate".
func (s Source) String() string {
	if int(s) < len(sourceNames) {
		return sourceNames[s]
	}
	return fmt.Sprintf("Source(%d)", uint8(s))
}

// NameOf names a line for the eye by its source, its number and the name of its input: game 4 of x.pgn. An endgame
// was drawn, a position aggregated: they are of no input.
func NameOf(source string, number int64, input string) string {
	if source == SourceEndgame.String() || source == SourceAggregate.String() || input == "" {
		return fmt.Sprintf("%s %d", source, number)
	}
	return fmt.Sprintf("%s %d of %s", source, number, input)
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
func (r Result) String() string {
	if int(r) < len(resultNames) {
		return resultNames[r]
	}
	return fmt.Sprintf("Result(%d)", uint8(r))
}

// ParseResult reads a result exactly as PGN writes it.
func ParseResult(s string) (Result, error) {
	for i, name := range resultNames {
		if s == name {
			return Result(i), nil
		}
	}
	return ResultUnknown, fmt.Errorf("result must be *, 1-0, 1/2-1/2 or 0-1: %q", s)
}
