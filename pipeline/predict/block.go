package predict

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"talbot/board"
	"talbot/dataset"
	"talbot/encode"
	"talbot/internal/ordered"
	"talbot/shards"
)

// unitSamples is how many samples of a block are predicted together, and share a record of the journal.
const unitSamples = 256

// ends returns where the units of a block end, in samples: each asks about [unitSamples], however few of the samples
// the fraction has, so that batches fill.
func (p *predictor) ends(lines []dataset.Line) (ends []int) {
	samples, asked := 0, 0
	var plies []int
	for i := range lines {
		l := &lines[i]
		hash := p.hash(l)
		plies = l.Samples.Plies(plies[:0], len(l.Moves))
		for _, ply := range plies {
			samples++
			if !p.Fraction.Has(l, hash, ply) {
				continue
			}
			if asked++; asked%unitSamples == 0 {
				ends = append(ends, samples)
			}
		}
	}
	if samples > 0 && (len(ends) == 0 || ends[len(ends)-1] < samples) {
		ends = append(ends, samples)
	}
	return ends
}

// hash is what the fraction needs of a line.
func (p *predictor) hash(l *dataset.Line) (hash [16]byte) {
	if p.Fraction.Part() {
		hash = l.GameHash()
	}
	return hash
}

// batcher predicts one unit after another. It is for one goroutine.
type batcher struct {
	walker  dataset.Walker
	view    encode.View
	inputs  []EncodedPosition
	outputs []Output
	legal   [][]board.Move // of each input
	samples []int          // the sample of the unit that it belongs to
}

// unit has the predictions of one unit of samples.
type unit struct {
	predictions []dataset.Prediction
	unrated     int64
	evaluated   int64
}

// block predicts a block and writes its lines.
func (p *predictor) block(ctx context.Context, r *shards.Reader, number int, j *journal) error {
	lines, err := r.ReadBlock(number, nil)
	if err != nil {
		return err
	}
	if err := r.CheckLines(number, lines); err != nil {
		return err
	}
	firsts := make([]int, len(lines)+1) // the number in the block of each line's first sample
	for i := range lines {
		firsts[i+1] = firsts[i] + lines[i].SampleCount()
	}
	total := firsts[len(lines)]
	all := make([]dataset.Prediction, 0, total)
	ends := p.ends(lines)
	held, err := j.nextUnits(len(ends))
	if err != nil {
		return err
	}
	for u, err := range ordered.N(ctx, len(ends), workers, func(worker, i int) (*unit, error) {
		from, to := 0, ends[i]
		if i > 0 {
			from = ends[i-1]
		}
		var known []dataset.Prediction
		if i < len(held) {
			if known = held[i]; len(known) != to-from {
				return nil, &JournalError{j.path, fmt.Errorf("%d predictions of %d samples: %w", len(known), to-from,
					dataset.ErrDamaged)}
			}
		}
		u, err := p.workers[worker].unit(ctx, p, lines, firsts, from, to, known)
		if known != nil && errors.Is(err, dataset.ErrDamaged) {
			err = &JournalError{j.path, err}
		}
		return u, err
	}) {
		if err != nil {
			return err
		}
		if u.evaluated >= 0 {
			err := p.out.Check() // without the folder the journal would be lost
			if err == nil {
				err = j.append(u.predictions)
			}
			if err != nil {
				return err
			}
			p.evaluated += u.evaluated
		} else {
			p.doneBefore += int64(len(u.predictions))
		}
		p.count(u)
		all = append(all, u.predictions...)
		p.samples += int64(len(u.predictions))
		p.report()
	}
	for i := range lines {
		l := &lines[i]
		if n := l.SampleCount(); n > 0 {
			l.Predictions = append(slices.Clone(l.Predictions),
				dataset.PredictionColumn{Network: p.network, Predictions: all[:n:n]})
			all = all[n:]
		}
		if err := p.out.Write(l); err != nil {
			return err
		}
	}
	return nil
}

func (p *predictor) count(u *unit) {
	for i := range u.predictions {
		switch u.predictions[i].Status {
		case dataset.Predicted:
			p.state.Predicted++
		case dataset.GameOver:
			p.state.GameOver++
		default:
			p.state.LeftOut++
		}
	}
	p.state.Unrated += u.unrated
}

// unit predicts the samples from…to−1 of a block; firsts are the numbers of the lines' first samples. Known predictions
// are only checked; asked is −1 then.
func (a *batcher) unit(ctx context.Context, p *predictor, lines []dataset.Line, firsts []int, from, to int,
	known []dataset.Prediction) (*unit, error) {
	u := &unit{predictions: known, evaluated: -1}
	if known == nil {
		u.predictions = make([]dataset.Prediction, to-from)
	}
	a.samples, a.legal = a.samples[:0], a.legal[:0]
	// the last line whose first sample is not above from
	line, _ := slices.BinarySearch(firsts, from+1)
	for line--; line < len(lines) && firsts[line] < to; line++ {
		hash := p.hash(&lines[line])
		for a.walker.Reset(&lines[line]); a.walker.Next(); {
			k := firsts[line] + a.walker.Sample() - from
			if k < 0 {
				continue
			}
			if k >= to-from {
				break
			}
			if !p.Fraction.Has(&lines[line], hash, a.walker.Ply()) {
				if u.predictions[k].Status != dataset.NotPredicted {
					return nil, fmt.Errorf("a prediction of a sample that was left out: %w", dataset.ErrDamaged)
				}
				continue
			}
			if err := a.sample(p, u, k, known != nil); err != nil {
				return nil, err
			}
		}
	}
	if known != nil {
		return u, ctx.Err()
	}
	u.evaluated = int64(len(a.samples))
	a.outputs = slices.Grow(a.outputs[:0], len(a.samples))[:len(a.samples)]
	if err := p.Evaluator.Evaluate(ctx, a.inputs[:len(a.samples)], a.outputs); err != nil {
		return nil, err
	}
	for i, k := range a.samples {
		u.predictions[k] = prediction(&a.outputs[i], a.legal[i], &p.Network)
	}
	return u, nil
}

// sample encodes the walker's present sample, the k-th of the unit, unless its prediction is known.
func (a *batcher) sample(p *predictor, u *unit, k int, known bool) error {
	a.view.Visit(&a.walker, dataset.Counted{})
	v := &a.view
	if rating := p.Network.Rating; rating > 0 {
		v.WhiteElo, v.BlackElo = rating, rating
	}
	legal := v.Legal()
	if own, _ := v.Ratings(); p.layout.Ratings && own == 0 && len(legal) > 0 {
		u.unrated++
	}
	given := &u.predictions[k]
	if known {
		if over := given.Status == dataset.GameOver; given.Status == dataset.NotPredicted || over != (len(legal) == 0) {
			return fmt.Errorf("the prediction of %q has status %d: %w", v.Position().FEN(), given.Status,
				dataset.ErrDamaged)
		}
		if err := given.Check(v.Position()); err != nil {
			return fmt.Errorf("%w: %w", err, dataset.ErrDamaged)
		}
		return nil
	}
	if len(legal) == 0 {
		given.Status = dataset.GameOver
		return nil
	}
	i := len(a.samples)
	if i == len(a.inputs) {
		a.inputs = append(a.inputs, EncodedPosition{Packed: make([]uint64, p.layout.Words)})
	}
	encoder := p.Evaluator.Encoder()
	q := &a.inputs[i]
	encoder.Pack(q.Packed, v)
	q.Codes = q.Codes[:0]
	if p.layout.Moves != encode.NoMoves {
		for _, m := range legal {
			q.Codes = append(q.Codes, v.EncodeMove(encoder, p.layout.Codes, m)...)
		}
	}
	a.samples, a.legal = append(a.samples, k), append(a.legal, slices.Clone(legal))
	return nil
}

// prediction rounds an output. Moves of the same probability come in the order of their numbers.
func prediction(a *Output, legal []board.Move, n *dataset.Network) dataset.Prediction {
	p := dataset.Prediction{Status: dataset.Predicted}
	if n.Value {
		p.Value = dataset.QuantizeValue(float64(a.Value))
	}
	if !n.Prior {
		return p
	}
	order := make([]int, len(legal))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(a.Prior[j], a.Prior[i]), cmp.Compare(legal[i], legal[j]))
	})
	if n.Top > 0 {
		order = order[:min(n.Top, len(order))]
	}
	p.Moves = make([]dataset.PriorMove, len(order))
	for at, i := range order {
		p.Moves[at] = dataset.PriorMove{Move: legal[i], Prior: dataset.QuantizePrior(float64(a.Prior[i]))}
	}
	return p
}
