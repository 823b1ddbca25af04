package uci

import (
	"fmt"
	"maps"
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

// parseOption reads what follows "option" in a line of the handshake:
//
//	name Hash type spin default 16 min 1 max 33554432
//
// Names may have spaces. The choices of a combo are not kept, and default values only of strings, up to the first
// space. ok is false if there is no name or no type.
func parseOption(s string) (o Option, ok bool) {
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

// check reports a value that the engine would ignore or misread. Engines do not report it themselves.
func (o Option) check(value string) error {
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

// Choose returns the option of that name, in whatever case, as the engine spells it, with a value for it. An option
// that is not offered is an error, as is a value that the engine would ignore.
func Choose(offered map[string]Option, name, value string) (dataset.Tag, error) {
	o, ok := offered[strings.ToLower(strings.TrimSpace(name))]
	if !ok {
		return dataset.Tag{}, fmt.Errorf("the engine does not offer the option %q", name)
	}
	return dataset.Tag{Name: o.Name, Value: value}, o.check(value)
}

// Texts returns the values of options by name, which may name files: those that are set, and else the default of
// strings. Logs, which engines write, are left out.
func Texts(offered map[string]Option, set []dataset.Tag) map[string]string {
	values := map[string]string{}
	for _, o := range offered {
		if o.Kind == "string" {
			values[o.Name] = o.Default
		}
	}
	for _, t := range set {
		name := strings.TrimSpace(t.Name)
		if o, ok := offered[strings.ToLower(name)]; ok {
			name = o.Name
		}
		values[name] = t.Value
	}
	maps.DeleteFunc(values, func(name, value string) bool {
		return value == "" || strings.Contains(strings.ToLower(name), "log")
	})
	return values
}
