package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"talbot/encode"
	"talbot/evaluate"
	"talbot/internal/flags"
	"talbot/internal/humanize"
	"talbot/internal/plain"
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
		Long: `Compare prints which settings of runs differ, their figures side by side, and the
difference of each later run from the first one on the same samples, with a verdict:
better, worse or no clear difference. RUN is a run, a checkpoint, an exported network, or
net:, the network that comes with talbot.

The verdict counts on unseen positions: those that no train sample of any of the runs
has, nor of the runs that they began with. For this, the training data of all runs must
be in its original place or in --data. Intervals are 95 % bootstrap intervals over whole
games. If one contains 0, the verdict is "no clear difference"; with fewer than about
eight games it is "too few games".

RUN RUN compares two networks; the result depends on the seed. To compare the settings,
train each with two seeds or more and join their runs with commas: the interval then has
the variance between seeds and that between games. See docs/6-evaluation.md, section 5.`,
		Example: `  talbot compare run1 run2 --data labelled
  talbot compare net: run1 --data labelled --split val --samples 10000 --json
  talbot compare a1,a2,a3 b1,b2,b3 --data labelled --html compared.html`,
		SuggestFor:        []string{"versus", "ab"},
		Args:              operands(2, many, "two runs or more"),
		ValidArgsFunction: completeRuns,
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

// completeRuns completes the operands of a command that takes runs, or several with commas between them.
func completeRuns(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	i := strings.LastIndexByte(typed, ',') + 1
	all := networks(typed[i:])
	for k := range all {
		all[k] = typed[:i] + all[k]
	}
	return completed(all)
}

// runsOf reads an operand: one run, or several of one setting with commas between them. A path with a comma in it that
// is there is one run.
func runsOf(operand string) ([]string, error) {
	if _, err := os.Stat(operand); err == nil {
		return []string{operand}, nil
	}
	runs := strings.Split(operand, ",")
	if slices.Contains(runs, "") {
		return nil, usage(fmt.Errorf("%q: a run between commas is missing", operand),
			"for example `talbot compare a1,a2 b1,b2 --data labelled`")
	}
	return runs, nil
}

func (o *compareOptions) job(operands []string) (c job.Compare, err error) {
	c = job.Compare{Data: o.data, Split: o.split, Label: o.label, Samples: o.samples, Value: o.value, Policy: o.policy,
		Batch: o.batch, Choice: o.choice(), Weights: o.weights, Backend: o.backend, Workers: o.workers,
		Warn: warn}
	for _, operand := range operands {
		runs, err := runsOf(operand)
		if err != nil {
			return c, err
		}
		c.Settings = append(c.Settings, runs)
	}
	if o.html != "" {
		c.Page, err = (outputFile{flag: "--html", path: o.html, force: o.force}).check()
	}
	return c, err
}

func (o *compareOptions) compare(ctx context.Context, operands []string) error {
	c, err := o.job(operands)
	if err != nil {
		return err
	}
	ctx, stop := stops(ctx)
	defer stop()
	show, end := phases()
	c.Begun = func(backend string) { tell("backend: %s\n", backend) }
	c.Progress = measureProgress(show)
	result, err := c.Run(ctx)
	end()
	if err != nil && !errors.Is(err, job.ErrIncomplete) {
		return repeatable(err)
	}
	if o.json {
		return errors.Join(printJSON(result), err)
	}
	if e := printComparison(stdout, result); e != nil {
		return e
	}
	if c.Page != "" && err == nil {
		printf("\npage: %s\n", c.Page)
	}
	return err
}

// printComparison prints what differs, the figures, the differences, and the verdicts last.
func printComparison(out io.Writer, c *job.Compared) error {
	plain.Fprintf(out, "%s split: %s of %s", c.Split, humanize.Count(c.Samples, "sample"),
		humanize.Count(c.Lines, "game"))
	if c.Unseen != nil {
		plain.Fprintf(out, ", %s: %s of %s", c.UnseenTo(), humanize.Count(*c.Unseen, "sample"),
			humanize.Count(c.UnseenLines, "game"))
	} else {
		fmt.Fprint(out, "; it is not known which of them are unseen")
	}
	plain.Fprintf(out, ", in %.1f s\n", c.Seconds)
	for _, r := range c.Runs {
		plain.Fprintf(out, "  %s: %s, %s, step %d, %s weights\n", r.Name, r.Recipe, r.Network, r.Step, r.Weights)
	}
	if err := printDiffering(out, c); err != nil {
		return err
	}
	parts := []string{"all"}
	if c.Unseen != nil {
		parts = []string{"unseen", "all"}
	}
	for _, on := range parts {
		where := "all positions, seen in training or not"
		if on == "unseen" {
			where = "positions " + c.UnseenTo()
		}
		if len(c.Runs) > 2 {
			plain.Fprintf(out, "\n%s, each run\n\n", where)
			if err := printRuns(out, c, on); err != nil {
				return err
			}
		}
		for k := 1; k < len(c.Settings); k++ {
			plain.Fprintf(out, "\n%s: %s against %s\n\n", where, c.Settings[k].Name, c.Settings[0].Name)
			if err := printDifferences(out, c, on, k); err != nil {
				return err
			}
		}
	}
	if len(c.Incomparable) > 0 {
		fmt.Fprint(out, "\nnot comparable\n")
		for _, i := range c.Incomparable {
			plain.Fprintf(out, "  %s, %s: %s\n", c.Settings[i.Setting].Name, evaluate.ByName(i.Measure).Row, i.Reason)
		}
	}
	fmt.Fprintln(out)
	for k := 1; k < len(c.Settings); k++ {
		heads := c.Heads(k)
		if len(heads) == 0 {
			plain.Fprintf(out, "%s and %s have no figure in common that judges a network\n", c.Settings[k].Name,
				c.Settings[0].Name)
			continue
		}
		for _, d := range heads {
			plain.Fprintf(out, "%s\n", c.Sentence(d))
		}
		plain.Fprintf(out, "%s\n", c.Speaks(k))
	}
	for _, u := range c.Unknown {
		plain.Fprintf(out, "%s may have been trained on any of the positions: %s\n", u.Run, u.Reason)
	}
	return nil
}

// longestName is how much of a run's name heads a column, longestValue how much of a setting stands in one.
const (
	longestName  = 18
	longestValue = 36
)

// printDiffering prints the settings that differ.
func printDiffering(out io.Writer, c *job.Compared) error {
	if len(c.Differing) == 0 {
		fmt.Fprint(out, "\nno setting differs\n")
		return nil
	}
	fmt.Fprint(out, "\nsettings that differ\n\n")
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, s := range c.Settings {
		plain.Fprintf(w, "\t%s", shorten(plain.Escape(s.Name), longestName))
	}
	fmt.Fprintln(w)
	for i := range c.Differing {
		d := &c.Differing[i]
		plain.Fprintf(w, "%s", d.Name)
		for k := range c.Settings {
			plain.Fprintf(w, "\t%s", shorten(plain.Escape(d.Of(&c.Settings[k])), longestValue))
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}

// printRuns prints the figures of all runs, a column each.
func printRuns(out io.Writer, c *job.Compared, on string) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, r := range c.Runs {
		plain.Fprintf(w, "\t%s", shorten(plain.Escape(r.Name), longestName))
	}
	fmt.Fprint(w, "\t\n")
	for _, m := range c.Shown() {
		fmt.Fprint(w, m.Row)
		for i := range c.Runs {
			plain.Fprintf(w, "\t%s", cell(c.FiguresOf(i, on).Of(m.Name), m.Kind == evaluate.Share))
		}
		fmt.Fprint(w, "\t\n")
	}
	return w.Flush()
}

// printDifferences prints how a setting stands to the first one.
func printDifferences(out io.Writer, c *job.Compared, on string, setting int) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	plain.Fprintf(w, "\t%s\t%s\tdifference\t95 %% interval\t\t\n",
		shorten(plain.Escape(c.Settings[0].Name), longestName),
		shorten(plain.Escape(c.Settings[setting].Name), longestName))
	for _, m := range c.Shown() {
		share := m.Kind == evaluate.Share
		d := c.Difference(on, setting, m)
		if d == nil {
			plain.Fprintf(w, "%s\t%s\t%s\t-\t\t\t\n", m.Row, cell(c.Mean(0, on, m), share),
				cell(c.Mean(setting, on, m), share))
			continue
		}
		verdict, interval := d.Final()
		within := ""
		if interval != nil {
			within = m.WriteDifference(interval[0]) + " … " + m.WriteDifference(interval[1])
		}
		plain.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t\n", m.Row, m.Write(d.First), m.Write(d.Figure),
			m.WriteDifference(d.Difference), within, verdict)
	}
	return w.Flush()
}
