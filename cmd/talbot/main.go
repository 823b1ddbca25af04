// Command talbot turns chess games, puzzles and synthetic endgames into
// labelled training data and trains chess networks on it.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"
)

// version is the version that datasets and runs are stamped with.
const version = "0.1.0"

func main() { os.Exit(run(os.Args[1:])) }

// run executes one command line and returns the exit status.
func run(args []string) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(context.Background())
	if failed := stdout.flush(); failed != nil && !errors.Is(err, errOutput) {
		if err != nil && !errors.Is(err, errSkipped) {
			sayError(failed)
		} else {
			err = failed
		}
	}
	if err == nil {
		return exitDone
	}
	sayError(err)
	status, hint := classify(err)
	if hint != "" {
		sayKind("hint", "%s", hint)
	}
	return status
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "talbot",
		Short: "From chess games to a trained chess network",
		Long: `talbot turns chess games, tactics and synthetic endgames into training data
labelled by Stockfish, and trains chess networks on it.

The four verbs of the pipeline, each of which reads one folder and writes another:

  ingest           PGN files and puzzles into training lines
  synth-endgames   random legal endgames with real history
  label            every sample valued by a pool of Stockfish processes
  train            the residual network on labelled lines, on GPU or CPU

` + exitStatuses,
		Example: `  talbot ingest games.pgn.zst --out lines
  talbot label lines --out labelled
  talbot train --data labelled --run run1 --blocks 6 --filters 64
  talbot eval --run run1 --data labelled`,
		Version:       version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usage(flagError(err), "see `"+cmd.CommandPath()+" --help`")
	})
	root.AddCommand(
		newIngest(), newSynth(), newLabel(), newJoin(), newTactics(), newVerify(),
		newTrain(), newEval(), newExport(),
		newStats(), newInspect(), newDiff(), newPlan(), newDoctor(), newSetup(),
	)
	for _, cmd := range root.Commands() {
		if args := cmd.Args; args != nil {
			cmd.Args = func(cmd *cobra.Command, a []string) error {
				if err := args(cmd, a); err != nil {
					return usage(err, "see `"+cmd.CommandPath()+" --help`")
				}
				return nil
			}
		}
		if cmd.Flags().Lookup("workers") != nil {
			cmd.PreRunE = checkWorkers
		}
		if cmd.Long != "" {
			cmd.Long += "\n\n" + exitStatuses
		}
	}
	return root
}

// maxWorkers is the most workers of a verb: more cores than machines have, and fewer processes than they bear.
const maxWorkers = 1024

// checkWorkers is done before any verb that has workers.
func checkWorkers(cmd *cobra.Command, _ []string) error {
	workers, err := cmd.Flags().GetInt("workers")
	if err == nil && cmd.Flags().Changed("workers") && (workers < 1 || workers > maxWorkers) {
		return usage(fmt.Errorf("--workers %d is not in 1 … %d", workers, maxWorkers), "leave it out to use every core")
	}
	return err
}

// noArgs refuses what stands on a command line beside flags.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%q is no flag, and %s takes nothing else", args[0], cmd.CommandPath())
	}
	return nil
}
