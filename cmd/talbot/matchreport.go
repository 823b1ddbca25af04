package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"talbot/internal/cli"
	"talbot/internal/humanize"
	"talbot/internal/progress"
	"talbot/play/match"
)

// matchProgress returns how far a match has come, for display.
func matchProgress(p match.Progress) progress.Progress {
	notes := []string{fmt.Sprintf("+%d =%d -%d", p.Wins, p.Draws, p.Losses),
		"Elo " + match.EloText(p.Elo, p.EloLow, p.EloHigh)}
	if p.LLR.Known() {
		notes = append(notes, fmt.Sprintf("LLR %.2f of %.2f to %.2f", float64(p.LLR), p.LLRs[0], p.LLRs[1]))
	}
	if p.Faults > 0 {
		notes = append(notes, humanize.Count(int64(p.Faults), "fault"))
	}
	if p.Identical > 0 {
		notes = append(notes, fmt.Sprintf("%d identical", p.Identical))
	}
	return progress.Progress{Verb: "match", Unit: "games", Done: int64(p.Games), Total: int64(p.Total),
		First: int64(p.Resumed), Count: int64(p.Games), Rate: int64(p.Games - p.Resumed),
		Note: strings.Join(notes, ", ")}
}

// printMatch prints the result of a match.
func printMatch(r *match.Result) error {
	if err := cli.PrintResult(r.Text()); err != nil {
		return err
	}
	cli.Summarise("games: %s\npage: %s\n", r.PGN, filepath.Join(filepath.Dir(r.PGN), match.PageFile))
	return nil
}
