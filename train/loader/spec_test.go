package loader

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

func TestParseSpecs(t *testing.T) {
	for text, want := range map[string][]Spec{
		"a":             {{"a", 0}},
		"a,b/c":         {{"a", 0}, {"b/c", 0}},
		"a:0.7,b:3":     {{"a", 0.7}, {"b", 3}},
		`C:\data\lines`: {{`C:\data\lines`, 0}},
		"a:b:2":         {{"a:b", 2}},
	} {
		if got, err := ParseSpecs(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", ",", "a,", "a:0", "a:-1", "a:NaN", "a:inf", ":1", "a:1,b", "a,b:1", "a,a",
		"a,./a", "a:1e999"} {
		if got, err := ParseSpecs(text); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func FuzzParseSpecs(f *testing.F) {
	for _, s := range []string{"a", "a:1,b:2", "a:b:0.5", ",", "a:1e999"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		specs, err := ParseSpecs(text)
		if err != nil {
			return
		}
		var parts []string
		for _, s := range specs {
			if s.Dir == "" || s.Weight < 0 || math.IsInf(s.Weight, 0) || (s.Weight > 0) != (specs[0].Weight > 0) {
				t.Fatalf("%q: %+v", text, s)
			}
			if s.Weight > 0 {
				parts = append(parts, fmt.Sprintf("%s:%g", s.Dir, s.Weight))
			} else {
				parts = append(parts, s.Dir)
			}
		}
		if again, err := ParseSpecs(strings.Join(parts, ",")); err != nil || !slices.Equal(again, specs) {
			t.Fatalf("%q: %v, then %v, %v", text, specs, again, err)
		}
	})
}
