package output

import (
	"context"
	"fmt"
	"slices"

	"talbot/dataset"
	"talbot/internal/durable"
	"talbot/internal/ordered"
	"talbot/shards"
)

// finishedDraft is a draft that was written again.
type finishedDraft struct {
	shard   dataset.ShardInfo // without lines there is no shard
	dropped []dataset.Line
}

// FinishDrafts writes all drafts again as shards, after the last EndShard, without the lines for which keep is false;
// where shards are cut does not change. dropped gets the removed lines, draft by draft, before their removal is marked:
// it takes them out of the verb's counts and state. keep is called from several goroutines.
//
// Repeated after an interruption it goes on after the last draft that is done, so keep must decide as before.
func (f *Folder) FinishDrafts(ctx context.Context, workers int, keep func(*dataset.Line) bool,
	dropped func([]dataset.Line)) error {
	first := f.progress.Final
	drafts := slices.Clone(f.progress.Drafts[first:])
	i := 0
	for done, err := range ordered.N(ctx, len(drafts), workers, func(_, i int) (finishedDraft, error) {
		return f.finishDraft(drafts[i].File, first+i, keep)
	}) {
		if err == nil {
			err = f.replaceDraft(drafts[i].File, done, dropped)
		}
		if err != nil {
			return f.Explain(err)
		}
		i++
	}
	return nil
}

// finishDraft writes a draft as the shard of that number.
func (f *Folder) finishDraft(draft string, number int, keep func(*dataset.Line) bool) (d finishedDraft, err error) {
	r, err := shards.Open(f.Path(draft))
	if err != nil {
		return d, err
	}
	defer r.Close()
	w, err := shards.Create(f.dir, number, 1)
	if err != nil {
		return d, err
	}
	defer w.Abort()
	var lines []dataset.Line
	for i := range r.Blocks() {
		if lines, err = r.ReadBlock(i, lines[:0]); err != nil {
			return d, err
		}
		for k := range lines {
			if l := &lines[k]; !keep(l) {
				d.dropped = append(d.dropped, *l)
			} else if err := w.Write(l); err != nil {
				return d, err
			}
		}
	}
	if w.Lines() > 0 {
		d.shard, err = w.Commit()
	}
	return d, err
}

// replaceDraft puts the shard in the place of its draft.
func (f *Folder) replaceDraft(draft string, d finishedDraft, dropped func([]dataset.Line)) error {
	dropped(d.dropped)
	if d.shard.Lines > 0 {
		f.progress.Manifest.Shards = append(f.progress.Manifest.Shards, d.shard)
	}
	f.progress.Final++
	if err := f.Mark(); err != nil {
		return err
	}
	if err := durable.Remove(f.Path(draft)); err != nil {
		return fmt.Errorf("removing a draft whose shard is written: %w", err)
	}
	return nil
}
