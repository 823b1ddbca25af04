package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"talbot/encode"
	"talbot/internal/fault"
	"talbot/internal/flags"
	"talbot/internal/progress"
	"talbot/train/job"
)

type compareOptions struct {
	measureOptions
	policy      *encode.PolicyTarget // nil: that of each run
	html        string
	json, force bool
}

func newCompare() *cobra.Command {
	var o compareOptions
	cmd := &cobra.Command{
		Use:   "compare RUN RUN… --data DIR[,DIR…]",
		Short: "Tell whether one network is better than another",
		Long: `Compare prints which settings of the runs differ, their figures side by side, and
each later run's difference from the first on the same samples, with a verdict: better,
worse or no clear difference. RUN is a run, a checkpoint, an exported network, or net:,
the network that comes with talbot.

The verdicts at the top are on unseen positions; for these, the training data of all runs
must be in its original place or in --data. Intervals are 95 % bootstrap intervals over
whole games.

RUN RUN compares two networks; the result depends on the seed. To compare settings, train
each with two or more seeds and separate their runs by commas. See docs/6-evaluation.md,
section 5.`,
		Example: `  talbot compare run1 run2 --data labelled
  talbot compare net: run1 --data labelled --split val --samples 10000 --json
  talbot compare a1,a2,a3 b1,b2,b3 --data labelled --html compared.html`,
		SuggestFor:        []string{"versus", "ab"},
		Args:              operands(2, many, "two runs or more"),
		ValidArgsFunction: completeOperands(many, lastOf(networks)),
		RunE:              func(cmd *cobra.Command, runs []string) error { return o.compare(cmd.Context(), runs) },
	}
	f := flags.Of(cmd)
	o.addSamples(f, "each run")
	flags.Parse(f, &o.policy, "policy-target", "", "played", pointer(encode.ParsePolicyTarget),
		"target to compare the moves with: played or multipv:T (default: that of each run)")
	f.Words("policy-target", policyTargets...)
	f.Section("Networks")
	o.addNetwork(f)
	f.Section("Output")
	f.String(&o.html, "html", "write the comparison as a page to this file")
	addForce(f, &o.force)
	addJSON(f, &o.json)
	return cmd
}

// runsOf reads an operand: one run, or several of one setting with commas between them. A path with a comma in it that
// exists is one run.
func runsOf(operand string) ([]string, error) {
	if _, err := os.Stat(operand); err == nil {
		return []string{operand}, nil
	}
	runs := strings.Split(operand, ",")
	if slices.Contains(runs, "") {
		return nil, fault.Usage(fmt.Errorf("%q: a run between commas is missing", operand),
			"for example `talbot compare a1,a2 b1,b2 --data labelled`")
	}
	return runs, nil
}

func (o *compareOptions) job(operands []string) (c job.Compare, err error) {
	c = job.Compare{Measure: o.measure(), Policy: o.policy}
	for _, operand := range operands {
		runs, err := runsOf(operand)
		if err != nil {
			return c, err
		}
		c.Settings = append(c.Settings, runs)
	}
	if o.html != "" {
		page := outputFile{flag: "--html", path: o.html, force: o.force, inputs: slices.Concat(c.Settings...)}
		c.Page, err = page.check()
	}
	return c, err
}

func (o *compareOptions) compare(ctx context.Context, operands []string) error {
	c, err := o.job(operands)
	if err != nil {
		return err
	}
	var show func(progress.Progress)
	c.Progress = measureProgress(&show)
	result, err := watched(ctx, &c, &show)
	if err != nil && !errors.Is(err, job.ErrIncomplete) {
		return err
	}
	if err != nil {
		c.Page = "" // which was not written
	}
	return errors.Join(reportPage(o.json, result, result.Page().Text(), "page", c.Page), err)
}
