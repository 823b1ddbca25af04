package shards

import (
	"encoding/binary"
	"math"
	"slices"
	"strconv"

	"talbot/board"
	"talbot/dataset"
)

// policyColumns are the policy targets of a block's samples.
type policyColumns struct {
	samples int
	counts  []byte // uvarint for each sample
	moves   []byte // 16 bits for each target
	weights []byte // 32-bit float for each target
	varied  bool   // some weight is not 1

	// uvarint for each line whose lists are all empty: its number, from 1, minus that of the one before
	untargeted []byte
	last       int // the number of the last one
}

// add appends the policies of a line of that number in its block, from 0, whose first sample has the number first.
func (p *policyColumns) add(line, first int, policies [][]dataset.WeightedMove) {
	if policies == nil {
		return
	}
	if dataset.HasNoTarget(policies) {
		p.untargeted = binary.AppendUvarint(p.untargeted, uint64(line+1-p.last))
		p.last = line + 1
		return
	}
	p.pad(first)
	for _, list := range policies {
		p.counts = binary.AppendUvarint(p.counts, uint64(len(list)))
		for _, t := range list {
			p.moves = binary.LittleEndian.AppendUint16(p.moves, uint16(t.Move))
			p.weights = binary.LittleEndian.AppendUint32(p.weights, math.Float32bits(t.Weight))
			p.varied = p.varied || t.Weight != 1
		}
	}
	p.samples += len(policies)
}

func (p *policyColumns) pad(samples int) {
	for ; p.samples < samples; p.samples++ {
		p.counts = append(p.counts, 0)
	}
}

func (p *policyColumns) columns(cols []column, samples int) []column {
	if len(p.counts) == 0 && len(p.untargeted) == 0 {
		return cols
	}
	p.pad(samples)
	p.counts = append(p.counts, p.untargeted...)
	cols = append(cols, column{colPolicyCount, p.counts}, column{colPolicyMove, p.moves})
	if p.varied {
		cols = append(cols, column{colPolicyWeight, p.weights})
	}
	return cols
}

// statusColumn has the status of each sample of a block: 0 for those without a label or prediction.
type statusColumn struct {
	samples int
	status  []byte
}

// pad adds samples without one.
func (c *statusColumn) pad(samples int) {
	c.status = append(c.status, make([]byte, samples-c.samples)...)
	c.samples = samples
}

// labelColumns are the labels of one fingerprint in a block.
type labelColumns struct {
	statusColumn

	best  []byte // 16 bits for each labelled sample: 0 = the first move of its first line
	lines []byte // for each labelled sample, its lines − 1

	scores  []byte // the rest for each searched line: 16 bits
	wdl     []byte // win + 1 and draw, 16 bits each; 0 and 0 = not given
	depth   []byte // uvarint
	nodes   []byte // uvarint
	pvPlies []byte // uvarint
	pv      []byte // 16 bits for each move
}

// labelled reports whether any label is not missing: a column without one counts as absent.
func labelled(labels []dataset.Label) bool {
	return slices.ContainsFunc(labels, func(l dataset.Label) bool { return l.Status != dataset.Missing })
}

// add appends the labels of a line whose first sample has that number in its block.
func (c *labelColumns) add(first int, labels []dataset.Label) {
	c.pad(first)
	for i := range labels {
		l := &labels[i]
		c.status = append(c.status, byte(l.Status))
		if l.Status != dataset.Labelled {
			continue
		}
		best := l.Best
		if pv := l.Lines[0].PV; len(pv) > 0 && pv[0] == best {
			best = board.NoMove
		}
		c.best = binary.LittleEndian.AppendUint16(c.best, uint16(best))
		c.lines = append(c.lines, byte(len(l.Lines)-1))
		for j := range l.Lines {
			c.searched(&l.Lines[j])
		}
	}
	c.samples += len(labels)
}

func (c *labelColumns) searched(s *dataset.Searched) {
	win := s.WDL.Win
	if s.WDL != (dataset.WDL{}) {
		win++
	}
	c.scores = binary.LittleEndian.AppendUint16(c.scores, uint16(s.Score))
	c.wdl = binary.LittleEndian.AppendUint16(c.wdl, win)
	c.wdl = binary.LittleEndian.AppendUint16(c.wdl, s.WDL.Draw)
	c.depth = binary.AppendUvarint(c.depth, uint64(s.Depth))
	c.nodes = binary.AppendUvarint(c.nodes, uint64(s.Nodes))
	c.pvPlies = binary.AppendUvarint(c.pvPlies, uint64(len(s.PV)))
	c.pv = appendMoves(c.pv, s.PV)
}

func (c *labelColumns) columns(cols []column, fingerprint, samples int) []column {
	c.pad(samples)
	prefix := labelPrefix + strconv.Itoa(fingerprint) + ":"
	return append(cols,
		column{prefix + labelStatus, c.status}, column{prefix + labelBest, c.best}, column{prefix + labelLines,
			c.lines},
		column{prefix + labelScore, c.scores}, column{prefix + labelWDL, c.wdl}, column{prefix + labelDepth, c.depth},
		column{prefix + labelNodes, c.nodes}, column{prefix + labelPVPlies, c.pvPlies}, column{prefix + labelPV, c.pv})
}
