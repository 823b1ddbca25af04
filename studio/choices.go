package studio

import (
	"fmt"
	"html/template"
	"strings"

	"talbot/dataset"
)

// option is one of a choice: its name in an address, and its words.
type option struct{ Name, Words string }

// choices has the options of the forms, by the name of the field. The first option is the usual one.
var choices = map[string][]option{
	"axis":   {{"steps", "steps"}, {"samples", "samples"}, {"time", "time"}},
	"scale":  {{"linear", "linear"}, {"log", "logarithmic"}},
	"smooth": {{"some", "some"}, {"none", "none"}, {"more", "more"}},
	// of a filter; the first is no choice
	"source": append([]option{{"", "any"}}, named(dataset.SourceNames())...),
	"split":  append([]option{{"", "any"}}, named([]string{"train", "val", "test"})...),
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

func named(names []string) (list []option) {
	for _, name := range names {
		list = append(list, option{name, name})
	}
	return list
}

// oneOf returns the name if it is one of a choice's, else the usual one.
func oneOf(choice, name string) string {
	for _, o := range choices[choice] {
		if o.Name == name {
			return name
		}
	}
	return choices[choice][0].Name
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
