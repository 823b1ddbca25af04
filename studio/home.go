package studio

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"talbot/dataset"
	"talbot/internal/chart"
	"talbot/internal/humanize"
	"talbot/network/model"
)

// homePage is the first page.
type homePage struct {
	Roots                            []root
	Datasets, Runs, Matches, Reviews []*folder
}

func (s *Server) home() homePage {
	by := map[kind][]*folder{}
	for _, f := range s.library.look() {
		by[f.Kind] = append(by[f.Kind], f)
	}
	return homePage{s.library.roots, by[aDataset], by[aRun], by[aMatch], by[aReview]}
}

// sortedHome is the first page with its tables sorted.
type sortedHome struct {
	homePage
	Sort string // a column of [orders], or "name"
}

// orders has by column what rows are sorted by, the largest first.
var orders = map[string]func(*folder) float64{
	"changed": func(f *folder) float64 { return float64(f.Changed.Unix()) },
	"steps":   func(f *folder) float64 { return float64(f.Step) },
	"top1":    func(f *folder) float64 { return orLowest(f.Top1, 1) },
	"nats":    func(f *folder) float64 { return orLowest(f.Nats, -1) },
	"samples": func(f *folder) float64 { return float64(f.counts().Samples) },
	"labels":  func(f *folder) float64 { return float64(f.Labels()) },
	"elo": func(f *folder) float64 {
		if f.Result == nil || !f.Result.Elo.Known() {
			return math.Inf(-1)
		}
		return float64(f.Result.Elo)
	},
}

// figure writes a figure of a run, so many times.
func figure(x *float64, times float64, format string) string {
	if x == nil {
		return "–"
	}
	return fmt.Sprintf(format, times**x)
}

func orLowest(x *float64, sign float64) float64 {
	if x == nil {
		return math.Inf(-1)
	}
	return sign * *x
}

// sorted sorts the tables by a column; those of another table are left by name.
func (p homePage) sorted(column string) sortedHome {
	by := orders[column]
	if by == nil {
		return sortedHome{p, "name"}
	}
	for _, list := range [][]*folder{p.Datasets, p.Runs, p.Matches, p.Reviews} {
		slices.SortStableFunc(list, func(a, b *folder) int { return cmp.Compare(by(b), by(a)) })
	}
	return sortedHome{p, column}
}

// Head is the head of a column by which tables can be sorted: a link.
func (p sortedHome) Head(column, words string) template.HTML {
	if column == p.Sort {
		return template.HTML(words + " ▾") // ours
	}
	return template.HTML(`<a href="/?sort=` + column + `">` + words + `</a>`)
}

// When is when a folder last changed, in UTC.
func (f *folder) When() string { return f.Changed.UTC().Format("2006-01-02 15:04") }

// counts are a dataset's; nothing before it is finished.
func (f *folder) counts() (c dataset.Counts) {
	if f.Manifest != nil {
		c = f.Manifest.Counts
	}
	return c
}

// Size is the bytes of a dataset's shards, for people.
func (f *folder) Size() string {
	bytes := int64(0)
	for _, shard := range f.Manifest.Shards {
		bytes += shard.Bytes
	}
	return humanize.Size(float64(bytes))
}

// From names the inputs or parents of a dataset, a few of them.
func (f *folder) From() string {
	var names []string
	for _, in := range f.Manifest.Inputs {
		if in.Name == "draws" && in.Bytes == 0 { // of synth-endgames
			in.Name = "random positions"
		}
		names = append(names, in.Name)
	}
	for _, p := range f.Manifest.Parents {
		if len(f.Manifest.Inputs) == 0 {
			names = append(names, p.Name)
		}
	}
	if more := len(names) - 2; more > 0 {
		names = append(names[:2], fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}

// Labels returns the number of labels of a dataset.
func (f *folder) Labels() int64 { return f.counts().Labelled + f.counts().Terminal }

// Shown chooses the samples of a dataset that its page begins with: those with a label where most have none.
func (f *folder) Shown() string {
	if n := f.Labels(); n > 0 && 2*n < f.counts().Samples {
		return "?label=yes"
	}
	return ""
}

// LabelShare is the share of the samples that have a label; "" where none has.
func (f *folder) LabelShare() string {
	labels, samples := f.Labels(), f.Manifest.Counts.Samples
	if labels == 0 || samples == 0 {
		return ""
	}
	return fmt.Sprintf("%.3g %%", 100*float64(labels)/float64(samples))
}

// runNetwork describes the network of a run: recipe and settings, and the number of trainable parameters; 0: not known.
type runNetwork struct {
	Text       string
	Parameters int64
}

// Network is the network of a run.
func (f *folder) Network() runNetwork {
	built, err := f.Config.Build()
	if err != nil {
		return runNetwork{Text: f.Config.Recipe}
	}
	return runNetwork{f.Config.Recipe + ", " + built.Network.String(),
		int64(model.CountTrainable(built.Network.Params()))}
}

// Players names the players of a match that is over.
func (f *folder) Players() string {
	var names []string
	for _, p := range f.Result.Players {
		names = append(names, chart.Name(p.Name))
	}
	if len(names) > 2 {
		return names[0] + fmt.Sprintf(" – %d others", len(names)-1)
	}
	return strings.Join(names, " – ")
}

// Elo is the first player's, with its interval.
func (f *folder) Elo() string {
	r := f.Result
	if !r.Elo.Known() {
		return "–"
	}
	if !r.EloLow.Known() || !r.EloHigh.Known() {
		return fmt.Sprintf("%+.0f", float64(r.Elo))
	}
	return fmt.Sprintf("%+.0f (%+.0f\u00a0to\u00a0%+.0f)", float64(r.Elo), float64(r.EloLow), float64(r.EloHigh))
}

// The size of a sparkline.
const sparkWidth, sparkHeight = 120, 24

// spark is the path of a line through values, the lowest at the bottom.
func spark(values []float64) string {
	if len(values) < 2 {
		return ""
	}
	low, high := slices.Min(values), slices.Max(values)
	if !(high > low) {
		high = low + 1
	}
	var b strings.Builder
	for i, v := range values {
		step := "L"
		if i == 0 {
			step = "M"
		}
		fmt.Fprintf(&b, "%s%.1f %.1f", step, 2+float64(i)/float64(len(values)-1)*(sparkWidth-4),
			2+(high-v)/(high-low)*(sparkHeight-4))
	}
	return b.String()
}
