package ingest

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"talbot/dataset"
	"talbot/internal/durable"
	"talbot/internal/output"
	"talbot/internal/plain"
	"talbot/shards"
)

// The list of rejects names, for each copy and each prefix, the game that was kept. Which one that is, is known only
// when the dataset is finished: the game of which one is a copy may itself be the prefix of a third. So the list being
// made has the key of the game in place of the name, and the names are looked up in one pass over the finished shards,
// only for the keys in the list. That takes about 90 bytes for each, when the keys of all games are no longer in
// memory.

// keyMark begins the detail of a row that has the key of a game.
const keyMark = "\x01"

// keyDetail is the detail of a row until the name of the game that stays is known.
func keyDetail(k dataset.GameKey) string { return fmt.Sprintf("%s%016x%016x", keyMark, k.A, k.B) }

// keyOfRow returns the key that stands at the end of a row and the row before it.
func keyOfRow(row string) (before string, k dataset.GameKey, ok bool) {
	before, text, ok := strings.Cut(strings.TrimSuffix(row, "\n"), keyMark)
	if !ok || len(text) != 32 {
		return "", k, false
	}
	var errA, errB error
	k.A, errA = strconv.ParseUint(text[:16], 16, 64)
	k.B, errB = strconv.ParseUint(text[16:], 16, 64)
	return before, k, errA == nil && errB == nil
}

// keptGame is where a game that was kept was read.
type keptGame struct {
	kind           int // 0: it begins with the moves of the other; 1: it has the same; -1: not found yet
	input          int
	number, offset int64
}

// preferredTo reports whether to name this game rather than another: the copy, or else the first that was read.
func (p keptGame) preferredTo(q keptGame) bool {
	return cmp.Or(cmp.Compare(q.kind, p.kind), cmp.Compare(p.input, q.input), cmp.Compare(p.number, q.number)) < 0
}

// publishRejects writes the list with the names of the games that stay. Every shard must be finished.
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
			stay[k] = keptGame{kind: -1}
		}
		return nil
	}); err != nil {
		return err
	}
	if err := g.findKept(ctx, stay); err != nil {
		return err
	}
	if err := (output.File{Path: g.Rejects}).Make(func(out *durable.AtomicFile) error {
		w := bufio.NewWriterSize(out, 64<<10)
		err := g.rejects.each(func(row string) error {
			if before, k, ok := keyOfRow(row); ok {
				p := stay[k]
				row = fmt.Sprintf("%skept: number %d at byte %d of %s\n", before, p.number, p.offset,
					plain.Escape(g.Inputs[p.input]))
			}
			_, err := w.WriteString(row)
			return err
		})
		return errors.Join(err, w.Flush())
	}); err != nil {
		return fmt.Errorf("writing %q: %w", g.Rejects, err)
	}
	g.rejects.close()
	return nil
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
	return g.out.EachLine(ctx, g.Workers, shards.Origin|goalColumns, func(_ int, l *dataset.Line) error {
		found := func(k dataset.GameKey, kind int) {
			if !sieve.MayHave(k) {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			p := keptGame{kind, l.Input, l.Number, l.Offset}
			if old, ok := stay[k]; ok && p.preferredTo(old) {
				stay[k] = p
			}
		}
		start, moves := l.WithoutHistory()
		whole := dataset.Line{Start: start, Moves: moves}
		k := whole.StartKey()
		for j, m := range moves {
			if k = k.Play(m); j < len(moves)-1 && prunable(l) {
				found(k, 0)
			}
		}
		found(withGoal(k, l), 1)
		return nil
	})
}

// each calls use with every row of the list being made.
func (r *rejectsFile) each(use func(row string) error) error {
	if _, err := r.file.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("reading the list of rejects: %w", err)
	}
	for in := bufio.NewReaderSize(io.LimitReader(r.file, r.size), 64<<10); ; {
		row, err := in.ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("reading the list of rejects: %w", err)
		}
		if row == "" {
			return nil
		}
		if err := use(row); err != nil {
			return err
		}
	}
}
