package recipe

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"talbot/encode"
	"talbot/network/model"
)

// Settings are those of a recipe's network as a JSON object, each written in one way only, so that equal settings are
// equal strings. The empty one stands for the default settings.
type Settings string

// MarshalJSON returns the object.
func (s Settings) MarshalJSON() ([]byte, error) {
	if s == "" {
		return []byte("{}"), nil
	}
	return []byte(s), nil
}

// UnmarshalJSON takes an object as it is; [Recipe.Build] says what is wrong with it.
func (s *Settings) UnmarshalJSON(text []byte) error {
	var b bytes.Buffer
	if err := json.Compact(&b, text); err != nil {
		return err
	}
	*s = Settings(b.String())
	return nil
}

// decode takes over what the settings say. A member that is no setting is an error.
func (s Settings) decode(into any) error {
	if s == "" {
		return nil
	}
	if s == "null" {
		return errors.New("settings are null")
	}
	for name, value := range s.Values() {
		if value == "null" {
			return fmt.Errorf("setting %s is null", name)
		}
	}
	d := json.NewDecoder(strings.NewReader(string(s)))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("settings %s: %w", s, err)
	}
	return nil
}

// Values are the settings by name, as JSON writes each.
func (s Settings) Values() map[string]string {
	raw := map[string]json.RawMessage{}
	if s != "" {
		json.Unmarshal([]byte(s), &raw) // [Recipe.Build] says what is wrong
	}
	values := map[string]string{}
	for name, value := range raw {
		values[name] = string(value)
	}
	return values
}

// Differs names the first setting in which two differ, "" if there is none. Values are in JSON.
func (s Settings) Differs(other Settings) (name, mine, theirs string) {
	a, b := s.Values(), other.Values()
	var names []string
	for name := range a {
		names = append(names, name)
	}
	for name := range b {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if a[name] != b[name] {
			return name, a[name], b[name]
		}
	}
	return "", "", ""
}

// Set returns the settings with one changed. The value is as JSON has it, or a text without quotes.
func (r *Recipe) Set(s Settings, name, value string) (Settings, error) {
	if known := r.SettingNames(); len(known) == 0 {
		return s, fmt.Errorf("%w setting %q: the recipe %s has none", ErrUnknown, name, r.Name)
	} else if !slices.Contains(known, name) {
		return s, fmt.Errorf("%w setting %q of the recipe %s (known: %s)", ErrUnknown, name, r.Name,
			strings.Join(known, ", "))
	}
	if !json.Valid([]byte(value)) {
		text, err := json.Marshal(value)
		if err != nil {
			return s, err
		}
		value = string(text)
	}
	raw := map[string]json.RawMessage{}
	if s != "" {
		if err := json.Unmarshal([]byte(s), &raw); err != nil {
			return s, fmt.Errorf("settings %s: %w", s, err)
		}
	}
	raw[name] = json.RawMessage(value)
	text, err := json.Marshal(raw)
	if err != nil {
		return s, err
	}
	changed, err := r.write(Settings(text))
	if err != nil {
		return s, fmt.Errorf("setting %s=%s: %w", name, value, err)
	}
	return changed, nil
}

// SettingNames lists the settings.
func (r *Recipe) SettingNames() []string {
	var names []string
	for name := range r.Presets[0].Settings.Values() {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// preset is a [Preset] of a network of type N.
type preset[N model.Network] struct {
	name, about string
	change      func(*N, *Preset)
}

// New makes a recipe of the default network and how it is trained, and the encoder that a network has; presets change
// the default.
func New[N model.Network](r Recipe, network N, standard Preset, encoder func(N) encode.Encoder,
	presets ...preset[N]) *Recipe {
	write := func(n N) Settings {
		text, err := json.Marshal(n)
		if err != nil {
			panic(fmt.Sprintf("settings of the recipe %s: %v", r.Name, err)) // not of numbers and texts alone
		}
		return Settings(text)
	}
	read := func(s Settings) (N, error) {
		n := network
		err := s.decode(&n)
		return n, err
	}
	r.write = func(s Settings) (Settings, error) {
		n, err := read(s)
		if err != nil { // what was read may not be writable
			return "", err
		}
		return write(n), nil
	}
	r.build = func(s Settings) (Built, error) {
		n, err := read(s)
		if err == nil {
			err = n.Validate()
		}
		if err != nil {
			return Built{}, err
		}
		return Built{encoder(n), n}, nil
	}
	standard.Settings = write(network)
	r.Presets = []Preset{standard}
	for _, p := range presets {
		n, changed := network, standard
		changed.Name, changed.About = p.name, p.about
		p.change(&n, &changed)
		changed.Settings = write(n)
		r.Presets = append(r.Presets, changed)
	}
	return &r
}
