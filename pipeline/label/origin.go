package label

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"talbot/dataset"
	"talbot/fleet"
	"talbot/internal/durable"
)

// origin says whose search gave a sample its label: no search (the label was in the input, in a dataset of --reuse, or
// follows from the rules), an engine of this machine, or a worker. Copies of a label have the origin of the search. It
// is kept until the dataset is finished, so that the labels of a banned worker can be made again.
type origin uint32

const (
	noSearch    origin = 0
	ownSearch   origin = 1
	firstWorker origin = 2 // of worker 1
)

// originOf is that of a result: worker 0 is this machine.
func originOf(worker int) origin {
	if worker == 0 {
		return ownSearch
	}
	return firstWorker + origin(worker-1)
}

// worker is the number of the worker; 0 if there is none.
func (o origin) worker() int {
	if o < firstWorker {
		return 0
	}
	return int(o-firstWorker) + 1
}

const (
	originsPrefix = fleet.FilePrefix + "origins-"
	originsText   = "talbot label origins 1\n"
)

func originsName(shard int) string { return fmt.Sprintf("%s%05d", originsPrefix, shard) }

// writeOrigins writes those of a shard's samples, in order: one sealed record of [originsText], the SHA-256 of what
// decides the labels, and an uvarint for each sample.
func writeOrigins(path string, id [32]byte, list []origin) error {
	out, err := durable.CreateAtomic(path)
	if err != nil {
		return err
	}
	defer out.Abort()
	b := append([]byte(originsText), id[:]...)
	flush := func() {
		_, _ = out.Write(durable.AppendRecord(nil, b)) // Commit returns its error
		b = b[:0]
	}
	flush()
	for _, o := range list {
		b = binary.AppendUvarint(b, uint64(o))
		if len(b) > durable.MaxRecord-64 {
			flush()
		}
	}
	if len(b) > 0 {
		flush()
	}
	return out.Commit()
}

// readOrigins reads the origins of a shard's samples; nil if there is no file, as for shards in which no worker had a
// part.
func readOrigins(path string, id [32]byte, samples int64) ([]origin, error) {
	f, err := durable.OpenRegular(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	list, err := decodeOrigins(f, id, samples)
	if errors.Is(err, dataset.ErrDamaged) {
		err = fmt.Errorf("%q: %w", path, err)
	}
	return list, err
}

// decodeOrigins reads what [writeOrigins] writes.
func decodeOrigins(f io.Reader, id [32]byte, samples int64) ([]origin, error) {
	r := durable.NewRecordReader(f)
	var list []origin
	for first := true; ; first = false {
		record, skipped, _, err := r.Next(func([]byte) bool { return true })
		if err != nil {
			return nil, err
		}
		switch {
		case skipped > 0:
			return nil, dataset.ErrDamaged
		case record == nil:
			if int64(len(list)) != samples {
				return nil, dataset.ErrDamaged
			}
			return list, nil
		}
		payload := record[durable.RecordHead:]
		if first {
			if string(payload) != originsText+string(id[:]) {
				return nil, dataset.ErrDamaged
			}
			continue
		}
		for len(payload) > 0 {
			v, n := binary.Uvarint(payload)
			if n <= 0 || v > 1<<31 || int64(len(list)) == samples {
				return nil, dataset.ErrDamaged
			}
			list = append(list, origin(v))
			payload = payload[n:]
		}
	}
}

// isBanned reports whether the labels of an origin do not count.
func (l *labeller) isBanned(o origin) bool {
	w := o.worker()
	if w == 0 {
		return false
	}
	if l.shared != nil {
		return l.shared.Banned(w)
	}
	return l.bannedBefore[w]
}

// withdraw removes all shards from the first one that has a label of a banned worker. Their other labels go into
// journals, so that these are not searched again. It is repeated after an interruption.
func (l *labeller) withdraw(ctx context.Context) error {
	infos := l.out.Manifest().Shards
	first := len(infos)
	var kept [][]origin
	for i := range infos {
		list, err := readOrigins(l.out.Path(originsName(i)), l.journalIdentity(i), infos[i].Samples)
		if err != nil {
			return err
		}
		for _, o := range list {
			if l.isBanned(o) {
				first = min(first, i)
			}
		}
		if i >= first {
			kept = append(kept, list)
		}
	}
	for i := first; i < len(infos); i++ {
		if err := l.reopen(ctx, i, kept[i-first]); err != nil {
			return err
		}
	}
	for _, r := range l.finishedShards[first:] {
		r.Close()
	}
	l.finishedShards = l.finishedShards[:first]
	l.known.forget()
	if err := l.recount(); err != nil {
		return err
	}
	return l.out.Truncate(first)
}

// reopen writes the journal of a finished shard that is to be made again, with the labels of all searches except those
// of banned workers.
func (l *labeller) reopen(ctx context.Context, i int, origins []origin) error {
	path := l.out.Path(journalName(i))
	if err := os.RemoveAll(path); err != nil {
		return err
	}
	j, err := openJournal(path, l.journalIdentity(i), func(int64, searchResult) bool { return true }, l.warn)
	if err != nil {
		return err
	}
	next := 0
	for line, err := range l.finishedShards[i].Lines() {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return errors.Join(err, j.Close())
		}
		columns := line.Columns(l.columns)
		for k := range line.SampleCount() {
			o := origins[next]
			next++
			if o == noSearch || l.isBanned(o) || columns == nil {
				continue
			}
			labels := make([]dataset.Label, len(columns))
			for c := range columns {
				labels[c] = columns[c][k]
			}
			if err := j.append(int64(next-1), searchResult{labels, o}); err != nil {
				return errors.Join(err, j.Close())
			}
		}
	}
	return j.Close()
}

// recount counts the labels of the finished shards again.
func (l *labeller) recount() error {
	l.state.Own = dataset.Counts{}
	for _, r := range l.finishedShards {
		for line, err := range r.Lines() {
			if err != nil {
				return err
			}
			if columns := line.Columns(l.columns[:1]); columns != nil {
				l.state.Own.AddLabels(columns[0])
			}
		}
	}
	own := &l.state.Own
	l.samples = own.Labelled + own.Terminal + own.Failed
	l.doneBefore = min(l.doneBefore, l.samples)
	return nil
}

// openFleet has the pool admit workers, and withdraws the labels of workers that were banned before an interruption.
func (l *labeller) openFleet(ctx context.Context) error {
	if shared, ok := l.pool.(Shared); ok {
		if err := shared.Serve(ctx, l.Out); err != nil {
			return err
		}
		l.shared = shared
	} else {
		// what a killed server leaves; no other process uses the folder
		if err := os.RemoveAll(filepath.Join(l.Out, fleet.StoreFolder)); err != nil {
			return err
		}
		var err error
		if l.bannedBefore, err = fleet.BannedIn(l.Out); err != nil {
			return err
		}
	}
	if l.shared == nil && len(l.bannedBefore) == 0 {
		return nil
	}
	return l.withdrawIfBanned(ctx)
}

// withdrawIfBanned is [labeller.withdraw] if a finished shard has a label that does not count.
func (l *labeller) withdrawIfBanned(ctx context.Context) error {
	for i, s := range l.out.Manifest().Shards {
		list, err := readOrigins(l.out.Path(originsName(i)), l.journalIdentity(i), s.Samples)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(list, l.isBanned) {
			return l.withdraw(ctx)
		}
	}
	return nil
}

// isWithdrawn reports whether a labelling ended because a worker's labels turned out to be wrong.
func isWithdrawn(err error) bool {
	var w interface{ Withdrawn() int }
	return errors.As(err, &w)
}
