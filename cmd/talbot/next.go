package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"talbot/dataset"
	"talbot/internal/humanize"
	"talbot/network/backend"
	"talbot/network/builtin"
	"talbot/network/run"
	"talbot/stockfish"
	"talbot/train/job"
)

// next has the command line that usually follows printed once a step is done.
func next(args ...string) { voice.next, voice.takes = args, "" }

// newName returns a name that nothing has yet: stem and ending, with a number between them where that is taken.
func newName(stem, ending string) string {
	name := stem + ending
	for i := 2; ; i++ {
		if _, err := os.Lstat(name); err != nil {
			return name
		}
		name = fmt.Sprintf("%s-%d%s", stem, i, ending)
	}
}

// newRun returns the name of a run that is not there yet.
func newRun() string {
	for i := 1; ; i++ {
		name := fmt.Sprintf("run%d", i)
		if _, err := os.Lstat(name); err != nil {
			return name
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
		nextTraining(dir, job.ProposeAdapting(m))
	case m.Counts.Labelled > 0 && m.Counts.Labelled >= m.Counts.Samples/20:
		nextTrain(dir)
	default:
		nextLabel(dir)
		if m.Counts.Positions > pliesOfGames*m.Counts.GamesKept {
			voice.takes = strings.TrimSpace(voice.takes +
				" Without labels, `train` learns moves and results: --recipe tahl, prior or nosearch.")
		}
	}
}

// pliesOfGames is what lines have at least, on average, that are games: puzzles and endgames have fewer.
const pliesOfGames = 10

// nextLabel names the labelling of a dataset: of all samples or, where that takes more than an hour on this machine, of
// a share that takes about half of one.
func nextLabel(dir string) {
	args := []string{"label", dir, "--out", newName(filepath.Clean(dir)+"-labelled", "")}
	m, err := dataset.ReadManifest(dir)
	if err != nil || m.Counts.Samples == 0 {
		next(args...)
		return
	}
	workers := stockfish.DefaultWorkers()
	takes := labelTime(m.Counts.Samples, workers)
	if takes > time.Hour {
		share := math.Max(job.Rounded(float64(time.Hour/2)/float64(takes), 1), 1e-4)
		args = append(args, "--fraction", strconv.FormatFloat(share, 'f', -1, 64))
		takes = time.Duration(share * float64(takes))
	}
	next(args...)
	if takes >= 10*time.Second {
		voice.takes = fmt.Sprintf("It takes about %s with %s.", humanize.About(takes),
			humanize.Count(int64(workers), "engine"))
	}
}

// labelTime is how long so many samples take with the default limit.
func labelTime(samples int64, workers int) time.Duration {
	return time.Duration(samples) * defaultMoveTime / time.Duration(workers)
}

// nextTrain names a training that fits a labelled dataset and this machine.
func nextTrain(dir string) {
	m, err := dataset.ReadManifest(dir)
	if err != nil {
		next("train", "--data", dir, "--run", newRun())
		return
	}
	nextTraining(dir, job.Propose(m, stockfish.DefaultWorkers(), len(backend.GPUs()) > 0))
}

// nextTraining names the training on a dataset and, on a processor, how long it takes.
func nextTraining(dir string, p job.Proposal) {
	next(append([]string{"train", "--data", dir, "--run", newRun()}, p.Flags()...)...)
	cores := stockfish.DefaultWorkers()
	if takes := p.Time(cores); takes > 0 && len(backend.GPUs()) == 0 {
		voice.takes = fmt.Sprintf("It takes about %s on %s.", humanize.About(takes), humanize.Count(int64(cores), "core"))
	}
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
