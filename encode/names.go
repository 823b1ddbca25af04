package encode

import "fmt"

// NumberGroup are planes, or other numbers, of one kind that a network reads.
type NumberGroup struct {
	Name  string
	Names []string // of its planes or numbers, in order
}

// Namer is what an [Encoder] has too if it can name what its network reads.
type Namer interface {
	// NumberNames returns names for all planes, in the order of the encoder's Numbers, or for all numbers where these
	// are not laid out as planes.
	NumberNames() []NumberGroup
}

// menNames names the pieces of the letters, in that order.
func menNames(letters string) (names []string) {
	known := map[rune]string{'P': "pawns", 'N': "knights", 'B': "bishops", 'R': "rooks", 'Q': "queens", 'K': "king"}
	for _, letter := range letters {
		names = append(names, known[letter])
	}
	return names
}

// sides names the same for either side.
func sides(names []string) (both []string) {
	for _, side := range []string{"own ", "their "} {
		for _, name := range names {
			both = append(both, side+name)
		}
	}
	return both
}

// bothMen are the groups of the pieces of either side.
func bothMen(letters string) []NumberGroup {
	return []NumberGroup{{"Own pieces", menNames(letters)}, {"The other side's pieces", menNames(letters)}}
}

var castlingNames = []string{"own O-O", "own O-O-O", "their O-O", "their O-O-O"}

// NumberNames implements [Namer].
func (TalbotBot) NumberNames() []NumberGroup {
	list := append(bothMen("PNBRQK"), NumberGroup{"Rights and counts", append(append([]string{}, castlingNames...),
		"Black to move", "en passant", "seen once", "seen twice")})
	for k := range 4 {
		list = append(list, NumberGroup{fmt.Sprintf("%d plies before", k+1), sides(menNames("PNBRQK"))})
	}
	return list
}

// NumberNames implements [Namer].
func (Tahl) NumberNames() []NumberGroup {
	list := append(bothMen("PRNBQK"), NumberGroup{"Castling", sides([]string{"right O-O", "right O-O-O", "can O-O",
		"can O-O-O"})},
		NumberGroup{"En passant", sides([]string{"target", "pawns"})}, NumberGroup{Name: "Moves before"})
	last := &list[len(list)-1]
	for k := range 4 {
		last.Names = append(last.Names, fmt.Sprintf("%d plies ago", k+1))
	}
	return list
}

// NumberNames implements [Namer].
func (e Lynx) NumberNames() []NumberGroup {
	list := e.Tahl.NumberNames()
	if e.Attacks {
		list = append(list, NumberGroup{"Attacked squares", sides(menNames("PNBRQK"))})
	}
	if e.Tactics {
		list = append(list, NumberGroup{"Tactics", []string{"theirs won by capture", "own won by capture",
			"theirs, more than a pawn", "own, more than a pawn", "pinned", "own checks", "their checks",
			"own, through a piece", "theirs, through a piece"}})
	}
	return list
}

// NumberNames implements [Namer].
func (Napoleon) NumberNames() []NumberGroup {
	men := menNames("PNBRQK")
	return append(bothMen("PNBRQK"), NumberGroup{"Own attackers", men}, NumberGroup{"The other side's attackers", men},
		NumberGroup{"Attackers together", append(append([]string{}, men...), "all")},
		NumberGroup{"Sums", []string{"own attackers", "their attackers", "mobility"}})
}

// NumberNames implements [Namer].
func (Prior) NumberNames() []NumberGroup {
	return append(bothMen("KQRBNP"), NumberGroup{"Rights and rating", append(append([]string{}, castlingNames...),
		"en passant", "rating")})
}

// NumberNames implements [Namer].
func (Probability) NumberNames() []NumberGroup {
	list := []NumberGroup{{Name: "Priors"}, {Name: "Values"}, {"Rating", []string{"rating"}}}
	for i := range ProbabilityMoves {
		list[0].Names = append(list[0].Names, fmt.Sprintf("candidate %d", i+1))
		for _, depth := range []int{1, 3, 7, 10} {
			list[1].Names = append(list[1].Names, fmt.Sprintf("%d, depth %d", i+1, depth))
		}
	}
	return list
}

// NumberNames implements [Namer].
func (e NoSearch) NumberNames() []NumberGroup {
	squares := NumberGroup{Name: "Squares"}
	for rank := 8; rank >= 1; rank-- {
		for file := 'a'; file <= 'h'; file++ {
			squares.Names = append(squares.Names, fmt.Sprintf("%c%d", file, rank))
		}
	}
	passant := NumberGroup{"En passant", []string{"possible"}}
	for file := 'a'; file <= 'h'; file++ {
		passant.Names = append(passant.Names, fmt.Sprintf("onto %c", file))
	}
	return []NumberGroup{{"Token", []string{"answer"}}, squares, {"Castling", castlingNames}, passant}
}
