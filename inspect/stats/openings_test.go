package stats

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/testkit/madeup"
)

// gamesOf makes games of legal moves; skew decides how alike they are.
func gamesOf(rng *rand.Rand, n int, skew float64) (list []dataset.Line) {
	for i := range n {
		p := board.StartPosition()
		l := dataset.Line{Start: p, Moves: []board.Move{}, Number: int64(i + 1), Result: dataset.Result(rng.IntN(4))}
		for range rng.IntN(8) {
			legal := p.LegalMoves(nil)
			if len(legal) == 0 {
				break
			}
			slices.Sort(legal)
			m := legal[int(float64(len(legal))*math.Pow(rng.Float64(), skew))]
			l.Moves = append(l.Moves, m)
			p.Play(m)
		}
		list = append(list, l)
	}
	return list
}

// The lines are those of counting every line of moves of every game, whatever the workers and the order of the lines.
func TestOpenings(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct {
		games int
		skew  float64
	}{{0, 1}, {1, 1}, {3, 1}, {150, 1}, {4000, 12}, {4000, 40}} {
		lines := gamesOf(rng, c.games, c.skew)
		all := map[string]*openingGames{}
		games := int64(0)
		for _, l := range lines {
			p, name := l.Start, ""
			if len(l.Moves) > 0 {
				games++
			}
			for ply, m := range l.Moves[:min(len(l.Moves), openingPlies)] {
				name += " "
				if ply%2 == 0 {
					name += fmt.Sprintf("%d.", ply/2+1)
				}
				name += p.SAN(m)
				p.Play(m)
				if all[name] == nil {
					all[name] = &openingGames{}
				}
				all[name][l.Result]++
			}
		}
		least := max(int64(math.Ceil(float64(games)/100)), min(2, games))
		others := madeup.Lines(t)[1:] // no games
		other := madeup.Line(t, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1", "e2e4")
		others = append(others, other)
		lines = append(lines, others...)
		var want *Statistics
		for _, workers := range []int{1, 2, 5} {
			rng.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
			s, err := Request{Dir: madeup.Dataset(t, lines, 700), Workers: workers}.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = s
			}
			if !reflect.DeepEqual(s.Openings, want.Openings) || !reflect.DeepEqual(s.Examples, want.Examples) {
				t.Errorf("%+v: another result with %d workers", c, workers)
			}
		}
		if want.Openings.Games != games || want.Openings.Least != least {
			t.Errorf("%+v: %d games, at least %d; want %d and %d", c, want.Openings.Games, want.Openings.Least, games,
				least)
		}
		var frequent []OpeningLine
		deepest := 0
		for name, counts := range all {
			l := OpeningLine{Moves: name[1:], Games: counts.sum(), Share: float64(counts.sum()) / float64(games),
				WhiteWins: counts[dataset.WhiteWins], Draws: counts[dataset.Draw], BlackWins: counts[dataset.BlackWins]}
			if l.Games < least {
				continue
			}
			if known := float64(l.WhiteWins + l.Draws + l.BlackWins); known > 0 {
				l.Score = new((float64(l.WhiteWins) + float64(l.Draws)/2) / known)
			}
			frequent, deepest = append(frequent, l), max(deepest, strings.Count(name, " "))
		}
		slices.SortFunc(frequent, func(a, b OpeningLine) int {
			return cmp.Or(cmp.Compare(b.Games, a.Games), strings.Compare(a.Moves, b.Moves))
		})
		if !slices.EqualFunc(want.Openings.Lines, frequent, func(a, b OpeningLine) bool {
			return reflect.DeepEqual(a, b)
		}) {
			t.Errorf("%+v: %+v, want %+v", c, want.Openings.Lines, frequent)
		}
		if c.skew == 40 && deepest != openingPlies {
			t.Errorf("%+v: the deepest line has %d plies", c, deepest)
		}
	}
}

func TestDates(t *testing.T) {
	for text, want := range map[string]string{"2021.10.01": "2021-10-01", "2021.10.??": "2021-10", "1921.??.??": "1921",
		"1921": "1921", "2021.13.01": "2021", "2021.02.99": "2021-02", "2021-10-01": "2021-10-01", "????.??.??": "",
		"": "", "0000.01.01": "", "99": "", "2021.1": "2021-01", "05.03.2015": "2015", "12/25/2015": "2015-12-25",
		"<script>": "", "２０２１.01.01": "", "2021.??.05": "2021",
		"99999.01.01": ""} {
		d := dayOf(&dataset.Line{Tags: []dataset.Tag{{Name: "Date", Value: text}}})
		if (d != 0) != (want != "") || d != 0 && d.String() != want {
			t.Errorf("%q is %q, want %q", text, d, want)
		}
	}
	count := func(texts ...string) Dates {
		days := map[day]int64{}
		for i, text := range texts {
			tag := []string{"Date", "UTCDate"}[i%3%2]
			days[dayOf(&dataset.Line{Tags: []dataset.Tag{{Name: tag, Value: text}}})]++
		}
		return dates(days)
	}
	for _, c := range []struct {
		dates       []string
		first, last string
		unknown     int64
		unit, bars  string
	}{
		{nil, "", "", 0, "", "[]"},
		{[]string{"?", ""}, "", "", 2, "", "[]"},
		{[]string{"2021.10.03", "2021.12.31", "?", "2021.10.01"}, "2021-10-01", "2021-12-31", 1, "month",
			"[{2021-10 2} {2021-11 0} {2021-12 1}]"},
		{[]string{"2021.10.03", "2021.10.31"}, "2021-10-03", "2021-10-31", 0, "year", "[{2021 2}]"},
		{[]string{"2021.10.03", "2022.??.??"}, "2021-10-03", "2022", 0, "year", "[{2021 1} {2022 1}]"},
		{[]string{"1921", "2001", "2009.01.01"}, "1921", "2009-01-01", 0, "decade",
			"[{1920 1} {1930 0} {1940 0} {1950 0} {1960 0} {1970 0} {1980 0} {1990 0} {2000 2}]"},
		{[]string{"1475", "2021"}, "1475", "2021", 0, "decade", ""},
		{[]string{"0001", "9999"}, "0001", "9999", 0, "century", ""},
	} {
		d := count(c.dates...)
		bars, unit := d.bars()
		if d.First != c.first || d.Last != c.last || d.Unknown != c.unknown || unit != c.unit ||
			c.bars != "" && fmt.Sprint(bars) != c.bars || len(bars) > 101 {
			t.Errorf("%v: %+v, by %s %v", c.dates, d, unit, bars)
		}
	}
}

func TestClocks(t *testing.T) {
	for tag, want := range map[string]string{"60+0": "bullet", "60+0.6": "bullet", "8.0+0.08": "ultrabullet",
		"180+2": "blitz", "600": "rapid",
		"40/7200:3600": "classical",
		"15+0":         "ultrabullet", "-": noClock, "?": unknownClock, "": unknownClock, "</p>": unknownClock} {
		of := func(names ...string) string {
			l := &dataset.Line{}
			for _, name := range names {
				l.Tags = append(l.Tags, dataset.Tag{Name: name, Value: tag})
			}
			return clockOf(l)
		}
		if got := of("TimeControl"); got != want {
			t.Errorf("%q is %q, want %q", tag, got, want)
		}
		if got := of("WhiteTimeControl", "BlackTimeControl"); got != want {
			t.Errorf("%q of both sides is %q, want %q", tag, got, want)
		}
		if got := of("WhiteTimeControl"); got != unknownClock {
			t.Errorf("%q of one side is %q", tag, got)
		}
	}
}
