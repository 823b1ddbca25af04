package shards

import (
	"encoding/binary"
	"math"
	"slices"
	"strconv"

	"talbot/board"
	"talbot/dataset"
)

// networkColumns are the predictions of one network in a block.
type networkColumns struct {
	statusColumn
	value []byte // for each predicted sample, 16 bits
	count []byte // uvarint for each predicted sample: its moves
	move  []byte // 16 bits for each move
	prior []byte // uvarint for each move: what its quantized prior is more than that of the move before it
}

// predicted reports whether there is a prediction.
func predicted(list []dataset.Prediction) bool {
	return slices.ContainsFunc(list, func(p dataset.Prediction) bool { return p.Status != dataset.NotPredicted })
}

// add appends the predictions of a line whose first sample has that number in its block.
func (c *networkColumns) add(first int, list []dataset.Prediction) {
	c.pad(first)
	for i := range list {
		p := &list[i]
		c.status = append(c.status, byte(p.Status))
		if p.Status != dataset.Predicted {
			continue
		}
		c.value = binary.LittleEndian.AppendUint16(c.value, uint16(p.Value))
		c.count = binary.AppendUvarint(c.count, uint64(len(p.Moves)))
		last := dataset.QuantizedPrior(0)
		for _, m := range p.Moves {
			c.move = binary.LittleEndian.AppendUint16(c.move, uint16(m.Move))
			c.prior = binary.AppendUvarint(c.prior, uint64(m.Prior-last))
			last = m.Prior
		}
	}
	c.samples += len(list)
}

func (c *networkColumns) columns(cols []column, network, samples int) []column {
	c.pad(samples)
	prefix := networkPrefix + strconv.Itoa(network) + ":"
	return append(cols, column{prefix + networkStatus, c.status}, column{prefix + networkValue, c.value},
		column{prefix + networkCount, c.count}, column{prefix + networkMove, c.move},
		column{prefix + networkPrior, c.prior})
}

// predictions reads the predictions of all networks.
func (b *rawBlock) predictions(lines []dataset.Line) {
	for _, n := range b.nets {
		if b.predictionsOf(n, lines); b.err != nil {
			return
		}
	}
}

// predictionsOf reads those of one network. Lines without any take no memory.
func (b *rawBlock) predictionsOf(network int, lines []dataset.Line) {
	prefix := networkPrefix + strconv.Itoa(network) + ":"
	status := b.fixed(prefix+networkStatus, int(b.Samples), 1)
	asked := 0
	for i, s := range status {
		if dataset.PredictionStatus(s) > dataset.GameOver {
			b.fail(prefix+networkStatus, "sample %d: %d", i, s)
		}
		if dataset.PredictionStatus(s) == dataset.Predicted {
			asked++
		}
	}
	values := b.fixed(prefix+networkValue, asked, 2)
	if !room[dataset.PriorMove](b, len(b.raw[prefix+networkMove])/2) || !room[[]dataset.PriorMove](b, asked) {
		return
	}
	moves, ok := priorMoves(b.raw[prefix+networkMove], b.raw[prefix+networkCount], b.raw[prefix+networkPrior], asked)
	if !ok {
		b.fail(prefix+networkCount, "not the number of moves of each sample, sorted by their priors")
		return
	}
	taken := 0
	for i, part := range byLine(lines, status) {
		if !room[dataset.Prediction](b, len(part)+1) { // and one for the column
			return
		}
		list := make([]dataset.Prediction, len(part))
		for k, s := range part {
			if list[k].Status = dataset.PredictionStatus(s); list[k].Status != dataset.Predicted {
				continue
			}
			list[k].Value = dataset.QuantizedValue(number16(values, taken))
			if list[k].Value == math.MinInt16 {
				b.fail(prefix+networkValue, "sample %d: %d", taken, list[k].Value)
			}
			list[k].Moves = moves[taken]
			taken++
		}
		lines[i].Predictions = append(lines[i].Predictions,
			dataset.PredictionColumn{Network: network, Predictions: list})
	}
}

// priorMoves reads the moves of the predicted samples; false if the columns contradict each other.
func priorMoves(raw, count, prior []byte, samples int) ([][]dataset.PriorMove, bool) {
	counts, steps := newVarints(count), newVarints(prior)
	all := make([]dataset.PriorMove, len(raw)/2)
	lists := make([][]dataset.PriorMove, samples)
	for k := range lists {
		n := counts.upTo(len(all))
		if n == 0 {
			continue
		}
		lists[k], all = all[:n:n], all[n:]
		last := 0
		for i := range lists[k] {
			last += steps.upTo(math.MaxUint16 - last)
			lists[k][i] = dataset.PriorMove{Move: board.Move(binary.LittleEndian.Uint16(raw)),
				Prior: dataset.QuantizedPrior(last)}
			raw = raw[2:]
		}
	}
	return lists, counts.end() && steps.end() && len(all) == 0 && len(raw) == 0
}
