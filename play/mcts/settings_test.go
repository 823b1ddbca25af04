package mcts

import (
	"slices"
	"strings"
	"testing"
)

func TestSettings(t *testing.T) {
	seen := map[string]bool{}
	for i := range Settings {
		s := &Settings[i]
		for _, name := range []string{strings.ToLower(s.Name), s.Key} {
			if seen[name] && name != strings.ToLower(s.Name) || strings.ContainsAny(name, " ,=") {
				t.Errorf("%s: the name %q is not one", s.Name, name)
			}
			seen[name] = true
			if found, ok := SettingByName(strings.ToUpper(name)); !ok || found != s {
				t.Errorf("%s is not found by %q", s.Name, name)
			}
		}
		for searcher := range strings.FieldsSeq(s.searchers) {
			if !slices.Contains(Names(), searcher) || !s.AppliesTo(searcher) {
				t.Errorf("%s is for %q", s.Name, searcher)
			}
		}
		o := Defaults()
		if got := s.Get(&o); got != s.Default {
			t.Errorf("%s: default %q reads %q", s.Name, s.Default, got)
		}
		values := []string{plain(s.Min), plain(s.Max)}
		bad := []string{"", "x", "NaN", plain(s.Min - 1), plain(s.Max + 1), "-Inf"}
		switch s.Kind {
		case Switch:
			values, bad = []string{"true", "false"}, []string{"", "2", "on"}
		case Integer:
			bad = append(bad, plain(s.Min+0.5))
		case Number:
			values = append(values, plain((s.Min+s.Max)/2))
		}
		for _, v := range values {
			if err := s.Set(&o, v); err != nil || s.Get(&o) != v {
				t.Errorf("%s %q: %v, reads %q", s.Name, v, err, s.Get(&o))
			}
		}
		was := s.Get(&o)
		for _, v := range bad {
			if err := s.Set(&o, v); err == nil || s.Get(&o) != was || !strings.Contains(err.Error(), `"`+v+`"`) {
				t.Errorf("%s %q: %v, reads %q", s.Name, v, err, s.Get(&o))
			}
		}
	}
	if _, ok := SettingByName("nothing"); ok {
		t.Error("a setting that is none")
	}
}

func TestNewRefuses(t *testing.T) {
	f := newFake(t, 1)
	for _, c := range []struct {
		name, want string
		abilities  Capabilities
	}{
		{"playouts", "puct, gumbel, talbotbot", Capabilities{Prior: true, Value: true}},
		{"puct", "priors only: take policy", Capabilities{Prior: true}},
		{"talbotbot", "priors only: take policy", Capabilities{Prior: true}},
		{"napoleon", "priors only: take policy", Capabilities{Prior: true}},
		{"value", "priors only: take policy", Capabilities{Prior: true}},
		{"policy", "take value or puct", Capabilities{Value: true}},
		{"rollouts", "take value or puct", Capabilities{Value: true}},
	} {
		f.abilities = c.abilities
		if s, err := New(c.name, f, Defaults()); err == nil || s != nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	for _, name := range Names() {
		f.abilities = Capabilities{Prior: name != "napoleon", WDL: true}
		if _, err := New(name, f, Defaults()); err != nil {
			t.Error(err)
		}
	}
}
