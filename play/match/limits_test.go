package match

import "testing"

func TestParseTimeControl(t *testing.T) {
	for text, want := range map[string]TimeControl{"60": {0, 60e9, 0}, "60+0.6": {0, 60e9, 600e6},
		"0.5+0":    {0, 500e6, 0},
		"40/120+1": {40, 120e9, 1e9}} {
		c, err := ParseTimeControl(text)
		if err != nil || c != want {
			t.Errorf("%q: %+v, %v", text, c, err)
		}
		if again, err := ParseTimeControl(c.String()); err != nil || again != c {
			t.Errorf("%q is written as %q", text, c.String())
		}
	}
}
