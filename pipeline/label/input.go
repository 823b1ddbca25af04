package label

import (
	"context"
	"slices"

	"talbot/internal/ordered"
	"talbot/shards"
)

// checkInput replays every line of the shards that are still to be labelled, variations of labels included: a checksum
// proves that a line is as it was written, not that its moves are legal. Illegal ones are found before anything is
// stored under the name of an engine. Damage names shard, block and line, as [shards.Verify] does, the first in order.
func (l *labeller) checkInput(ctx context.Context) error {
	done := len(l.out.Manifest().Shards)
	blocks := slices.DeleteFunc(l.in.Blocks(), func(at shards.BlockRef) bool { return at.Shard < done })
	return ordered.All(ctx, len(blocks), l.Workers, func(_, i int) error {
		r := l.in.Shards[blocks[i].Shard]
		lines, err := r.ReadBlock(blocks[i].Block, nil)
		if err != nil {
			return err
		}
		return r.CheckLines(blocks[i].Block, lines)
	})
}
