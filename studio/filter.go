package studio

import (
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"talbot/dataset"
	"talbot/inspect/samples"
)

// filter is a query as an address says it.
type filter struct {
	samples.Query
	values  url.Values // what is not empty
	problem string     // what cannot be understood; "" = nothing
}

// readFilter reads the filter of an address.
func readFilter(r *http.Request) filter {
	f := filter{values: url.Values{}}
	of := func(name string) string {
		text := strings.TrimSpace(r.FormValue(name))
		if text != "" {
			f.values.Set(name, text)
		}
		return text
	}
	choose := func(name string) int {
		text := of(name)
		for i, o := range choices[name] {
			if o.Name == text {
				return i
			}
		}
		f.problem = fmt.Sprintf("%s cannot be %q", name, text)
		return 0
	}
	if i := choose("source"); i > 0 {
		source := dataset.Sources()[i-1]
		f.Source = &source
	}
	if i := choose("split"); i > 0 {
		split := dataset.Split(i - 1)
		f.Split = &split
	}
	if i := choose("result"); i > 0 {
		result := []dataset.Result{dataset.WhiteWins, dataset.Draw, dataset.BlackWins, dataset.ResultUnknown}[i-1]
		f.Result = &result
	}
	if i := choose("past"); i > 0 {
		made := i == 2
		f.Reconstructed = &made
	}
	f.Label = samples.Labels(choose("label"))
	f.Against = samples.Against(choose("odd"))
	if f.Player = of("player"); len(f.Player) > 200 {
		f.Player, f.problem = "", "the player's name is too long"
	}
	number := func(name string, factor float64) (int, bool) {
		text := of(name)
		if text == "" {
			return 0, false
		}
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(x) || math.Abs(x) > 1e5 {
			f.problem = fmt.Sprintf("%q is no number", text)
			return 0, false
		}
		return int(math.Round(x * factor)), true
	}
	limits := func(low, high string, factor float64) (r samples.Range) {
		r = samples.Range{Low: math.MinInt, High: math.MaxInt}
		if x, ok := number(low, factor); ok {
			r.Low, r.Limited = x, true
		}
		if x, ok := number(high, factor); ok {
			r.High, r.Limited = x, true
		}
		if !r.Limited {
			return samples.Range{}
		}
		return r
	}
	f.Rating = limits("elo-from", "elo-to", 1)
	f.Pieces = limits("men-from", "men-to", 1)
	f.Score = limits("score-from", "score-to", 100)
	return f
}

// all reports whether the filter chooses all samples.
func (f *filter) all() bool { return f.Query == samples.Query{} }

// at returns the address's query with a place.
func (f *filter) at(place int64) string {
	q := url.Values{}
	maps.Copy(q, f.values)
	if place > 0 {
		q.Set("at", strconv.FormatInt(place, 10))
	}
	if len(q) == 0 {
		return ""
	}
	return "?" + q.Encode()
}

// Chosen reports whether the filter leaves samples out.
func (f *filter) Chosen() bool { return !f.all() }
