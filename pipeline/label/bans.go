package label

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"talbot/dataset"
	"talbot/fleet"
	"talbot/shards"
)

// isBanned reports whether the labels of a worker do not count.
func (l *labeller) isBanned(worker int) bool {
	switch {
	case worker == 0:
		return false
	case l.shared != nil:
		return l.shared.Banned(worker)
	}
	return l.bannedBefore[worker]
}

// openFleet has the pool admit workers, or else reads which workers were banned before an interruption.
func (l *labeller) openFleet(ctx context.Context) error {
	if shared, ok := l.pool.(Shared); ok {
		if err := shared.Serve(ctx, l.Out); err != nil {
			return err
		}
		l.shared = shared
		return nil
	}
	// What a killed server leaves; no other process uses the folder.
	if err := os.RemoveAll(filepath.Join(l.Out, fleet.StoreFolder)); err != nil {
		return err
	}
	var err error
	l.bannedBefore, err = fleet.BannedIn(l.Out)
	return err
}

// openLabels opens the journal and finds the labels that are known. Those of banned workers do not count, and shards
// that have one are removed, to be made again. Of a damaged journal it is not known which shards these are: if workers
// had a part, all shards are made again, from the labels that the journal still has.
func (l *labeller) openLabels(ctx context.Context) error {
	first := len(l.out.Manifest().Shards)
	workers := false
	l.known = known{places: map[uint64]int64{}}
	l.queue, l.unanswered = nil, 0
	l.searching, l.underWay = map[lineNumber]*pendingLine{}, map[searchKey]*search{}
	var damaged int64
	var err error
	path := l.out.Path(journalName)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) && first > 0 {
		l.Warning(fmt.Errorf("the label journal %q is gone: finished shards stay as they are, also where a worker "+
			"that is banned later had a part", path))
	}
	l.known.journal, damaged, err = openJournal(path, l.journalID(), l.Warning, func(at int64, e entry) {
		workers = workers || e.worker > 0
		if l.isBanned(e.worker) {
			first = min(first, e.line.shard())
		} else {
			l.known.add(e.key, at)
		}
	})
	if err != nil {
		return err
	}
	l.journalStart = l.known.journal.End()
	if damaged > 0 && workers {
		first = 0
	}
	if err := l.withdraw(first); err != nil {
		return err
	}
	return l.takeLabels(ctx)
}

// withdraw removes the finished shards from number first on, and what is written of the next one. Their searches stay
// in the journal, so that only those of banned workers are made again.
func (l *labeller) withdraw(first int) error {
	if first == len(l.out.Manifest().Shards) && l.out.Empty() {
		return nil
	}
	if err := l.out.Truncate(first); err != nil {
		return err
	}
	own := dataset.Counts{}
	for _, s := range l.out.Manifest().Shards {
		if err := l.addOwn(&own, l.out.Path(s.File)); err != nil {
			return err
		}
	}
	l.state.Own = own
	return l.out.Mark()
}

// addOwn counts the labels of the fingerprint being made in a shard.
func (l *labeller) addOwn(own *dataset.Counts, path string) error {
	r, err := shards.Open(path, shards.AllLabels)
	if err != nil {
		return err
	}
	defer r.Close()
	for line, err := range r.Lines() {
		if err != nil {
			return err
		}
		if columns := line.Columns(l.columns[:1]); columns != nil {
			own.AddLabels(columns[0])
		}
	}
	return nil
}
