package stats

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"talbot/internal/humanize"
	"talbot/internal/plain"
)

// shownSignatures is how many signatures a page shows; all are in the JSON.
const shownSignatures = 40

// write writes the page's part of the spread of samples.
func (c *Coverage) write(b *strings.Builder) {
	textBars(b, "samples by side to move", []bar{{"white", c.SideToMove["white"]}, {"black", c.SideToMove["black"]}})
	textBars(b, fmt.Sprintf("samples by result for the side to move (%s exact, the others from labels)",
		humanize.Thousands(c.Exact)), c.resultBars())
	textBars(b, "samples by captures in the four plies before", c.captureBars())
	if len(c.Signatures) == 0 {
		return
	}
	plain.Fprintf(b, "\n%-12s%12s%12s%12s%12s%12s%12s%12s\n", "up to 7", "samples", "greater", "win", "draw", "loss",
		"unknown", "captures")
	plain.Fprintf(b, "%-12s%12s%12s\n", "pieces", "", "to move")
	for _, s := range c.shown() {
		plain.Fprintf(b, "%-12s%12s%12s%12s%12s%12s%12s%12s\n", s.Signature, humanize.Thousands(s.Samples),
			humanize.Thousands(s.Greater),
			humanize.Thousands(s.Win), humanize.Thousands(s.Draw), humanize.Thousands(s.Loss),
			humanize.Thousands(s.Unknown), humanize.Thousands(s.Captures))
	}
	if n := len(c.Signatures) - shownSignatures; n > 0 {
		plain.Fprintf(b, "and %d more with fewer samples (see --json)\n", n)
	}
}

// shown returns the signatures with the most samples, as many as a page shows, in their order.
func (c *Coverage) shown() []SignatureCoverage {
	if len(c.Signatures) <= shownSignatures {
		return c.Signatures
	}
	byCount := slices.Clone(c.Signatures)
	slices.SortStableFunc(byCount, func(a, b SignatureCoverage) int { return cmp.Compare(b.Samples, a.Samples) })
	return slices.DeleteFunc(slices.Clone(c.Signatures), func(s SignatureCoverage) bool {
		return !slices.Contains(byCount[:shownSignatures], s)
	})
}

// resultBars returns the results, none if all are unknown.
func (c *Coverage) resultBars() (bars []bar) {
	if c.Results["win"]+c.Results["draw"]+c.Results["loss"] == 0 {
		return nil
	}
	for _, name := range []string{"win", "draw", "loss", "unknown"} {
		bars = append(bars, bar{name, c.Results[name]})
	}
	return bars
}

func (c *Coverage) captureBars() (bars []bar) {
	for n := range coveragePlies + 1 {
		bars = append(bars, bar{strconv.Itoa(n), c.HistoryCaptures[n]})
	}
	return bars
}

// write writes the page's part of an engine's agreement with endgame tables.
func (a *Agreement) write(b *strings.Builder) {
	plain.Fprintf(b, "\n  compared with exact results: %s, %s disagree (%.2f %%), %s swap win and loss\n",
		humanize.Count(a.Samples, "sample"), humanize.Thousands(a.Disagree),
		100*float64(a.Disagree)/float64(max(a.Samples, 1)), humanize.Thousands(a.Opposite))
	plain.Fprintf(b, "  %-14s%12s%12s%12s\n", "exact, engine", "loss", "draw", "win")
	for table, counts := range a.Confusion {
		plain.Fprintf(b, "  %-14s%12s%12s%12s\n", classNames[table], humanize.Thousands(counts[0]),
			humanize.Thousands(counts[1]), humanize.Thousands(counts[2]))
	}
	plain.Fprintf(b, "\n  %-14s%12s%12s%12s\n", "material", "samples", "disagree", "share")
	for i, s := range a.Signatures {
		if i == shownSignatures {
			plain.Fprintf(b, "  and %d more (see --json)\n", len(a.Signatures)-i)
			break
		}
		plain.Fprintf(b, "  %-14s%12s%12s%10.2f %%\n", s.Signature, humanize.Thousands(s.Samples),
			humanize.Thousands(s.Disagree), 100*float64(s.Disagree)/float64(s.Samples))
	}
}

// Shown are the materials that a page shows.
func (a *Agreement) Shown() []SignatureAgreement {
	return a.Signatures[:min(len(a.Signatures), shownSignatures)]
}

// More is how many it leaves out.
func (a *Agreement) More() int64 { return int64(max(len(a.Signatures)-shownSignatures, 0)) }
