package stats

import (
	"cmp"
	"slices"
	"strconv"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/humanize"
	"talbot/internal/table"
)

// Openings are the first moves of the games that begin at the standard start position.
type Openings struct {
	Games int64 `json:"games"` // those with at least one move
	// Least is how many games a line of moves needs to be counted: one in a hundred, and two at least.
	Least int64         `json:"least"`
	Moves []OpeningMove `json:"moves"`
}

// OpeningMove is a move after those that lead to it. Moves that lead to the same position on other ways count apart.
type OpeningMove struct {
	Move      string        `json:"move"` // SAN
	Games     int64         `json:"games"`
	Share     float64       `json:"share"` // of all games of the openings
	WhiteWins int64         `json:"white_wins"`
	Draws     int64         `json:"draws"`
	BlackWins int64         `json:"black_wins"`
	Score     *float64      `json:"score"`          // of White: a win is 1, a draw 0.5; null without any result
	Next      []OpeningMove `json:"next,omitempty"` // the most games first
}

// openingPlies is how many plies of a game are its opening.
const openingPlies = 4

// openingPath is up to four moves of 16 bits, the last one lowest; 0 stands for all games.
type openingPath uint64

// openingGames counts games by result, as [dataset.Result] numbers them.
type openingGames [dataset.BlackWins + 1]int64

func (g *openingGames) sum() (n int64) {
	for _, k := range g {
		n += k
	}
	return n
}

// addOpening counts the first moves of a game from the standard start position. There are 206,602 lines of four plies,
// which bounds what is kept.
func (t *tally) addOpening(l *dataset.Line) {
	if len(l.Moves) == 0 || l.Reconstructed > 0 || l.Start != board.StartPosition() {
		return
	}
	path := openingPath(0)
	at(t.Openings, path)[l.Result]++
	for _, m := range l.Moves[:min(len(l.Moves), openingPlies)] {
		path = path<<16 | openingPath(m)
		at(t.Openings, path)[l.Result]++
	}
}

// openings returns the frequent lines of those that were counted.
func openings(counts map[openingPath]*openingGames) *Openings {
	games := at(counts, 0).sum()
	all := &Openings{Games: games, Least: max((games+99)/100, min(games, 2))}
	next := map[openingPath][]openingPath{}
	for path, g := range counts {
		if path != 0 && g.sum() >= all.Least {
			next[path>>16] = append(next[path>>16], path)
		}
	}
	var after func(openingPath, board.Position) []OpeningMove
	after = func(before openingPath, p board.Position) []OpeningMove {
		list := []OpeningMove{}
		for _, path := range next[before] {
			move, g := board.Move(path&0xffff), counts[path]
			m := OpeningMove{Move: p.SAN(move), Games: g.sum(), WhiteWins: g[dataset.WhiteWins],
				Draws: g[dataset.Draw], BlackWins: g[dataset.BlackWins], Next: after(path, p.After(move))}
			m.Share = float64(m.Games) / float64(games)
			if known := m.known(); known > 0 {
				m.Score = new((float64(m.WhiteWins) + float64(m.Draws)/2) / float64(known))
			}
			list = append(list, m)
		}
		slices.SortFunc(list, func(a, b OpeningMove) int {
			return cmp.Or(cmp.Compare(b.Games, a.Games), cmp.Compare(a.Move, b.Move))
		})
		return list
	}
	all.Moves = after(0, board.StartPosition())
	return all
}

// known is how many games have a result.
func (m *OpeningMove) known() int64 { return m.WhiteWins + m.Draws + m.BlackWins }

// openingLine is a move with those before it: "1.e4 c5 2.Nf3".
type openingLine struct {
	moves string
	OpeningMove
}

// lines returns the lines with some share, each before those that continue it.
func (o *Openings) lines(share float64) (all []openingLine) {
	var walk func(before string, ply int, list []OpeningMove)
	walk = func(before string, ply int, list []OpeningMove) {
		for _, m := range list {
			if m.Share < share {
				continue
			}
			line := before + m.Move
			if ply%2 == 0 {
				line = before + strconv.Itoa(ply/2+1) + "." + m.Move
			}
			all = append(all, openingLine{line, m})
			walk(line+" ", ply+1, m.Next)
		}
	}
	walk("", 0, o.Moves)
	return all
}

// shownShare is the share from which on a line is in the table; the others are in the JSON.
const shownShare = 0.03

// table returns the most frequent lines.
func (o *Openings) table() *table.Table {
	t := &table.Table{Title: "Openings", Class: "across", Note: "the first moves of the " +
		humanize.Count(o.Games, "game") + " from the standard position; White's score, a draw counting half",
		Columns: table.Columns("moves", "games", "share", "White's score", "")}
	t.Columns[4].Drawn = true
	for _, m := range o.lines(shownShare) {
		score := "–"
		if m.Score != nil {
			score = humanize.Percent(*m.Score)
		}
		t.Add(append(table.Row(m.moves, humanize.Thousands(m.Games), humanize.Percent(m.Share), score),
			results(m.WhiteWins, m.Draws, m.BlackWins, m.known()))...)
	}
	return t
}
