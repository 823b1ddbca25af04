package dataset

import (
	"errors"
	"fmt"
	"math"
	"unicode/utf8"

	"talbot/board"
)

// Check replays the line and returns an error unless every move, policy move, searched and predicted move is legal, the
// samples are plies of the line, policies, labels and predictions are one for each sample, and every number is in its
// range. The error names the ply or the sample.
func (l *Line) Check() error {
	return l.CheckEach(func(*board.Position, int, int) error { return nil })
}

// CheckEach is [Line.Check] and calls f with each sample once it and the move played there were checked: its position,
// valid until f returns, its ply and its number. What follows in the line was not checked yet. An error of f is that of
// the sample.
func (l *Line) CheckEach(f func(p *board.Position, ply, sample int) error) error {
	if err := l.checkHead(); err != nil {
		return err
	}
	k := 0
	return l.Replay(func(p *board.Position, ply int) error {
		if !l.Samples.Has(ply, len(l.Moves)) {
			return nil
		}
		err := l.checkSample(p, k)
		if err == nil {
			err = f(p, ply, k)
		}
		if k++; err != nil {
			return fmt.Errorf("sample at ply %d: %w", ply, err)
		}
		return nil
	})
}

// Replay calls f with each position of the line, valid until f returns, and its ply, 0 … n, once the move played there
// was found to be legal. Moves before ply l.Reconstructed were made up: counts of moves that were played leave them
// out. It ends with the error of f or that of an illegal move, which names the ply.
func (l *Line) Replay(f func(p *board.Position, ply int) error) error {
	pos, n := l.Start, len(l.Moves)
	for ply := 0; ; ply++ {
		if ply < n && !pos.IsLegal(l.Moves[ply]) {
			return fmt.Errorf("ply %d: move %s is illegal in %q", ply, l.Moves[ply], pos.FEN())
		}
		if err := f(&pos, ply); err != nil || ply == n {
			return err
		}
		pos.Play(l.Moves[ply])
	}
}

// maxColumn is the greatest index of a fingerprint or network.
const maxColumn = 999_999

// CheckForm checks what needs no board: that every number is in its range, that policies, labels and predictions are
// one for each sample and their columns in order, and that no label or prediction contradicts its status.
func (l *Line) CheckForm() error {
	if !l.Source.Known() || int(l.Result) >= len(resultNames) {
		return fmt.Errorf("source %v or result %v is unknown", l.Source, l.Result)
	}
	if l.Input < 0 || l.Number < 0 || l.Offset < 0 {
		return fmt.Errorf("input %d, number %d or offset %d is negative", l.Input, l.Number, l.Offset)
	}
	if min(l.WhiteElo, l.BlackElo) < 0 || max(l.WhiteElo, l.BlackElo) > math.MaxUint16 {
		return fmt.Errorf("rating %d or %d is not in 0 … 65535", l.WhiteElo, l.BlackElo)
	}
	if l.Reconstructed < 0 || l.Reconstructed > len(l.Moves) {
		return fmt.Errorf("%d reconstructed plies in a line of %d moves", l.Reconstructed, len(l.Moves))
	}
	if err := l.checkClocks(); err != nil {
		return err
	}
	samples := l.SampleCount()
	if l.Policies != nil && len(l.Policies) != samples {
		return fmt.Errorf("%d policies for %d samples", len(l.Policies), samples)
	}
	last := -1
	for _, c := range l.Labels {
		if c.Fingerprint <= last || c.Fingerprint > maxColumn || len(c.Labels) != samples {
			return fmt.Errorf("%d labels of fingerprint %d after %d, for %d samples", len(c.Labels), c.Fingerprint,
				last, samples)
		}
		last = c.Fingerprint
		for k := range c.Labels {
			if err := c.Labels[k].checkForm(); err != nil {
				return fmt.Errorf("label %d of fingerprint %d: %w", k, c.Fingerprint, err)
			}
		}
	}
	last = -1
	for _, c := range l.Predictions {
		if c.Network <= last || c.Network > maxColumn || len(c.Predictions) != samples {
			return fmt.Errorf("%d predictions of network %d after %d, for %d samples", len(c.Predictions), c.Network,
				last, samples)
		}
		last = c.Network
		for k := range c.Predictions {
			if err := c.Predictions[k].checkForm(); err != nil {
				return fmt.Errorf("prediction %d of network %d: %w", k, c.Network, err)
			}
		}
	}
	return nil
}

// checkHead checks what needs no replay.
func (l *Line) checkHead() error {
	if err := l.Samples.check(len(l.Moves)); err != nil {
		return err
	}
	if err := l.CheckForm(); err != nil {
		return err
	}
	for _, t := range l.Tags {
		if t.Name == "" || !utf8.ValidString(t.Name) || !utf8.ValidString(t.Value) {
			return fmt.Errorf("tag %q %q is not valid UTF-8 or has no name", t.Name, t.Value)
		}
	}
	start, err := board.ParseFEN(l.Start.FEN())
	if err != nil {
		return fmt.Errorf("start position: %w", err)
	}
	if start != l.Start {
		return fmt.Errorf("start position %q is not canonical", l.Start.FEN())
	}
	return nil
}

// checkSample checks the policy and the labels of the k-th sample.
func (l *Line) checkSample(pos *board.Position, k int) error {
	if l.Policies != nil {
		for _, t := range l.Policies[k] {
			if !pos.IsLegal(t.Move) {
				return fmt.Errorf("policy move %s is illegal in %q", t.Move, pos.FEN())
			}
			if !(t.Weight >= 0) || math.IsInf(float64(t.Weight), 0) {
				return fmt.Errorf("policy weight %v of %s", t.Weight, t.Move)
			}
		}
	}
	for _, c := range l.Labels {
		if err := c.Labels[k].Check(pos); err != nil {
			return fmt.Errorf("label of fingerprint %d: %w", c.Fingerprint, err)
		}
	}
	for _, c := range l.Predictions {
		if err := c.Predictions[k].Check(pos); err != nil {
			return fmt.Errorf("prediction of network %d: %w", c.Network, err)
		}
	}
	return nil
}

var errUnlabelled = errors.New("has a move or lines without being labelled")

// Check returns an error unless the label makes sense for a position: every move of it is legal there, and every number
// is in its range.
func (l *Label) Check(pos *board.Position) error {
	if err := l.checkForm(); err != nil || l.Status != Labelled {
		return err
	}
	if l.Best != board.NoMove && !pos.IsLegal(l.Best) {
		return fmt.Errorf("best move %s is illegal in %q", l.Best, pos.FEN())
	}
	for rank := range l.Lines {
		p := *pos
		for i, m := range l.Lines[rank].PV {
			if !p.IsLegal(m) {
				return fmt.Errorf("line %d: move %d of its variation, %s, is illegal in %q", rank+1, i+1, m, p.FEN())
			}
			p.Play(m)
		}
	}
	return nil
}

// checkForm checks what needs no position. A source may give one score without a move.
func (l *Label) checkForm() error {
	if l.Status != Labelled {
		if l.Status > Failed {
			return fmt.Errorf("unknown status %d", l.Status)
		}
		if l.Best != board.NoMove || len(l.Lines) > 0 {
			return errUnlabelled
		}
		return nil
	}
	if n := len(l.Lines); n < 1 || n > 256 || l.Best == board.NoMove && (n > 1 || len(l.Lines[0].PV) > 0) {
		return fmt.Errorf("%d lines, not 1 … 256, or no best move of several", n)
	}
	for rank := range l.Lines {
		s := &l.Lines[rank]
		if !s.Score.Valid() || s.Depth < 0 || s.Depth > math.MaxUint16 || s.Nodes < 0 {
			return fmt.Errorf("line %d: %v, depth %d, nodes %d", rank+1, s.Score, s.Depth, s.Nodes)
		}
		if s.WDL != (WDL{}) && int(s.WDL.Win)+int(s.WDL.Draw)+int(s.WDL.Loss) != 1000 {
			return fmt.Errorf("line %d: %v does not sum to 1000", rank+1, s.WDL)
		}
	}
	return nil
}
