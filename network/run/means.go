package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Means are the mean losses over a batch or over several. As JSON they are one object: {"loss": …, "policy_ce": …}.
type Means struct {
	Loss  float64
	Terms []Mean // in the order of the network's
}

// Mean is a term, divided by what it is over.
type Mean struct {
	Name string
	Mean *float64 // nil without any sample that has it
}

// Of returns the mean of that name; nil if there is none.
func (m Means) Of(name string) *float64 {
	for _, term := range m.Terms {
		if term.Name == name {
			return term.Mean
		}
	}
	return nil
}

// MarshalJSON returns {"loss": …} with a member for each term.
func (m Means) MarshalJSON() ([]byte, error) {
	loss, err := json.Marshal(m.Loss)
	if err != nil {
		return nil, err
	}
	terms, err := TermsJSON(m.Terms)
	if err != nil {
		return nil, err
	}
	if len(m.Terms) > 0 {
		terms = append([]byte(","), terms...)
	}
	return fmt.Appendf(nil, `{"loss":%s%s}`, loss, terms), nil
}

// TermsJSON returns the members of the terms, with commas between them.
func TermsJSON(terms []Mean) ([]byte, error) {
	var b bytes.Buffer
	for i, term := range terms {
		name, err := json.Marshal(term.Name)
		if err != nil {
			return nil, err
		}
		mean, err := json.Marshal(term.Mean)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%s:%s", name, mean)
	}
	return b.Bytes(), nil
}

// UnmarshalJSON reads an object of numbers; a member may be null, but for the loss.
func (m *Means) UnmarshalJSON(text []byte) error { return m.Read(text) }

// Read is UnmarshalJSON that passes over members of some names.
func (m *Means) Read(text []byte, but ...string) error {
	*m = Means{}
	d := json.NewDecoder(bytes.NewReader(text))
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return errors.Join(errors.New("not a JSON object"), err)
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}
		if slices.Contains(but, name.(string)) {
			continue
		}
		var x *float64
		if err := json.Unmarshal(value, &x); err != nil {
			return fmt.Errorf("%q: %w", name, err)
		}
		if name != "loss" {
			m.Terms = append(m.Terms, Mean{name.(string), x})
		} else if x != nil {
			m.Loss = *x
		}
	}
	if _, err := d.Token(); err != nil && err != io.EOF {
		return err
	}
	return nil
}

// Ratio is a/b, nil for b = 0.
func Ratio(a, b float64) *float64 {
	if b == 0 {
		return nil
	}
	a /= b
	return &a
}

// OrZero is what a mean adds to the loss.
func OrZero(mean *float64) float64 {
	if mean == nil {
		return 0
	}
	return *mean
}
