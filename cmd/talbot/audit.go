package main

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"

	"talbot/internal/plain"
	"talbot/pipeline/label"
)

func runAudit(ctx context.Context, o *labelOptions, a label.Audit) error {
	ctx, end := o.watch(ctx, &a.Request)
	sum, err := a.Run(ctx)
	end()
	if err != nil {
		return resumable(err)
	}
	return o.finish(sum, sum.Summary, func() error { return printAudit(stdout, o.out, sum) })
}

// printAudit prints a table with a row for each part.
func printAudit(out io.Writer, dir string, s label.AuditSummary) error {
	plain.Fprintf(out, "%s: %d labels of %s, searched again with %d nodes by %s, %.1f s\n\n", dir, s.All.Samples, s.Of,
		s.Nodes, s.Engine, s.Seconds)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\tsamples\tvalue MSE\tvalue error\tWDL MSE\tWDL error\tother best move\tother sign\t")
	for _, p := range append(append([]label.AuditGroup{s.All}, s.Phases...), s.Pieces...) {
		if p.Samples > 0 {
			plain.Fprintf(w, "%s\t%d\t%.4f\t%.4f\t%.4f\t%.4f\t%.1f %%\t%.1f %%\t\n", p.Name, p.Samples, p.ValueMSE,
				p.ValueMAE, p.WDLMSE, p.WDLMAE, 100*p.BestMove, 100*p.Sign)
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
	ctx, stop := interruptsSaying(ctx, "stopping", abortNow)
	defer stop()
	show, end := progress()
	c.Progress = show
	sum, err := c.Run(ctx)
	end()
	if err != nil {
		return err
	}
	if o.json {
		return printJSON(sum)
	}
	printf("%s, %s, %d engines at work, %d positions:\n", sum.Engine, sum.Limit, sum.Workers, sum.Positions)
	printf("  %s gives %d nodes in the mean, %d in the median, %d to %d for eight in ten; depth %.1f; %.2f ms a "+
		"search; %.0f nodes/s\n",
		sum.Limit, sum.NodesMean, sum.NodesMedian, sum.NodesLow, sum.NodesHigh, sum.DepthMean, sum.MillisPerSearch,
		sum.PerSecond)
	printf("  --nodes %d takes %.2f ms a search with a fresh hash, depth %.1f: %d positions a day\n", sum.Nodes,
		sum.MillisAtNodes, sum.DepthAtNodes, sum.PositionsPerDay)
	return nil
}
