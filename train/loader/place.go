package loader

import (
	"fmt"
	"regexp"
	"strconv"

	"talbot/dataset"
	"talbot/evaluate"
	"talbot/formats/rows"
)

// origin says where a sample stands, but for the number of its line.
func (s *Set) origin(v *visit) *evaluate.Origin {
	rating, _ := v.view.Ratings()
	if text := v.line.Tag(rows.TagPuzzleRating); text != "" {
		rating, _ = strconv.Atoi(text)
	}
	ply := v.walker.Ply()
	at := &evaluate.Origin{Position: *v.view.Position(), Game: name(s.Manifest, v.line), Link: link(v.line, ply),
		Ply: ply, Rating: rating}
	if exact, ok := v.line.Exact(v.view.Sample, s.Manifest.Fingerprints); ok {
		at.Result, at.HasResult = exact.Class()
	}
	return at
}

var (
	lichessGame   = regexp.MustCompile(`^https://lichess\.org/[0-9A-Za-z]{8}$`)
	lichessPuzzle = regexp.MustCompile(`^[0-9A-Za-z]{5}$`)
)

// link is where Lichess shows the ply of a line, if the line's headers name a game or puzzle there.
func link(l *dataset.Line, ply int) string {
	if id := l.Tag(rows.TagPuzzleID); lichessPuzzle.MatchString(id) {
		return "https://lichess.org/training/" + id
	}
	if site := l.Tag("Site"); lichessGame.MatchString(site) {
		return fmt.Sprintf("%s#%d", site, ply)
	}
	return ""
}

// name says for display where a line is from: the puzzle, or the players and the year of a game where they are known,
// else input and number.
func name(m *dataset.Manifest, l *dataset.Line) string {
	if id := l.Tag(rows.TagPuzzleID); id != "" {
		return "puzzle " + id
	}
	if white, black := l.Tag("White"), l.Tag("Black"); white != "" && black != "" {
		text := white + " – " + black
		if day, _, ok := l.Dates(); ok {
			text += fmt.Sprintf(", %04d", day.Year)
		}
		return text
	}
	if l.Input < len(m.Inputs) {
		return fmt.Sprintf("%s, line %d", m.Inputs[l.Input].Name, l.Number)
	}
	return fmt.Sprintf("line %d", l.Number)
}
