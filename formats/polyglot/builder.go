package polyglot

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"

	"talbot/board"
)

// count is how often a move was played.
type count struct {
	key   uint64
	times float64
	move  uint16
}

// Builder makes a book of moves. The zero value is ready.
type Builder struct {
	counts []count
	sorted int // of them, each move once
}

// maxEntries bounds the memory of a builder: 24 bytes for each entry, and as much again while it grows.
const maxEntries = 1 << 24

// Add counts a legal move of the present position of a game so many times, which may be a fraction. The error says
// that there are too many.
func (b *Builder) Add(g *board.Game, m board.Move, times float64) error {
	if len(b.counts) >= max(1<<16, 2*b.sorted) {
		b.merge()
		if b.sorted > maxEntries {
			return fmt.Errorf("more than %d different moves", maxEntries)
		}
	}
	b.counts = append(b.counts, count{Key(g), times, encode(g.Position(), m)})
	return nil
}

// merge sorts the counts and sums those of a move.
func (b *Builder) merge() {
	slices.SortStableFunc(b.counts, func(a, b count) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.move, b.move))
	})
	kept := b.counts[:0]
	for _, c := range b.counts {
		if n := len(kept); n > 0 && kept[n-1].key == c.key && kept[n-1].move == c.move {
			kept[n-1].times += c.times
			continue
		}
		kept = append(kept, c)
	}
	b.counts, b.sorted = kept, len(kept)
}

// Write writes the book: of each position the moves by descending weight. Weights are the counts. Where one has a
// fraction, or does not fit into 16 bits, those of the position are scaled so that the greatest is 65535; none becomes
// less than 1.
func (b *Builder) Write(out io.Writer) error {
	b.merge()
	w := bufio.NewWriter(out)
	for rest := b.counts; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].key == rest[0].key {
			n++
		}
		here := rest[:n]
		rest = rest[n:]
		slices.SortStableFunc(here, func(a, b count) int { return cmp.Compare(b.times, a.times) })
		scale := 1.0
		for _, c := range here {
			if c.times != math.Trunc(c.times) || c.times > math.MaxUint16 {
				scale = math.MaxUint16 / here[0].times
			}
		}
		for _, c := range here {
			var e [entrySize]byte
			binary.BigEndian.PutUint64(e[:], c.key)
			binary.BigEndian.PutUint16(e[8:], c.move)
			binary.BigEndian.PutUint16(e[10:], uint16(max(1, math.Round(c.times*scale))))
			if _, err := w.Write(e[:]); err != nil {
				return err
			}
		}
	}
	return w.Flush()
}
