package match

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"talbot/dataset"
	"talbot/internal/chart/pagetest"
	"talbot/internal/testkit"
	"talbot/pgn"
)

func readPage(t *testing.T, m *Match) string {
	t.Helper()
	text := testkit.Must(os.ReadFile(filepath.Join(m.Out, PageFile)))
	pagetest.Check(t, string(text), 0)
	return string(text)
}

var (
	tableRow  = regexp.MustCompile(`(?s)<tr>(.*?)</tr>`)
	tableCell = regexp.MustCompile(`(?s)<td[^>]*>(.*?)</td>`)
	element   = regexp.MustCompile(`<[^>]*>`)
)

// rowsBelow are the rows of the table below a heading, as texts.
func rowsBelow(t *testing.T, text, heading string) (rows [][]string) {
	t.Helper()
	_, rest, ok := strings.Cut(text, "<h2><bdi>"+heading+"</bdi></h2>")
	if !ok {
		t.Fatalf("no table %q", heading)
	}
	table, _, _ := strings.Cut(rest, "</table>")
	for _, row := range tableRow.FindAllStringSubmatch(table, -1) {
		var cells []string
		for _, c := range tableCell.FindAllStringSubmatch(row[1], -1) {
			cells = append(cells, element.ReplaceAllString(c[1], ""))
		}
		if cells != nil {
			rows = append(rows, cells)
		}
	}
	return rows
}

// TestPageFigures: the page shows what a count of the games in the PGN gives, and the figures of the result.
func TestPageFigures(t *testing.T) {
	m := testMatch(t, 60, fakeEntrant(t, "good:1"), fakeEntrant(t, "crash:14"))
	r := runMatch(t, m)
	text := readPage(t, m)

	type count struct{ games, wins, draws, losses int }
	var all count
	colours, openings, ends := map[string]*count{"white": {}, "black": {}}, map[string]*count{}, map[string]int{}
	eachGame(t, r.PGN, new(pgn.Parser), func(line *dataset.Line) {
		colour := "black"
		if line.Tag("White") == m.Entrants[0].Name {
			colour = "white"
		}
		start := line.Start
		name := "1. " + start.SAN(line.Moves[0])
		if openings[name] == nil {
			openings[name] = &count{}
		}
		for _, c := range []*count{&all, colours[colour], openings[name]} {
			c.games++
			switch {
			case line.Result == dataset.Draw:
				c.draws++
			case (line.Result == dataset.WhiteWins) == (colour == "white"):
				c.wins++
			default:
				c.losses++
			}
		}
	})
	for _, g := range journalGames(t, m) {
		ends[strings.ReplaceAll(string(g.End), "_", " ")]++
	}
	if r.Identical != 0 || all.games != 60 || all.wins == 0 || r.Faults[Crash] == 0 {
		t.Fatalf("not the match that was meant: %+v, %+v", all, r)
	}
	is := func(row []string, c *count) bool {
		return strings.Join(row[1:5], " ") == fmt.Sprint(c.games, c.wins, c.draws, c.losses)
	}
	result := rowsBelow(t, text, "Results")
	if len(result) != 1 || !is(result[0], &all) || result[0][6] != strings.NewReplacer("+", "&#43;",
		"(", "", ")", "").Replace(EloText(r.Elo, r.EloLow, r.EloHigh)) {
		t.Errorf("results %q, should be %+v and %v", result, all, r.Elo)
	}
	for _, row := range rowsBelow(t, text, "By colour") {
		if !is(row, colours[row[0]]) {
			t.Errorf("%q, should be %+v", row, colours[row[0]])
		}
	}
	shown := rowsBelow(t, text, "By opening")
	if len(shown) != len(openings) {
		t.Errorf("%d of %d openings", len(shown), len(openings))
	}
	for _, row := range shown {
		if c := openings[row[0]]; c == nil || !is(row, c) {
			t.Errorf("%q, should be %+v", row, c)
		}
	}
	for end, n := range ends {
		if !regexp.MustCompile(fmt.Sprintf(`<span>%s</span><span>.*?</span></span><span>%d</span>`, end, n)).
			MatchString(text) {
			t.Errorf("the page has no %d games that ended by %s", n, end)
		}
	}
	players := rowsBelow(t, text, "Players")
	if players[1][3] != fmt.Sprint(r.Players[1].Faults[Crash]) || players[0][3] != "0" {
		t.Errorf("faults %q, should be %v", players, r.Faults)
	}
	if n := strings.Count(text, `class="board"`); n != shownBoards {
		t.Errorf("%d boards", n)
	}
}

// TestPageHostile: names are text, however hostile, and the page is whole with few games, many players and none.
func TestPageHostile(t *testing.T) {
	m := testMatch(t, 2, fakeEntrant(t, "good:1"), randomEntrant())
	m.Entrants[0].Name, m.Entrants[1].Name = pagetest.Hostile[:150], `"><script>alert(3)</script>♞`
	runMatch(t, m)
	if text := readPage(t, m); !strings.Contains(text, "game 2") {
		t.Error("no games")
	}

	entrants := []Entrant{fakeEntrant(t, "good:1")}
	for i := range 11 {
		e := randomEntrant()
		e.Name = fmt.Sprintf("random %d", i)
		entrants = append(entrants, e)
	}
	many := testMatch(t, 2, entrants...)
	runMatch(t, many)
	if rows := rowsBelow(t, readPage(t, many), "Results"); len(rows) != 12 {
		t.Errorf("%d rows", len(rows))
	}

	none := testMatch(t, 2, fakeEntrant(t, "good:1"), randomEntrant())
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := none.Run(ctx, ctx); err == nil {
		t.Fatal("no error")
	}
	if !strings.Contains(readPage(t, none), "No game has ended yet") {
		t.Error("a page of games that were not played")
	}
}
