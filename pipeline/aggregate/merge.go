package aggregate

import (
	"cmp"
	"fmt"
	"slices"

	"talbot/board"
	"talbot/dataset"
)

// merged has the lines of a partition.
type merged struct {
	lines     []dataset.Line
	positions int64         // among the lines
	rare      dataset.Drops // moves, by reason; those that the sieve dropped are not among them
	bands     []dataset.Band
}

// merge gathers a partition from all runs and makes its lines.
func (w *worker) merge(a *aggregation, part int) (*merged, error) {
	w.records = w.records[:0]
	var err error
	for _, r := range a.runs {
		if w.records, err = w.read(w.records, r, part); err != nil {
			return nil, err
		}
	}
	sortRecords(w.records)
	w.records = mergeEqual(w.records)
	out := &merged{rare: dataset.Drops{}, bands: slices.Clone(a.bands)}
	for i := range out.bands {
		out.bands[i].Samples, out.bands[i].Moves = 0, 0
	}
	for rest := w.records; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].position == rest[0].position {
			n++
		}
		if err := out.position(rest[:n], a); err != nil {
			return nil, fmt.Errorf("partition %d: %w: %w", part, err, dataset.ErrDamaged)
		}
		rest = rest[n:]
	}
	return out, nil
}

// played sums counts.
func played(records []record) (n int64) {
	for i := range records {
		n += int64(records[i].count)
	}
	return n
}

// position makes lines of the records of a position, sorted.
func (out *merged) position(records []record, a *aggregation) error {
	if int(records[len(records)-1].band) >= len(out.bands) {
		return fmt.Errorf("band %d of %d", records[len(records)-1].band, len(out.bands))
	}
	if n := played(records); n < int64(a.MinCount) {
		out.rare[RarePosition] += n
		return nil
	}
	var start board.Position
	for len(records) > 0 {
		n := 1
		for n < len(records) && records[n].band == records[0].band {
			n++
		}
		band := &out.bands[records[0].band]
		total := played(records[:n])
		if total < int64(a.MinBand) {
			out.rare[RareBand] += total
			records = records[n:]
			continue
		}
		if start == (board.Position{}) {
			var err error
			if start, err = records[0].unpack(); err != nil {
				return err
			}
			out.positions++
		}
		band.Samples++
		band.Moves += total
		out.lines = append(out.lines, line(start, band.Elo, policy(records[:n])))
		records = records[n:]
	}
	return nil
}

// policy has the moves played, the most frequent first; among equally frequent moves the lower number comes first.
func policy(records []record) []dataset.WeightedMove {
	slices.SortStableFunc(records, func(a, b record) int { return cmp.Compare(b.count, a.count) })
	list := make([]dataset.WeightedMove, len(records))
	for i := range records {
		list[i] = dataset.WeightedMove{Move: records[i].move, Weight: float32(records[i].count)}
	}
	return list
}

// line is a position with the moves that players of a rating played in it.
func line(start board.Position, elo int, policy []dataset.WeightedMove) dataset.Line {
	l := dataset.Line{Source: dataset.SourceAggregate, Start: start, Samples: dataset.LastPosition(),
		Policies: [][]dataset.WeightedMove{policy}}
	if start.Turn() == board.White {
		l.WhiteElo = elo
	} else {
		l.BlackElo = elo
	}
	return l
}
