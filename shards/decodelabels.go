package shards

import (
	"iter"
	"math"
	"strconv"

	"talbot/board"
	"talbot/dataset"
)

// byLine yields the number of each line that has a status other than 0, and those of its samples.
func byLine(lines []dataset.Line, status []byte) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		for i := 0; i < len(lines) && status != nil; i++ {
			n := lines[i].SampleCount()
			if part := status[:n]; !zeros(part) && !yield(i, part) {
				return
			}
			status = status[n:]
		}
	}
}

// labels reads the labels of all fingerprints.
func (b *rawBlock) labels(lines []dataset.Line) {
	if len(b.print) == 0 {
		return
	}
	columns := make([]int, len(lines))             // of each line
	all := make([][][]dataset.Label, len(b.print)) // by fingerprint and line; nil where all is missing
	total := 0
	for k, f := range b.print {
		if all[k] = b.labelsOf(f, lines); b.err != nil {
			return
		}
		for i, labels := range all[k] {
			if labels != nil {
				columns[i]++
				total++
			}
		}
	}
	if !room[dataset.LabelColumn](b, total) {
		return
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
}

// labelsOf reads the labels of one fingerprint. Lines without any take no memory: a block may have a hundred
// fingerprints, each of a few of its lines.
func (b *rawBlock) labelsOf(f int, lines []dataset.Line) [][]dataset.Label {
	prefix := labelPrefix + strconv.Itoa(f) + ":"
	status := b.fixed(prefix+labelStatus, int(b.Samples), 1)
	needed, searched := 0, 0
	for _, part := range byLine(lines, status) {
		needed += len(part)
		for _, s := range part {
			if dataset.LabelStatus(s) == dataset.Labelled {
				searched++
			}
		}
	}
	more := b.fixed(prefix+labelLines, searched, 1)
	best := b.fixed(prefix+labelBest, searched, 2)
	total := searched
	for _, n := range more {
		total += int(n)
	}
	if status == nil || !room[dataset.Label](b, needed) || !room[[]dataset.Label](b, len(lines)) ||
		!room[dataset.Searched](b, total) {
		return nil
	}
	arena := b.searchedOf(prefix, total)
	labels := make([]dataset.Label, needed)
	all := make([][]dataset.Label, len(lines))
	k := 0 // labelled samples so far
	for i, part := range byLine(lines, status) {
		n := len(part)
		all[i], labels = labels[:n:n], labels[n:]
		for j, s := range part {
			l := &all[i][j]
			if l.Status = dataset.LabelStatus(s); l.Status > dataset.Failed {
				b.fail(prefix+labelStatus, "line %d, sample %d: %d", i, j, s)
			}
			if l.Status != dataset.Labelled {
				continue
			}
			n := 1
			if more != nil {
				n += int(more[k])
			}
			l.Lines, arena = arena[:n:n], arena[n:]
			l.Best = board.Move(number16(best, k))
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
	}
	return all
}

// searchedOf reads that many searched lines.
func (b *rawBlock) searchedOf(prefix string, n int) []dataset.Searched {
	scores, wdl := b.fixed(prefix+labelScore, n, 2), b.fixed(prefix+labelWDL, n, 4)
	arena := make([]dataset.Searched, n)
	for i := range arena {
		s := &arena[i]
		if s.Score = dataset.Score(number16(scores, i)); !s.Score.Valid() {
			b.fail(prefix+labelScore, "line %d: %v", i, s.Score)
		}
		if win, draw := number16(wdl, 2*i), number16(wdl, 2*i+1); win > 0 {
			if int(win)-1+int(draw) > 1000 {
				b.fail(prefix+labelWDL, "line %d: win %d, draw %d", i, win-1, draw)
			}
			s.WDL = dataset.WDL{Win: win - 1, Draw: draw, Loss: 1001 - win - draw}
		} else if draw > 0 {
			b.fail(prefix+labelWDL, "line %d: draw %d without win", i, draw)
		}
	}
	b.effort(prefix, arena)
	b.variations(prefix, arena)
	return arena
}

// effort reads depths and nodes.
func (b *rawBlock) effort(prefix string, arena []dataset.Searched) {
	if b.want&Effort == 0 {
		return
	}
	depth, nodes := b.varints(prefix+labelDepth), b.varints(prefix+labelNodes)
	for i := range arena {
		arena[i].Depth = depth.upTo(math.MaxUint16)
		arena[i].Nodes = int64(nodes.uint())
		nodes.bad = nodes.bad || arena[i].Nodes < 0
	}
	if !depth.end() {
		b.fail(prefix+labelDepth, "not a depth for each line")
	}
	if !nodes.end() {
		b.fail(prefix+labelNodes, "not a number for each line")
	}
}

// variations reads the moves of variations.
func (b *rawBlock) variations(prefix string, arena []dataset.Searched) {
	raw, plies := b.raw[prefix+labelPV], b.varints(prefix+labelPVPlies)
	if b.want&(Variations|Best) == 0 || plies.none && raw == nil {
		return
	}
	moves := readMoves(raw)
	for i := range arena {
		if n := plies.upTo(len(moves)); n > 0 {
			arena[i].PV, moves = moves[:n:n], moves[n:]
		}
	}
	if !plies.end() || len(moves) > 0 || len(raw)%2 != 0 {
		b.fail(prefix+labelPVPlies, "not the number of moves of each line")
	}
}
