package encode

// NumberGroup are planes, or other numbers, of one kind that a network reads.
type NumberGroup struct {
	Name  string
	Names []string // of its planes or numbers, in order
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
