package predict

import (
	"cmp"
	"context"
	"slices"

	"talbot/board"
	"talbot/dataset"
	"talbot/encode"
	"talbot/internal/ordered"
	"talbot/network/predict"
	"talbot/shards"
)

// unitSamples is how many samples are predicted together, and share a record of the journal. Only those that the
// fraction has count, so that batches fill.
const unitSamples = 256

// question is a sample of a block that is asked about.
type question struct{ line, ply, sample int } // the number of the line, and that of the sample, in the block

// unit has the predictions of some questions.
type unit struct {
	number      int // in the shard
	predictions []dataset.Prediction
	unrated     int64
	asked       int64
	known       bool // from the journal
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
	chosen, samples := p.choose(lines)
	left := int64(samples - len(chosen))
	p.state.LeftOut += left
	p.samples += left
	p.doneBefore += left
	all := make([]dataset.Prediction, samples)
	units := slices.Collect(slices.Chunk(chosen, unitSamples))
	first := j.next
	j.next += len(units)
	for u, err := range ordered.N(ctx, len(units), workers, func(worker, i int) (*unit, error) {
		if u, err := j.unit(first+i, len(units[i])); u != nil || err != nil {
			return u, err
		}
		return p.workers[worker].predict(ctx, p, first+i, lines, units[i])
	}) {
		if err != nil {
			return err
		}
		if u.known {
			p.doneBefore += int64(len(u.predictions))
		} else {
			if err := p.out.Check(); err != nil { // without the folder the journal would be lost
				return err
			}
			if _, err := j.Append(u.encode()); err != nil {
				return err
			}
		}
		p.evaluated += u.asked
		p.count(u)
		for i, q := range units[u.number-first] {
			all[q.sample] = u.predictions[i]
		}
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

// choose returns the samples of a block that the fraction has, and how many there are in all.
func (p *predictor) choose(lines []dataset.Line) (chosen []question, samples int) {
	var plies []int
	for i := range lines {
		l := &lines[i]
		var hash [16]byte
		if p.Fraction.Part() {
			hash = l.GameHash()
		}
		plies = l.Samples.Plies(plies[:0], len(l.Moves))
		for _, ply := range plies {
			if p.Fraction.Has(l, hash, ply) {
				chosen = append(chosen, question{i, ply, samples})
			}
			samples++
		}
	}
	return chosen, samples
}

func (p *predictor) count(u *unit) {
	for i := range u.predictions {
		switch u.predictions[i].Status {
		case dataset.Predicted:
			p.state.Predicted++
		case dataset.GameOver:
			p.state.GameOver++
		}
	}
	p.state.Unrated += u.unrated
}

// batcher predicts one unit after another. It is for one goroutine.
type batcher struct {
	walker  dataset.Walker
	view    encode.View
	inputs  []predict.Input
	outputs []predict.Output
	legal   [][]board.Move // of each input
	samples []int          // the sample of the unit that it belongs to
}

// predict predicts samples of some lines.
func (a *batcher) predict(ctx context.Context, p *predictor, number int, lines []dataset.Line, list []question) (*unit,
	error) {
	u := &unit{number: number, predictions: make([]dataset.Prediction, len(list))}
	a.samples, a.legal = a.samples[:0], a.legal[:0]
	for k, q := range list {
		if k == 0 || q.line != list[k-1].line {
			a.walker.Reset(&lines[q.line])
		}
		for a.walker.Next() && a.walker.Ply() < q.ply {
		}
		a.sample(p, u, k)
	}
	u.asked = int64(len(a.samples))
	a.outputs = slices.Grow(a.outputs[:0], len(a.samples))[:len(a.samples)]
	if err := p.Evaluator.Predict(ctx, a.inputs[:len(a.samples)], a.outputs); err != nil {
		return nil, err
	}
	for i, k := range a.samples {
		u.predictions[k] = p.prediction(&a.outputs[i], a.legal[i])
	}
	return u, nil
}

// sample encodes the walker's present sample, the k-th of the unit.
func (a *batcher) sample(p *predictor, u *unit, k int) {
	a.view.Visit(&a.walker, dataset.Counted{})
	v := &a.view
	if rating := p.Network.Rating; rating > 0 {
		v.WhiteElo, v.BlackElo = rating, rating
	}
	legal := v.Legal()
	if len(legal) == 0 {
		u.predictions[k].Status = dataset.GameOver
		return
	}
	if own, _ := v.Ratings(); p.layout.Ratings && own == 0 {
		u.unrated++
	}
	i := len(a.samples)
	if i == len(a.inputs) {
		a.inputs = append(a.inputs, predict.Input{Packed: make([]uint64, p.layout.Words)})
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
}

// prediction rounds an output. Moves of the same probability come in the order of their numbers.
func (p *predictor) prediction(a *predict.Output, legal []board.Move) dataset.Prediction {
	said := dataset.Prediction{Status: dataset.Predicted}
	if p.chances {
		a.Value = encode.ChancesValue(a.WDL)
	}
	if p.Network.Value {
		said.Value = dataset.QuantizeValue(float64(a.Value))
	}
	if !p.Network.Prior {
		return said
	}
	order := make([]int, len(legal))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(a.Prior[j], a.Prior[i]), cmp.Compare(legal[i], legal[j]))
	})
	if top := p.Network.Top; top > 0 {
		order = order[:min(top, len(order))]
	}
	said.Moves = make([]dataset.PriorMove, len(order))
	for at, i := range order {
		said.Moves[at] = dataset.PriorMove{Move: legal[i], Prior: dataset.QuantizePrior(float64(a.Prior[i]))}
	}
	return said
}
