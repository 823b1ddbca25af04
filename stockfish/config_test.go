package stockfish

import (
	"testing"
	"time"
)

// TestSearchTimeout: an engine that never answers is given up within 25 s where a search takes a moment.
func TestSearchTimeout(t *testing.T) {
	for _, c := range []struct {
		limit Limit
		want  time.Duration
	}{
		{MoveTime(20 * time.Millisecond), 10*time.Second + 20*time.Millisecond},
		{Nodes(800), 20 * time.Second}, {Nodes(20_000), 24 * time.Second}, {Nodes(2_000_000), 420 * time.Second},
		{Depth(12), 5 * time.Minute},
	} {
		if got := (Config{Limit: c.limit}).searchTimeout(); got != c.want {
			t.Errorf("%s: %s, want %s", c.limit, got, c.want)
		}
	}
}
