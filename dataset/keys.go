package dataset

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"sync"

	"talbot/internal/ordered"
)

// The shape of [Keys].
const (
	keyParts  = 1 << 10 // partitions, by the highest bits
	keyShift  = 64 - 10
	keyRun    = 1 << 20 // keys of a run
	keyChunk  = 1 << 15 // keys that are written at a time
	digitBits = 11      // of the radix sort; five digits cover keyShift bits
	keyLarge  = 1 << 21 // keys, at least, of a partition that is sorted in place
)

// KeysMemory is how many bytes of keys [Keys] holds in memory where nothing else is asked for.
const KeysMemory = 128 << 20

// Keys collects 64-bit keys that are too many for a hash table, and hands them out sorted.
//
// Goroutines collect keys in buffers of their own ([Keys.Buffer]). A full buffer, a run of a million keys, is put into
// the order of 1024 partitions by the highest bits and kept, or written to a temporary file once the runs in memory
// fill the budget. [Keys.Each] then gathers one partition at a time from all runs and sorts it by radix. Memory is the
// budget, 20 MB for each goroutine, 4 KB a run, and two copies of the partitions being sorted: below 512 MiB on two
// cores up to 8,000,000,000 keys, which take 64 GB of disk. Keys should be evenly spread, as hashes are. All copies of
// a key are in one partition, such as those of a position that all games have; one that is much larger than the others
// is sorted in place, slower and without a second copy.
type Keys struct {
	budget int64
	dir    string

	mu     sync.Mutex
	runs   []*keyRunInfo
	memory int64
	file   *os.File
	end    int64 // of the file
	count  int64
	spare  [][]uint64 // keys of runs that were written: their memory is for the next
	bytes  []byte     // to be written
}

// keyRunInfo is a run: its keys in memory, or their place in the file, and where each partition begins in it.
type keyRunInfo struct {
	keys   []uint64
	offset int64
	starts [keyParts + 1]uint32
}

// NewKeys returns an empty collection that holds up to budget bytes of keys in memory (0 = [KeysMemory]) and the rest
// in a temporary file in dir ("" = [os.TempDir]). The caller closes it.
func NewKeys(budget int64, dir string) *Keys {
	if budget <= 0 {
		budget = KeysMemory
	}
	return &Keys{budget: budget, dir: dir}
}

// KeyBuffer collects keys for a [Keys]. It is for one goroutine.
type KeyBuffer struct {
	all *Keys
	run []uint64
	err error
}

// Buffer returns a new buffer. After the last key call [KeyBuffer.Flush].
func (k *Keys) Buffer() *KeyBuffer { return &KeyBuffer{all: k} }

// Add adds a key. An error is returned by Flush.
func (b *KeyBuffer) Add(key uint64) {
	if len(b.run) == keyRun {
		if err := b.Flush(); err != nil {
			return
		}
	}
	b.run = append(b.run, key)
}

// Flush hands the keys over. After an error, of the temporary file, the collection is of no use.
func (b *KeyBuffer) Flush() error {
	if b.err == nil && len(b.run) > 0 {
		b.err = b.all.add(b.run)
	}
	b.run = b.run[:0]
	return b.err
}

// add puts keys in the order of their partitions and keeps a copy of them.
func (k *Keys) add(keys []uint64) error {
	r := &keyRunInfo{keys: k.space(len(keys))}
	for _, key := range keys {
		r.starts[key>>keyShift+1]++
	}
	for i := range keyParts {
		r.starts[i+1] += r.starts[i]
	}
	at := r.starts
	for _, key := range keys {
		p := key >> keyShift
		r.keys[at[p]] = key
		at[p]++
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.runs = append(k.runs, r)
	k.count += int64(len(keys))
	if size := int64(8 * len(keys)); k.memory+size <= k.budget {
		k.memory += size
		return nil
	}
	return k.spill(r)
}

// space returns memory for the keys of a run.
func (k *Keys) space(n int) []uint64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	last := len(k.spare) - 1
	if last < 0 || cap(k.spare[last]) < n {
		return make([]uint64, n)
	}
	s := k.spare[last][:n]
	k.spare = k.spare[:last]
	return s
}

// spill moves a run to the file.
func (k *Keys) spill(r *keyRunInfo) error {
	if k.file == nil {
		f, err := os.CreateTemp(k.dir, "talbot-keys-*")
		if err != nil {
			return fmt.Errorf("creating a temporary file for position keys: %w", err)
		}
		os.Remove(f.Name()) // where open files can be removed, nothing is left of a killed run
		k.file = f
	}
	r.offset = k.end
	for some := range slices.Chunk(r.keys, keyChunk) {
		b := k.bytes[:0]
		for _, key := range some {
			b = binary.LittleEndian.AppendUint64(b, key)
		}
		k.bytes = b
		if _, err := k.file.WriteAt(b, k.end); err != nil {
			return fmt.Errorf("writing position keys to a temporary file: %w", err)
		}
		k.end += int64(len(b))
	}
	k.spare, r.keys = append(k.spare, r.keys), nil
	return nil
}

// Count returns how many keys were added.
func (k *Keys) Count() int64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.count
}

// Each calls f with every non-empty partition, its keys ascending, on up to that many goroutines at a time, each with
// its number. f must not keep the keys. All buffers must have been flushed. The first error ends it.
func (k *Keys) Each(workers int, f func(worker int, sorted []uint64) error) error {
	sorters := make([]keySorter, max(workers, 1))
	large := max(keyLarge, int(2*k.Count()/keyParts))
	return ordered.All(context.Background(), keyParts, len(sorters), func(w, p int) error {
		s := &sorters[w]
		if err := s.gather(k, p); err != nil || len(s.keys) == 0 {
			return err
		}
		if len(s.keys) > large {
			slices.Sort(s.keys)
			return f(w, s.keys)
		}
		return f(w, s.sort())
	})
}

// Close drops the keys and the temporary file.
func (k *Keys) Close() error {
	k.runs, k.spare = nil, nil
	if k.file == nil {
		return nil
	}
	f := k.file
	k.file = nil
	err := f.Close()
	os.Remove(f.Name())
	return err
}

// keySorter gathers and sorts partitions.
type keySorter struct {
	keys, other []uint64
	bytes       []byte
}

// gather reads a partition.
func (s *keySorter) gather(k *Keys, p int) error {
	n := 0
	for _, r := range k.runs {
		n += int(r.starts[p+1] - r.starts[p])
	}
	if s.keys = s.keys[:0]; cap(s.keys) < n || cap(s.keys) > max(2*n, keyLarge) { // too small, or of one that was large
		s.keys, s.other = nil, nil         // before more is asked for
		s.keys = make([]uint64, 0, n+n/16) // the others are about as long
	}
	for _, r := range k.runs {
		from, to := int64(r.starts[p]), int64(r.starts[p+1])
		if from == to {
			continue
		}
		if r.keys != nil {
			s.keys = append(s.keys, r.keys[from:to]...)
			continue
		}
		n := int(8 * (to - from))
		if cap(s.bytes) < n {
			s.bytes = make([]byte, n)
		}
		b := s.bytes[:n]
		if read, err := k.file.ReadAt(b, r.offset+8*from); read < n {
			return fmt.Errorf("reading position keys from a temporary file: %w", err)
		}
		for ; len(b) > 0; b = b[8:] {
			s.keys = append(s.keys, binary.LittleEndian.Uint64(b))
		}
	}
	return nil
}

// sort sorts the keys of a partition, whose highest bits are equal, from the lowest digit to the highest.
func (s *keySorter) sort() []uint64 {
	if cap(s.other) < len(s.keys) {
		s.other = make([]uint64, cap(s.keys))
	}
	a, b := s.keys, s.other[:len(s.keys)]
	for shift := 0; shift < keyShift; shift += digitBits {
		var at [1 << digitBits]int
		const mask = 1<<digitBits - 1
		for _, key := range a {
			at[key>>shift&mask]++
		}
		sum := 0
		for i, n := range at {
			at[i] = sum
			sum += n
		}
		for _, key := range a {
			d := key >> shift & mask
			b[at[d]] = key
			at[d]++
		}
		a, b = b, a
	}
	s.keys, s.other = a, b
	return a
}
