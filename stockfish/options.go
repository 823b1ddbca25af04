package stockfish

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"talbot/dataset"
)

// Option is one setting that an engine offers.
type Option struct {
	Name     string
	Kind     string // check, spin, combo, button, string
	Min, Max string // of a spin, empty if not given
	Default  string // default of a string, empty if not given or "<empty>"
}

// ParseOption reads what follows "option" in a line of the handshake:
//
//	name Hash type spin default 16 min 1 max 33554432
//
// Names may have spaces. The choices of a combo are not kept, and default values
// only of strings, up to the first space. ok is false if there is no name or no
// type.
func ParseOption(s string) (o Option, ok bool) {
	s, ok = strings.CutPrefix(strings.TrimSpace(s), "name ")
	if !ok {
		return Option{}, false
	}
	name, rest, ok := strings.Cut(s, " type ")
	if name = strings.TrimSpace(name); !ok || name == "" || len(name) > maxName {
		return Option{}, false
	}
	o.Name = strings.ToValidUTF8(name, "\uFFFD")
	words := strings.Fields(rest)
	if len(words) == 0 {
		return Option{}, false
	}
	o.Kind = strings.Clone(words[0])
	if o.Kind == "string" && len(words) >= 3 && words[1] == "default" && words[2] != "<empty>" {
		o.Default = strings.ToValidUTF8(words[2][:min(len(words[2]), maxName)], "\uFFFD")
	}
	if o.Kind == "spin" {
		for i := 1; i+1 < len(words); i++ {
			switch words[i] {
			case "min":
				o.Min = strings.Clone(words[i+1])
			case "max":
				o.Max = strings.Clone(words[i+1])
			}
		}
	}
	return o, true
}

// Check reports a value that the engine would ignore or misread. Engines do
// not report it themselves.
func (o Option) Check(value string) error {
	switch o.Kind {
	case "check":
		if value != "true" && value != "false" {
			return fmt.Errorf("engine option %q must be true or false: %q", o.Name, value)
		}
	case "spin":
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return fmt.Errorf("engine option %q must be a number: %q", o.Name, value)
		}
		low, errLow := strconv.ParseInt(o.Min, 10, 64)
		high, errHigh := strconv.ParseInt(o.Max, 10, 64)
		if errLow == nil && n < low || errHigh == nil && n > high {
			return fmt.Errorf("engine option %q must be from %s to %s: %d", o.Name, o.Min, o.Max, n)
		}
	}
	return nil
}

// chooseOptions decides what to set, sorted by name and spelt as offered. Of our
// own settings only MultiPV must be offered, and only if it is over 1.
func chooseOptions(cfg Config, offered map[string]Option) ([]dataset.Tag, error) {
	type wish struct {
		dataset.Tag
		must bool
	}
	wishes := []wish{
		{dataset.Tag{Name: "Threads", Value: "1"}, false},
		{dataset.Tag{Name: "Hash", Value: strconv.Itoa(cfg.hash())}, false},
		{dataset.Tag{Name: "UCI_ShowWDL", Value: "true"}, false},
	}
	if n := cfg.multiPV(); n > 1 {
		wishes = append(wishes, wish{dataset.Tag{Name: "MultiPV", Value: strconv.Itoa(n)}, true})
	}
	for _, o := range cfg.Options {
		wishes = append(wishes, wish{o, true})
	}
	var set []dataset.Tag
	for _, w := range wishes {
		o, ok := offered[strings.ToLower(strings.TrimSpace(w.Name))]
		if !ok {
			if w.must {
				return nil, fmt.Errorf("the engine does not offer the option %q", w.Name)
			}
			continue
		}
		if slices.ContainsFunc(set, func(t dataset.Tag) bool { return t.Name == o.Name }) {
			return nil, fmt.Errorf("engine option %q is set twice", o.Name)
		}
		if err := o.Check(w.Value); err != nil {
			return nil, err
		}
		set = append(set, dataset.Tag{Name: o.Name, Value: w.Value})
	}
	slices.SortFunc(set, func(a, b dataset.Tag) int { return strings.Compare(a.Name, b.Name) })
	return set, nil
}
