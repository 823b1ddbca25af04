package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"text/tabwriter"

	"talbot/internal/cli"
	"talbot/internal/humanize"
	"talbot/internal/plain"
	"talbot/pipeline/label"
)

func runAudit(ctx context.Context, o *labelOptions, a label.Audit) error {
	ctx, end := o.watch(ctx, &a.Request)
	sum, err := a.Run(ctx)
	end()
	if err != nil {
		return cli.Resumable(err)
	}
	return o.finish(sum, sum.Summary, func() error { return printAudit(cli.Stdout, o.out, sum) })
}

// printAudit prints a table with a row for each part.
func printAudit(out io.Writer, dir string, s label.AuditSummary) error {
	plain.Fprintf(out, "%s: %s of %s, searched again with %s by %s, %.1f s\n\n", dir,
		humanize.Count(int64(s.All.Samples), "label"), s.Of, humanize.Count(int64(s.Nodes), "node"), s.Engine,
		s.Seconds)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\tsamples\tvalue MSE\tvalue error\tWDL MSE\tWDL error\tother best move\tother sign\t")
	for _, p := range append(append([]label.AuditGroup{s.All}, s.Phases...), s.Pieces...) {
		if p.Samples > 0 {
			plain.Fprintf(w, "%s\t%s\t%.4f\t%.4f\t%.4f\t%.4f\t%.1f %%\t%.1f %%\t\n", p.Name,
				humanize.Thousands(int64(p.Samples)), p.ValueMSE, p.ValueMAE, p.WDLMSE, p.WDLMAE, 100*p.BestMove,
				100*p.Sign)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(out,
		"\nvalue: tanh(cp/350) in -1 … 1; WDL: win + draw/2 in 0 … 1; errors are means of absolute differences")
	return err
}

func runCalibrate(ctx context.Context, o *labelOptions, c label.MeasureNodes) error {
	ctx, stop := cli.Stops(ctx)
	defer stop()
	show, end := cli.ShowProgress()
	c.Progress = show
	sum, err := c.Run(ctx)
	end()
	if err != nil {
		return cli.Repeatable(err)
	}
	if o.json {
		return printJSON(sum)
	}
	n := humanize.Thousands
	printf("%s, %s, %s, %s:\n", sum.Engine, sum.Limit, humanize.Count(int64(sum.Workers), "engine"),
		humanize.Count(int64(sum.Positions), "position"))
	printf("  %s gives %s nodes on average (median %s, 80 %% between %s and %s), depth %.1f, %.2f ms a search, %s "+
		"nodes/s\n",
		sum.Limit, n(int64(sum.NodesMean)), n(int64(sum.NodesMedian)), n(int64(sum.NodesLow)), n(int64(sum.NodesHigh)),
		sum.DepthMean, sum.MillisPerSearch, n(int64(sum.PerSecond)))
	printf("  --nodes %d takes %.2f ms a search with a fresh hash, depth %.1f: %s a day\n", sum.Nodes,
		sum.MillisAtNodes, sum.DepthAtNodes, humanize.Count(int64(sum.PositionsPerDay), "position"))
	next("label", c.Dir, "--out", newName(filepath.Clean(c.Dir)+"-labelled", ""), "--nodes", fmt.Sprint(sum.Nodes))
	return nil
}
