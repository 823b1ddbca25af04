package label

import "testing"

func TestRoundNodes(t *testing.T) {
	for n, want := range map[float64]int64{1: 1, 0.2: 1, 99.4: 99, 104: 100, 17_654: 18_000, 999_999: 1_000_000} {
		if got := roundNodes(n); got != want {
			t.Errorf("%v becomes %d, want %d", n, got, want)
		}
	}
}
