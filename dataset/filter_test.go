package dataset

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"talbot/board"
)

func game(white, black int, tags ...Tag) *Line {
	return &Line{Start: board.StartPosition(), WhiteElo: white, BlackElo: black, Tags: tags}
}

func TestFilterHead(t *testing.T) {
	day := func(s string, end bool) Date {
		d, err := ParseDate(s, end)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	puzzle := &Line{Source: SourcePuzzle}
	for name, c := range map[string]struct {
		f    Filter
		l    *Line
		want Reason
	}{
		"nothing":               {Filter{}, game(0, 0), ""},
		"both":                  {Filter{MinElo: 2600}, game(2600, 2700), ""},
		"one low":               {Filter{MinElo: 2600}, game(2599, 2700), LowElo},
		"one high":              {Filter{MaxElo: 2600}, game(2599, 2700), HighElo},
		"either":                {Filter{MinElo: 2600, EitherElo: true}, game(2599, 2700), ""},
		"neither":               {Filter{MinElo: 2600, EitherElo: true}, game(2599, 2500), LowElo},
		"either unknown":        {Filter{MinElo: 2600, EitherElo: true}, game(0, 2500), UnknownElo},
		"unknown":               {Filter{MinElo: 2600}, game(0, 2700), UnknownElo},
		"unknown kept":          {Filter{MinElo: 2600, KeepUnknownElo: true}, game(0, 2700), ""},
		"unknown kept, one low": {Filter{MinElo: 2600, KeepUnknownElo: true}, game(0, 2500), LowElo},
		"unknown dropped":       {Filter{DropUnknownElo: true}, game(0, 2700), UnknownElo},
		"puzzles have none":     {Filter{MinElo: 2600, NoBots: true, Player: "x"}, puzzle, ""},
		"tactics":               {Filter{Tactics: true}, game(1, 1), OtherSource},
		"a tactic":              {Filter{Tactics: true}, puzzle, ""},
		"bot":                   {Filter{NoBots: true}, game(1, 1, Tag{"BlackTitle", "BOT"}), Bot},
		"blitz":                 {Filter{TimeControls: []string{"blitz"}}, game(1, 1, Tag{"TimeControl", "180+2"}), ""},
		"no blitz": {Filter{TimeControls: []string{"blitz"}}, game(1, 1, Tag{"TimeControl", "60"}),
			TimeControl},
		"exact":      {Filter{TimeControls: []string{"60+0"}}, game(1, 1, Tag{"TimeControl", "60+0"}), ""},
		"none known": {Filter{TimeControls: []string{"blitz"}}, game(1, 1), TimeControl},
		"base":       {Filter{MinBaseTime: 2 * time.Hour}, game(1, 1, Tag{"TimeControl", "40/7200:3600"}), ""},
		"short base": {Filter{MinBaseTime: 2*time.Hour + 1}, game(1, 1, Tag{"TimeControl", "40/7200:3600"}),
			TimeControl},
		"termination": {Filter{Terminations: []string{"normal"}}, game(1, 1, Tag{"Termination", "Normal"}),
			""},
		"forfeit": {Filter{Terminations: []string{"normal"}},
			game(1, 1, Tag{"Termination", "Time forfeit"}), Termination},
		"player":       {Filter{Player: "mikhail tal"}, game(1, 1, Tag{"Black", "Tal, Mikhail N."}), ""},
		"other player": {Filter{Player: "Tal"}, game(1, 1, Tag{"Black", "Talbot, N."}), OtherPlayer},
		"since":        {Filter{Since: day("1960", false)}, game(1, 1, Tag{"Date", "1960.??.??"}), ""},
		"before":       {Filter{Since: day("1960", false)}, game(1, 1, Tag{"Date", "1959.12.31"}), OtherDate},
		"until":        {Filter{Until: day("1960-02", true)}, game(1, 1, Tag{"Date", "1960.02.29"}), ""},
		"after": {Filter{Until: day("1960-02", true)}, game(1, 1, Tag{"UTCDate", "1960.03.01"}),
			OtherDate},
		"perhaps": {Filter{Until: day("1960-02", true)}, game(1, 1, Tag{"Date", "1960.??.??"}),
			UnknownDate},
		"no date":    {Filter{Until: day("1960-02", true)}, game(1, 1), UnknownDate},
		"day first":  {Filter{Until: day("2010", true)}, game(1, 1, Tag{"Date", "05.03.2015"}), OtherDate},
		"within":     {Filter{Since: day("2015-03", false)}, game(1, 1, Tag{"Date", "05.03.2015"}), ""},
		"either day": {Filter{Since: day("2015-04", false)}, game(1, 1, Tag{"Date", "05.03.2015"}), UnknownDate},
		"full UTCDate": {Filter{Until: day("2015-03", true)},
			game(1, 1, Tag{"Date", "2015.??.??"}, Tag{"UTCDate", "2015.03.05"}), ""},
	} {
		if got := c.f.Head(c.l); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestDates has the forms of dates that files of games have, as the first and the last day that they can be.
func TestDates(t *testing.T) {
	for _, c := range []struct{ date, utc, first, last string }{
		{"2015.03.05", "", "2015-03-05", "2015-03-05"},
		{"2015-03-05", "", "2015-03-05", "2015-03-05"},
		{"2015/3/5", "", "2015-03-05", "2015-03-05"},
		{"2023-04-27 19:01:53", "", "2023-04-27", "2023-04-27"},
		{"2023-04-27T19:01:53Z", "", "2023-04-27", "2023-04-27"},
		{"25.12.2015", "", "2015-12-25", "2015-12-25"},
		{"12/25/2015", "", "2015-12-25", "2015-12-25"},
		{"5.5.2015", "", "2015-05-05", "2015-05-05"},
		{"05.03.2015", "", "2015-03-05", "2015-05-03"},
		{"03/05/2015", "", "2015-03-05", "2015-05-03"},
		{"01-12-2015", "", "2015-01-12", "2015-12-01"},
		{"??.03.2015", "", "2015-01-01", "2015-12-31"},
		{"31.??.2015", "", "2015-01-01", "2015-12-31"},
		{"31.04.2015", "", "2015-04-01", "2015-04-30"},
		{"13.13.2015", "", "2015-01-01", "2015-12-31"},
		{"2015.13.05", "", "2015-01-01", "2015-12-31"},
		{"2015.??.05", "", "2015-01-01", "2015-12-31"},
		{"2016.02.??", "", "2016-02-01", "2016-02-29"},
		{"1999/??/??", "", "1999-01-01", "1999-12-31"},
		{"1921", "", "1921-01-01", "1921-12-31"},
		{"05.03.15", "", "", ""}, {"15.03.05", "", "", ""}, {"99", "", "", ""}, {"199?.??.??", "", "", ""},
		{"20150305", "", "", ""}, {"0000.01.01", "", "", ""}, {"2015abc", "", "", ""}, {"5 March 2015", "", "", ""},
		{"2015.??.??", "2015.03.05", "2015-03-05", "2015-03-05"},
		{"05.03.2015", "2015.03.05", "2015-03-05", "2015-03-05"},
		{"05.03.15", "2015.03.05", "2015-03-05", "2015-03-05"},
		{"", "2015.03.05", "2015-03-05", "2015-03-05"},
		{"2015.03.05", "2015.03.06", "2015-03-05", "2015-03-05"},
		{"2014.??.??", "2015.01.01", "2014-01-01", "2014-12-31"},
		{"2015.03.05", "2015.??.??", "2015-03-05", "2015-03-05"},
	} {
		first, last, ok := game(0, 0, Tag{"Date", c.date}, Tag{"UTCDate", c.utc}).Dates()
		if first.String() != c.first || last.String() != c.last || ok != (c.first != "") {
			t.Errorf("%q and %q: %v to %v, %v; want %s to %s", c.date, c.utc, first, last, ok, c.first, c.last)
		}
	}
}

// TestTimeControls has the forms of time controls that files of games have.
func TestTimeControls(t *testing.T) {
	for text, want := range map[string]string{
		"10+0.1": "10s 100ms ultrabullet", "8.0+0.08": "8s 80ms ultrabullet", "60+0.6": "1m0s 600ms bullet",
		"40/60+0.6": "1m0s 600ms bullet", "1080+1.8": "18m0s 1.8s rapid", "180+2": "3m0s 2s blitz",
		"40/7200:20/3600:900+30": "2h0m0s 0s classical", "*60": "1m0s 0s bullet", "0.5": "500ms 0s ultrabullet",
		"29.9+0.01": "29.9s 10ms bullet", "1/86400": "24h0m0s 0s classical",
		"-": "", "?": "", "": "", "G/60": "", "60+": "", "+2": "", "1e3": "", "0x10": "", "inf": "", "NaN": "",
		"-5": "", "1.2.3": "", ".": "", "5+-1": "", "10 min": "", "99999999999": "",
	} {
		base, increment, ok := ParseTimeControl(text)
		got := ""
		if ok {
			got = fmt.Sprintf("%v %v %s", base, increment, TimeControlClass(base, increment))
		}
		if got != want || KnownTimeControl(text) != (ok || text == "-" || text == "?") {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		tag := Tag{"TimeControl", text}
		sides := []Tag{{"TimeControl", "?"}, {"WhiteTimeControl", text}, {"BlackTimeControl", "9999999+9"}}
		if f := (Filter{MinBaseTime: base + 1}); f.Head(game(0, 0, sides...)) != TimeControl {
			t.Errorf("%q against a long time is kept by %+v", text, f)
		}
		for _, f := range []Filter{{MinBaseTime: base}, {TimeControls: []string{text}},
			{TimeControls: []string{TimeControlClass(base, increment)}}} {
			for _, tags := range [][]Tag{{tag}, {{"WhiteTimeControl", text}, {"BlackTimeControl", text}}} {
				if r := f.Head(game(0, 0, tags...)); ok && r != "" {
					t.Errorf("%v is left out by %+v as %s", tags, f, r)
				}
			}
		}
		if f := (Filter{MinBaseTime: base + time.Millisecond}); ok && f.Head(game(0, 0, tag)) != TimeControl {
			t.Errorf("%q is kept by %+v", text, f)
		}
	}
}

// TestRules: filters that read tags in another way than earlier versions say so.
func TestRules(t *testing.T) {
	for want, f := range map[string]Filter{
		"[]": {}, "[{min-elo 5}]": {MinElo: 5},
		"[{min-base-time 0.5} {clock-rule decimals}]":  {MinBaseTime: time.Second / 2},
		"[{time-control blitz} {clock-rule decimals}]": {TimeControls: []string{"blitz"}},
		"[{since 2015-01-01} {date-rule any-order}]":   {Since: Date{2015, 1, 1}},
		"[{until 2015-12-31} {date-rule any-order}]":   {Until: Date{2015, 12, 31}},
		"[{time-control -} {min-base-time 180} {clock-rule decimals}]": {TimeControls: []string{"-"},
			MinBaseTime: 180 * time.Second},
	} {
		if got := fmt.Sprint(f.Flags()); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestFilterWhole(t *testing.T) {
	l := game(1, 1, Tag{"White", "Tal"}, Tag{"Black", "Other"})
	l.Moves, l.Result = make([]board.Move, 59), BlackWins
	for name, c := range map[string]struct {
		f    Filter
		want Reason
	}{
		"short":       {Filter{MinPlies: 60}, Short},
		"long enough": {Filter{MinPlies: 59}, ""},
		"result":      {Filter{Results: []Result{Draw}}, OtherResult},
		"won":         {Filter{WonOnly: true}, ""},
		"lost":        {Filter{WonOnly: true, Player: "Tal"}, NoWinner},
	} {
		if got := c.f.Whole(l); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestPlayerSides has the spellings of Tal that occur in files of games, and names that are not his.
func TestPlayerSides(t *testing.T) {
	for name, c := range map[string]struct{ tal, talM, mikhailTal bool }{
		"Tal": {true, false, false}, "Tal M": {true, true, false}, "Tal, M": {true, true, false},
		"Tal,M": {true, true, false}, "TAL M.N.": {true, true, false}, "Tal Mikhail": {true, true, true},
		"Tal Mikhail N": {true, true, true}, "Mikhail Tal": {true, true, true}, "Tal, Mihail": {true, true, false},
		"Tal Mihail (LAT)": {true, true, false}, "Tal Mihail LET": {true, true, false},
		"Hein-Tal Mikhail": {true, true, true}, "Shaked, Tal": {true, false, false}, "Talbot, M": {},
		"Rozentalis Eduardas": {}, "Mikhail": {}, "M T": {}, "": {}, "?": {},
	} {
		for player, want := range map[string]bool{"Tal": c.tal, "tal m": c.talM, "Mikhail Tal": c.mikhailTal,
			"-": false} {
			f := Filter{Player: player}
			white, no := f.PlayerSides(game(1, 1, Tag{"White", name}, Tag{"Black", "Other"}))
			never, black := f.PlayerSides(game(1, 1, Tag{"White", "Other"}, Tag{"Black", name}))
			if white != want || black != want || no || never {
				t.Errorf("%q is in %q: %v with White, %v with Black, want %v; in “Other”: %v, %v", player, name, white,
					black, want, no, never)
			}
		}
	}
	if white, black := (&Filter{}).PlayerSides(game(1, 1)); !white || !black {
		t.Error("without a player a side is left out")
	}
}

func FuzzFilterTexts(f *testing.F) {
	f.Add("180+2", "1960.03.??")
	f.Add("40/7200:3600", "1960-03-15")
	f.Fuzz(func(t *testing.T, control, date string) {
		if base, inc, ok := ParseTimeControl(control); ok && min(base, inc) < 0 {
			t.Fatal(base, inc)
		}
		first, err := ParseDate(date, false)
		if err != nil {
			return
		}
		if last, _ := ParseDate(date, true); last.before(first) {
			t.Fatal(first, last)
		}
		if again, err := ParseDate(first.String(), true); err != nil || again != first {
			t.Fatal(again, err)
		}
	})
}

// TestSampling checks the counts, that smaller rates and maxima keep a part of what larger ones keep, and that
// policies follow their samples.
func TestSampling(t *testing.T) {
	fresh := func() *Line {
		l := game(1, 1)
		l.Moves, l.Result = make([]board.Move, 100), WhiteWins
		// Black is short of time, and nothing is known of the last 20 plies.
		l.Clocks = append(slices.Repeat([]int32{1000, 50}, 40), slices.Repeat([]int32{NoClock}, 20)...)
		l.Policies = make([][]WeightedMove, 100)
		for i := range l.Policies {
			l.Policies[i] = []WeightedMove{{Weight: float32(i)}}
		}
		return l
	}
	for name, c := range map[string]struct {
		s    Sampling
		want int
	}{
		"skip":   {Sampling{SkipPlies: 10}, 90},
		"clock":  {Sampling{MinClock: 30 * time.Second}, 60},
		"winner": {Sampling{Side: WinnerSide}, 50},
		"player": {Sampling{Side: PlayerSide}, 50},
		"most":   {Sampling{MaxPerGame: 7}, 7},
		"none":   {Sampling{SkipPlies: 100}, 0},
	} {
		l := fresh()
		drops := c.s.Apply(l, false, true)
		total := l.SampleCount()
		for _, n := range drops {
			total += int(n)
		}
		if l.SampleCount() != c.want || total != 100 || len(l.Policies) != c.want {
			t.Errorf("%s: %d samples, %d policies, %v", name, l.SampleCount(), len(l.Policies), drops)
		}
		for i, ply := range l.Samples.Plies(nil, 100) {
			if l.Policies[i][0].Weight != float32(ply) {
				t.Fatalf("%s: policy %v at ply %d", name, l.Policies[i], ply)
			}
		}
	}
	chosen := func(s Sampling) []int {
		l := fresh()
		s.Apply(l, true, true)
		return l.Samples.Plies(nil, 100)
	}
	within := func(small, large []int) bool {
		return !slices.ContainsFunc(small, func(p int) bool { return !slices.Contains(large, p) })
	}
	if a, b := chosen(Sampling{Rate: 0.2}), chosen(Sampling{Rate: 0.5}); !within(a, b) || len(b) < 30 || len(b) > 70 {
		t.Errorf("%v and %v", a, b)
	}
	if a, b := chosen(Sampling{MaxPerGame: 5}), chosen(Sampling{MaxPerGame: 20}); !within(a, b) {
		t.Errorf("%v and %v", a, b)
	}
	if a, b := chosen(Sampling{Rate: 0.5}), chosen(Sampling{Rate: 0.5, Seed: 1}); slices.Equal(a, b) {
		t.Error("the seed does not matter")
	}
}
