package pipeline

import "testing"

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
