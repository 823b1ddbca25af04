package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/rivo/uniseg"

	"talbot/pipeline"
	"talbot/play/match"
)

// standing is a gauntlet against that many opponents on its way.
func standing(opponents int, rng *rand.Rand) match.Progress {
	p := match.Progress{Games: rng.IntN(1000), Total: 1000, Elapsed: time.Minute, LLR: match.Number(math.NaN()),
		Faults: rng.IntN(3)}
	for i := range opponents {
		v := match.Versus{Name: fmt.Sprintf("engine %d %s", i, strings.Repeat("棋", rng.IntN(20)))}
		v.Elo, v.EloLow, v.EloHigh = match.Number(rng.Float64()*1e3), match.Number(math.Inf(-1)),
			match.Number(math.Inf(1))
		p.Versus = append(p.Versus, v)
	}
	return p
}

// Whatever the width and the height of the terminal: the table and the line stand at its end, each once, all that was
// said stands above them, and nothing of them is left at the end.
func TestMatchTable(t *testing.T) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 1))
		columns, height := 30+rng.IntN(100), 6+rng.IntN(20)
		e := vt.NewEmulator(columns, height)
		o := terminalOutlet(e)
		o.rows = e.Height
		var said []string
		for range 30 {
			p := standing(rng.IntN(30), rng)
			o.setLine(func(columns int) string { return matchTable(p, nil, columns, o.height()) })
			if rng.IntN(3) == 0 {
				said = append(said, fmt.Sprintf("warning %d", len(said)))
				fmt.Fprintln(o, said[len(said)-1])
			}
			rows := screenOf(e)
			shown := min(len(p.Versus), height-3)
			if last := rows[len(rows)-1]; !strings.Contains(last, "%") || uniseg.StringWidth(last) >= columns {
				t.Fatalf("seed %d: the last row is %q", seed, last)
			}
			for i, r := range rows[len(rows)-1-shown : len(rows)-1] {
				if !strings.HasPrefix(r, fmt.Sprintf("  engine %d ", i)) || uniseg.StringWidth(r) >= columns {
					t.Fatalf("seed %d: row %d of the table is %q in\n%s", seed, i, r, strings.Join(rows, "\n"))
				}
			}
			above := strings.Join(rows[:len(rows)-1-shown], "\n")
			if !strings.HasSuffix(strings.Join(said, "\n"), above) {
				t.Fatalf("seed %d: above the table:\n%s\nsaid:\n%s", seed, above, strings.Join(said, "\n"))
			}
		}
		o.setLine(nil)
		if left := strings.Join(screenOf(e), "\n"); strings.Contains(left, "engine") || strings.Contains(left, "%") {
			t.Errorf("seed %d: left on the screen:\n%s", seed, left)
		}
	}
}

// Figures that do not exist are never shown as numbers.
func TestMatchFigures(t *testing.T) {
	unknown := match.Number(math.Inf(1))
	if got := interval(1.25, -3.04, unknown); got != "+1.2 (-3.0 to ?)" && got != "+1.3 (-3.0 to ?)" {
		t.Error(got)
	}
	if got := interval(match.Number(math.NaN()), unknown, unknown); got != "?" {
		t.Error(got)
	}
	p := match.Progress{Games: 10, Total: 40, Resumed: 4, Elapsed: 6 * time.Second, LLR: 1.5,
		LLRs: [2]float64{-2.94, 2.94}}
	p.Wins, p.Draws, p.Losses, p.Identical, p.Faults = 5, 3, 1, 1, 2
	p.Elo, p.EloLow, p.EloHigh = 12, -20, 44
	var pace pipeline.Pace
	for second := range int64(30) {
		pace.Add(time.Duration(second)*time.Second, second, 0)
	}
	want := "30s left, 10/40 games, +5 =3 -1, Elo +12.0 (-20.0 to +44.0), LLR 1.50 of -2.94 to 2.94, 2 faults, 1 " +
		"identical"
	if got := strings.Join(matchLine(p, timeLeft(&pace, 30)).details, ", "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
