package train

import (
	"context"
	"errors"
	"testing"

	"talbot/network/backend"
	"talbot/network/run"
)

func TestMeasure(t *testing.T) {
	b, err := backend.Open("go")
	if err != nil {
		t.Fatal(err)
	}
	defer b.Finalize()
	c, err := run.New("talbotbot", "")
	if err != nil {
		t.Fatal(err)
	}
	c.Batch = 4
	set(&c, "blocks", 1)
	set(&c, "filters", 4)
	set(&c, "legal_mask", true)
	s, err := Measure(t.Context(), c, b, nil, 1, func() {})
	if err != nil || s.Batch != 4 || s.Steps < 1 || !(s.PositionsPerSecond > 0) || !(s.FirstStep > 0) {
		t.Errorf("%+v, %v", s, err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := Measure(ended, c, b, nil, 1, func() {}); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
	c.Precision = run.BFloat16
	if _, err := Measure(t.Context(), c, b, nil, 1, func() {}); !errors.Is(err, ErrPrecision) {
		t.Errorf("a precision that the backend lacks: %v", err)
	}
}

// The operations are those of a count by hand: of 2 blocks of 4 filters 64 squares times nine times 68·4 + 4·4·4, the
// heads' 1×1 convolutions 64·(4·2 + 4), and their matrices 4672·128 + 64·64 + 64; two operations each, three times.
func TestOperations(t *testing.T) {
	c, err := run.New("talbotbot", "")
	if err != nil {
		t.Fatal(err)
	}
	set(&c, "blocks", 2)
	set(&c, "filters", 4)
	want := 3.0 * 2 * (64*(9*(68*4+4*4*4)+4*2+4) + 4672*128 + 64*64 + 64)
	if got, err := Operations(c); err != nil || got != want {
		t.Errorf("%g, %v, want %g", got, err, want)
	}
}
