package samples

import (
	"context"
	"fmt"
	"iter"
	"math"
	"strings"

	"talbot/board"
	"talbot/dataset"
	"talbot/encode"
	"talbot/internal/ordered"
	"talbot/shards"
)

// Hits are the samples of a block that a query chooses.
type Hits struct {
	Numbers []int64 // ascending
	UpTo    int64   // the samples before this one have been looked at
}

// Find goes through the dataset and returns the samples that a query chooses, block by block in order. So many blocks
// are read at the same time as there are workers, and no more than the query needs of them. An error ends the sequence:
// a block or line that is damaged ([dataset.ErrDamaged]), or the context's.
func (d *Dataset) Find(ctx context.Context, q Query, workers int) iter.Seq2[Hits, error] {
	return func(yield func(Hits, error) bool) {
		finders := make([]finder, max(1, workers))
		for hits, err := range ordered.N(ctx, len(d.blocks), len(finders), func(worker, i int) (Hits, error) {
			return finders[worker].block(d, &q, i)
		}) {
			if err != nil {
				err = fmt.Errorf("searching %q: %w", d.dataset.Dir, err)
			}
			if !yield(hits, err) || err != nil {
				return
			}
		}
	}
}

// finder answers queries. It belongs to one goroutine.
type finder struct {
	walker dataset.Walker
	lines  []dataset.Line
	plies  []int
}

// block answers a query for a block.
func (f *finder) block(d *Dataset, q *Query, i int) (hits Hits, err error) {
	b := &d.blocks[i]
	hits.UpTo = b.sample + int64(d.dataset.Shards[b.Shard].Block(b.Block).Samples)
	r := d.dataset.Shards[b.Shard].With(q.columns())
	if f.lines, err = r.ReadBlock(b.Block, f.lines[:0]); err != nil {
		return hits, err
	}
	for l := range b.in(f.lines) {
		if !q.line(l.Line, &d.Manifest().Splits) {
			continue
		}
		if q.Pieces.Limited {
			if err := d.check(l); err != nil {
				return hits, err
			}
			for f.walker.Reset(l.Line); f.walker.Next(); {
				if q.sample(l.Line, f.walker.Sample(), f.walker.Ply(), f.walker.Position(), &d.counting) {
					hits.Numbers = append(hits.Numbers, l.first+int64(f.walker.Sample()))
				}
			}
			continue
		}
		f.plies = l.Samples.Plies(f.plies[:0], len(l.Moves))
		for sample, ply := range f.plies {
			if q.sample(l.Line, sample, ply, nil, &d.counting) {
				hits.Numbers = append(hits.Numbers, l.first+int64(sample))
			}
		}
	}
	return hits, nil
}

// Query chooses samples by what they are and by the lines that they are on. The zero value chooses all.
type Query struct {
	Source        *dataset.Source
	Split         *dataset.Split
	Result        *dataset.Result
	Player        string // a part of the name of either player, in capitals or not
	Reconstructed *bool  // the line begins with reconstructed history
	Rating        Range  // of the side to move; a rating that is not known is in no range
	Pieces        Range  // on the board
	Label         Labels
	Score         Range // of the label, in centipawns from the side to move's view; mates are beyond all of them
	Against       Against
}

// Range is from Low to High, both included; [math.MinInt] and [math.MaxInt] are no limits. The zero value is all.
type Range struct {
	Low, High int
	Limited   bool
}

func (r Range) has(x int) bool { return !r.Limited || x >= r.Low && x <= r.High }

// Labels are the samples that a query chooses by their labels.
type Labels uint8

// The choices by label.
const (
	AnyLabel      Labels = iota
	WithLabel            // an engine searched it, or the game is over there
	WithoutLabel         // neither
	WithoutAnswer        // an engine was asked and failed
)

// Against are the samples where two judges contradict each other.
type Against uint8

// The contradictions.
const (
	AgainstNothing Against = iota
	AgainstResult          // the label is for one side by at least three pawns, and the other one won
	// AgainstNetwork: the value of the last network and the label's, as [encode.TalbotBot] has it, are more than 0.5
	// apart.
	AgainstNetwork
)

// clear is from how many centipawns on a label is for one side.
const clear = 300

// farApart is the difference of values from which on network and label contradict each other.
const farApart = 0.5

// columns are what must be read to answer.
func (q *Query) columns() (c shards.Columns) {
	if q.Player != "" {
		c |= shards.Tags
	}
	if q.Rating.Limited {
		c |= shards.Ratings
	}
	if q.Label != AnyLabel || q.Score.Limited || q.Against != AgainstNothing {
		c |= shards.Scores
	}
	if q.Against == AgainstNetwork {
		c |= shards.Predictions
	}
	return c
}

// line reports whether any sample of a line is chosen.
func (q *Query) line(l *dataset.Line, splits *dataset.Splits) bool {
	switch {
	case q.Source != nil && *q.Source != l.Source,
		q.Result != nil && *q.Result != l.Result,
		q.Reconstructed != nil && *q.Reconstructed != (l.Reconstructed > 0),
		q.Split != nil && *q.Split != splits.Of(dataset.SplitKey(l)):
		return false
	}
	return q.Player == "" || contains(l.Tag("White"), q.Player) || contains(l.Tag("Black"), q.Player)
}

func contains(name, part string) bool {
	return strings.Contains(strings.ToLower(name), strings.ToLower(part))
}

// sample reports whether a sample of a line that is chosen is chosen too. at is its position, which is known only where
// the query asks for pieces.
func (q *Query) sample(l *dataset.Line, sample, ply int, at *board.Position, counting *dataset.Counting) bool {
	turn := (int(l.Start.Turn()) + ply) % 2
	if q.Rating.Limited {
		rating := l.WhiteElo
		if board.Color(turn) == board.Black {
			rating = l.BlackElo
		}
		if rating == 0 || !q.Rating.has(rating) {
			return false
		}
	}
	if q.Pieces.Limited && !q.Pieces.has(at.Occupied().Len()) {
		return false
	}
	if q.Label == AnyLabel && !q.Score.Limited && q.Against == AgainstNothing {
		return true
	}
	return q.labels(l, sample, board.Color(turn), counting)
}

// labels reports whether a sample is chosen by its label and prediction.
func (q *Query) labels(l *dataset.Line, sample int, turn board.Color, counting *dataset.Counting) bool {
	label := counting.Of(l, sample).Moves
	known := label.Status == dataset.Labelled || label.Status == dataset.Terminal
	switch q.Label {
	case WithLabel:
		if !known {
			return false
		}
	case WithoutLabel:
		if label.Status != dataset.Missing {
			return false
		}
	case WithoutAnswer:
		if label.Status != dataset.Failed {
			return false
		}
	}
	if !q.Score.Limited && q.Against == AgainstNothing {
		return true
	}
	if label.Status != dataset.Labelled || len(label.Lines) == 0 {
		return false
	}
	score := label.Lines[0].Score
	cp, ok := score.Centipawns()
	if n, mate := score.Mate(); mate {
		cp, ok = math.MaxInt, true
		if n <= 0 {
			cp = math.MinInt
		}
	}
	if !ok || !q.Score.has(cp) {
		return false
	}
	switch q.Against {
	case AgainstResult:
		if l.Result != dataset.WhiteWins && l.Result != dataset.BlackWins {
			return false
		}
		won := (l.Result == dataset.WhiteWins) == (turn == board.White)
		return won && cp <= -clear || !won && cp >= clear
	case AgainstNetwork:
		said, ok := networkValue(l, sample)
		value, known := encode.TalbotBot{}.Value(score)
		return ok && known && math.Abs(said-float64(value)) > farApart
	}
	return true
}

// networkValue is the last network's value of a sample. One that gives none says 0 of all, and is passed over.
func networkValue(l *dataset.Line, sample int) (value float64, ok bool) {
	for i := len(l.Predictions) - 1; i >= 0; i-- {
		list := l.Predictions[i].Predictions
		if sample < len(list) && list[sample].Status == dataset.Predicted {
			return list[sample].Value.Float(), true
		}
	}
	return 0, false
}
