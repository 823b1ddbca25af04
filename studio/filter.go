package studio

import (
	"fmt"
	"html/template"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"talbot/dataset"
	"talbot/inspect/samples"
)

// filter is a query as an address says it.
type filter struct {
	samples.Query
	Values  url.Values // what is not empty
	problem string     // what cannot be understood; "" = nothing
}

// readFilter reads the filter of an address.
func readFilter(r *http.Request) *filter {
	f := &filter{Values: url.Values{}}
	of := func(name string) string {
		text := strings.TrimSpace(r.FormValue(name))
		if text != "" {
			f.Values.Set(name, text)
		}
		return text
	}
	choose := func(name string) int {
		text := of(name)
		i := indexOf(name, text)
		if i < 0 {
			f.problem = fmt.Sprintf("%s cannot be %q", name, text)
		}
		return max(i, 0)
	}
	f.Source = chosenOf(choose("source"), dataset.Sources()...)
	f.Split = chosenOf(choose("split"), dataset.AllSplits()...)
	f.Result = chosenOf(choose("result"), dataset.WhiteWins, dataset.Draw, dataset.BlackWins, dataset.ResultUnknown)
	f.Reconstructed = chosenOf(choose("past"), false, true)
	f.Label = samples.Labels(choose("label"))
	f.Against = samples.Against(choose("odd"))
	if f.Player = of("player"); len(f.Player) > 200 {
		f.Player, f.problem = "", "the player's name is too long"
	}
	limits := func(low, high string, factor float64) samples.Range {
		r := samples.Range{Low: math.MinInt, High: math.MaxInt}
		limit := func(name string, to *int) {
			text := of(name)
			x, err := strconv.ParseFloat(text, 64)
			switch {
			case text == "":
			case err != nil || math.IsNaN(x) || math.Abs(x) > 1e5:
				f.problem = fmt.Sprintf("%q is no number", text)
			default:
				*to, r.Limited = int(math.Round(x*factor)), true
			}
		}
		limit(low, &r.Low)
		limit(high, &r.High)
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

// chosenOf returns the value of an option of a choice whose first one is none.
func chosenOf[T any](option int, values ...T) *T {
	if option == 0 {
		return nil
	}
	return &values[option-1]
}

// Chosen reports whether the filter leaves samples out.
func (f *filter) Chosen() bool { return f.Query != samples.Query{} }

// at returns the fields of an address with the filter and a place.
func (f *filter) at(place int64) url.Values {
	q := maps.Clone(f.Values)
	if place > 0 {
		q.Set("at", strconv.FormatInt(place, 10))
	}
	return q
}

// address returns the address of a page. Its path is made of keys and numbers.
func address(path string, q url.Values) template.URL {
	if len(q) > 0 {
		path += "?" + q.Encode()
	}
	return template.URL(path)
}

// option is one of a choice: its name in an address, and its words.
type option struct{ Name, Words string }

// choices has the options of the forms, by the name of the field. The first option is the usual one.
var choices = map[string][]option{
	"axis":   {{"steps", "steps"}, {"samples", "samples"}, {"time", "time"}},
	"scale":  {{"linear", "linear"}, {"log", "logarithmic"}},
	"smooth": {{"some", "some"}, {"none", "none"}, {"more", "more"}},
	// of a filter; the first is no choice
	"source": append([]option{{"", "any"}}, named(dataset.Sources())...),
	"split":  append([]option{{"", "any"}}, named(dataset.AllSplits())...),
	"result": {{"", "any"}, {"white", "1-0"}, {"draw", "1/2-1/2"}, {"black", "0-1"}, {"none", "unknown"}},
	"label":  {{"", "any"}, {"yes", "labelled"}, {"no", "not labelled"}, {"failed", "failed"}},
	"odd":    {{"", "any"}, {"result", "label against result"}, {"network", "network against label"}},
	"past":   {{"", "any"}, {"real", "real"}, {"made", "reconstructed"}},
	// of a comparison
	"compared": named([]string{"test", "val", "all"}),
	// of the games of a match
	"show": {{"all", "all games"}, {"won", "won by the first player"}, {"drawn", "drawn"},
		{"lost", "lost by the first player"}, {"faults", "with a fault"}},
}

func named[T any](values []T) (list []option) {
	for _, v := range values {
		list = append(list, option{fmt.Sprint(v), fmt.Sprint(v)})
	}
	return list
}

// oneOf returns the name if it is one of a choice's, else the usual one.
func oneOf(choice, name string) string {
	return choices[choice][max(0, indexOf(choice, name))].Name
}

// indexOf returns the index of an option of a choice; -1 if there is none of that name.
func indexOf(choice, name string) int {
	return slices.IndexFunc(choices[choice], func(o option) bool { return o.Name == name })
}

// options writes the options of a choice for a form.
func options(choice, chosen string) template.HTML {
	var b strings.Builder
	for _, o := range choices[choice] {
		selected := ""
		if o.Name == chosen {
			selected = " selected"
		}
		fmt.Fprintf(&b, `<option value="%s"%s>%s</option>`, o.Name, selected, template.HTMLEscapeString(o.Words))
	}
	return template.HTML(b.String()) // names and words are ours
}
