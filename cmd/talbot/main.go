// Command talbot turns chess games, puzzles and synthetic endgames into
// labelled training data and trains chess networks on it.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

func main() {
	takeHugePages(os.Args[1:])
	program = calledAs(os.Args[0])
	os.Exit(execute(os.Args[1:]))
}

// program is how the user calls talbot, for command lines that are shown to be copied: "talbot" or "bin/talbot".
var program = "talbot"

// calledAs quotes the path that the program was called by. One that is not a talbot, as of a test, has no say.
func calledAs(path string) string {
	if name, _ := strings.CutSuffix(filepath.Base(path), ".exe"); name != "talbot" {
		return "talbot"
	}
	return shellQuote([]string{path})
}

// withProgram has the command lines in a text begin as the user begins them.
func withProgram(text string) string {
	if program == "talbot" {
		return text
	}
	return strings.ReplaceAll(text, "`talbot ", "`"+program+" ")
}

// run executes one command line and returns the exit status.
func execute(args []string) int {
	defer unwatched()()
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	cmd, err := root.ExecuteContextC(context.Background())
	if err != nil {
		err = suggest(cmd, err)
	}
	if !lastWords.CompareAndSwap(false, true) {
		select {} // a signal is ending the process
	}
	defer lastWords.Store(false) // tests go on
	asJSON := wantsJSON(cmd, args)
	defer stderr.flush() // its error has nowhere to go
	if failed := stdout.flush(); failed != nil && !errors.Is(err, errOutput) {
		if err != nil && !errors.Is(err, errSkipped) {
			say("talbot: %v\n", failed)
		} else {
			err = failed
		}
	}
	if err == nil {
		return exitDone
	}
	return fail(err, asJSON)
}

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
		Version:            version,
		SilenceErrors:      true,
		SilenceUsage:       true,
		DisableSuggestions: true, // see [suggest]
		RunE:               func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	addVoice(root)
	root.Flags().Bool("version", false, "show the version")
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { printHelp(cmd.OutOrStdout(), cmd) })
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return flagError(cmd, err)
	})
	root.AddGroup(groups...)
	cobra.EnableCommandSorting = false
	for i, cmds := range [][]*cobra.Command{
		{newIngest(), newSynth(), newGames(), newSelfPlay(), newLabel(), newWorker(), newStatus(), newJoin(),
			newTactics(), newAggregate(), newPredict()},
		{newTrain(), newEval(), newCompare(), newExport(), newRecipes(), newLoop()},
		{newPlay(), newStudio(), newUCI(), newMatch(), newSolve(), newBench()},
		{newStats(), newInspect(), newVerify(), newDiff(), newExportData()},
		{newPlan(), newDoctor(), newSetup()},
		{newVersion(), newMan()},
	} {
		for _, cmd := range cmds {
			cmd.GroupID = groups[i].ID
			prepare(cmd)
			root.AddCommand(cmd)
		}
	}
	root.SetHelpCommand(newHelp())
	root.SetCompletionCommandGroupID("more")
	return root
}

// prepare adds to a command what all have: errors of usage with a hint, bounds of its workers, and what --verbose says.
func prepare(cmd *cobra.Command) {
	cmd.Flags().SortFlags = false
	operands, work := cmd.Args, cmd.RunE
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		err := operands(cmd, args)
		if _, hinted := err.(hintError); err == nil || hinted {
			return err
		}
		return usage(err, "see `"+cmd.CommandPath()+" --help`")
	}
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error { return checkFlags(cmd) }
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := voice.begin(cmd, args); err != nil {
			return err
		}
		begun := time.Now()
		err := work(cmd, args)
		if done, failed := reportDone(cmd, err); done {
			err = failed
		}
		voice.end(cmd, time.Since(begun), err)
		return err
	}
}

// noArgs refuses what stands on a command line beside flags.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("unexpected argument %q: %s takes only flags", args[0], cmd.CommandPath())
	}
	return nil
}
