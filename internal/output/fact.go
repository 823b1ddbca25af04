package output

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Fact is one thing that decides what an output is: a setting, or an input by its content. Facts of one name are
// different things, in their order.
type Fact struct {
	Name  string `json:"name"`
	Value string `json:"value"` // empty counts as absent
}

// Facts are what an output is made from and with.
type Facts []Fact

// Add appends a fact.
func (f *Facts) Add(name, format string, values ...any) {
	*f = append(*f, Fact{name, fmt.Sprintf(format, values...)})
}

// Has reports whether there is a fact of that name.
func (f Facts) Has(name string) bool {
	return slices.ContainsFunc(f, func(x Fact) bool { return x.Name == name })
}

// Difference is a fact in which an existing output differs from the one that is asked for.
type Difference struct{ Name, Have, Want string }

// String names the fact and both values.
func (d Difference) String() string {
	return fmt.Sprintf("%s: %s, not %s", d.Name, cmp.Or(d.Have, "none"), cmp.Or(d.Want, "none"))
}

// Compare returns in what the facts of an output differ from those that are wanted: in the order of want, then what
// only have has.
func Compare(have, want Facts) (list []Difference) {
	have, want = numbered(have), numbered(want)
	value := func(facts Facts, name string) string {
		i := slices.IndexFunc(facts, func(f Fact) bool { return f.Name == name })
		if i < 0 {
			return ""
		}
		return facts[i].Value
	}
	for _, f := range want {
		if was := value(have, f.Name); was != f.Value {
			list = append(list, Difference{f.Name, was, f.Value})
		}
	}
	for _, f := range have {
		if !want.Has(f.Name) && f.Value != "" {
			list = append(list, Difference{f.Name, f.Value, ""})
		}
	}
	return list
}

// numbered gives facts of one name names of their own.
func numbered(facts Facts) Facts {
	facts = slices.Clone(facts)
	count := map[string]int{}
	for i := range facts {
		name := facts[i].Name
		if count[name]++; count[name] > 1 {
			facts[i].Name = fmt.Sprintf("%s %d", name, count[name])
		}
	}
	return facts
}

// FactsOf returns the members of a value's JSON, an object, as facts in their order; those of objects within it are
// named with a dot.
func FactsOf(v any) (Facts, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return flatten("", text)
}

func flatten(prefix string, text []byte) (facts Facts, err error) {
	d := json.NewDecoder(strings.NewReader(string(text)))
	if _, err := d.Token(); err != nil { // {
		return nil, err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		full := prefix + fmt.Sprint(name)
		if value[0] == '{' {
			inner, err := flatten(full+".", value)
			if err != nil {
				return nil, err
			}
			facts = append(facts, inner...)
			continue
		}
		facts = append(facts, Fact{full, strings.Trim(string(value), `"`)})
	}
	return facts, nil
}
