// Command talbot turns chess games, puzzles and synthetic endgames into
// labelled training data and trains chess networks on it.
package main

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"talbot/internal/cli"
	"talbot/internal/fault"
	"talbot/internal/flags"
	"talbot/internal/humanize"
)

func main() {
	takeHugePages(os.Args[1:])
	cli.SetProgram(os.Args[0])
	os.Exit(execute(os.Args[1:]))
}

// execute executes one command line and returns the exit status.
func execute(args []string) int { return cli.Run(newRoot(), args, explain) }

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "talbot",
		Short: "Turn chess games into training data and train networks on it",
		Long: `Talbot turns chess games, puzzles and random endgames into training data labelled by
Stockfish, trains chess networks on it, and plays with them. Each step reads one folder
and writes another. A network comes with it, to play against at once.`,
		Example: `  talbot play
  talbot ingest games.pgn.zst --out lines
  talbot label lines --out labelled
  talbot train --data labelled --run run1 --blocks 6 --filters 64
  talbot eval --run run1 --data labelled`,
		Version:            thisBuild().Version,
		SilenceErrors:      true,
		SilenceUsage:       true,
		DisableSuggestions: true, // package cli makes them
		RunE:               func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cli.AddFlags(root)
	root.Flags().Bool("version", false, "show the version")
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { cli.PrintHelp(cmd.OutOrStdout(), cmd) })
	root.SetFlagErrorFunc(flagError)
	root.AddGroup(groups...)
	cobra.EnableCommandSorting = false
	for i, cmds := range [][]*cobra.Command{
		// make
		{newIngest(), newSynth(), newGames(), newSelfPlay(), newLabel(), newWorker(), newStatus(), newJoin(),
			newTactics(), newAggregate(), newPredict()},
		// train
		{newTrain(), newEval(), newCompare(), newExport(), newRecipes(), newLoop()},
		// play
		{newPlay(), newStudio(), newUCI(), newMatch(), newSolve(), newBench()},
		// look
		{newReview(), newStats(), newInspect(), newVerify(), newDiff(), newExportData(), newBatches()},
		// machine
		{newPlan(), newDoctor(), newSetup()},
		// more
		{newVersion(), newMan()},
	} {
		for _, cmd := range cmds {
			cmd.GroupID = groups[i].ID
			prepare(cmd)
			root.AddCommand(cmd)
		}
	}
	cli.AddHelpCommand(root, "more")
	return root
}

// leastAddressSpace is what commands can do with: they were seen to crash with half of it.
const leastAddressSpace = 3 << 30

// prepare adds to a command what all have: errors of usage with a hint, bounds of its workers, and what --verbose says.
func prepare(cmd *cobra.Command) {
	cmd.Flags().SortFlags = false
	operands, work := cmd.Args, cmd.RunE
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		err := operands(cmd, args)
		if exit, _ := fault.Of(err); err == nil || exit == fault.ExitUsage {
			return err
		}
		return fault.Usage(err, "see `"+cmd.CommandPath()+" --help`")
	}
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error { return flags.Check(cmd) }
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := cli.Begin(cmd, args, thisBuild().String()); err != nil {
			return err
		}
		if limit := addressSpace(); limit < leastAddressSpace {
			cli.Warnf("only %s of address space are allowed (ulimit -v): Go and XLA reserve more than they use, and "+
				"may crash; `ulimit -v unlimited` lifts the limit", humanize.Size(float64(limit)))
		}
		start := time.Now()
		err := work(cmd, args)
		if done, failed := reportDone(cmd, err); done {
			err = failed
		}
		cli.Detail("%s took %.1f s", cmd.Name(), time.Since(start).Seconds())
		if err == nil {
			printNext()
		}
		return err
	}
}

// noArgs refuses what stands on a command line beside flags.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		err := fmt.Errorf("unexpected argument %q: %s takes only flags", args[0], cmd.CommandPath())
		if f := cmd.Flags(); f.Lookup("data") != nil && f.Changed("data") {
			return fault.Usage(err, "separate several datasets by commas, as in --data A:0.5,B:0.5")
		}
		names := []string{"run", "data", "join-file", "out"}
		if isDataset(args[0]) {
			names = names[1:]
		}
		for _, name := range names {
			if cmd.Flags().Lookup(name) != nil {
				return fault.Usage(err, "is it for `"+cmd.CommandPath()+" --"+name+" "+args[0]+"`?")
			}
		}
		return err
	}
	return nil
}
