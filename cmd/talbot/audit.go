package main

import (
	"context"
	"fmt"
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
	warnUnlabelled(sum.Failed)
	return o.report(made{summary: &sum, left: sum.Failed})
}

func runCalibrate(ctx context.Context, o *labelOptions, c label.MeasureNodes) error {
	sum, err := watched(ctx, &c, &c.Progress)
	if err != nil {
		return err
	}
	if err := report(o.json, &sum); err != nil {
		return err
	}
	next("label", c.Dir, "--out", newName(filepath.Clean(c.Dir)+"-labelled", ""), "--nodes", fmt.Sprint(sum.Nodes))
	return nil
}
