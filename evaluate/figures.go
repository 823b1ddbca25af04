package evaluate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
)

// Figures are the measures over a set of samples, by name. A figure over no samples is missing; as JSON it is null.
type Figures map[string]float64

// Of returns a figure; nil if it is missing.
func (f Figures) Of(name string) *float64 {
	if x, ok := f[name]; ok {
		return &x
	}
	return nil
}

// Count returns a figure that is a number of samples.
func (f Figures) Count(name string) int64 { return int64(f[name]) }

// MarshalJSON returns one object with the measures in the order of [Measures]; null for nil.
func (f Figures) MarshalJSON() ([]byte, error) {
	if f == nil {
		return []byte("null"), nil
	}
	var b bytes.Buffer
	for _, m := range measures {
		if m.Apart {
			continue
		}
		var figure any
		if x, ok := f[m.Name]; m.Kind == Count {
			figure = int64(x)
		} else if ok {
			figure = x
		}
		text, err := json.Marshal(figure)
		if err != nil {
			return nil, fmt.Errorf("figure %s: %w", m.Name, err)
		}
		fmt.Fprintf(&b, ",%q:%s", m.Name, text)
	}
	return fmt.Appendf(nil, "{%s}", bytes.TrimPrefix(b.Bytes(), []byte(","))), nil
}

// Members returns one JSON object with the members of several.
func Members(objects ...any) ([]byte, error) {
	all := []byte("{")
	for _, object := range objects {
		text, err := json.Marshal(object)
		if err != nil {
			return nil, err
		}
		if string(text) == "null" {
			continue
		}
		text = bytes.TrimSuffix(bytes.TrimPrefix(text, []byte("{")), []byte("}"))
		if len(all) > 1 && len(text) > 0 {
			all = append(all, ',')
		}
		all = append(all, text...)
	}
	return append(all, '}'), nil
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
