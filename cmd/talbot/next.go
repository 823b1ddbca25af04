package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"talbot/dataset"
	"talbot/internal/cli"
	"talbot/network/backend"
	"talbot/network/builtin"
	"talbot/network/run"
	"talbot/stockfish"
	"talbot/train/job"
)

// following is the command line that usually follows the command of this process; nil: none.
var following []string

// next has a command line printed, as what usually follows, once the command is done.
func next(args ...string) { following = args }

// printNext prints the command line that follows, unless only results are asked for.
func printNext() {
	if following != nil && !cli.Mode.Quiet && !cli.Mode.JSON && cli.Stdout.Flush() == nil {
		cli.Next(following...)
	}
	following = nil
}

// newName returns a name that nothing has yet: stem and ending, with a number between them where that is taken.
func newName(stem, ending string) string {
	return unused(func(i int) string {
		if i == 1 {
			return stem + ending
		}
		return fmt.Sprintf("%s-%d%s", stem, i, ending)
	})
}

// newRun returns the name of a run that is not there yet.
func newRun() string { return unused(func(i int) string { return fmt.Sprint("run", i) }) }

// unused returns the first of some names, counted from 1, that nothing has.
func unused(name func(i int) string) string {
	for i := 1; ; i++ {
		if _, err := os.Lstat(name(i)); err != nil {
			return name(i)
		}
	}
}

// nextIngested names what usually follows lines that were read: adapting the network that comes with talbot to the
// moves of one player, training on the labels that the inputs had, or labelling.
func nextIngested(dir string) {
	m, err := dataset.ReadManifest(dir)
	switch {
	case err != nil:
		nextLabel(dir)
	case slices.ContainsFunc(m.Flags, func(t dataset.Tag) bool { return t.Name == "side" }):
		next(append([]string{"train", "--data", dir, "--run", newRun()}, job.ProposeAdapting(m)...)...)
	case m.Counts.Labelled > 0 && m.Counts.Labelled >= m.Counts.Samples/20:
		nextTrain(dir)
	default:
		nextLabel(dir)
	}
}

// nextLabel names the labelling of a dataset: of all samples or, where that takes more than an hour on this machine, of
// a share that takes about half of one.
func nextLabel(dir string) {
	args := []string{"label", dir, "--out", newName(filepath.Clean(dir)+"-labelled", "")}
	m, err := dataset.ReadManifest(dir)
	if err != nil || m.Counts.Samples == 0 {
		next(args...)
		return
	}
	takes := time.Duration(m.Counts.Samples) * defaultMoveTime / time.Duration(stockfish.DefaultWorkers())
	if takes > time.Hour {
		share := max(job.Rounded(float64(time.Hour/2)/float64(takes), 1), 1e-4)
		args = append(args, "--fraction", strconv.FormatFloat(share, 'f', -1, 64))
	}
	next(args...)
}

// nextTrain names a training that fits a labelled dataset and this machine.
func nextTrain(dir string) {
	args := []string{"train", "--data", dir, "--run", newRun()}
	if m, err := dataset.ReadManifest(dir); err == nil {
		flags := job.Propose(m, stockfish.DefaultWorkers(), len(backend.GPUs()) > 0)
		args = append(args, flags...)
	}
	next(args...)
}

// nextEvaluated names a game against a network or, if it does not play by itself, its export.
func nextEvaluated(dir string) {
	switch c, err := run.ReadConfig(dir); {
	case dir == builtin.Name:
		next("play")
	case err == nil && c.Recipe == "probability":
		next("export", "--run", dir, "--format", "onnx", "--out", newName(filepath.Base(dir), ".onnx"))
	default:
		next("play", dir)
	}
}

// nextGeneration names the training on games that a network played with itself.
func nextGeneration(dir, run string) {
	next("train", "--data", dir, "--run", newRun(), "--from", run, "--value-target", "result:0.5")
}
