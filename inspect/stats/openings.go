package stats

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

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
	Lines []OpeningLine `json:"lines"` // of one to four plies, the most games first
}

// OpeningLine is a line of first moves. Lines that lead to the same position on other ways count apart.
type OpeningLine struct {
	Moves     string   `json:"moves"` // "1.e4 c5 2.Nf3"
	Games     int64    `json:"games"`
	Share     float64  `json:"share"` // of all games of the openings
	WhiteWins int64    `json:"white_wins"`
	Draws     int64    `json:"draws"`
	BlackWins int64    `json:"black_wins"`
	Score     *float64 `json:"score"` // of White: a win is 1, a draw 0.5; null without any result
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

// addOpening counts the first moves of a game from the standard start position. There are 206,602 lines of up to four
// plies, which bounds what is kept.
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

// String writes the moves with their numbers.
func (path openingPath) String() string {
	p := board.StartPosition()
	var words []string
	for shift := 16 * (openingPlies - 1); shift >= 0; shift -= 16 {
		m := board.Move(path >> shift & 0xffff)
		if m == board.NoMove {
			continue // the line is shorter
		}
		word := p.SAN(m)
		if p.Turn() == board.White {
			word = fmt.Sprintf("%d.%s", p.FullmoveNumber(), word)
		}
		words = append(words, word)
		p.Play(m)
	}
	return strings.Join(words, " ")
}

// openings returns the frequent lines of those that were counted.
func openings(counts map[openingPath]*openingGames) *Openings {
	games := at(counts, 0).sum()
	all := &Openings{Games: games, Least: max((games+99)/100, min(games, 2)), Lines: []OpeningLine{}}
	for path, g := range counts {
		l := OpeningLine{Games: g.sum(), WhiteWins: g[dataset.WhiteWins], Draws: g[dataset.Draw],
			BlackWins: g[dataset.BlackWins]}
		if path == 0 || l.Games < all.Least {
			continue
		}
		l.Moves, l.Share = path.String(), float64(l.Games)/float64(games)
		if known := l.known(); known > 0 {
			l.Score = new((float64(l.WhiteWins) + float64(l.Draws)/2) / float64(known))
		}
		all.Lines = append(all.Lines, l)
	}
	slices.SortFunc(all.Lines, func(a, b OpeningLine) int {
		return cmp.Or(cmp.Compare(b.Games, a.Games), cmp.Compare(a.Moves, b.Moves))
	})
	return all
}

// known is how many games have a result.
func (l *OpeningLine) known() int64 { return l.WhiteWins + l.Draws + l.BlackWins }

// table returns the most frequent lines.
func (o *Openings) table() *table.Table {
	t := &table.Table{Title: "Openings", Class: "across", Note: "the first moves of the " +
		humanize.Count(o.Games, "game") + " from the standard position; White's score, a draw counting half",
		Columns: table.Columns("moves", "games", "share", "White's score", "")}
	t.Columns[4].Drawn = true
	for _, l := range most(o.Lines, func(l OpeningLine) int64 { return l.Games }, t) {
		score := "–"
		if l.Score != nil {
			score = humanize.Percent(*l.Score)
		}
		t.Add(append(table.Row(l.Moves, humanize.Thousands(l.Games), humanize.Percent(l.Share), score),
			results(l.WhiteWins, l.Draws, l.BlackWins, l.known()))...)
	}
	return t
}
