package label

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/cespare/xxhash/v2"

	"talbot/dataset"
	"talbot/internal/fault"
	"talbot/internal/output"
	"talbot/internal/progress"
	"talbot/shards"
)

// partFlag is the flag of a manifest that says which part of the lines was labelled. Which line is in which part
// depends on it.
const partFlag = "part"

// partOf returns the number, from 1, of that of n parts which a line is in.
func partOf(hash [16]byte, n int) int {
	return 1 + int(xxhash.Sum64(append([]byte(partFlag), hash[:]...))%uint64(n))
}

// Join puts together what several machines labelled with [Request.Part].
type Join struct {
	output.Job
	Parts []string // datasets, in any order
}

// JoinSummary is what join reports.
type JoinSummary struct {
	Parts     int     `json:"parts"`
	Games     int64   `json:"games"`
	Positions int64   `json:"positions"`
	Samples   int64   `json:"samples"`
	Labelled  int64   `json:"labelled"` // labels by status, over all fingerprints
	Terminal  int64   `json:"terminal"`
	Failed    int64   `json:"failed"`
	Bytes     int64   `json:"bytes"`
	Seconds   float64 `json:"seconds"`
	Resumed   bool    `json:"resumed"`
}

// ErrParts says that datasets are not all the parts of one labelling.
var ErrParts = fault.New(fault.ExitUsage, "not parts of the same labelling",
	"give all parts of one `talbot label --part 1/n … n/n`, each once")

// Run takes each line from the part that had to label it. Where labels are exact the result is to the byte what one
// machine would have made alone. Errors: [ErrParts], those of [shards.OpenDataset], and damage.
func (j Join) Run(ctx context.Context) (JoinSummary, error) {
	start := time.Now()
	var parts []*shards.Dataset
	defer func() {
		for _, d := range parts {
			d.Close()
		}
	}()
	for _, dir := range j.Parts {
		d, err := shards.OpenDataset(dir)
		if err != nil {
			return JoinSummary{}, err
		}
		parts = append(parts, d)
	}
	m, err := sortParts(parts)
	if err != nil {
		return JoinSummary{}, err
	}
	var hashes []string
	for _, d := range parts {
		hashes = append(hashes, d.Manifest.Hash())
	}
	out, err := output.Open(m, hashes, output.Options{Job: j.Job,
		Parts: hashes})
	if err != nil {
		return JoinSummary{}, err
	}
	defer out.Close()
	for i := len(out.Manifest().Shards); i < len(parts[0].Shards); i++ {
		if err := j.shard(ctx, out, parts, i); err != nil {
			if errors.Is(err, ErrParts) { // nothing goes on from here
				err = errors.Join(err, out.Discard())
			}
			return JoinSummary{}, err
		}
	}
	if err := out.Finish(nil); err != nil {
		return JoinSummary{}, err
	}
	c := out.Manifest().Counts
	return JoinSummary{
		Parts: len(parts), Games: c.GamesKept, Positions: c.Positions, Samples: c.Samples,
		Labelled: c.Labelled, Terminal: c.Terminal, Failed: c.Failed,
		Bytes: out.Bytes(), Seconds: time.Since(start).Seconds(), Resumed: out.Resumed(),
	}, nil
}

// sortParts puts the parts in the order of their numbers, and returns the manifest of the whole without counts and
// shards.
func sortParts(parts []*shards.Dataset) (dataset.Manifest, error) {
	whole := func(m *dataset.Manifest) (dataset.Manifest, dataset.Part, error) {
		w := m.Empty()
		w.Flags = nil
		var part dataset.Part
		err := errors.New("made without --part")
		for _, f := range m.Flags {
			if f.Name == partFlag {
				part, err = dataset.ParsePart(f.Value)
			} else {
				w.Flags = append(w.Flags, f)
			}
		}
		return w, part, err
	}
	var first dataset.Manifest
	numbers := map[*shards.Dataset]int{}
	for i, d := range parts {
		m, part, err := whole(d.Manifest)
		switch {
		case err != nil:
			return first, fmt.Errorf("%q: %w: %w", d.Dir, ErrParts, err)
		case part.N != len(parts):
			return first, fmt.Errorf("%q: %w: it is part %s of %d, but %d were given", d.Dir, ErrParts, part, part.N,
				len(parts))
		case i == 0:
			first = m
		case !slices.Equal(printIDs(m.Fingerprints), printIDs(first.Fingerprints)):
			return first, fmt.Errorf("%q and %q: %w: their engines, options or limits differ", parts[0].Dir, d.Dir,
				ErrParts)
		case m.Hash() != first.Hash():
			return first, fmt.Errorf("%q and %q: %w: inputs or flags differ", parts[0].Dir, d.Dir, ErrParts)
		}
		for other, n := range numbers {
			if n == part.I {
				return first, fmt.Errorf("%q and %q: %w: both are %s", other.Dir, d.Dir, ErrParts, part)
			}
		}
		numbers[d] = part.I
	}
	slices.SortFunc(parts, func(a, b *shards.Dataset) int { return numbers[a] - numbers[b] })
	return first, nil
}

func printIDs(list []dataset.Fingerprint) (ids []string) {
	for _, f := range list {
		ids = append(ids, f.ID())
	}
	return ids
}

// shard joins one shard.
func (j Join) shard(ctx context.Context, out *output.Folder, parts []*shards.Dataset, i int) error {
	var next []func() (*dataset.Line, error, bool)
	for _, d := range parts {
		if len(d.Shards) != len(parts[0].Shards) {
			return fmt.Errorf("%q has %d shards, %q %d: %w", d.Dir, len(d.Shards), parts[0].Dir, len(parts[0].Shards),
				ErrParts)
		}
		pull, stop := iter.Pull2(d.Shards[i].Lines())
		defer stop()
		next = append(next, pull)
	}
	lines := make([]*dataset.Line, len(parts))
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		ended := 0
		for k, pull := range next {
			line, err, ok := pull()
			if err != nil {
				return err
			}
			if !ok {
				ended++
			}
			lines[k] = line
		}
		if ended == len(parts) {
			return out.EndShard()
		}
		if ended > 0 {
			return fmt.Errorf("shard %d has more lines in some parts than in others: %w", i, ErrParts)
		}
		line := lines[partOf(lines[0].GameHash(), len(parts))-1]
		for k, other := range lines {
			if !sameMoves(line, other) {
				return fmt.Errorf("shard %d: input %d, number %d is another line in %q: %w", i, line.Input, line.Number,
					parts[k].Dir, ErrParts)
			}
		}
		if err := out.Write(line); err != nil {
			return err
		}
		if c := out.Manifest().Counts; c.GamesKept%1024 == 0 {
			j.Report(progress.Progress{Verb: "join", Unit: "samples", Count: c.Samples, Rate: c.Samples,
				Done: c.Samples, Total: parts[0].Manifest.Counts.Samples})
		}
	}
}

// sameMoves reports whether two lines have the same moves and samples.
func sameMoves(a, b *dataset.Line) bool {
	kind, bitmap := a.Samples.Kind()
	kindB, bitmapB := b.Samples.Kind()
	return a.Start == b.Start && slices.Equal(a.Moves, b.Moves) && kind == kindB && slices.Equal(bitmap, bitmapB) &&
		a.Input == b.Input && a.Number == b.Number
}
