package loader

import (
	"fmt"
	"regexp"
	"strconv"

	"talbot/board"
	"talbot/dataset"
	"talbot/evaluate"
	"talbot/formats/rows"
)

// origin says where a sample stands whose position is p. audited is the index of the fingerprint whose labels were
// audited, −1 for none.
func (r blockRecords) origin(s *Set, sample *record, p *board.Position, audited int) *evaluate.Origin {
	line := &r.lines[sample.line]
	rating := line.WhiteElo
	if p.Turn() == board.Black {
		rating = line.BlackElo
	}
	if text := line.Tag(rows.TagPuzzleRating); text != "" {
		rating, _ = strconv.Atoi(text)
	}
	at := &evaluate.Origin{Position: *p, Line: int64(r.set)<<48 | int64(r.block)<<24 | int64(sample.line)&0xffffff,
		Game: name(s.Manifest, line), Link: link(line, int(sample.ply)), Ply: int(sample.ply), Rating: rating}
	if sample.result > 0 {
		at.Result, at.HasResult = dataset.Class(sample.result-1), true
	}
	at.Audited = sample.valued && sample.print > 0 && int(sample.print)-1 == audited
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
