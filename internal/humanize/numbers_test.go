package humanize

import (
	"testing"
	"time"
)

func TestCount(t *testing.T) {
	for _, c := range []struct {
		n    int64
		one  string
		want string
	}{
		{0, "game", "0 games"}, {1, "game", "1 game"}, {2, "game", "2 games"}, {1_234_567, "game", "1,234,567 games"},
		{-1000, "game", "-1,000 games"}, {2, "copy", "2 copies"}, {2, "ply", "2 plies"}, {1, "ply", "1 ply"},
		{2, "day", "2 days"}, {2, "search", "2 searches"}, {2, "box", "2 boxes"}, {2, "y", "2 ys"},
	} {
		if got := Count(c.n, c.one); got != c.want {
			t.Errorf("%d, %q: %q, want %q", c.n, c.one, got, c.want)
		}
	}
}

func TestReasons(t *testing.T) {
	if got := Reasons(map[string]int64{"short": 1234, "player": 5}) + "; " + Reasons(map[string]int64{}); got !=
		"player 5, short 1,234; none" {
		t.Error(got)
	}
}

func TestPercent(t *testing.T) {
	for x, want := range map[float64]string{0: "0.0 %", 1: "100.0 %", 0.1234: "12.3 %", 0.01: "1.0 %", 0.005: "0.50 %",
		0.00012: "0.012 %", 2e-6: "0.0002 %", 1e-9: "< 0.0001 %"} {
		if got := Percent(x); got != want {
			t.Errorf("%g is %q, want %q", x, got, want)
		}
	}
}

func TestAbout(t *testing.T) {
	for d, want := range map[time.Duration]string{349 * time.Millisecond: "350ms", 2449 * time.Millisecond: "2.4s",
		200 * time.Second: "3m20s", 42*time.Minute + time.Second: "42m", 320 * time.Minute: "5h20m"} {
		if got := About(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}
