package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rivo/uniseg"

	"talbot/internal/cli"
	"talbot/internal/humanize"
	"talbot/internal/plain"
	"talbot/internal/progress"
	"talbot/play/match"
)

// liveMatch returns a callback that shows how far a match has come, and a function that ends the display.
func liveMatch() (show func(match.Progress), end func()) {
	var pace progress.Pace
	d := cli.NewDisplay()
	return func(p match.Progress) {
		pace.Add(0, int64(p.Resumed), 0)
		pace.Add(p.Elapsed, int64(p.Games), 0)
		d.Show(func() cli.Line { return matchLine(p, timeLeft(&pace, int64(p.Total-p.Games))) })
	}, d.End
}

// timeLeft is the detail that says how long so much more work takes, if that can be told.
func timeLeft(pace *progress.Pace, more int64) []string {
	if left, ok := pace.Left(more); ok {
		return []string{humanize.Duration(left) + " left"}
	}
	return nil
}

// matchLine is the line about a match.
func matchLine(p match.Progress, left []string) cli.Line {
	line := cli.Line{Verb: "match", Share: float64(p.Games) / float64(max(1, p.Total)), Details: left}
	line.Details = append(line.Details,
		fmt.Sprintf("%s/%s games", humanize.Thousands(int64(p.Games)), humanize.Thousands(int64(p.Total))),
		counts(p.Figures), "Elo "+interval(p.Elo, p.EloLow, p.EloHigh))
	if p.LLR.Known() {
		line.Details = append(line.Details, fmt.Sprintf("LLR %.2f of %.2f to %.2f", float64(p.LLR), p.LLRs[0],
			p.LLRs[1]))
	}
	if p.Faults > 0 {
		line.Details = append(line.Details, humanize.Count(int64(p.Faults), "fault"))
	}
	if p.Identical > 0 {
		line.Details = append(line.Details, fmt.Sprintf("%d identical", p.Identical))
	}
	return line
}

// padded is a name padded to a width in columns.
func padded(name string, columns int) string {
	name = cli.Shorten(plain.Escape(name), columns)
	return name + strings.Repeat(" ", max(0, columns-uniseg.StringWidth(name)))
}

// counts are wins, draws and losses.
func counts(f match.Figures) string { return fmt.Sprintf("+%d =%d -%d", f.Wins, f.Draws, f.Losses) }

// signed is a figure with its sign and one decimal, "?" if it does not exist.
func signed(n match.Number) string {
	if !n.Known() {
		return "?"
	}
	return fmt.Sprintf("%+.1f", float64(n))
}

// interval is a figure with the limits of its interval.
func interval(n, low, high match.Number) string {
	if !low.Known() && !high.Known() {
		return signed(n)
	}
	return fmt.Sprintf("%s (%s to %s)", signed(n), signed(low), signed(high))
}

// printMatch prints the result of a match.
func printMatch(r *match.Result) {
	versus := "all others"
	if len(r.Players) == 2 {
		versus = r.Players[1].Name
	}
	printf("%s against %s: %s, %s, score %.1f %%, %.2f games/s\n", r.Players[0].Name, versus,
		humanize.Count(int64(r.Games), "game"), counts(r.Figures), 100*float64(r.Score), r.GamesPerSecond)
	if r.Elo.Known() {
		printf("  Elo %s, normalized %s, LOS %.1f %%\n", interval(r.Elo, r.EloLow, r.EloHigh),
			interval(r.Nelo, r.NeloLow, r.NeloHigh), 100*float64(r.LOS))
	} else if p := r.Pentanomial; p == [5]int64{} {
		printf("  no Elo: no pair of games is complete\n")
	} else {
		printf("  no Elo: one player won all games, so the difference is beyond measuring\n")
	}
	p := r.Pentanomial
	printf("  pairs by points of %s: 0: %d, 0.5: %d, 1: %d, 1.5: %d, 2: %d\n", r.Players[0].Name, p[0], p[1], p[2],
		p[3],
		p[4])
	if r.Mirrored > 0 {
		printf("  mirrored pairs: %d (the same moves with the colours exchanged; they count)\n", r.Mirrored)
	}
	if r.Identical > 0 || r.Unpaired > 0 {
		printf("  identical games: %d; games without their pair, not in the figures: %d\n", r.Identical, r.Unpaired)
	}
	if t := r.SPRT; t != nil {
		printf("  SPRT of %g and %g (%s Elo): %s, LLR %.2f (bounds %.2f and %.2f)\n", t.Bounds[0], t.Bounds[1],
			t.Model,
			map[string]string{"accepted": "the higher bound is accepted", "rejected": "the lower bound is accepted",
				"undecided": "undecided"}[t.Decision], float64(*r.LLR), t.Limits[0], t.Limits[1])
	}
	for _, player := range r.Players {
		for _, kind := range slices.Sorted(maps.Keys(player.Faults)) {
			printf("  lost by %s: %s %d\n", strings.ReplaceAll(string(kind), "_", " "), player.Name,
				player.Faults[kind])
		}
		if player.IllegalFirst > 0 {
			printf("  illegal first choices of the network, replaced by a legal move: %s %s of %s\n",
				player.Name, humanize.Thousands(player.IllegalFirst), humanize.Count(player.Moves, "move"))
		}
	}
	printRatings(r)
	summarise("  games: %s\n  page: %s\n", r.PGN, filepath.Join(filepath.Dir(r.PGN), match.PageFile))
}

// printRatings prints the table of a gauntlet.
func printRatings(r *match.Result) {
	if len(r.Ratings) == 0 {
		return
	}
	printf("\n  %s %8s %20s %7s\n", padded("player", 28), "rating", "95 % interval", "games")
	left := 0
	for i, x := range r.Ratings {
		limits := ""
		if x.Low.Known() && x.High.Known() && x.Low != x.High {
			limits = fmt.Sprintf("%.1f to %.1f", float64(x.Low), float64(x.High))
		}
		mark := ""
		if x.Anchor && !x.Counted {
			mark = " *"
			left++
		}
		rating := "?"
		if x.Rating.Known() {
			rating = fmt.Sprintf("%.1f", float64(x.Rating))
		}
		printf("  %s %8s %20s %7d%s\n", padded(x.Player, 28), rating, limits, x.Games, mark)
		if i == 0 && x.FromAnchors != nil && x.FromAnchors.Known() {
			printf("    of the interval, ±%.1f come from the number of games and ±%.1f from the anchors' ratings\n",
				float64(*x.FromGames), float64(*x.FromAnchors))
		}
	}
	for _, opponent := range r.Players[1:] {
		if opponent.Faults[match.Overtime] > 0 {
			printf("  %s lost by time, which makes ratings too high: play again with a larger --timemargin\n",
				opponent.Name)
		}
	}
	if left > 0 {
		printf("  * not used for the rating: the score is not between 10 and 90 %%\n")
		if !r.Ratings[0].Rating.Known() {
			printf("  no rating: play against opponents that are closer in strength, with rating= of their own\n")
		}
	}
}
