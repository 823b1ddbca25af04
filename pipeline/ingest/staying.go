package ingest

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"talbot/dataset"
	"talbot/internal/durable"
	"talbot/internal/output"
	"talbot/internal/plain"
	"talbot/shards"
)

// The table of rejects names, for each copy and each prefix, the game that was kept. Which one that is, is known only
// when the dataset is finished: the game of which one is a copy may itself be the prefix of a third. So the table being
// made has the key of the game in place of the name, and the names are looked up in one pass over the finished shards,
// only for the keys in the table. That takes about 90 bytes for each, when the keys of all games are no longer in
// memory.

// keyMark begins the detail of a row that has the key of a game.
const keyMark = "\x01"

// keyDetail is the detail of a row until the name of the game that stays is known.
func keyDetail(k dataset.GameKey) string {
	raw := binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, k.A), k.B)
	return keyMark + hex.EncodeToString(raw)
}

// keyOfRow returns the key that stands at the end of a row and the row before it.
func keyOfRow(row string) (before string, k dataset.GameKey, ok bool) {
	before, text, ok := strings.Cut(strings.TrimSuffix(row, "\n"), "\t"+keyMark)
	if !ok {
		return "", k, false
	}
	raw, err := hex.DecodeString(text)
	if err != nil || len(raw) != 16 {
		return "", k, false
	}
	return before + "\t", dataset.GameKey{A: binary.BigEndian.Uint64(raw), B: binary.BigEndian.Uint64(raw[8:])}, true
}

// keptGame is where a game that was kept was read.
type keptGame struct {
	exact          bool // it has the same moves; otherwise it begins with them
	input          int
	number, offset int64 // number 0: not found yet
}

// preferredTo reports whether to name this game rather than another: the copy, or else the first that was read.
func (p keptGame) preferredTo(q keptGame) bool {
	switch {
	case q.number == 0 || p.exact != q.exact:
		return q.number == 0 || p.exact
	case p.input != q.input:
		return p.input < q.input
	}
	return p.number < q.number
}

// publishRejects writes the table with the names of the games that stay. Every shard must be finished.
func (g *ingester) publishRejects(ctx context.Context) error {
	if g.rejects == nil {
		return nil
	}
	if err := g.markRejects(); err != nil {
		return err
	}
	stay := map[dataset.GameKey]keptGame{}
	if err := g.rejects.each(func(row string) error {
		if _, k, ok := keyOfRow(row); ok {
			stay[k] = keptGame{}
		}
		return nil
	}); err != nil {
		return err
	}
	if err := g.findKept(ctx, stay); err != nil {
		return err
	}
	return g.rejects.publish(func(row string) string {
		if before, k, ok := keyOfRow(row); ok {
			p := stay[k]
			return fmt.Sprintf("%skept: number %d at byte %d of %s\n", before, p.number, p.offset,
				plain.Escape(g.Inputs[p.input]))
		}
		return row
	})
}

// findKept fills in where the games with these keys, or games that begin with their moves, were read.
func (g *ingester) findKept(ctx context.Context, stay map[dataset.GameKey]keptGame) error {
	if len(stay) == 0 {
		return nil
	}
	var keys dataset.GameSet
	for k := range stay {
		keys.Add(k)
	}
	sieve := keys.Sieve()
	var mu sync.Mutex
	return g.out.Blocks(ctx, g.Workers, shards.Origin, func(_ int, lines []dataset.Line) error {
		for i := range lines {
			l := &lines[i]
			found := func(k dataset.GameKey, exact bool) {
				if !sieve.MayHave(k) {
					return
				}
				mu.Lock()
				defer mu.Unlock()
				p := keptGame{exact, l.Input, l.Number, l.Offset}
				if old, ok := stay[k]; ok && p.preferredTo(old) {
					stay[k] = p
				}
			}
			start, moves := l.WithoutHistory()
			whole := dataset.Line{Start: start, Moves: moves}
			k := whole.StartKey()
			for j, m := range moves {
				if k = k.Play(m); j < len(moves)-1 && prunable(l) {
					found(k, false)
				}
			}
			found(k, true)
		}
		return nil
	})
}

// each calls use with every row of the table being made.
func (r *rejectsFile) each(use func(row string) error) error {
	if _, err := r.file.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("reading the table of rejects: %w", err)
	}
	for in := bufio.NewReaderSize(io.LimitReader(r.file, r.size), 64<<10); ; {
		row, err := in.ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("reading the table of rejects: %w", err)
		}
		if row == "" {
			return nil
		}
		if err := use(row); err != nil {
			return err
		}
	}
}

// publish writes the table to its place, whole or not at all, with each row as named makes it.
func (r *rejectsFile) publish(named func(row string) string) error {
	if err := (output.File{Path: r.path}).Make(func(out *durable.AtomicFile) error {
		w := bufio.NewWriterSize(out, 64<<10)
		err := r.each(func(row string) error {
			_, err := w.WriteString(named(row))
			return err
		})
		return errors.Join(err, w.Flush())
	}); err != nil {
		return fmt.Errorf("writing %q: %w", r.path, err)
	}
	r.close()
	return nil
}
