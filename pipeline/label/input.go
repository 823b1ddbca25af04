package label

import (
	"context"
	"slices"
	"sync"

	"talbot/internal/ordered"
	"talbot/shards"
)

// checkInput replays every line of the shards that are still to be labelled, variations of labels included: a checksum
// proves that a line is as it was written, not that its moves are legal. Illegal ones are found before anything is
// stored under the name of an engine. Damage names shard, block and line, as [shards.Verify] does, the first in order.
func (l *labeller) checkInput(ctx context.Context) error {
	done := len(l.out.Manifest().Shards)
	blocks := slices.DeleteFunc(l.in.Blocks(), func(at shards.BlockRef) bool { return at.Shard < done })
	checked := l.checking(blocks)
	return ordered.All(ctx, len(blocks), l.Workers, func(_, i int) error {
		r := l.in.Shards[blocks[i].Shard]
		lines, err := r.ReadBlock(blocks[i].Block, nil)
		if err != nil {
			return err
		}
		defer checked(len(lines))
		return r.CheckLines(blocks[i].Block, lines)
	})
}

// checking returns what tells Checked that more lines of these blocks are checked. It may be called from any goroutine.
func (l *labeller) checking(blocks []shards.BlockRef) func(lines int) {
	if l.Checked == nil {
		return func(int) {}
	}
	var mu sync.Mutex
	var done, all int64
	for _, at := range blocks {
		all += int64(l.in.Shards[at.Shard].Block(at.Block).Lines)
	}
	return func(lines int) {
		mu.Lock()
		defer mu.Unlock()
		done += int64(lines)
		l.Checked(done, all)
	}
}
