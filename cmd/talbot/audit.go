package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"talbot/internal/cli"
	"talbot/pipeline/label"
)

func runAudit(ctx context.Context, o *labelOptions) error {
	ctx, end := o.watch(ctx)
	sum, err := label.Audit{Request: o.Request, Share: o.audit}.Run(ctx)
	end()
	if err != nil {
		return cli.Resumable(err)
	}
	return o.finish(sum, sum.Summary, sum.Text(o.Out))
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
		return cli.PrintJSON(sum)
	}
	io.WriteString(cli.Stdout, sum.Text()) // which remembers its error
	next("label", c.Dir, "--out", newName(filepath.Clean(c.Dir)+"-labelled", ""), "--nodes", fmt.Sprint(sum.Nodes))
	return nil
}
