package label

import (
	"context"
	"fmt"

	"talbot/dataset"
	"talbot/internal/ordered"
	"talbot/shards"
)

// checkInput replays every line of the shards that are still to be labelled, variations of labels included: a checksum
// says that a line is what was written, not that it makes sense, and what does not is found before anything is stored
// under the name of an engine. Damage names shard, block and line, as [shards.Verify] does, the first in order.
func (l *labeller) checkInput(ctx context.Context) error {
	type place struct {
		shard *shards.Reader
		block int
	}
	var places []place
	for _, r := range l.in.Shards[len(l.out.Manifest().Shards):] {
		for b := range r.Blocks() {
			places = append(places, place{r, b})
		}
	}
	return ordered.All(ctx, len(places), l.Workers, func(_, i int) error {
		at := places[i]
		lines, err := at.shard.ReadBlock(at.block, nil)
		if err != nil {
			return err
		}
		for k := range lines {
			if err := lines[k].Check(); err != nil {
				return fmt.Errorf("%q: block %d, line %d (input %d, number %d): %w: %w", at.shard.Path(),
					at.block, k, lines[k].Input, lines[k].Number, dataset.ErrDamaged, err)
			}
		}
		return nil
	})
}
