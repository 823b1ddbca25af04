package label

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"talbot/board"
	"talbot/dataset"
	"talbot/shards"
	"talbot/stockfish"
)

// identity is what the engine is given for a search and has been given since its memory was last cleared: two searches
// of the same identity under the same fingerprint are the same search. With [stockfish.PositionScope] that is the start
// of the line and the moves to the position; with [stockfish.LineScope] also which positions before it on the line were
// searched. Where only some moves are searched these belong to it, in whatever order.
//
// It is the beginning of a chain of SHA-256: of the FEN of the start, then, for each move, of the link before and the
// move; and where a position is searched and the scope is the line, of the link before alone.
type identity [16]byte

// identities returns those of the searches at ascending plies of a line.
func identities(dst []identity, scope stockfish.HashScope, line *dataset.Line, plies []int,
	only [][]board.Move) []identity {
	link := sha256.Sum256([]byte(line.Start.FEN()))
	var b [sha256.Size + 2]byte
	at := 0
	for i, ply := range plies {
		for ; at < ply; at++ {
			copy(b[:], link[:])
			m := uint16(line.Moves[at])
			b[sha256.Size], b[sha256.Size+1] = byte(m), byte(m>>8)
			link = sha256.Sum256(b[:])
		}
		if scope == stockfish.LineScope {
			link = sha256.Sum256(link[:])
		}
		id := link
		if only != nil {
			id = sha256.Sum256(appendSorted(link[:], only[i]))
		}
		dst = append(dst, identity(id[:]))
	}
	return dst
}

// appendSorted appends moves to a copy of b, the lowest number first.
func appendSorted(b []byte, moves []board.Move) []byte {
	b = slices.Clone(b)
	for _, m := range slices.Sorted(slices.Values(moves)) {
		b = binary.LittleEndian.AppendUint16(b, uint16(m))
	}
	return b
}

// firstMoves are those of the lines of a label: what was searched, where not all moves were.
func firstMoves(l *dataset.Label) (moves []board.Move) {
	for i := range l.Lines {
		if pv := l.Lines[i].PV; len(pv) > 0 {
			moves = append(moves, pv[0])
		}
	}
	return moves
}

// ledger knows which of the searches that the present shard needs were made before, and which it needs more than once.
// It holds only labels of these.
type ledger struct {
	scope      stockfish.HashScope
	someMoves  bool               // of the moves are searched, not all
	wanted     map[identity]int32 // how often; while the ledger is made
	found      map[identity]searchResult
	shared     map[identity]*sharedSearch // wanted more than once, not found
	resumed    []finishedSearch           // what an interrupted run made of this shard
	inPrevious map[int64]identity         // wanted searches of the previous shard, by number of their sample there
}

// finishedSearch is a search with its result.
type finishedSearch struct {
	id     identity
	result searchResult
}

// sharedSearch is a search that several samples wait for.
type sharedSearch struct {
	assigned   bool         // some line has it searched
	inPrevious bool         // that line is of the previous shard
	result     searchResult // without labels until it is
	waiters    []waiter
}

// waiter is a sample of a line.
type waiter struct {
	line   *pendingLine
	sample int
}

func newLedger(scope stockfish.HashScope) *ledger {
	return &ledger{scope: scope, wanted: map[identity]int32{}, found: map[identity]searchResult{},
		shared: map[identity]*sharedSearch{}, inPrevious: map[int64]identity{}}
}

// addWanted notes the searches that a line needs, and those that it has from a journal.
func (g *ledger) addWanted(w *pendingLine) {
	for i, k := range w.todo {
		if labels := w.labels[k]; labels == nil {
			g.wanted[w.ids[i]]++
		} else {
			g.resumed = append(g.resumed, finishedSearch{w.ids[i], searchResult{labels, w.origins[k]}})
		}
	}
}

// donor is a column of fingerprints in a dataset: where labels may be taken from.
type donor struct {
	shards  []*shards.Reader
	columns []int // of the fingerprints being made, in the dataset's own numbering
}

// donorColumns finds the fingerprints in a list; nil unless all of them are there.
func donorColumns(list, wanted []dataset.Fingerprint) []int {
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

// searchDonor looks for wanted searches in a donor.
func (g *ledger) searchDonor(ctx context.Context, d donor) error {
	for _, r := range d.shards {
		if len(g.found) == len(g.wanted) {
			return nil
		}
		if err := eachLabelled(ctx, r, d.columns, g.scope, g.someMoves, func(l *labelledLine) error {
			for i, id := range l.ids {
				if g.wanted[id] == 0 {
					continue
				}
				if err := l.check(r); err != nil {
					return err
				}
				g.found[id] = searchResult{labels: l.labels[i]}
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// addKnown adds the results of wanted searches that are known from finished shards.
func (g *ledger) addKnown(k *knownLabels) error {
	for id := range g.wanted {
		if _, ok := g.found[id]; ok {
			continue
		}
		m, ok, err := k.find(id)
		if err != nil {
			return err
		}
		if ok {
			g.found[id] = m
		}
	}
	return nil
}

// labelledLine is a line of a shard with the searches whose labels it has.
type labelledLine struct {
	line    *dataset.Line
	plies   []int // of the samples with a label
	samples []int // their numbers in the shard
	labels  [][]dataset.Label
	ids     []identity
	checked bool
}

// check replays the line, whose labels are to be taken, unless that was done.
func (l *labelledLine) check(r *shards.Reader) error {
	if l.checked {
		return nil
	}
	l.checked = true
	if err := l.line.Check(); err != nil {
		return fmt.Errorf("looking for labels to reuse: shard %q, input %d, number %d: %w: %w", r.Path(), l.line.Input,
			l.line.Number, dataset.ErrDamaged, err)
	}
	return nil
}

// eachLabelled goes through the lines of a shard that have labels in these columns. A line is valid until visit
// returns; its labels stay valid.
func eachLabelled(ctx context.Context, r *shards.Reader, columns []int, scope stockfish.HashScope, some bool,
	visit func(*labelledLine) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	var l labelledLine
	var all []int
	next := 0
	for line, err := range r.Lines() {
		if err != nil {
			return fmt.Errorf("looking for labels to reuse: %w", err)
		}
		first := next
		next += line.SampleCount()
		given := line.Columns(columns)
		if given == nil {
			continue
		}
		l = labelledLine{line: line, plies: l.plies[:0], samples: l.samples[:0], labels: l.labels[:0], ids: l.ids[:0]}
		all = line.Samples.Plies(all[:0], len(line.Moves))
		for k, ply := range all {
			if labels := labelsAt(given, k); labels != nil && labels[0].Status == dataset.Labelled {
				l.plies, l.samples = append(l.plies, ply), append(l.samples, first+k)
				l.labels = append(l.labels, labels)
			}
		}
		var only [][]board.Move
		if some {
			for _, labels := range l.labels {
				only = append(only, firstMoves(&labels[0]))
			}
		}
		l.ids = identities(l.ids, scope, line, l.plies, only)
		if err := visit(&l); err != nil {
			return err
		}
	}
	return nil
}

// labelsAt returns the labels of the k-th sample in all columns; nil unless all are labelled or all terminal.
func labelsAt(columns [][]dataset.Label, k int) []dataset.Label {
	if len(columns) == 0 {
		return nil
	}
	status := columns[0][k].Status
	if status != dataset.Labelled && status != dataset.Terminal {
		return nil
	}
	labels := make([]dataset.Label, len(columns))
	for i, c := range columns {
		if labels[i] = c[k]; labels[i].Status != status {
			return nil
		}
	}
	return labels
}

// endScan completes the ledger.
func (g *ledger) endScan() {
	for _, o := range g.resumed {
		if g.wanted[o.id] > 0 {
			g.found[o.id] = o.result
		}
	}
	g.resumed = nil
	for id, n := range g.wanted {
		if _, ok := g.found[id]; n > 1 && !ok {
			g.shared[id] = &sharedSearch{}
		}
	}
	g.wanted = nil
}

// reuse takes off a line's list the searches that the line has, that were found, or that another line has made or will
// make, for which the samples wait. With [stockfish.LineScope] it is all or nothing for a line that has nothing yet,
// for a label depends on the searches before it.
func (g *ledger) reuse(w *pendingLine) (found, repeated int64) {
	all := true
	for i, k := range w.todo {
		s := g.shared[w.ids[i]]
		all = all && w.labels[k] == nil && (g.found[w.ids[i]].labels != nil || s != nil && s.assigned)
	}
	todo, ids := w.todo[:0], w.ids[:0]
	for i, k := range w.todo {
		id := w.ids[i]
		if w.labels[k] != nil {
			continue
		}
		s := g.shared[id]
		if all || g.scope == stockfish.PositionScope {
			if m := g.found[id]; m.labels != nil {
				w.labels[k], w.origins[k] = m.labels, m.origin
				found++
				continue
			}
			if s != nil && s.assigned {
				if w.labels[k], w.origins[k] = s.result.labels, s.result.origin; s.result.labels == nil {
					s.waiters = append(s.waiters, waiter{w, k})
					w.unanswered++
				}
				if s.inPrevious {
					found++
				} else {
					repeated++
				}
				continue
			}
		}
		if s != nil {
			s.assigned = true
		}
		todo, ids = append(todo, k), append(ids, id)
	}
	w.todo, w.ids = todo, ids
	w.unanswered += len(todo)
	return found, repeated
}

// share hands a search's result to all samples that wait for it.
func (g *ledger) share(id identity, m searchResult) {
	s := g.shared[id]
	if s == nil || s.result.labels != nil {
		return
	}
	for _, other := range s.waiters {
		other.line.labels[other.sample], other.line.origins[other.sample] = m.labels, m.origin
		other.line.unanswered--
	}
	s.assigned, s.result, s.waiters = true, m, nil
}

// expectFromPrevious notes which wanted searches a line of the previous shard has or will make.
func (g *ledger) expectFromPrevious(w *pendingLine) {
	for i, k := range w.todo {
		id := w.ids[i]
		if _, ok := g.found[id]; !ok && g.wanted[id] > 0 {
			g.inPrevious[w.first+int64(k)] = id
		}
	}
}

// addFromPrevious adds the result of the previous shard for one of its samples. A failed search is tried again.
func (g *ledger) addFromPrevious(sample int64, m searchResult) {
	switch id, ok := g.inPrevious[sample]; {
	case !ok:
	case m.failed():
		maps.DeleteFunc(g.inPrevious, func(_ int64, other identity) bool { return other == id })
	default:
		delete(g.inPrevious, sample)
		g.found[id] = m
	}
}

// awaitPrevious makes the shard wait for searches that the previous one has not made yet.
func (g *ledger) awaitPrevious() {
	for _, id := range g.inPrevious {
		if _, ok := g.found[id]; !ok {
			g.shared[id] = &sharedSearch{assigned: true, inPrevious: true}
		}
	}
	g.inPrevious = nil
}
