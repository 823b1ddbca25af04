package selfplay

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"

	"talbot/dataset"
	"talbot/internal/output"
	"talbot/internal/progress"
	"talbot/shards"
)

// Join puts together the games that several machines played with [Request.Part]: the dataset that one machine would
// have made, to the byte. The errors are those of [output.Join.Run].
func Join(ctx context.Context, j output.Join) (output.JoinSummary, error) {
	return j.Run(ctx, func(ctx context.Context, out *output.Folder, parts []*shards.Dataset) error {
		m := out.Manifest()
		at := slices.IndexFunc(m.Flags, func(f dataset.Tag) bool { return f.Name == "games" })
		if m.Verb != Verb || at < 0 {
			return fmt.Errorf("%q: %w: not made by self-play", j.Parts[0], output.ErrParts)
		}
		games, err := strconv.ParseInt(m.Flags[at].Value, 10, 64)
		if err != nil {
			return fmt.Errorf("%q: number of games: %w", j.Parts[0], err)
		}
		next := make([]func() (*dataset.Line, error, bool), len(parts))
		for i, d := range parts {
			pull, stop := iter.Pull2(d.Lines())
			defer stop()
			next[i] = pull
		}
		done := m.Counts.GamesKept
		for number := int64(1); number <= games; number++ {
			part := (number - 1) % int64(len(parts))
			line, err, ok := next[part]()
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil:
				return err
			case !ok || line.Number != number:
				return fmt.Errorf("%q: %w: game %d is missing", parts[part].Dir, output.ErrParts, number)
			case number <= done:
				continue
			}
			if err := out.Write(line); err != nil {
				return err
			}
			if endsBlock(number, 1, games) {
				if err := out.EndShard(); err != nil {
					return err
				}
			}
			if number%64 == 0 {
				j.Report(progress.Progress{Verb: "join", Unit: "games", Count: number, First: done, Done: number,
					Total: games, Rate: number - done})
			}
		}
		m.Inputs[0].Games = m.Counts.GamesRead
		return nil
	})
}
