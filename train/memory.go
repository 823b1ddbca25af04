package train

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"

	"talbot/network/backend"
	"talbot/network/model"
	"talbot/network/run"
)

// ErrMemory reports that the backend ran out of memory, or would. The error names the batch that would fit and how that
// was found.
var ErrMemory = errors.New("out of memory")

// outOfMemory is what XLA's plugins and CUDA say; the number is what they asked for in one piece.
var outOfMemory = regexp.MustCompile(`(?i)(?:out of memory|resource_exhausted)(?:.*?allocat\w*\s+(\d+)\s*b)?`)

// memory is an estimate of the bytes of a step in float32 on each device: what does not depend on the batch, and each
// sample of the device's share of a micro-batch.
type memory struct{ fixed, sample int64 }

// memoryOf estimates from the network's own count of what it keeps ([model.Cost]). Fixed are gradients, and old and new
// parameters and moments, since GoMLX updates nothing in place, and what the options add: old and new averages; the sum
// of gradients that is used and the new one, for the gradients.
func memoryOf(c run.Config, n model.Network, conv model.ConvAlgorithm) memory {
	copies := int64(7)
	if c.EMA > 0 {
		copies += 2
	}
	if c.Accumulate > 1 {
		copies++
	}
	const float = 4
	return memory{copies * float * int64(model.CountTrainable(n.Params())), float * n.Cost(conv).Floats}
}

// deviceShare is the number of samples that a device has at a time.
func deviceShare(c run.Config) int64 { return int64(c.Batch / c.Accumulate / c.Devices) }

// checkMemory returns [ErrMemory] if the estimate of a step is far above the bytes that are free in the machine, where
// too little memory ends the process silently, and a warning if it is not far below. Estimates err: up to a
// quarter too much is let through. 0 bytes are not known.
func checkMemory(c run.Config, m memory, free int64) (warning, err error) {
	fixed, sample := m.fixed, m.sample
	devices := int64(c.Devices) // of one machine
	need := devices * (fixed + sample*deviceShare(c))
	if free <= 0 || need < free/5*4 {
		return nil, nil
	}
	text := fmt.Sprintf("a step takes about %d MB (%.2f MB a sample by the size of the network, %.2f MB for the "+
		"weights), but only %d MB are free",
		need/1e6, float64(sample)/1e6, float64(devices*fixed)/1e6, free/1e6)
	if need <= free/4*5 {
		return fmt.Errorf("memory may run out: %s", text), nil
	}
	return nil, fmt.Errorf("%w: %s; %s", ErrMemory, text, advice(c, (free/10*9/devices-fixed)/sample))
}

// RunsOn returns [ErrPrecision], [ErrDevices] or [ErrMemory] if a backend cannot train with the configuration, and a
// warning if its memory may run out.
func RunsOn(c run.Config, b *backend.Backend) (warning, err error) {
	if c.Precision == run.BFloat16 && b.Conv != model.Native {
		return nil, fmt.Errorf("%w: %s has no bfloat16 convolutions; train in float32 or on XLA", ErrPrecision, b.Kind)
	}
	if have := b.NumDevices(); c.Devices > have {
		return nil, fmt.Errorf("%w: %d requested, %s has %d", ErrDevices, c.Devices, b.Kind, have)
	}
	built, err := c.Build()
	if err != nil {
		return nil, err
	}
	return checkMemory(c, memoryOf(c, built.Network, convOf(c, b)), b.Free())
}

// explainMemory turns a backend's error into [ErrMemory] if it is one. bytes is the device's memory, 0 if it is not
// known.
func explainMemory(err error, c run.Config, m memory, bytes int64, source string) error {
	found := outOfMemory.FindStringSubmatch(err.Error())
	if found == nil {
		return err
	}
	share := deviceShare(c)
	fixed, sample := m.fixed, m.sample
	how := fmt.Sprintf("about %.2f MB a sample by the size of the network", float64(sample)/1e6)
	if asked, e := strconv.ParseInt(found[1], 10, 64); e == nil && asked/share > sample {
		sample = asked / share
		how = fmt.Sprintf("%.2f MB a sample, because the backend requested %d bytes for %d samples",
			float64(sample)/1e6, asked, share)
	}
	fits := share / 2
	if bytes > 0 {
		fits = min(fits, (bytes/10*9-fixed)/sample)
		how += fmt.Sprintf(", and %.2f MB for the weights, in nine tenths of %d MB (%s)", float64(fixed)/1e6, bytes/1e6,
			source)
	} else {
		how += "; the memory size is unknown, so try half the samples"
	}
	return fmt.Errorf("%w: %w (%s); %s", ErrMemory, err, how, advice(c, fits))
}

// advice says what to do where this many samples fit on a device at a time.
func advice(c run.Config, fits int64) string {
	if fits > 8 {
		fits -= fits % 8
	}
	batch, devices, parts := int64(c.Batch), int64(c.Devices), int64(c.Accumulate)
	for parts < batch/2 && (batch%(parts*devices) != 0 || batch/parts/devices > fits) {
		parts++
	}
	if fits < 2 || batch/parts/devices > fits {
		return "no batch would fit; use a smaller network"
	}
	return fmt.Sprintf("%d samples would fit: use --batch %d, or --accumulate %d with the same batch",
		fits*devices, fits*devices*int64(c.Accumulate), parts)
}
