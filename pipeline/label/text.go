package label

import (
	"fmt"

	"talbot/dataset"
	"talbot/internal/humanize"
	"talbot/internal/table"
)

// Text returns the summary of a labelled dataset as lines.
func (sum *Summary) Text(out string) string {
	var t humanize.Text
	n := humanize.Thousands
	if sum.Limit == dataset.SolvedLimit {
		t.Line("%s: %s labelled by their distance to mate, %s terminal, %.1f s\n", out,
			humanize.Count(sum.Solved, "position"), n(sum.Terminal), sum.Seconds)
		return t.String()
	}
	t.Line("%s: %s labelled by %s (%s, hash cleared for each %s), %s reused, %s terminal, %s failed, "+
		"%s with %s, %.1f s\n",
		out, humanize.Count(sum.Labelled, "position"), sum.Engine, sum.Limit, sum.HashScope, n(sum.Reused),
		n(sum.Terminal), n(sum.Failed), humanize.Rate(sum.PositionsPerSecond),
		humanize.Count(int64(sum.Workers), "worker"), sum.Seconds)
	if sum.Remote > 0 {
		t.Line("  by workers: %s; searched again: %s, of which %s wrong\n",
			humanize.Count(sum.Remote, "position"), n(sum.Checked), n(sum.Disagreed))
	}
	if s := sum.Saved; sum.Reused > 0 {
		t.Line("  reused labels: %s from before the interruption, %s from the input, %s from other lines or "+
			"--reuse, %s of repeated positions\n", n(s.Resumed), n(s.Input), n(s.Found), n(s.Repeated))
	}
	if sum.Skipped > 0 {
		t.Line("  not searched because of an imported evaluation: %s\n", n(sum.Skipped))
	}
	if sum.Solved > 0 {
		t.Line("  labelled by their distance to mate: %s\n", n(sum.Solved))
	}
	if sum.Exact > 0 {
		t.Line("  exact results from tables: %s; not searched: %s\n", n(sum.Exact),
			humanize.Count(sum.SkippedExact, "sample"))
	}
	if sum.Unpredicted > 0 {
		t.Line("  not searched because they have no prediction of the network: %s\n",
			humanize.Count(sum.Unpredicted, "sample"))
	}
	if sum.Utilisation != nil {
		t.Line("  engines busy: %.1f %%\n", 100**sum.Utilisation)
	}
	if sum.Restarts > 0 {
		t.Line("  %s repeated, %s restarted\n", humanize.Count(sum.Retried, "search"),
			humanize.Count(sum.Restarts, "engine"))
	}
	return t.String()
}

// Text returns a table with a row for each part of the samples.
func (s *AuditSummary) Text(dir string) string {
	var t humanize.Text
	t.Line("%s: %s of %s, searched again with %s by %s, %.1f s\n\n", dir, humanize.Count(int64(s.All.Samples), "label"),
		s.Of, humanize.Count(int64(s.Nodes), "node"), s.Engine, s.Seconds)
	rows := [][]string{{"", "samples", "value MSE", "value error", "WDL MSE", "WDL error", "other best move",
		"other sign"}}
	number := func(x float64) string { return fmt.Sprintf("%.4f", x) }
	for _, p := range append(append([]AuditGroup{s.All}, s.Phases...), s.Pieces...) {
		if p.Samples > 0 {
			rows = append(rows, []string{p.Name, humanize.Thousands(int64(p.Samples)), number(p.ValueMSE),
				number(p.ValueMAE), number(p.WDLMSE), number(p.WDLMAE), fmt.Sprintf("%.1f %%", 100*p.BestMove),
				fmt.Sprintf("%.1f %%", 100*p.Sign)})
		}
	}
	t.WriteString(table.Align(rows, -1))
	t.Line("\nvalue: tanh(cp/350) in -1 … 1; WDL: win + draw/2 in 0 … 1; errors are means of absolute differences\n")
	return t.String()
}

// Text returns the measurement as lines.
func (sum *NodeMeasure) Text() string {
	var t humanize.Text
	n := humanize.Thousands
	t.Line("%s, %s, %s, %s:\n", sum.Engine, sum.Limit, humanize.Count(int64(sum.Workers), "engine"),
		humanize.Count(int64(sum.Positions), "position"))
	t.Line("  %s gives %s nodes on average (median %s, 80 %% between %s and %s), depth %.1f, %.2f ms a search, %s "+
		"nodes/s\n",
		sum.Limit, n(int64(sum.NodesMean)), n(int64(sum.NodesMedian)), n(int64(sum.NodesLow)), n(int64(sum.NodesHigh)),
		sum.DepthMean, sum.MillisPerSearch, n(int64(sum.PerSecond)))
	t.Line("  --nodes %d takes %.2f ms a search with a fresh hash, depth %.1f: %s a day\n", sum.Nodes,
		sum.MillisAtNodes, sum.DepthAtNodes, humanize.Count(int64(sum.PositionsPerDay), "position"))
	return t.String()
}
