package job

import (
	"slices"
	"strconv"
	"time"

	"talbot/dataset"
	"talbot/network/builtin"
	"talbot/network/run"
)

// Proposal is a training that fits a dataset and a machine. Of its flags only those that are needed are set.
type Proposal struct {
	From, Recipe, Preset   string
	Blocks, Filters, Batch int // 0 = those of the preset
	Steps                  int64
	LR                     string
}

// longest is what a training that is proposed may take on a processor.
const longest = 2 * time.Hour

// Propose returns a training that fits a labelled dataset and a machine: on a GPU of the recipe's own network; on a
// processor of one that takes minutes, or with much data up to two hours.
func Propose(m *dataset.Manifest, cores int, gpu bool) Proposal {
	switch aggregated := slices.ContainsFunc(m.Inputs, func(i dataset.Input) bool { return i.Aggregate != nil }); {
	case aggregated && gpu:
		return Proposal{Recipe: "prior"}
	case aggregated:
		return Proposal{Recipe: "prior", Blocks: 4, Filters: 48, Batch: 256, Steps: 2600}
	case gpu:
		return Proposal{Recipe: "talbotbot", Blocks: 20, Filters: 128}
	case m.Counts.Samples <= 2_000_000:
		return Proposal{Recipe: "talbotbot", Preset: "small", Steps: 2500}
	}
	p := Proposal{Recipe: "lynx", Blocks: 6, Filters: 64, Steps: stepsOf(m, 4, 512)}
	switch takes := p.Time(cores); {
	case takes == 0:
		p.Steps = min(p.Steps, 10_000)
	case takes > longest:
		p.Steps = int64(Rounded(float64(p.Steps)*float64(longest)/float64(takes), 2))
	}
	return p
}

// ProposeAdapting returns a training that adapts the network that comes with talbot to the moves of one player.
func ProposeAdapting(m *dataset.Manifest) Proposal {
	return Proposal{From: builtin.Name, Steps: min(400, max(50, stepsOf(m, 2, 512))), LR: "3e-4"}
}

// stepsOf returns the number of steps in which a training reads its samples that many times, with two digits.
func stepsOf(m *dataset.Manifest, epochs float64, batch int) int64 {
	return int64(Rounded(epochs*float64(m.Counts.Samples)*float64(m.Splits.Train)/100/float64(batch), 2))
}

// Rounded returns a number with that many digits.
func Rounded(x float64, digits int) float64 {
	y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64)
	return y
}

// Time returns about how long the training takes on a processor; 0 = unknown.
func (p Proposal) Time(cores int) time.Duration {
	name := p.Recipe
	if p.From == builtin.Name {
		name = "lynx"
	}
	c, err := run.New(name, p.Preset)
	if p.Batch > 0 {
		c.Batch = p.Batch
	}
	for name, value := range map[string]int{"blocks": p.Blocks, "filters": p.Filters} {
		if err == nil && value > 0 {
			err = c.Set(name, strconv.Itoa(value))
		}
	}
	if err != nil {
		return 0
	}
	return Estimate(c, p.Steps, cores)
}

// Flags returns the flags of the training.
func (p Proposal) Flags() (all []string) {
	number := func(n int64) string {
		if n == 0 {
			return ""
		}
		return strconv.FormatInt(n, 10)
	}
	for _, f := range []struct{ name, value string }{
		{"--from", p.From}, {"--recipe", p.Recipe}, {"--preset", p.Preset}, {"--blocks", number(int64(p.Blocks))},
		{"--filters", number(int64(p.Filters))}, {"--batch", number(int64(p.Batch))}, {"--steps", number(p.Steps)},
		{"--lr", p.LR},
	} {
		if f.value != "" {
			all = append(all, f.name, f.value)
		}
	}
	return all
}
