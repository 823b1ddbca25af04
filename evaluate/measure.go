package evaluate

import (
	"cmp"
	"slices"

	"talbot/network/predict"
)

// Measure is one figure of how good a network is. Its entry in the list of measures.go is all there is of it: tallies,
// intervals, JSON, the card and the page go through the list.
type Measure struct {
	Name  string       // in JSON
	Head  Head         // of the network, that is measured
	Needs Capabilities // what the network must know
	Kind  Kind
	Lower bool // the lower the better; of a count or a share without a better side it says nothing

	Interval bool   // it has a bootstrap interval
	Baseline string // the measure that any network should beat; "" = none
	Fitted   string // another one, that is fitted on train samples
	Verdict  bool   // the head is judged by it, against its baseline
	// Targetless measures of moves look at no target.
	Targetless bool
	Apart      bool // it belongs to another part of the report: it has an interval, and is no member of [Figures]' JSON

	Row    string // name on the card; "" = it has no row there
	Rare   bool   // it has a row only where there is a figure of all samples
	Tile   Tile   // at the top of the page
	Column Column // of the page's tables
	As     string // name of a baseline on the page

	sums sums
	at   int // of its sums in a tally
}

// Head is what a measure is about.
type Head string

// The heads. Measures of none come first on the card.
const (
	NoHead     Head = ""
	PolicyHead Head = "policy"
	ValueHead  Head = "value"
)

// Kind is how a figure is written.
type Kind uint8

const (
	Number Kind = iota
	Share       // in [0, 1], the higher the better unless Lower says otherwise; written as a percentage
	Count
)

// Tile is how the page shows a measure at its top. Without a name it does not.
type Tile struct {
	Name, Help string
	Decimals   int    // of a [Number]
	Of         string // the measure that counts what it is a share of; "" = none
	Unseen     bool   // the figure of the unseen samples stands beside it
}

// Column is that of a measure in the page's tables: its title, "" for none, and its place among the columns.
type Column struct {
	Title string
	Place int
}

// Capabilities says what can be measured of a network.
type Capabilities struct {
	predict.Capabilities
	Probability bool // its values and the labels can be compared as win probabilities
}

// Has reports whether all that is needed is known.
func (k Capabilities) Has(needs Capabilities) bool {
	return (k.Prior || !needs.Prior) && (k.Others || !needs.Others) && (k.Value || !needs.Value) &&
		(k.WDL || !needs.WDL) && (k.Probability || !needs.Probability)
}

// sums are how a figure is computed: from n sums over samples, of any meaning.
type sums struct {
	n      int
	add    func(sums []float64, q *assessment)
	figure func(sums []float64) (figure float64, ok bool)
}

// mean is that of f over the samples for which it is true.
func mean(f func(q *assessment) (x float64, ok bool)) sums {
	return sums{n: 2,
		add: func(sums []float64, q *assessment) {
			if x, ok := f(q); ok {
				sums[0] += x
				sums[1]++
			}
		},
		figure: func(sums []float64) (float64, bool) { return sums[0] / sums[1], sums[1] > 0 }}
}

// number counts the samples for which f is true.
func number(f func(q *assessment) bool) sums {
	return sums{n: 1,
		add: func(sums []float64, q *assessment) {
			if f(q) {
				sums[0]++
			}
		},
		figure: func(sums []float64) (float64, bool) { return sums[0], true }}
}

// judged reports whether the measure has an interval and a baseline.
func (m *Measure) judged() bool { return m.Interval && m.Baseline != "" }

// tally is the sums of all measures, one after the other. Those of measures with an interval are first, and of these
// the ones with a baseline.
type tally []float64

// width is the length of a tally, drawn how much of it the bootstrap draws, and drawnOfGroups how much for groups.
var width, drawn, drawnOfGroups = arrange()

// arrange gives each measure its place in a tally.
func arrange() (width, drawn, ofGroups int) {
	place := func(which func(m *Measure) bool) int {
		for _, m := range measures {
			if which(m) {
				m.at = width
				width += m.sums.n
			}
		}
		return width
	}
	ofGroups = place((*Measure).judged)
	drawn = place(func(m *Measure) bool { return m.Interval && !m.judged() })
	place(func(m *Measure) bool { return !m.Interval })
	return width, drawn, ofGroups
}

func newTally() tally { return make(tally, width) }

// add adds another tally n times.
func (t tally) add(u tally, n float64) {
	for i, x := range u[:len(t)] {
		t[i] += n * x
	}
}

// score adds a sample.
func (t tally) score(q *assessment, capabilities Capabilities) {
	for _, m := range measures {
		if m.sums.add != nil && capabilities.Has(m.Needs) {
			m.sums.add(t[m.at:m.at+m.sums.n], q)
		}
	}
}

// figure is that of a measure; false without any sample that it is over.
func (t tally) figure(m *Measure) (float64, bool) {
	if m.sums.figure == nil {
		return 0, false
	}
	return m.sums.figure(t[m.at : m.at+m.sums.n])
}

func (t tally) figures() Figures {
	f := Figures{}
	for _, m := range measures {
		if x, ok := t.figure(m); ok {
			f[m.Name] = x
		}
	}
	return f
}

// Measures returns the measures in the order of JSON.
func Measures() []*Measure { return measures }

// ByHead returns the measures in the order of the card: those of no head, of the policy, of the value, and baselines
// that are fitted after the others of their measures.
func ByHead() []*Measure {
	heads := []Head{NoHead, PolicyHead, ValueHead}
	behind := map[string]*Measure{}
	for _, m := range measures {
		if fitted := ByName(m.Fitted); fitted != nil {
			behind[m.Baseline] = fitted
		}
	}
	list := slices.DeleteFunc(slices.Clone(measures), func(m *Measure) bool { return m.fitted() })
	slices.SortStableFunc(list, func(a, b *Measure) int {
		return cmp.Compare(slices.Index(heads, a.Head), slices.Index(heads, b.Head))
	})
	var card []*Measure
	for _, m := range list {
		card = append(card, m)
		if fitted := behind[m.Name]; fitted != nil {
			card = append(card, fitted)
		}
	}
	return card
}

// fitted reports whether the measure is a baseline that is fitted.
func (m *Measure) fitted() bool {
	return slices.ContainsFunc(measures, func(of *Measure) bool { return of.Fitted == m.Name })
}

// Columns returns the measures that the page's tables have, in the order of their columns.
func Columns() []*Measure {
	list := slices.DeleteFunc(slices.Clone(measures), func(m *Measure) bool { return m.Column.Title == "" })
	slices.SortStableFunc(list, func(a, b *Measure) int { return cmp.Compare(a.Column.Place, b.Column.Place) })
	return list
}

// ByName returns the measure of that name, or nil.
func ByName(name string) *Measure {
	for _, m := range measures {
		if m.Name == name {
			return m
		}
	}
	return nil
}
