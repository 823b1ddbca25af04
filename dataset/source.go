package dataset

import "fmt"

// Source says what kind of data a line is. Its number is that in shards, where its meaning never changes.
type Source uint8

// The sources of lines.
const (
	SourceGame      Source = 0
	SourcePuzzle    Source = 1
	SourceEndgame   Source = 2
	SourceTable     Source = 3 // a position of a table of evaluations
	SourceAggregate Source = 4 // a position with how often each move was played from it in games
	SourceEngine    Source = 5 // a game that an engine played with itself, in which some moves were not its own choice
	SourceSelfPlay  Source = 6 // a game that a network played with itself, with what its searches found
)

// sources describes all, by their numbers. Another one is a line here and a number above.
var sources = [...]struct {
	name string
	// noExample says that the moves played in such lines are not worth learning. In endgames they are reconstructed,
	// and in an engine's games with itself some are blunders on purpose.
	noExample bool
	unread    bool // its lines are of no input: they were drawn or counted
}{
	SourceGame:      {"game", false, false},
	SourcePuzzle:    {"puzzle", false, false},
	SourceEndgame:   {"endgame", true, true},
	SourceTable:     {"table", false, false},
	SourceAggregate: {"aggregate", false, true},
	SourceEngine:    {"engine", true, false},
	SourceSelfPlay:  {"selfplay", true, true},
}

// Sources returns all sources in the order of their numbers.
func Sources() (all []Source) {
	for i := range sources {
		all = append(all, Source(i))
	}
	return all
}

// SourceNames returns the names of all sources in the order of their numbers.
func SourceNames() (names []string) {
	for _, i := range sources {
		names = append(names, i.name)
	}
	return names
}

// ParseSource reads the name of a source; an error lists all names.
func ParseSource(name string) (Source, error) {
	return parseName[Source]("source", name, SourceNames())
}

// Known reports whether the source is one of those.
func (s Source) Known() bool { return int(s) < len(sources) }

// Teaches reports whether the moves played in such lines are worth learning.
func (s Source) Teaches() bool { return !s.Known() || !sources[s].noExample }

// String returns the source's name.
func (s Source) String() string {
	if s.Known() {
		return sources[s].name
	}
	return fmt.Sprintf("Source(%d)", uint8(s))
}

// LineName names a line for people by its source, its number and the name of its input: game 4 of x.pgn. Endgames and
// aggregated positions have no input, so only the first two are used.
func LineName(source string, number int64, input string) string {
	s, err := ParseSource(source)
	if err == nil && sources[s].unread || input == "" {
		return fmt.Sprintf("%s %d", source, number)
	}
	return fmt.Sprintf("%s %d of %s", source, number, input)
}
