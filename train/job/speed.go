package job

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"time"

	"talbot/internal/humanize"
	"talbot/network/backend"
	"talbot/network/run"
	"talbot/train"
	"talbot/train/loader"
)

// Measurement asks how fast this machine trains a network.
type Measurement struct {
	Config  run.Config
	Backend string
	For     time.Duration // after the first step
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
	x.Speed, err = train.Measure(ctx, c, b, nil, m.For, func() {})
	x.PositionsPerSecond *= part / whole
	return x, err
}

// ReadFirst does all the reading of a dataset that a training does before its first step. A dataset without samples for
// the recipe is no error.
func ReadFirst(ctx context.Context, c run.Config, dir string) error {
	data, err := openData(ctx, c, []loader.Spec{{Dir: dir}}, loader.Options{})
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

// Hour is what a run on the processor may take before shorter ones are named.
const Hour = time.Hour

// Outlook says how long the rest of a run takes, given the time left and that of a step, and, if that is more than an
// hour on a processor, what would end within one; "" for a short run. With fixed set the network cannot be another one:
// the run is resumed, or starts with weights.
func (s Start) Outlook(p train.Progress, step, left time.Duration, fixed bool) string {
	if left < 10*time.Second {
		return ""
	}
	text := fmt.Sprintf("time: about %s left, %s a step\n", humanize.About(left), humanize.About(step))
	if left <= Hour || !backend.OnProcessor(s.Kind) || fixed {
		return text
	}
	shorter := fmt.Sprintf("--steps %d with this network", max(1, int64(Hour/max(1, step))))
	whole := time.Duration(p.Seconds*float64(time.Second)) + left
	if smaller, ok := Within(s.Config, whole, Hour); ok {
		shorter = fmt.Sprintf("%s (about %s), or %s", smaller.Flags, humanize.About(smaller.Time), shorter)
	}
	return text + "within an hour on this machine, as another run: " + shorter + "\n"
}
