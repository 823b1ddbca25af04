package label

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/durable"
	"talbot/shards"
	"talbot/stockfish"
)

// known finds the results of searches that need not be made, all in the journal: an interrupted run or this one made
// them, or they are of datasets that labels are taken from. Here is where: about 30 bytes of memory for each.
type known struct {
	places  map[uint64]int64 // of records, by the first 8 bytes of the key
	journal *journal
	buf     []byte
}

func (k searchKey) short() uint64 { return binary.LittleEndian.Uint64(k[:]) }

// add notes the place of an entry. The last one of a key counts.
func (k *known) add(key searchKey, at int64) { k.places[key.short()] = at }

// take stores the labels of a dataset's sample, whose search is not known.
func (k *known) take(key searchKey, labels []dataset.Label) error {
	if _, ok := k.places[key.short()]; ok {
		return nil
	}
	at, err := k.journal.append(entry{key, ofDataset, searchResult{labels: labels}})
	k.add(key, at)
	return err
}

// find returns the entry of a search, and its place.
func (k *known) find(key searchKey) (e entry, at int64, ok bool, err error) {
	at, ok = k.places[key.short()]
	if !ok {
		return e, 0, false, nil
	}
	var payload []byte
	if payload, k.buf, err = durable.RecordAt(k.journal, at, k.buf); err == nil {
		e, err = decodeEntry(payload)
	}
	if err != nil {
		return e, 0, false, fmt.Errorf("reading a known label: %w", err)
	}
	return e, at, e.key == key, nil // else another search with the same first bytes
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
				if err := l.known.take(key, labels[i]); err != nil {
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
