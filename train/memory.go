package train

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"

	"talbot/train/backend"
	"talbot/train/model"
)

// ErrMemory says that the backend ran out of memory, or would. The error names the batch that would fit and how that
// was found.
var ErrMemory = errors.New("out of memory")

// outOfMemory is what XLA's plugins and CUDA say; the number is what they asked for in one piece.
var outOfMemory = regexp.MustCompile(`(?i)(?:out of memory|resource_exhausted)(?:.*?allocat\w*\s+(\d+)\s*b)?`)

// memory estimates the bytes of a step in float32 on each device: what does not depend on the batch, and each sample of
// the device's share of a micro-batch.
//
// Fixed are gradients, and old and new parameters and moments, since GoMLX updates nothing in place, and what the
// options add: old and new averages; the sum of gradients that is used and the new one, for the gradients. For each
// sample the backward pass needs about five activations of each block (the outputs of two convolutions, of two
// normalisations, and the sum) and four of stem and heads, and four tensors the size of the logits. XLA's CPU plugin
// asks for 8.7 MB a sample with 6 blocks of 1024 filters, where this says 9.0, and grows by 0.63 MB with 6 blocks of
// 64, as this says.
//
// The form Products keeps nine shifted copies of the input of each 3×3 convolution as well. The backend go grew by 2.9
// MB a sample with 6 blocks of 64, 3.2 with 12 of 32, 3.9 with 4 of 128, 4.3 with 2 of 256 and 15.1 with 20 of 128,
// where this says 2.6, 2.5, 3.4, 3.5 and 15.4.
func (c Config) memory(parameters int, form model.Form) (fixed, sample int64) {
	copies := int64(7)
	if c.EMA > 0 {
		copies += 2
	}
	if c.Accumulate > 1 {
		copies++
	}
	const float = 4
	activations := int64(5*c.Blocks+4) * int64(c.Filters)
	if form == model.Products {
		activations += 9 * (model.Planes + 2*int64(c.Blocks)*int64(c.Filters))
	}
	return copies * float * int64(parameters), float * (64*activations + 4*model.Moves)
}

// share is the number of samples that a device has at a time.
func (c Config) share() int64 { return int64(c.Batch / c.Accumulate / c.Devices) }

// checkMemory returns [ErrMemory] if the estimate of a step is far above the bytes that are free in the machine, where
// too little memory ends the process without a word, and a warning if it is not far below. Estimates err: up to a
// quarter too much is let through. 0 bytes are not known.
func checkMemory(c Config, form model.Form, parameters int, free int64) (warning, err error) {
	fixed, sample := c.memory(parameters, form)
	devices := int64(c.Devices) // of one machine
	need := devices * (fixed + sample*c.share())
	if free <= 0 || need < free/5*4 {
		return nil, nil
	}
	text := fmt.Sprintf("a step takes about %d MB (%.2f MB a sample by the size of the network, %.2f MB for the "+
		"weights), but only %d MB are free",
		need/1e6, float64(sample)/1e6, float64(devices*fixed)/1e6, free/1e6)
	if need <= free/4*5 {
		return fmt.Errorf("memory may run out: %s", text), nil
	}
	return nil, fmt.Errorf("%w: %s; %s", ErrMemory, text, c.advice((free/10*9/devices-fixed)/sample))
}

// fitsMemory is checkMemory for a backend.
func (c Config) fitsMemory(b *backend.Opened) (warning, err error) {
	network, err := model.New(c.Recipe, c.Config)
	if err != nil {
		return nil, err
	}
	return checkMemory(c, b.Form, model.CountTrainable(network.Params()), b.Free())
}

// explainMemory turns a backend's error into [ErrMemory] if it is one. There are so many bytes, 0 if that is not known.
func explainMemory(err error, c Config, form model.Form, parameters int, bytes int64, source string) error {
	found := outOfMemory.FindStringSubmatch(err.Error())
	if found == nil {
		return err
	}
	share := c.share()
	fixed, sample := c.memory(parameters, form)
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
	return fmt.Errorf("%w: %w (%s); %s", ErrMemory, err, how, c.advice(fits))
}

// advice says what to do where so many samples fit on a device at a time.
func (c Config) advice(fits int64) string {
	if fits > 8 {
		fits -= fits % 8
	}
	batch, devices, parts := int64(c.Batch), int64(c.Devices), int64(c.Accumulate)
	for parts < batch/2 && (batch%(parts*devices) != 0 || batch/parts/devices > fits) {
		parts++
	}
	if fits < 2 || batch/parts/devices > fits {
		return "no batch would fit; use fewer blocks or filters"
	}
	return fmt.Sprintf("%d samples would fit: use --batch %d, or --accumulate %d with the same batch",
		fits*devices, fits*devices*int64(c.Accumulate), parts)
}
