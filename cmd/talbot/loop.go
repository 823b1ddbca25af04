package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"talbot/internal/cli"
	"talbot/internal/fault"
	"talbot/internal/flags"
	"talbot/internal/humanize"
	"talbot/pipeline/loop"
	"talbot/play/match"
	"talbot/train/job"
)

type loopOptions struct {
	existingOptions
	out  string
	json bool
}

func newLoop() *cobra.Command {
	var o loopOptions
	cmd := &cobra.Command{
		Use:   "loop FILE --out DIR",
		Short: "Have a network learn from its own games, over and over",
		Long: `Loop makes generations of a network: the network plays itself, is trained on the
games of recent generations, and plays the next ones. FILE describes this in YAML:

  generations: 5
  window: 4          # generations of games that a network is trained on (4)
  replay-ratio: 4    # samples trained for each sample that was played (4)
  start: {recipe: lynx, blocks: 2, filters: 32}
  games: {games: 400, nodes: 16, max-plies: 60, start: "endgames:KQQvK,KQRvK"}
  train: {batch: 128, lr: 2e-3, value-target: "result:0.5"}

The last three lines are flags of
` + "`talbot train --init`, `talbot selfplay` and `talbot train`" + `. The file can also
have seed; stages, which change flags from some generation on; measure, flags of
` + "`talbot eval`" + ` for each network; and gate, a match in which a network must do
well to play on.

Each generation is a folder, DIR/gen-001 and so on; DIR/index.html shows them all. Each
step resumes: repeat the command after any interruption. To continue a finished loop,
increase the number of generations in FILE. See docs/21-selfplay.md.`,
		Example:    `  talbot loop examples/loop.yaml --out loop1`,
		SuggestFor: []string{"rl", "generations", "zero"},
		Args:       operands(1, 1, "one file"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
		},
		RunE: func(cmd *cobra.Command, args []string) error { return o.loop(cmd.Context(), args[0]) },
	}
	f := flags.Of(cmd)
	f.String(&o.out, "out,o", "folder of the loop (required)")
	f.Required("out")
	o.add(f)
	addJSON(f, &o.json)
	completeFolder(cmd, "out")
	return cmd
}

func (o *loopOptions) loop(ctx context.Context, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	c, err := loop.Parse(text)
	if err != nil {
		return fault.Usage(fmt.Errorf("%q: %w", file, err), "`talbot loop --help` shows such a file")
	}
	if err := checkSteps(file, &c); err != nil {
		return err
	}
	cli.Mode.Quiet = cli.Mode.Quiet || o.json // the steps have results, too
	l := loop.Loop{Dir: o.out, Text: text, Existing: o.existing(), Command: runStep,
		Begun: func(generation int, step loop.Step) {
			cli.Note("generation %d of %d: %s\n", generation, c.Generations, step)
		}, Ended: printGeneration}
	if err := l.Run(ctx); err != nil {
		return cli.Resumable(err)
	}
	if o.json {
		return cli.PrintJSON(struct {
			Generations int    `json:"generations"`
			Network     string `json:"network"` // the last one's folder
		}{c.Generations, l.Network(c.Generations)})
	}
	cli.Summarise("%s: %d generations; the last network is %s\n", o.out, c.Generations, l.Network(c.Generations))
	next("play", l.Network(c.Generations))
	return nil
}

// runStep runs a command of a loop in this process, so that a kill ends both, and returns its JSON.
func runStep(ctx context.Context, args []string) (json.RawMessage, error) {
	var result bytes.Buffer
	cli.Mode.Result = &result
	defer func() { cli.Mode.Result, following = nil, nil }()
	for _, cmd := range []*cobra.Command{newSelfPlay(), newTrain(), newEval(), newMatch(), newIngest(), newLabel()} {
		if cmd.Name() == args[0] {
			cmd.SetArgs(append(args[1:], "--json"))
			cmd.SilenceErrors, cmd.SilenceUsage = true, true
			err := cmd.ExecuteContext(ctx)
			if done, failed := reportDone(cmd, err); done {
				err = failed
			}
			return result.Bytes(), err
		}
	}
	return nil, errors.New("no such command: " + args[0])
}

// checkSteps refuses flags that the commands of a loop do not have, and values that they would refuse when their step
// comes, which may be after hours.
func checkSteps(file string, c *loop.Config) error {
	network := []string{"--from=" + c.Start.Of("run")}
	if !c.Start.Has("run") {
		network = c.Start.Args()
		if err := configError(file, "start", "train", checkTraining(append(network, "--init"))); err != nil {
			return err
		}
	}
	stage := func(generation int, where string) error {
		games, training := c.Of(generation)
		var o selfPlayOptions
		err := parse(o.command(), append(games.Args(), "--run=run", "--out=out"), o.check)
		if err != nil {
			return configError(file, where+"games", "selfplay", err)
		}
		// A network to begin with is missed by the step that needs it.
		err = checkTraining(slices.Concat(network, training.Args(), []string{"--data=data"}))
		if errors.Is(err, job.ErrFrom) {
			return nil
		}
		return configError(file, where+"train", "train", err)
	}
	if err := stage(1, ""); err != nil {
		return err
	}
	for _, s := range c.Stages {
		if err := stage(s.From, fmt.Sprintf("stages: from %d: ", s.From)); err != nil {
			return err
		}
	}
	if c.Measure != nil {
		var o evalOptions
		err := parse(o.command(), append(c.Measure.Args(), "--run=run"), func(*pflag.FlagSet) error {
			_, err := o.job()
			return err
		})
		if err := configError(file, "measure", "eval", err); err != nil {
			return err
		}
	}
	if c.Gate != nil {
		var o matchOptions
		err := parse(o.command(), append(c.Gate.Match.Args(), "--out=out"), func(f *pflag.FlagSet) error {
			m, _, err := o.request([]string{"run:run", "run:other"})
			if err != nil {
				return err
			}
			m.Entrants = make([]match.Entrant, 2)
			return m.Check()
		})
		return configError(file, "gate: match", "match", err)
	}
	return nil
}

// checkTraining refuses what a training would before it looks at its data.
func checkTraining(args []string) error {
	var o trainOptions
	return parse(o.command(), append(args, "--run=run"), func(f *pflag.FlagSet) error {
		if err := o.check(f); err != nil {
			return err
		}
		return o.Train.Check()
	})
}

// parse gives flags to a command, and checks what they come to.
func parse(cmd *cobra.Command, args []string, check func(*pflag.FlagSet) error) error {
	if err := cmd.ParseFlags(args); err != nil {
		return flagError(cmd, err)
	}
	if err := flags.Check(cmd); err != nil {
		return err
	}
	return check(cmd.Flags())
}

// configError names the part of a loop's file that is wrong; nil for nil.
func configError(file, part, command string, err error) error {
	if err == nil {
		return nil
	}
	return fault.Usage(fmt.Errorf("%q: %s: %w", file, part, err), "`talbot "+command+" --help` lists the flags")
}

// printGeneration sums a generation up.
func printGeneration(g loop.Generation) {
	if s := g.Games; s != nil {
		cli.Summarise("generation %d: %s, %s, mates %d, draws %d, %.1f plies\n", g.Number, humanize.Count(s.Games,
			"game"),
			humanize.Count(s.Samples, "sample"), s.Ends[string(match.Checkmate)], s.Draws, s.Length)
	}
	if t := g.Tables; t != nil && t.Correlation != nil && t.Sign != nil {
		cli.Summarise("  value against the measuring positions: correlation %.3f, right sign %.1f %%\n", *t.Correlation,
			100**t.Sign)
	}
	if t := g.Tables; t != nil && t.LegalFirst != nil {
		cli.Summarise("  legal first choices: %.1f %%\n", 100**t.LegalFirst)
	}
	if m := g.Gate; m != nil {
		verdict := map[bool]string{true: "it plays on", false: "the one before plays on"}[m.Accepted]
		cli.Summarise("  match with generation %d: +%d =%d -%d, %s\n", m.Last.Against, m.Last.Wins, m.Last.Draws,
			m.Last.Losses, verdict)
	}
}
