package label

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"slices"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/durable"
	"talbot/shards"
	"talbot/stockfish"
)

// known finds the results of searches that need not be made: those of the journal, whether an interrupted run or this
// one made them, and those of datasets that labels are taken from. The results are in files, here is where: about 30
// bytes of memory for each.
type known struct {
	places  map[uint64]place // by the first 8 bytes of the key
	journal io.ReaderAt
	taken   *os.File // entries of the labels of datasets; nil: none
	takenTo int64    // its end
	buf     []byte
}

// place is where the record of an entry is: its offset, doubled, and 1 for one of a dataset.
type place int64

func (p place) offset() int64 { return int64(p / 2) }

// taken reports whether the entry is of a dataset, not of the journal.
func (p place) taken() bool { return p%2 == 1 }

// resumed reports whether the entry is from before this process, whose entries begin at that offset.
func (p place) resumed(start int64) bool { return !p.taken() && p.offset() < start }

func (k searchKey) short() uint64 { return binary.LittleEndian.Uint64(k[:]) }

// add notes the place of an entry in the journal. The last one of a key counts.
func (k *known) add(key searchKey, at int64) { k.places[key.short()] = place(2 * at) }

// take stores the labels of a dataset's sample, for which no search of the journal is known.
func (k *known) take(dir string, key searchKey, labels []dataset.Label) error {
	if _, ok := k.places[key.short()]; ok {
		return nil
	}
	if k.taken == nil {
		f, err := os.CreateTemp(dir, takenPattern)
		if err != nil {
			return fmt.Errorf("creating a temporary file for labels: %w", err)
		}
		os.Remove(f.Name()) // where open files can be removed, nothing is left of a killed run
		k.taken = f
	}
	e := entry{key: key, searchResult: searchResult{labels: labels}}
	k.buf = durable.AppendRecord(k.buf[:0], e.appendTo(nil))
	if _, err := k.taken.WriteAt(k.buf, k.takenTo); err != nil {
		return fmt.Errorf("writing labels to a temporary file: %w", err)
	}
	k.places[key.short()] = place(2*k.takenTo + 1)
	k.takenTo += int64(len(k.buf))
	return nil
}

// takenPattern names the temporary file of labels of datasets.
const takenPattern = "labels-taken-*"

// find returns the entry of a search, and its place.
func (k *known) find(key searchKey) (e entry, at place, ok bool, err error) {
	at, ok = k.places[key.short()]
	if !ok {
		return e, 0, false, nil
	}
	file, offset := k.journal, at.offset()
	if at.taken() {
		file = k.taken
	}
	// Most records are shorter than this, so that one read does.
	k.buf = slices.Grow(k.buf[:0], 512)[:512]
	n, err := file.ReadAt(k.buf, offset)
	payload, ok := durable.Record(k.buf[:n])
	if !ok && err == nil {
		k.buf = slices.Grow(k.buf[:0], durable.RecordHead+durable.MaxRecord)[:durable.RecordHead+durable.MaxRecord]
		n, err = file.ReadAt(k.buf, offset)
		payload, ok = durable.Record(k.buf[:n])
	}
	if !ok {
		return e, 0, false, fmt.Errorf("reading a known label: %w", cmp.Or(err, dataset.ErrDamaged))
	}
	if e, err = decodeEntry(payload); err != nil {
		return e, 0, false, fmt.Errorf("reading a known label: %w", err)
	}
	return e, at, e.key == key, nil // else another search with the same first bytes
}

// close drops the temporary file.
func (k *known) close() {
	if k.taken != nil {
		name := k.taken.Name()
		k.taken.Close()
		os.Remove(name)
		k.taken = nil
	}
}

// columnsOf finds the fingerprints in a list; nil unless all of them are there.
func columnsOf(list, wanted []dataset.Fingerprint) []int {
	var columns []int
	for _, w := range wanted {
		i := slices.IndexFunc(list, func(f dataset.Fingerprint) bool { return f.ID() == w.ID() })
		if i < 0 {
			return nil
		}
		columns = append(columns, i)
	}
	return columns
}

// takeFrom takes the labels of a dataset in these columns. Lines with labels are replayed first.
func (l *labeller) takeFrom(ctx context.Context, d *shards.Dataset, columns []int) error {
	for _, r := range d.Shards {
		if err := ctx.Err(); err != nil {
			return err
		}
		for line, err := range r.Lines() {
			if err != nil {
				return fmt.Errorf("looking for labels to reuse: %w", err)
			}
			given := line.Columns(columns)
			if given == nil {
				continue
			}
			if err := line.Check(); err != nil {
				return fmt.Errorf("looking for labels to reuse: shard %q, input %d, number %d: %w: %w", r.Path(),
					line.Input, line.Number, dataset.ErrDamaged, err)
			}
			keys, labels := l.searchesOf(line, given)
			for i, key := range keys {
				if err := l.known.take(l.Out, key, labels[i]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// searchesOf returns the searches that the labels of a line are of.
func (l *labeller) searchesOf(line *dataset.Line, given [][]dataset.Label) (keys []searchKey,
	labels [][]dataset.Label) {
	var plies []int
	var only [][]board.Move
	for k, ply := range line.Samples.Plies(nil, len(line.Moves)) {
		at := labelsAt(given, k)
		if at == nil || at[0].Status != dataset.Labelled {
			continue
		}
		plies, labels = append(plies, ply), append(labels, at)
		if l.Candidates > 0 {
			only = append(only, firstMoves(&at[0]))
		}
	}
	return searchKeys(nil, l.scope(), line, plies, only), labels
}

// scope is how long the engine keeps its hash.
func (l *labeller) scope() stockfish.HashScope { return l.Engine.HashScope() }
