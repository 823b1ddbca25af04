package evaluate

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// Intervals are 95 % intervals of figures, by the names of their measures.
type Intervals map[string][2]float64

// Verdict says how a figure stands to a baseline.
type Verdict string

// The verdicts. Unclear: the interval of the figure holds the baseline, or there are too few games for an interval,
// which [Comparison] tells apart.
const (
	Better  Verdict = "better"
	Same    Verdict = "no better" // the very same
	Worse   Verdict = "worse"
	Unclear Verdict = "no clear difference"
	TooFew  Verdict = "too few games" // for an interval
)

// Phrase is the verdict in words, to be followed by the baseline.
func (v Verdict) Phrase() string {
	if v == Unclear {
		return string(v) + " from"
	}
	return string(v) + " than"
}

// Compare holds a figure against a baseline, where a lower figure is better or not. The interval is the figure's; nil:
// none is known, and the figure alone decides.
func Compare(x, baseline float64, lower bool, interval *[2]float64) Verdict {
	switch {
	case interval != nil && interval[0] <= baseline && baseline <= interval[1]:
		return Unclear
	case x == baseline:
		return Same
	case (x < baseline) == lower:
		return Better
	}
	return Worse
}

// Judgement is a figure held against the best of its baselines.
type Judgement struct {
	On       string      `json:"on"`              // "all", "unseen", or a member of groups such as "by_phase"
	Group    string      `json:"group,omitempty"` // its name in that member
	Measure  string      `json:"measure"`
	Verdict  Verdict     `json:"verdict"`
	Samples  int64       `json:"samples"` // that the figure is over
	Figure   float64     `json:"figure"`
	Interval *[2]float64 `json:"interval"` // or nil
	Baseline string      `json:"baseline"` // the name of its measure
	Against  float64     `json:"baseline_figure"`
}

// BaselineMeasure is the baseline's measure.
func (j *Judgement) BaselineMeasure() *Measure { return ByName(j.Baseline) }

// Level reports whether the figure is as good as its baseline, which more positions would hardly change: nothing is
// clear, though the interval is narrower than a tenth of the baseline.
func (j *Judgement) Level() bool {
	return j.Verdict == Unclear && j.Interval != nil && j.Interval[1]-j.Interval[0] < math.Abs(j.Against)/10
}

// Remedy says what to change in the next training, where the verdict is [Worse] or [Judgement.Level]; "" otherwise. The
// figures are those that were judged, of a network that was trained over the legal moves only or, with masked false,
// over all.
func (j *Judgement) Remedy(f Figures, masked bool) string {
	if j.Verdict != Worse && !j.Level() {
		return ""
	}
	if ByName(j.Measure).Head == ValueHead {
		if with, all := f.Count("value_samples"), f.Count("samples"); with*2 < all {
			return fmt.Sprintf("only %.0f %% of the samples have a value to learn: label more of them", 100*
				float64(with)/float64(all))
		}
		return "train longer, on more samples, or with a larger --value-weight where the recipe has it"
	}
	if f["illegal_mass"] > 0.1 && !masked {
		return fmt.Sprintf("%.0f %% of the probability falls on illegal moves: train longer, or with --legal-mask "+
			"where the recipe has it", 100*f["illegal_mass"])
	}
	return "train longer, on more samples, or with a larger network"
}

// Judge holds the measure's figure against the best of its baselines: this is where every verdict comes from, on the
// terminal, on the page and in JSON. False if the figure or all baselines are missing. Intervals of nil are not known,
// and the figure alone decides; one that is missing among others could not be had of so few games, and nothing is
// clear.
func (m *Measure) Judge(f Figures, intervals Intervals) (Judgement, bool) {
	x, ok := f[m.Name]
	j := Judgement{Measure: m.Name, Figure: x, Samples: m.Samples(f)}
	for _, name := range []string{m.Baseline, m.Fitted} {
		b, known := f[name]
		if known && (j.Baseline == "" || b != j.Against && (b < j.Against) == m.Lower) {
			j.Baseline, j.Against = name, b
		}
	}
	if !ok || j.Baseline == "" {
		return Judgement{}, false
	}
	if i, ok := intervals[m.Name]; ok {
		j.Interval = &i
	}
	if j.Verdict = Compare(x, j.Against, m.Lower, j.Interval); j.Interval == nil && intervals != nil {
		j.Verdict = Unclear
	}
	return j, true
}

// Samples is how many samples a figure of the measure is over: those with a move to find, or with a value.
func (m *Measure) Samples(f Figures) int64 {
	switch m.Head {
	case PolicyHead:
		return f.Count("policy_samples")
	case ValueHead:
		return f.Count("value_samples")
	}
	return f.Count("samples")
}

// GroupFigures are the figures of the groups of a kind, by name.
type GroupFigures struct {
	Member  string // of the JSON: "by_phase"
	Figures map[string]Figures
}

// Groups are the figures by group, in the order of the JSON.
func (p *Parts) Groups() []GroupFigures {
	return []GroupFigures{{"by_source", p.BySource}, {"by_phase", p.ByPhase}, {"by_pieces", p.ByPieces},
		{"by_rating", p.ByRating}, {"by_side", p.BySide}}
}

// Judgements are those of all measures with a baseline, over all samples, over the unseen ones, and by group.
func (r *Report) Judgements() []Judgement {
	list := []Judgement{}
	add := func(on, group string, f Figures, intervals Intervals) {
		for _, m := range measures {
			if j, ok := m.Judge(f, intervals); ok {
				j.On, j.Group = on, group
				list = append(list, j)
			}
		}
	}
	add("all", "", r.Figures, r.Intervals)
	add("unseen", "", r.Unseen, r.UnseenIntervals)
	for _, source := range slices.Sorted(maps.Keys(r.UnseenBySource)) {
		f := r.UnseenBySource[source]
		add("unseen_by_source", source, f.Figures, f.Intervals)
	}
	for _, g := range r.Groups() {
		for _, name := range slices.Sorted(maps.Keys(g.Figures)) {
			add(g.Member, name, g.Figures[name], r.GroupIntervals[g.Member][name])
		}
	}
	return list
}
