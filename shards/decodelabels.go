package shards

import (
	"encoding/binary"
	"strconv"

	"talbot/board"
	"talbot/dataset"
)

// labels reads the labels of all fingerprints.
func (b *rawBlock) labels(lines []dataset.Line) error {
	if len(b.print) == 0 {
		return nil
	}
	samples, columns := make([]int, len(lines)), make([]int, len(lines)) // of each line
	for i := range lines {
		samples[i] = lines[i].SampleCount()
	}
	all := make([][][]dataset.Label, len(b.print)) // by fingerprint and line; nil where all is missing
	total := 0
	for k, f := range b.print {
		var err error
		if all[k], err = b.labelsOf(f, samples); err != nil {
			return err
		}
		for i, labels := range all[k] {
			if labels != nil {
				columns[i]++
				total++
			}
		}
	}
	if err := chargeMemory[dataset.LabelColumn](b, total); err != nil {
		return err
	}
	arena := make([]dataset.LabelColumn, total)
	for i, n := range columns {
		if n > 0 {
			lines[i].Labels, arena = arena[:0:n], arena[n:]
		}
	}
	for k, f := range b.print {
		for i, labels := range all[k] {
			if labels != nil {
				lines[i].Labels = append(lines[i].Labels, dataset.LabelColumn{Fingerprint: f, Labels: labels})
			}
		}
	}
	return nil
}

// labelsOf reads the labels of one fingerprint for lines of that many samples each. Lines without any take no memory:
// a block may have a hundred fingerprints, each of a few of its lines.
func (b *rawBlock) labelsOf(f int, samples []int) ([][]dataset.Label, error) {
	prefix := labelPrefix + strconv.Itoa(f) + ":"
	status, err := b.fixed(prefix+labelStatus, int(b.Samples), 1)
	if err != nil || status == nil {
		return nil, err
	}
	needed := 0
	for from, i := 0, 0; i < len(samples); from, i = from+samples[i], i+1 {
		if !zeros(status[from : from+samples[i]]) {
			needed += samples[i]
		}
	}
	if err := chargeMemory[dataset.Label](b, needed); err != nil {
		return nil, err
	}
	if err := chargeMemory[[]dataset.Label](b, len(samples)); err != nil {
		return nil, err
	}
	byLine := make([][]dataset.Label, len(samples))
	labels := make([]dataset.Label, 0, needed)
	searched := 0
	for from, i := 0, 0; i < len(samples); from, i = from+samples[i], i+1 {
		part := status[from : from+samples[i]]
		if zeros(part) {
			continue
		}
		first := len(labels)
		for k, s := range part {
			if dataset.LabelStatus(s) > dataset.Failed {
				return nil, b.fail(prefix+labelStatus, "sample %d: %d", from+k, s)
			}
			if dataset.LabelStatus(s) == dataset.Labelled {
				searched++
			}
			labels = append(labels, dataset.Label{Status: dataset.LabelStatus(s)})
		}
		byLine[i] = labels[first:len(labels):len(labels)]
	}
	more, err := b.fixed(prefix+labelLines, searched, 1)
	if err != nil {
		return nil, err
	}
	total := searched
	for _, n := range more {
		total += int(n)
	}
	if err := chargeMemory[dataset.Searched](b, total); err != nil {
		return nil, err
	}
	arena, err := b.searchedOf(prefix, total)
	if err != nil {
		return nil, err
	}
	best, err := b.fixed(prefix+labelBest, searched, 2)
	if err != nil {
		return nil, err
	}
	k := 0
	for i := range labels {
		l := &labels[i]
		if l.Status != dataset.Labelled {
			continue
		}
		n := 1
		if more != nil {
			n += int(more[k])
		}
		l.Lines, arena = arena[:n:n], arena[n:]
		if best != nil {
			l.Best = board.Move(binary.LittleEndian.Uint16(best[2*k:]))
		}
		if l.Best == board.NoMove && b.want&Best != 0 && len(l.Lines[0].PV) > 0 {
			l.Best = l.Lines[0].PV[0]
		}
		if b.want&Variations == 0 {
			for j := range l.Lines {
				l.Lines[j].PV = nil // read for the best move only
			}
		}
		k++
	}
	return byLine, nil
}

// searchedOf reads that many searched lines.
func (b *rawBlock) searchedOf(prefix string, n int) ([]dataset.Searched, error) {
	scores, err := b.fixed(prefix+labelScore, n, 2)
	if err != nil {
		return nil, err
	}
	wdl, err := b.fixed(prefix+labelWDL, n, 4)
	if err != nil {
		return nil, err
	}
	arena := make([]dataset.Searched, n)
	for i := range arena {
		s := &arena[i]
		if scores != nil {
			if s.Score = dataset.Score(binary.LittleEndian.Uint16(scores[2*i:])); !s.Score.Valid() {
				return nil, b.fail(prefix+labelScore, "line %d: %v", i, s.Score)
			}
		}
		if wdl == nil {
			continue
		}
		if win, draw := binary.LittleEndian.Uint16(wdl[4*i:]), binary.LittleEndian.Uint16(wdl[4*i+2:]); win > 0 {
			if int(win)-1+int(draw) > 1000 {
				return nil, b.fail(prefix+labelWDL, "line %d: win %d, draw %d", i, win-1, draw)
			}
			s.WDL = dataset.WDL{Win: win - 1, Draw: draw, Loss: 1001 - win - draw}
		} else if draw > 0 {
			return nil, b.fail(prefix+labelWDL, "line %d: draw %d without win", i, draw)
		}
	}
	return arena, b.effort(prefix, arena)
}

// maxDepth is the greatest depth, as [dataset.Line.Check] has it.
const maxDepth = 1<<16 - 1

// effort reads depths, nodes and variations.
func (b *rawBlock) effort(prefix string, arena []dataset.Searched) error {
	if b.want&Effort != 0 {
		depth, nodes := newVarints(b.raw[prefix+labelDepth]), newVarints(b.raw[prefix+labelNodes])
		for i := range arena {
			arena[i].Depth = depth.upTo(maxDepth)
			arena[i].Nodes = int64(nodes.uint())
			nodes.bad = nodes.bad || arena[i].Nodes < 0
		}
		if !depth.end() {
			return b.fail(prefix+labelDepth, "not a depth for each line")
		}
		if !nodes.end() {
			return b.fail(prefix+labelNodes, "not a number for each line")
		}
	}
	raw := b.raw[prefix+labelPV]
	plies := newVarints(b.raw[prefix+labelPVPlies])
	if b.want&(Variations|Best) == 0 || plies.none && raw == nil {
		return nil
	}
	moves := readMoves(raw)
	for i := range arena {
		if n := plies.upTo(len(moves)); n > 0 {
			arena[i].PV, moves = moves[:n:n], moves[n:]
		}
	}
	if !plies.end() || len(moves) > 0 || len(raw)%2 != 0 {
		return b.fail(prefix+labelPVPlies, "not the number of moves of each line")
	}
	return nil
}
