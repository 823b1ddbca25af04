package main

import (
	"fmt"
	"path/filepath"

	"talbot/internal/cli"
	"talbot/internal/humanize"
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

// timeLeft returns the detail with the time that so much more work takes, if that is known.
func timeLeft(pace *progress.Pace, more int64) []string {
	if left, ok := pace.Left(more); ok {
		return []string{humanize.Duration(left) + " left"}
	}
	return nil
}

// matchLine returns the line of progress of a match.
func matchLine(p match.Progress, left []string) cli.Line {
	line := cli.Line{Verb: "match", Share: float64(p.Games) / float64(max(1, p.Total)), Details: left}
	line.Details = append(line.Details,
		fmt.Sprintf("%s/%s games", humanize.Thousands(int64(p.Games)), humanize.Thousands(int64(p.Total))),
		counts(p.Figures), "Elo "+match.EloText(p.Elo, p.EloLow, p.EloHigh))
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

// counts are wins, draws and losses.
func counts(f match.Figures) string { return fmt.Sprintf("+%d =%d -%d", f.Wins, f.Draws, f.Losses) }

// printMatch prints the result of a match.
func printMatch(r *match.Result) error {
	if err := cli.PrintResult(r.Text()); err != nil {
		return err
	}
	cli.Summarise("games: %s\npage: %s\n", r.PGN, filepath.Join(filepath.Dir(r.PGN), match.PageFile))
	return nil
}
