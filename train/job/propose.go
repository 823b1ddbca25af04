package job

import (
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"talbot/dataset"
	"talbot/network/builtin"
	"talbot/network/run"
)

// longest is what a training that is proposed may take on a processor.
const longest = 2 * time.Hour

// Propose returns the flags of a training that fits a labelled dataset and a machine: on a GPU of the recipe's own
// network; on a processor of one that takes minutes, or with much data up to two hours.
func Propose(m *dataset.Manifest, cores int, gpu bool) []string {
	flags := ""
	switch aggregated := slices.ContainsFunc(m.Inputs, func(i dataset.Input) bool { return i.Aggregate != nil }); {
	case aggregated && gpu:
		flags = "--recipe prior"
	case aggregated:
		flags = "--recipe prior --blocks 4 --filters 48 --batch 256 --steps 2600"
	case gpu:
		flags = "--recipe talbotbot --blocks 20 --filters 128"
	case m.Counts.Samples <= 2_000_000:
		flags = "--recipe talbotbot --preset small --steps 2500"
	default:
		steps := stepsOf(m, 4)
		switch takes := estimate("lynx", 6, 64, steps, cores); {
		case takes == 0:
			steps = min(steps, 10_000)
		case takes > longest:
			steps = int64(Rounded(float64(steps)*float64(longest)/float64(takes), 2))
		}
		flags = fmt.Sprintf("--recipe lynx --blocks 6 --filters 64 --steps %d", steps)
	}
	return strings.Fields(flags)
}

// ProposeAdapting returns the flags of a training that adapts the network that comes with talbot to the moves of one
// player.
func ProposeAdapting(m *dataset.Manifest) []string {
	steps := min(400, max(50, stepsOf(m, 2)))
	return []string{"--from", builtin.Name, "--steps", strconv.FormatInt(steps, 10), "--lr", "3e-4"}
}

// stepsOf returns the number of steps in which a training reads its samples that many times, with two digits.
func stepsOf(m *dataset.Manifest, epochs float64) int64 {
	const batch = 512
	return int64(Rounded(epochs*float64(m.Counts.Samples)*float64(m.Splits.Train)/100/batch, 2))
}

// Rounded returns a number with that many digits.
func Rounded(x float64, digits int) float64 {
	y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64)
	return y
}

// estimate guesses how long so many steps of a recipe's network take on a processor with so many cores, from the
// operations alone, to a factor of two. [Measurement] measures. It is zero where nothing is known: without the vector
// instructions of amd64.
func estimate(recipe string, blocks, filters int, steps int64, cores int) time.Duration {
	const aSecond = 30e9 // operations of a core
	c, err := run.New(recipe, "")
	if err != nil || c.Set("blocks", strconv.Itoa(blocks)) != nil || c.Set("filters", strconv.Itoa(filters)) != nil {
		return 0
	}
	operations, err := cost(c)
	if err != nil || runtime.GOARCH != "amd64" {
		return 0
	}
	seconds := operations * float64(c.Batch) * float64(steps) / (aSecond * float64(max(1, cores)))
	return time.Duration(seconds * float64(time.Second))
}
