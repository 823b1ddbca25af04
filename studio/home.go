package studio

import (
	"fmt"
	"slices"
	"strings"

	"talbot/internal/chart"
	"talbot/internal/humanize"
	"talbot/network/model"
)

// homePage is the first page.
type homePage struct {
	Roots                   []root
	Datasets, Runs, Matches []*folder
}

func (s *Server) home() homePage {
	by := map[kind][]*folder{}
	for _, f := range s.library.look() {
		by[f.Kind] = append(by[f.Kind], f)
	}
	return homePage{s.library.roots, by[aDataset], by[aRun], by[aMatch]}
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
func (f *folder) Labels() int64 { return f.Manifest.Counts.Labelled + f.Manifest.Counts.Terminal }

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
