package job

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"runtime"
	"strconv"
	"time"

	"talbot/network/backend"
	"talbot/network/run"
	"talbot/train"
	"talbot/train/loader"
)

// Measurement asks how fast this machine trains a network.
type Measurement struct {
	Config  run.Config
	Backend string
	For     time.Duration  // after the first step
	Begun   func(Measured) // before the first step, without a speed; may be nil
}

// Measured is how fast this machine trains a network.
type Measured struct {
	train.Speed
	Kind    string     // of the backend
	Config  run.Config // of the training that was asked about
	Network string     // its size for display
}

// Run measures. On a processor the batch is small enough for a step of about a second: there a sample takes much the
// same time in every batch. What XLA compiles has four blocks at most, and the speed is scaled by the operations of the
// blocks left out, which are like those: 20 blocks take it a minute. Errors are [ErrConfig] and those of [backend.Open]
// and [train.Measure].
func (m Measurement) Run(ctx context.Context) (Measured, error) {
	c := m.Config
	if err := c.Validate(); err != nil {
		return Measured{}, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	b, err := backend.Open(m.Backend)
	if err != nil {
		return Measured{}, err
	}
	defer b.Finalize()
	built, err := c.Build()
	if err != nil {
		return Measured{}, err
	}
	x := Measured{Kind: b.Kind, Config: c, Network: built.Network.String()}
	if m.Begun != nil {
		m.Begun(x)
	}
	whole, err := train.Operations(c)
	if err != nil {
		return x, err
	}
	if blocks, ok := setting(c, "blocks"); ok && b.Kind != "go" && blocks > 4 {
		if err := c.Set("blocks", "4"); err != nil {
			return x, err
		}
	}
	part, err := train.Operations(c)
	if err != nil {
		return x, err
	}
	if backend.OnProcessor(b.Kind) {
		const aSecond = 30e9 // operations of the slower backend on two cores
		c.Batch = min(c.Batch, max(8, 1<<(bits.Len64(uint64(aSecond/part))-1)))
	}
	x.Speed, err = train.Measure(ctx, c, b, m.For, func() {})
	x.PositionsPerSecond *= part / whole
	return x, err
}

// ReadFirst does all the reading of a dataset that a training does before its first step. A dataset without samples for
// the recipe is no error.
func ReadFirst(ctx context.Context, c run.Config, dir string) error {
	targets, err := targets(c)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrConfig, err)
	}
	built, err := c.Build()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrConfig, err)
	}
	data, err := loader.Open(ctx, []loader.Spec{{Dir: dir}}, loader.Options{Encoder: built.Encoder, Targets: targets})
	if err != nil {
		return err
	}
	defer data.Close()
	if _, err = data.Survey(ctx, valSamples, min(c.Batch, valBatch), nil); errors.Is(err, loader.ErrNoSamples) {
		return nil
	}
	return err
}

// setting is a number among the settings of a network; false if it has no such number.
func setting(c run.Config, name string) (int, bool) {
	n, err := strconv.Atoi(c.Settings.Values()[name])
	return n, err == nil
}

// Smaller is a network that trains faster than another one.
type Smaller struct {
	Flags string        // of talbot train
	Time  time.Duration // that the same steps take about
}

// smallerNetworks are tried in turn.
var smallerNetworks = []struct{ flags, blocks, filters string }{
	{"--preset 10x64", "10", "64"}, {"--blocks 6 --filters 64", "6", "64"}, {"--blocks 4 --filters 32", "4", "32"},
	{"--blocks 2 --filters 16", "2", "16"},
}

// Within returns the largest of some smaller networks that trains in the limit what takes that time with c; false if
// none does, or the recipe's networks have no blocks and filters.
//
// The times are in the ratio of operations. Between 6×64 and 20×128 that is right to a fifth on both backends of the
// processor. Products of fewer than 64 filters are too narrow for it: 4×32 takes 1/2.8 of the time of 6×64, and this
// says 1/2.4.
func Within(c run.Config, takes, limit time.Duration) (Smaller, bool) {
	whole, err := cost(c)
	if err != nil {
		return Smaller{}, false
	}
	for _, s := range smallerNetworks {
		if c.Set("blocks", s.blocks) != nil || c.Set("filters", s.filters) != nil {
			return Smaller{}, false
		}
		part, err := cost(c)
		if took := time.Duration(float64(takes) * part / whole); err == nil && part < whole && took <= limit {
			return Smaller{s.flags, took}, true
		}
	}
	return Smaller{}, false
}

// cost is what training on a sample costs on a processor, in operations of networks that are not too narrow for it.
func cost(c run.Config) (float64, error) {
	operations, err := train.Operations(c)
	filters, _ := setting(c, "filters")
	return operations * max(1, 64/float64(max(1, filters))), err
}

// Estimate guesses how long so many steps take on a processor with so many cores, from the operations alone, to a
// factor of two. [Measurement] measures. It is zero where nothing is known: without the vector instructions of amd64.
func Estimate(c run.Config, steps int64, cores int) time.Duration {
	const aSecond = 30e9 // operations of a core
	operations, err := cost(c)
	if err != nil || runtime.GOARCH != "amd64" {
		return 0
	}
	seconds := operations * float64(c.Batch) * float64(steps) / (aSecond * float64(max(1, cores)))
	return time.Duration(seconds * float64(time.Second))
}

// Prospect is how long a run takes.
type Prospect struct {
	Step    time.Duration // each
	Left    time.Duration // from now to the end
	Smaller *Smaller      // that would end within [Hour]; nil if this one does, or it is not to be chosen
	InHour  int64         // steps of this network in an hour; 0 as Smaller
}

// Hour is what a run on the processor may take before its [Prospect] names shorter ones.
const Hour = time.Hour

// Prospect describes the rest of a run, given the time left and how long a step takes. With fixed set the
// network cannot be another one: the run is resumed, or starts with weights.
func (s Start) Prospect(p train.Progress, step, left time.Duration, fixed bool) Prospect {
	prospect := Prospect{Step: step, Left: left}
	if left > Hour && backend.OnProcessor(s.Kind) && !fixed {
		whole := time.Duration(p.Seconds*float64(time.Second)) + left
		if smaller, ok := Within(s.Config, whole, Hour); ok {
			prospect.Smaller = &smaller
		}
		prospect.InHour = max(1, int64(Hour/max(1, step)))
	}
	return prospect
}
