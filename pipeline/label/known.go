package label

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"sync"

	"talbot/dataset"
	"talbot/internal/ordered"
	"talbot/shards"
	"talbot/stockfish"
)

// knownLabels has the labels of finished shards that may be needed again: those of positions that the input has more
// than once with the same start and moves. So each shard is read only once. The labels are in a temporary file; each
// takes about 50 bytes of memory.
type knownLabels struct {
	keys    []uint64         // of such positions, ascending; nil: not looked for yet
	offsets map[uint64]int64 // where the record of a search is in the file
	file    *os.File
	end     int64
	read    int // shards
	buf     []byte
}

// key is that of a search, or of a position, in [knownLabels].
func (id identity) key() uint64 { return binary.LittleEndian.Uint64(id[:]) }

// add stores the labels of a line that may be needed again. origins are those of the shard's samples, nil if this
// machine made them all.
func (k *knownLabels) add(r *shards.Reader, l *labelledLine, origins []origin) error {
	positions := identities(nil, stockfish.PositionScope, l.line, l.plies, nil)
	for i, id := range l.ids {
		if _, ok := slices.BinarySearch(k.keys, positions[i].key()); !ok {
			continue
		}
		if _, ok := k.offsets[id.key()]; ok {
			continue
		}
		if err := l.check(r); err != nil {
			return err
		}
		from := noSearch
		if origins != nil {
			from = origins[l.samples[i]]
		}
		if err := k.store(id, searchResult{l.labels[i], from}); err != nil {
			return err
		}
	}
	return nil
}

// store writes a record: its length (u32), the identity, the origin (u32), and the labels.
func (k *knownLabels) store(id identity, m searchResult) error {
	if k.file == nil {
		f, err := os.CreateTemp("", "talbot-labels-*")
		if err != nil {
			return fmt.Errorf("creating a temporary file for labels: %w", err)
		}
		os.Remove(f.Name()) // where open files can be removed, nothing is left of a killed run
		k.file, k.offsets = f, map[uint64]int64{}
	}
	b := append(k.buf[:0], 0, 0, 0, 0)
	b = append(b, id[:]...)
	b = binary.LittleEndian.AppendUint32(b, uint32(m.origin))
	for i := range m.labels {
		b = m.labels[i].AppendBytes(b)
	}
	binary.LittleEndian.PutUint32(b, uint32(len(b)))
	k.buf = b
	if _, err := k.file.WriteAt(b, k.end); err != nil {
		return fmt.Errorf("writing labels to a temporary file: %w", err)
	}
	k.offsets[id.key()] = k.end
	k.end += int64(len(b))
	return nil
}

// find returns the result of a search.
func (k *knownLabels) find(id identity) (m searchResult, ok bool, err error) {
	at, ok := k.offsets[id.key()]
	if !ok {
		return searchResult{}, false, nil
	}
	const head = 4 + len(id) + 4
	fail := func(err error) (searchResult, bool, error) {
		return searchResult{}, false, fmt.Errorf("reading labels from a temporary file: %w", err)
	}
	b := slices.Grow(k.buf[:0], head)[:head]
	if _, err := k.file.ReadAt(b, at); err != nil {
		return fail(err)
	}
	if identity(b[4:4+len(id)]) != id {
		return searchResult{}, false, nil // another search with the same key
	}
	n := int(binary.LittleEndian.Uint32(b))
	m.origin = origin(binary.LittleEndian.Uint32(b[4+len(id):]))
	b = slices.Grow(b[:0], n)[:n]
	if _, err := k.file.ReadAt(b, at); err != nil {
		return fail(err)
	}
	k.buf = b
	for rest := b[head:]; len(rest) > 0; {
		var l dataset.Label
		if l, rest, err = dataset.LabelFromBytes(rest); err != nil {
			return fail(err)
		}
		m.labels = append(m.labels, l)
	}
	return m, true, nil
}

// forget drops all labels, because shards are made again.
func (k *knownLabels) forget() { k.offsets, k.end, k.read = nil, 0, 0; k.close() }

// close drops the temporary file.
func (k *knownLabels) close() {
	if k.file != nil {
		name := k.file.Name()
		k.file.Close()
		os.Remove(name)
		k.file = nil
	}
}

// maxCounters is how many goroutines count positions; each has some megabytes.
const maxCounters = 8

// recurringKeys returns the keys of positions that chosen samples of the input have more than once, ascending.
func (l *labeller) recurringKeys(ctx context.Context) ([]uint64, error) {
	d, err := shards.OpenDataset(l.In, shards.WithColumns(0))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	keys := dataset.NewKeys(0, "")
	defer keys.Close()
	workers := min(max(l.Workers, 1), maxCounters)
	buffers := make([]*dataset.KeyBuffer, workers)
	for i := range buffers {
		buffers[i] = keys.Buffer()
	}
	blocks := d.Blocks()
	if err := ordered.All(ctx, len(blocks), workers, func(w, i int) error {
		lines, err := d.Shards[blocks[i].Shard].ReadBlock(blocks[i].Block, nil)
		if err != nil {
			return err
		}
		for k := range lines {
			l.countPositions(buffers[w], &lines[k])
		}
		return nil
	}); err != nil {
		return nil, err
	}
	for _, b := range buffers {
		if err := b.Flush(); err != nil {
			return nil, err
		}
	}
	var mu sync.Mutex
	again := []uint64{}
	err = keys.Each(workers, func(_ int, sorted []uint64) error {
		mu.Lock()
		defer mu.Unlock()
		for i := 1; i < len(sorted); i++ {
			if sorted[i] == sorted[i-1] && (i == 1 || sorted[i] != sorted[i-2]) {
				again = append(again, sorted[i])
			}
		}
		return nil
	})
	slices.Sort(again)
	return again, err
}

// countPositions adds the keys of a line's samples, limited to those that may be searched where that is cheap to
// decide.
func (l *labeller) countPositions(b *dataset.KeyBuffer, line *dataset.Line) {
	all := l.selected != nil || l.Engine.HashScope() == stockfish.LineScope
	var hash [16]byte
	if !all {
		hash = line.GameHash()
	}
	plies := line.Samples.Plies(nil, len(line.Moves))
	if !all {
		next := 0
		for k, ply := range plies {
			if l.chosen(line, hash, k, ply) {
				plies[next] = ply
				next++
			}
		}
		plies = plies[:next]
	}
	for _, id := range identities(nil, stockfish.PositionScope, line, plies, nil) {
		b.Add(id.key())
	}
}
