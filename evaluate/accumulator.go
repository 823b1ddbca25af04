package evaluate

import (
	"context"
	"fmt"

	"talbot/dataset"
	"talbot/network/predict"
)

// Accumulator sums up samples and a network's answers, in float64.
type Accumulator struct {
	totals
	tables Tables // that judge endgames; nil: only results stored with the samples count

	unseenSources map[string]tally
	audited       int64
	groups        [groupKinds]map[string]tally
	groupBoots    [groupKinds]bootstrap // that by source is part of boot
	values        bins
	confidence    bins
	symmetry      symmetryTally
	past          pastTally
	ends          endgames
	misses        misses
	styles        styleTally
	candidates    candidateTally
	ranges        []dataset.Band
	bands         []bandTally // of ranges
}

func newAccumulator(network predict.Capabilities, o Options) *Accumulator {
	a := &Accumulator{totals: newTotals(network, o), tables: o.Tables, unseenSources: map[string]tally{},
		candidates: candidateTally{Candidates: o.Candidates}, ranges: o.Bands, bands: newBands(o.Bands)}
	for kind := range a.groupBoots {
		a.groupBoots[kind].ofGroups = true
	}
	a.past.boot.ofGroups = true
	return a
}

// add takes samples and the answers to them. On an error nothing is added.
func (a *Accumulator) add(ctx context.Context, samples []Sample, answers []predict.Output) error {
	if len(answers) != len(samples) {
		return fmt.Errorf("%d answers to %d samples", len(answers), len(samples))
	}
	scores := make([]assessment, len(samples))
	for i := range samples {
		var err error
		if scores[i], err = a.score(&samples[i], &answers[i]); err == nil && a.candidates.Candidates != nil &&
			scores[i].hasPolicy() {
			scores[i].candidates, err = a.candidates.of(&samples[i])
		}
		if err != nil {
			return fmt.Errorf("sample %d: %w", i, err)
		}
		if at := samples[i].Origin; at != nil {
			if scores[i].ends, err = a.judge(ctx, &scores[i]); err != nil {
				return fmt.Errorf("endgame tables, asked about %s: %w", at.Position.FEN(), err)
			}
		}
	}
	t := newTally()
	for i := range scores {
		clear(t)
		t.score(&scores[i], a.capabilities)
		a.count(&scores[i], t)
	}
	return nil
}

// totals are the sums of a network over all samples and over the unseen ones.
type totals struct {
	scorer
	all, unseen tally
	boot        bootstrap
}

func newTotals(network predict.Capabilities, o Options) totals {
	return totals{scorer: newScorer(network, o), all: newTally(), unseen: newTally()}
}

// add adds a sample of a part, whose tally is t.
func (s *totals) add(sample *Sample, of part, t tally) {
	s.all.add(t, 1)
	if sample.Unseen {
		s.unseen.add(t, 1)
	}
	if sample.Origin != nil {
		s.boot.add(sample.Origin.Line, of, t)
	}
}

func everyPart(part) bool     { return true }
func unseenParts(p part) bool { return p.unseen }

// result returns the figures so far. Those of unseen samples are filled in only if it is known what was trained on.
func (s *totals) result(trainKnown bool) EntryResult {
	r := EntryResult{Figures: s.all.figures(), Intervals: s.boot.intervals(everyPart), Capabilities: s.capabilities}
	if trainKnown {
		r.Unseen, r.UnseenIntervals = s.unseen.figures(), s.boot.intervals(unseenParts)
	}
	return r
}

// count adds a sample, whose tally is t.
func (a *Accumulator) count(q *assessment, t tally) {
	s := q.sample
	a.totals.add(s, part{s.Source, s.Unseen}, t)
	if s.Unseen {
		in(a.unseenSources, s.Source, newTally).add(t, 1)
	}
	a.group(s, t)
	if b := a.bandOf(s); b != nil {
		b.add(s, t)
	}
	if q.labelled {
		a.values.add((q.value+1)/2, q.value, q.label, 20)
	}
	if a.capabilities.Prior && q.hasPolicy() {
		a.confidence.add(q.confidence, q.confidence, q.weightOfBest(1), 10)
		if a.candidates.Candidates != nil {
			a.candidates.add(&q.candidates, q.entropy)
		}
	}
	if s.Origin == nil {
		return
	}
	if q.labelled && s.Origin.Audited {
		a.audited++
	}
	a.ends.add(s, &q.ends)
	if a.capabilities.Prior {
		a.misses.offer(q, a.capabilities.Value)
	}
}

// Report returns the figures so far. Unseen is filled in only if it is known what was trained on.
func (a *Accumulator) Report(trainKnown bool) Report {
	all := a.result(trainKnown)
	r := Report{all.Figures, Parts{Intervals: all.Intervals, Capabilities: all.Capabilities, Unseen: all.Unseen,
		UnseenIntervals: all.UnseenIntervals,
		BySource:        figuresOf(a.groups[bySource]), ByPhase: figuresOf(a.groups[byPhase]),
		ByPieces: figuresOf(a.groups[byPieces]), ByRating: figuresOf(a.groups[byRating]),
		BySide: figuresOf(a.groups[bySide]), GroupIntervals: a.groupIntervals(),
		Calibration: a.values.list(-1, 1, 20), Confidence: a.confidence.list(0, 1, 10), Misses: a.misses.sorted(),
		Audited: AuditedError{a.audited, all.Figures.Of("audited_value_mse")}, History: a.past.report(),
		Symmetry: a.symmetry.report(a.capabilities), Endgames: a.ends.report(trainKnown),
		Bands: a.bandReports(trainKnown), Style: a.styles.report()}}
	if a.simple != (Simple{}) {
		r.Simple = &a.simple
	}
	if trainKnown {
		r.UnseenBySource = map[string]SourceFigures{}
		for source, t := range a.unseenSources {
			r.UnseenBySource[source] = SourceFigures{t.figures(),
				Bounds{a.boot.intervals(func(p part) bool { return p == part{source, true} })}}
		}
	}
	if g := r.Endgames; g != nil {
		g.Moves.bootstrapped(r.Intervals)
		if g.Unseen != nil {
			g.Unseen.Moves.bootstrapped(r.UnseenIntervals)
		}
	}
	return r
}

// bootstrapped takes the bootstrap's interval, where there is one.
func (k *Kept) bootstrapped(intervals Intervals) {
	if i, ok := intervals["endgame_moves_kept"]; ok && k.Kept != nil {
		k.Interval = &i
	}
}
