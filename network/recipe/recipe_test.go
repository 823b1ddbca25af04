package recipe

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"talbot/encode"
	"talbot/network/model"
)

// reserved are the members of a line of metrics.jsonl that are no terms.
var reserved = map[string]bool{"kind": true, "step": true, "loss": true, "lr": true, "grad_norm": true, "best": true,
	"seconds": true, "positions_per_second": true, "loader_wait": true, "crc": true}

// TestRegistry: every recipe and preset can be built, heads, terms and layout fit each other, and the shapes of the
// parameters depend on the settings that are said to be the size, and on no others.
func TestRegistry(t *testing.T) {
	for _, r := range All() {
		for _, p := range r.Presets {
			built, err := r.Build(p.Settings)
			if err != nil {
				t.Fatalf("%s, preset %q: %v", r.Name, p.Name, err)
			}
			layout := built.Encoder.Layout()
			if built.HasValue() != (layout.Float(encode.ValueFloat) >= 0) {
				t.Errorf("%s: a value %v, but learns %v", r.Name, built.HasValue(), layout.Floats)
			}
			if built.Encoder.Name() != r.Name || layout.Words < 1 || layout.Numbers() < 2 ||
				len(built.Network.Heads()) == 0 ||
				len(built.Network.Terms()) == 0 || built.Network.String() == "" || p.Epochs < 1 {
				t.Errorf("%s, preset %q: %+v", r.Name, p.Name, layout)
			}
			for _, term := range built.Network.Terms() {
				if reserved[term.Name] || term.Name == "" {
					t.Errorf("%s: a term cannot be called %q", r.Name, term.Name)
				}
				if int(term.Over) >= len(layout.Floats) || term.Over == model.Listed && layout.Moves == encode.NoMoves {
					t.Errorf("%s: the term %s is over what there is not", r.Name, term.Name)
				}
			}
		}
		names := r.SettingNames()
		if !slices.IsSorted(names) {
			t.Errorf("%s: settings %v", r.Name, names)
		}
		standard, _ := r.Build("")
		for _, name := range names {
			value := r.Presets[0].Settings.Values()[name]
			changed := value + "1" // 20 → 201 would be too large for some
			if n, err := strconv.Atoi(value); err == nil {
				changed = strconv.Itoa(2 * n)
			} else if b, err := strconv.ParseBool(value); err == nil {
				changed = strconv.FormatBool(!b)
			}
			if value == "0" { // a rate
				changed = "0.5"
			}
			s, err := r.Set("", name, changed)
			if r.Name == "leela" && err != nil { // numbers of a body, which are 0 in a tower
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			other, err := r.Build(s)
			if r.Name == "leela" && err != nil { // settings that belong together
				continue
			}
			if err != nil {
				t.Fatalf("%s with %s=%s: %v", r.Name, name, changed, err)
			}
			same := slices.EqualFunc(standard.Network.Params(), other.Network.Params(),
				func(a, b model.Param) bool { return a.Name == b.Name && slices.Equal(a.Shape, b.Shape) })
			if listed := slices.Contains(r.Size, name); !same && !listed || same && listed && r.Name != "leela" {
				t.Errorf("%s: size %v, but %s=%s gives the same shapes: %v", r.Name, r.Size, name, changed, same)
			}
		}
	}
	if _, err := ByName("nosuch"); !errors.Is(err, ErrUnknown) ||
		!strings.Contains(err.Error(), "talbotbot, napoleon, tahl") {
		t.Error(err)
	}
	if _, err := All()[0].Preset("nosuch"); !errors.Is(err, ErrUnknown) || !strings.Contains(err.Error(), "v1.5") {
		t.Error(err)
	}
}

// TestWholeSettings: what was written names every setting, in the one form.
func TestWholeSettings(t *testing.T) {
	r, err := ByName("napoleon")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := BuildWhole(r.Name, "{}"); err != nil {
		t.Errorf("a recipe without settings: %v", err)
	}
	if r, err = ByName("lynx"); err != nil {
		t.Fatal(err)
	}
	whole := r.Presets[0].Settings
	if _, err := BuildWhole("lynx", whole); err != nil {
		t.Error(err)
	}
	for _, bad := range []Settings{"", "{}", "null", "[]", `{"blocks":3}`, " " + whole, `{"nosuch":1}`} {
		if _, err := BuildWhole("lynx", bad); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}

// TestSettings: there is one way to write settings, what is not said is the default, and what is no setting is refused.
func TestSettings(t *testing.T) {
	r := All()[0]
	a, err := r.Set("", "blocks", "3")
	if err != nil {
		t.Fatal(err)
	}
	b, err := r.write(`{ "blocks" : 3 }`)
	if err != nil || a != b {
		t.Errorf("%s and %s, %v", a, b, err)
	}
	if name, mine, theirs := a.Differs(r.Presets[0].Settings); name != "blocks" || mine != "3" || theirs != "20" {
		t.Errorf("%s: %s, %s", name, mine, theirs)
	}
	if name, _, _ := a.Differs(b); name != "" {
		t.Errorf("%s differs from itself", name)
	}
	for _, bad := range [][2]string{{"nosuch", "1"}, {"blocks", "many"}, {"blocks", "1.5"}, {"legal_mask", "2"},
		{"blocks", "{}"}, {"", "1"},
		{"blocks", "null"}, {"value_weight", "1e400"}} {
		if s, err := r.Set("", bad[0], bad[1]); err == nil {
			t.Errorf("%v gives %s", bad, s)
		}
	}
	for _, bad := range []Settings{`{"nosuch":1}`, `{"blocks":0}`, `[]`, `{`, `{"blocks":"x"}`, `null`, `{"blocks":null}`} {
		if _, err := r.Build(bad); err == nil {
			t.Errorf("%s: no error", bad)
		}
	}
	var s Settings
	if err := json.Unmarshal([]byte(" { \"a\" : 1 } "), &s); err != nil || s != `{"a":1}` {
		t.Errorf("%q, %v", s, err)
	}
	if text, err := json.Marshal(Settings("")); err != nil || string(text) != "{}" {
		t.Errorf("%s, %v", text, err)
	}
}
