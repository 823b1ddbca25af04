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
		training{from: builtin.Name, steps: min(400, max(50, epochSteps(m, 2, 512))), flags: []string{"--lr", "3e-4"}}.
			follows(dir)
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
		share := math.Max(rounded(float64(time.Hour/2)/float64(takes), 1), 1e-4)
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
	proposed(m, stockfish.DefaultWorkers(), len(backend.GPUs()) > 0).follows(dir)
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

// training is a training that is proposed.
type training struct {
	from, recipe, preset   string // of which only what is needed is set
	blocks, filters, batch int    // 0 = those of the preset
	steps                  int64
	flags                  []string // others
}

// longest is what a training that is proposed may take on a processor.
const longest = 2 * time.Hour

// proposed is a training that fits a dataset and a machine: on a GPU of the recipe's own network; on a processor of one
// that takes minutes, or with much data up to two hours.
func proposed(m *dataset.Manifest, cores int, gpu bool) training {
	t := training{recipe: "talbotbot", preset: "small", steps: 2500}
	switch aggregated := slices.ContainsFunc(m.Inputs, func(i dataset.Input) bool { return i.Aggregate != nil }); {
	case aggregated && gpu:
		return training{recipe: "prior"}
	case aggregated:
		return training{recipe: "prior", blocks: 4, filters: 48, batch: 256, steps: 2600}
	case gpu:
		return training{recipe: "talbotbot", blocks: 20, filters: 128}
	case m.Counts.Samples > 2_000_000:
		t = training{recipe: "lynx", blocks: 6, filters: 64, steps: epochSteps(m, 4, 512)}
		if c, err := t.config(); err == nil {
			switch takes := job.Estimate(c, t.steps, cores); {
			case takes == 0:
				t.steps = min(t.steps, 10_000)
			case takes > longest:
				t.steps = int64(rounded(float64(t.steps)*float64(longest)/float64(takes), 2))
			}
		}
	}
	return t
}

// epochSteps returns the steps of n epochs over the train samples, with two digits.
func epochSteps(m *dataset.Manifest, n float64, batch int) int64 {
	return int64(rounded(n*float64(m.Counts.Samples)*float64(m.Splits.Train)/100/float64(batch), 2))
}

// rounded has so many digits.
func rounded(x float64, digits int) float64 {
	y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64)
	return y
}

// config is that of the run.
func (t training) config() (run.Config, error) {
	name := t.recipe
	if t.from == builtin.Name {
		name = "lynx"
	}
	c, err := run.New(name, t.preset)
	if err != nil {
		return c, err
	}
	if t.batch > 0 {
		c.Batch = t.batch
	}
	for name, value := range map[string]int{"blocks": t.blocks, "filters": t.filters} {
		if err == nil && value > 0 {
			err = c.Set(name, strconv.Itoa(value))
		}
	}
	return c, err
}

// follows names the training on a dataset, and on a processor how long it takes.
func (t training) follows(dir string) {
	args := []string{"train", "--data", dir, "--run", newRun()}
	for _, f := range []struct{ name, value string }{
		{"--from", t.from}, {"--recipe", t.recipe}, {"--preset", t.preset}, {"--blocks", digits(int64(t.blocks))},
		{"--filters", digits(int64(t.filters))}, {"--batch", digits(int64(t.batch))}, {"--steps", digits(t.steps)},
	} {
		if f.value != "" {
			args = append(args, f.name, f.value)
		}
	}
	next(append(args, t.flags...)...)
	c, err := t.config()
	cores := stockfish.DefaultWorkers()
	if takes := job.Estimate(c, t.steps, cores); err == nil && takes > 0 && len(backend.GPUs()) == 0 {
		voice.takes = fmt.Sprintf("It takes about %s on %s.", humanize.About(takes), humanize.Count(int64(cores), "core"))
	}
}

// digits writes a number that was set.
func digits(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}
