package shards

import (
	"encoding/binary"
	"fmt"
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

// checkLabels returns an error if the i-th label column could not be read back as it is.
func checkLabels(columns []dataset.LabelColumn, i, samples int) error {
	c := &columns[i]
	if c.Fingerprint < 0 || c.Fingerprint > 999_999 || i > 0 && columns[i-1].Fingerprint >= c.Fingerprint {
		return fmt.Errorf("label columns are not sorted by fingerprint, or %d is out of range", c.Fingerprint)
	}
	if len(c.Labels) != samples {
		return fmt.Errorf("%d labels of fingerprint %d for %d samples", len(c.Labels), c.Fingerprint, samples)
	}
	for k := range c.Labels {
		if err := checkLabel(&c.Labels[k]); err != nil {
			return fmt.Errorf("label %d of fingerprint %d: %w", k, c.Fingerprint, err)
		}
	}
	return nil
}

func checkLabel(l *dataset.Label) error {
	if l.Status != dataset.Labelled {
		if l.Status > dataset.Failed || l.Best != board.NoMove || len(l.Lines) > 0 {
			return fmt.Errorf("status %v with best move %s and %d lines", l.Status, l.Best, len(l.Lines))
		}
		return nil
	}
	if len(l.Lines) == 0 || len(l.Lines) > 256 {
		return fmt.Errorf("%d lines, not 1 … 256", len(l.Lines))
	}
	if l.Best == board.NoMove && len(l.Lines[0].PV) > 0 {
		return fmt.Errorf("no best move")
	}
	for i := range l.Lines {
		s := &l.Lines[i]
		if !s.Score.Valid() || s.Depth < 0 || s.Depth > maxDepth || s.Nodes < 0 {
			return fmt.Errorf("line %d: score %v, depth %d, nodes %d", i+1, s.Score, s.Depth, s.Nodes)
		}
		if sum := int(s.WDL.Win) + int(s.WDL.Draw) + int(s.WDL.Loss); sum != 1000 && sum != 0 {
			return fmt.Errorf("line %d: win, draw and loss %v do not sum to 1000", i+1, s.WDL)
		}
	}
	return nil
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
