package evaluate

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"

	"talbot/encode"
)

// Entry is a network that is compared with others on the same samples.
type Entry struct {
	Name    string // for display
	Network Network
	Setting int // its number; networks of one setting differ in what was drawn for them
	Reader  int // whose samples it is asked about: networks that read and learn alike have the same

	Layout encode.Layout // of the recipe
	// See [Options].
	PredictedProbability, LabelProbability func(value float32) float64

	Values    string // what its values mean, and what they are compared with: the same text, the same scale
	Moves     string // what its moves are compared with, as "played"
	LegalMask bool   // its probabilities of illegal moves mean nothing
}

// Comparison is what several networks are worth on the same samples, and by how much they differ there.
type Comparison struct {
	Networks []EntryResult `json:"-"` // as they were given
	// Differences are those of each later setting from the first one, on "unseen" samples and on "all".
	Differences  []Difference   `json:"differences"`
	Incomparable []Incomparable `json:"not_comparable"`
	Lines        int64          `json:"lines"`        // that the samples are of
	UnseenLines  int64          `json:"unseen_lines"` // that have unseen ones
}

// EntryResult is what one network is worth.
type EntryResult struct {
	Figures         Figures      `json:"figures"`
	Intervals       Intervals    `json:"intervals"`
	Unseen          Figures      `json:"unseen"` // nil if it is not known what was trained on
	UnseenIntervals Intervals    `json:"unseen_intervals"`
	Capabilities    Capabilities `json:"-"`
}

// Difference is by how much a figure of a setting differs from that of the first one, both the means of their networks.
type Difference struct {
	On      string  `json:"on"`      // "all" or "unseen"
	Setting int     `json:"setting"` // its number
	Measure string  `json:"measure"`
	Samples int64   `json:"samples"` // that the figures are over
	Figure  float64 `json:"figure"`
	First   float64 `json:"first"` // the figure of the first setting
	// Difference is Figure less First. The interval is that of these networks over the games that could have been
	// drawn, from the bootstrap: the games are drawn alike for all networks. Nil: there are too few.
	Difference float64     `json:"difference"`
	Interval   *[2]float64 `json:"interval"`
	Verdict    Verdict     `json:"verdict"`
	// Seeds is the same for networks that other seeds would have given; nil unless both settings have several
	// networks, and an interval.
	Seeds *SeedReport `json:"seeds"`
}

// Write writes a figure of the measure.
func (m *Measure) Write(x float64) string { return FormatFigure(x, m.Kind == Share) }

// FormatFigure writes a figure for display: a share in percent with two decimals, any other with four.
func FormatFigure(x float64, share bool) string {
	if share {
		return fmt.Sprintf("%.2f %%", 100*x)
	}
	return fmt.Sprintf("%.4f", x)
}

// WriteDifference writes a difference of two figures, with its sign; that of shares is in percentage points.
func (m *Measure) WriteDifference(x float64) string {
	if m.Kind == Share {
		return fmt.Sprintf("%+.2f", 100*x)
	}
	return fmt.Sprintf("%+.4f", x)
}

// Final is the verdict that counts: that on the settings, where there is one.
func (d *Difference) Final() (Verdict, *[2]float64) {
	if d.Seeds != nil {
		return d.Seeds.Verdict, &d.Seeds.Interval
	}
	return d.Verdict, d.Interval
}

// Incomparable is a figure that says nothing about the difference of two settings.
type Incomparable struct {
	Setting int    `json:"setting"`
	Measure string `json:"measure"`
	Reason  string `json:"reason"`
}

// On are the differences of a setting on "all" or "unseen" samples, in the order of [Measures].
func (c *Comparison) On(on string, setting int) (list []*Difference) {
	for i := range c.Differences {
		if d := &c.Differences[i]; d.On == on && d.Setting == setting {
			list = append(list, d)
		}
	}
	return list
}

// Heads are the differences that a setting is judged by, one for each head that can be compared: those of the measures
// with a verdict, and of the win probability where values are on different scales. They are on unseen samples where
// these are known.
func (c *Comparison) Heads(setting int) (list []*Difference) {
	on := "all"
	if c.Networks[0].Unseen != nil {
		on = "unseen"
	}
	has := map[Head]bool{}
	for _, d := range c.On(on, setting) {
		m := ByName(d.Measure)
		if !has[m.Head] && (m.Verdict || m.Needs.Probability) {
			list, has[m.Head] = append(list, d), true
		}
	}
	return list
}

// entry is a network in a running comparison.
type entry struct {
	Entry
	totals
	asks evaluation
}

// ComparePaired asks several networks about the same samples, a batch at a time. Of each sample there is one for each
// reader, in which only what the recipe reads and learns differs; what one of them has no target for is compared in
// none. It stops at the first error of the samples, a network or ctx. trainKnown reports that it is known which samples
// are unseen.
func ComparePaired(ctx context.Context, entries []Entry, samples iter.Seq2[[]Sample, error], batch int,
	trainKnown bool) (*Comparison, error) {
	p := &pairing{lines: map[bool]int64{}, last: map[bool]int64{false: -1, true: -1}}
	layouts := map[int]*encode.Layout{}
	for _, c := range entries {
		s := &entry{Entry: c, asks: evaluation{network: c.Network}, totals: newTotals(c.Network.Capabilities(),
			Options{Layout: c.Layout, PredictedProbability: c.PredictedProbability,
				LabelProbability: c.LabelProbability})}
		p.networks = append(p.networks, s)
		layouts[c.Reader] = &s.Layout
	}
	for groups, err := range batches(ctx, samples, batch) {
		for _, group := range groups {
			sameTargets(group, layouts)
		}
		if err == nil {
			err = p.add(ctx, groups)
		}
		if err != nil {
			return nil, err
		}
	}
	return p.comparison(trainKnown), nil
}

// sameTargets takes from a sample what one of the readers has no target for, where it learns such.
func sameTargets(group []Sample, layouts map[int]*encode.Layout) {
	drop := func(has, lacks func(i int) bool, take func(i int)) {
		for i := range group {
			if has(i) && lacks(i) {
				for k := range group {
					if has(k) {
						take(k)
					}
				}
				return
			}
		}
	}
	drop(func(i int) bool { return layouts[i].Moves != encode.NoMoves },
		func(i int) bool { return len(group[i].Policy) == 0 },
		func(i int) { group[i].Policy = nil })
	for _, name := range []string{encode.ValueFloat, encode.ResultFloat} {
		at := func(i int) int { return layouts[i].Float(name) }
		drop(func(i int) bool { return at(i) >= 0 },
			func(i int) bool { _, ok := float(&group[i], at(i)); return !ok },
			func(i int) {
				if k := at(i); k < len(group[i].Floats) {
					group[i].Floats[k] = float32(math.NaN())
				}
			})
	}
}

// pairing is a comparison in progress.
type pairing struct {
	networks []*entry
	lines    map[bool]int64 // of all samples, and of the unseen ones (true)
	last     map[bool]int64
}

// add takes samples, each as each reader sees it.
func (p *pairing) add(ctx context.Context, samples [][]Sample) error {
	scores := make([][]assessment, len(p.networks))
	for k, n := range p.networks {
		mine := make([]Sample, len(samples))
		for i := range samples {
			mine[i] = samples[i][n.Reader]
		}
		answers, err := n.asks.ask(ctx, mine, nil)
		if err != nil {
			return err
		}
		for i := range mine {
			q, err := n.score(&mine[i], &answers[i])
			if err != nil {
				return fmt.Errorf("%s, sample %d: %w", n.Name, i, err)
			}
			scores[k] = append(scores[k], q)
		}
	}
	t := newTally()
	for i := range samples {
		s := &samples[i][0]
		p.count(false, s)
		if s.Unseen {
			p.count(true, s)
		}
		p.sameLabel(scores, i)
		for k, n := range p.networks {
			clear(t)
			t.score(&scores[k][i], n.capabilities)
			n.totals.add(s, part{unseen: s.Unseen}, t)
		}
	}
	return nil
}

// count counts the line of a sample, unless it has.
func (p *pairing) count(unseen bool, s *Sample) {
	if s.Origin != nil && s.Origin.Line != p.last[unseen] {
		p.lines[unseen]++
		p.last[unseen] = s.Origin.Line
	}
}

// sameLabel compares all win probabilities with that of the label by the first network that knows one: the position has
// only one, and the targets differ a little in it.
func (p *pairing) sameLabel(scores [][]assessment, i int) {
	var label *float64
	for k, n := range p.networks {
		if q := &scores[k][i]; n.capabilities.Probability && q.labelled {
			if label == nil {
				label = &q.likelyLabel
			}
			q.likelyLabel = *label
		}
	}
}

func (p *pairing) comparison(trainKnown bool) *Comparison {
	c := &Comparison{Differences: []Difference{}, Incomparable: []Incomparable{}, Lines: p.lines[false],
		UnseenLines: p.lines[true]}
	settings := map[int][]*entry{}
	for _, n := range p.networks {
		c.Networks = append(c.Networks, n.result(trainKnown))
		settings[n.Setting] = append(settings[n.Setting], n)
	}
	for _, k := range slices.Sorted(maps.Keys(settings)) {
		if k == 0 {
			continue
		}
		var comparable []*Measure
		for _, m := range measures {
			if !m.Interval || m.Apart {
				continue
			}
			if reason := m.incomparable(settings[0], settings[k]); reason == "" {
				comparable = append(comparable, m)
			} else if reason != noNetwork {
				c.Incomparable = append(c.Incomparable, Incomparable{k, m.Name, reason})
			}
		}
		over := func(on string, chosen func(part) bool) {
			c.Differences = append(c.Differences, differences(on, k, comparable, settings[0], settings[k], chosen)...)
		}
		if trainKnown {
			over("unseen", unseenParts)
		}
		over("all", everyPart)
	}
	return c
}

// noNetwork: no network has such a figure. It explains why there is no difference.
const noNetwork = "no network has it"

// incomparable says why a figure of two settings cannot be compared; "" if it can.
func (m *Measure) incomparable(first, later []*entry) string {
	both := slices.Concat(first, later)
	var without []string
	for _, n := range both {
		if !n.capabilities.Has(m.Needs) {
			without = append(without, n.Name)
		}
	}
	switch {
	case len(without) == len(both):
		return noNetwork
	case len(without) > 0:
		verb := " lacks "
		if len(without) > 1 {
			verb = " lack "
		}
		return strings.Join(without, ", ") + verb + m.Needs.lacking(first[0].capabilities, later[0].capabilities)
	}
	for _, n := range both {
		if m.Needs.Others && n.LegalMask {
			return n.Name + " was trained with --legal-mask: what it says of illegal moves means nothing"
		}
	}
	for _, n := range both[1:] {
		a, b := both[0], n
		switch {
		case m.Head == PolicyHead && a.Layout.Candidates != b.Layout.Candidates:
			return fmt.Sprintf("%s and %s do not choose among the same moves: one sees candidates only", a.Name, b.Name)
		case m.Needs.Others && a.Layout.Indices != b.Layout.Indices:
			return fmt.Sprintf("it is over all moves that a recipe numbers: %d of %s, %d of %s", a.Layout.Indices,
				a.Name, b.Layout.Indices, b.Name)
		case m.Head == PolicyHead && !m.Targetless && a.Moves != b.Moves:
			return fmt.Sprintf("%s is compared with the policy target %s, %s with %s; --policy-target sets one for "+
				"all", a.Name, a.Moves, b.Name, b.Moves)
		case m.Needs == value && a.Values != b.Values:
			return fmt.Sprintf("the values of %s and %s are on different scales; the win probability is on one", a.Name,
				b.Name)
		}
	}
	return ""
}

// lacking says what a measure needs and not all networks have.
func (needs Capabilities) lacking(networks ...Capabilities) string {
	lacks := func(of func(k Capabilities) bool) bool {
		return of(needs) && !(of(networks[0]) && of(networks[1]))
	}
	switch {
	case lacks(func(k Capabilities) bool { return k.Prior }):
		return "a policy"
	case lacks(func(k Capabilities) bool { return k.Others }):
		return "probabilities of illegal moves"
	case lacks(func(k Capabilities) bool { return k.WDL }):
		return "chances of win, draw and loss"
	case lacks(func(k Capabilities) bool { return k.Value }):
		return "a value"
	}
	return "a known win probability of its values"
}

// differences are those of two settings over the chosen parts.
func differences(on string, setting int, list []*Measure, first, later []*entry,
	chosen func(part) bool) (all []Difference) {
	over := func(n *entry) tally {
		if on == "unseen" {
			return n.unseen
		}
		return n.all
	}
	drawnOf := func(list []*entry) (sums [][]tally) {
		for _, n := range list {
			sums = append(sums, n.boot.union(chosen))
		}
		return sums
	}
	drawnFirst, drawnLater := drawnOf(first), drawnOf(later)
	for _, m := range list {
		ofFirst, ok := figuresOfAll(m, first, over)
		ofLater, ok2 := figuresOfAll(m, later, over)
		if !ok || !ok2 {
			continue
		}
		d := Difference{On: on, Setting: setting, Measure: m.Name, Samples: m.Samples(over(first[0]).figures()),
			Figure: spread(ofLater).mean, First: spread(ofFirst).mean, Verdict: TooFew}
		d.Difference = d.Figure - d.First
		if i, ok := within95(drawnDifferences(m, drawnFirst, drawnLater)); ok {
			d.Interval, d.Verdict = &i, Compare(d.Difference, 0, m.Lower, &i)
			if len(first) > 1 && len(later) > 1 {
				r := ofSeeds(ofLater, ofFirst, i, m.Lower)
				d.Seeds = &r
			}
		}
		all = append(all, d)
	}
	return all
}

// figuresOfAll are the figures of networks; false if one has none.
func figuresOfAll(m *Measure, list []*entry, over func(*entry) tally) (figures []float64, ok bool) {
	for _, n := range list {
		x, ok := over(n).figure(m)
		if !ok {
			return nil, false
		}
		figures = append(figures, x)
	}
	return figures, true
}

// drawnDifferences is the difference of the means in each replicate that has one.
func drawnDifferences(m *Measure, first, later [][]tally) (values []float64) {
	mean := func(of [][]tally, replicate int) (sum float64, ok bool) {
		for _, sums := range of {
			if sums == nil {
				return 0, false
			}
			x, ok := sums[replicate].figure(m)
			if !ok {
				return 0, false
			}
			sum += x / float64(len(of))
		}
		return sum, true
	}
	for r := range replicates {
		a, ok := mean(first, r)
		b, ok2 := mean(later, r)
		if ok && ok2 {
			values = append(values, b-a)
		}
	}
	return values
}
