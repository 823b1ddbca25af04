package train

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"

	"talbot/train/model"
)

// ErrMemory says that the backend ran out of memory. The error names the batch that would fit and how that was found.
var ErrMemory = errors.New("out of memory")

// outOfMemory is what XLA's plugins and CUDA say; the number is what they asked for in one piece.
var outOfMemory = regexp.MustCompile(`(?i)(?:out of memory|resource_exhausted)(?:.*?allocat\w*\s+(\d+)\s*b)?`)

// memory estimates the bytes of a step in float32: what does not depend on the batch, and each sample of a micro-batch.
//
// Fixed are parameters, two moments, gradients and what the options add. For each sample the backward pass needs about five
// activations of each block (the outputs of two convolutions, of two normalisations, and the sum) and four of stem and heads,
// and four tensors the size of the logits. XLA's CPU plugin asks for 8.7 MB a sample with 6 blocks of 1024 filters, where
// this says 9.0, and grows by 0.63 MB with 6 blocks of 64, as this says.
func (c Config) memory(parameters int) (fixed, sample int64) {
	copies := int64(4)
	if c.EMA > 0 {
		copies++
	}
	if c.Accumulate > 1 {
		copies++
	}
	const float = 4
	return copies * float * int64(parameters), float * (int64(5*c.Blocks+4)*64*int64(c.Filters) + 4*model.Moves)
}

// explainMemory turns a backend's error into [ErrMemory] if it is one. There are so many bytes, 0 if that is not known.
func explainMemory(err error, c Config, parameters int, bytes int64, source string) error {
	found := outOfMemory.FindStringSubmatch(err.Error())
	if found == nil {
		return err
	}
	part := int64(c.Batch / c.Accumulate)
	fixed, sample := c.memory(parameters)
	how := fmt.Sprintf("about %.2f MB a sample by the size of the network", float64(sample)/1e6)
	if asked, e := strconv.ParseInt(found[1], 10, 64); e == nil && asked/part > sample {
		sample = asked / part
		how = fmt.Sprintf("%.2f MB a sample, for the backend asked for %d bytes for %d samples at once", float64(sample)/1e6, asked, part)
	}
	fits := part / 2
	if bytes > 0 {
		fits = min(fits, max(0, (bytes/10*9-fixed)/sample))
		how += fmt.Sprintf(", and %.2f MB for the weights, in nine tenths of %d MB (%s)", float64(fixed)/1e6, bytes/1e6, source)
	} else {
		how += "; the size of the memory is not known, so half the samples are the next to try"
	}
	if fits > 8 {
		fits -= fits % 8
	}
	parts := int64(c.Accumulate)
	for parts < int64(c.Batch)/2 && (int64(c.Batch)%parts != 0 || int64(c.Batch)/parts > fits) {
		parts++
	}
	if fits < 2 || int64(c.Batch)/parts > fits {
		return fmt.Errorf("%w: %w; no batch would fit (%s): take fewer blocks or filters", ErrMemory, err, how)
	}
	return fmt.Errorf("%w: %w; %d samples at a time would fit (%s): take --batch %d, or --accumulate %d with the same batch",
		ErrMemory, err, fits, how, fits*int64(c.Accumulate), parts)
}
