package label

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/cespare/xxhash/v2"

	"talbot/dataset"
	"talbot/internal/output"
	"talbot/internal/progress"
	"talbot/shards"
)

// partOf returns the number, from 1, of that of n parts which a line is in.
func partOf(hash [16]byte, n int) int {
	return 1 + int(xxhash.Sum64(append([]byte(output.PartFlag), hash[:]...))%uint64(n))
}

// Join puts together what several machines labelled with [Request.Part]: each line is that of the part that had to
// label it. Where labels are exact the result is to the byte what one machine would have made alone. The errors are
// those of [output.Join.Run].
func Join(ctx context.Context, j output.Join) (output.JoinSummary, error) {
	return j.Run(ctx, func(ctx context.Context, out *output.Folder, parts []*shards.Dataset) error {
		for i := len(out.Manifest().Shards); i < len(parts[0].Shards); i++ {
			if err := joinShard(ctx, &j.Job, out, parts, i); err != nil {
				return err
			}
		}
		return nil
	})
}

func joinShard(ctx context.Context, job *output.Job, out *output.Folder, parts []*shards.Dataset,
	i int) error {
	var next []func() (*dataset.Line, error, bool)
	for _, d := range parts {
		if len(d.Shards) != len(parts[0].Shards) {
			return fmt.Errorf("%q has %d shards, %q %d: %w", d.Dir, len(d.Shards), parts[0].Dir, len(parts[0].Shards),
				output.ErrParts)
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
			return fmt.Errorf("shard %d has more lines in some parts than in others: %w", i, output.ErrParts)
		}
		line := lines[partOf(lines[0].GameHash(), len(parts))-1]
		for k, other := range lines {
			if !sameMoves(line, other) {
				return fmt.Errorf("shard %d: input %d, number %d is another line in %q: %w", i, line.Input, line.Number,
					parts[k].Dir, output.ErrParts)
			}
		}
		if err := out.Write(line); err != nil {
			return err
		}
		if c := out.Manifest().Counts; c.GamesKept%1024 == 0 {
			job.Report(progress.Progress{Verb: "join", Unit: "samples", Count: c.Samples, Rate: c.Samples,
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
