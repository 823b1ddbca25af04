package train

import (
	"context"
	"errors"
	"testing"

	"talbot/train/backend"
)

func TestMeasure(t *testing.T) {
	b, err := backend.Open("go")
	if err != nil {
		t.Fatal(err)
	}
	defer b.Finalize()
	c, err := Preset("")
	if err != nil {
		t.Fatal(err)
	}
	c.Blocks, c.Filters, c.Batch, c.LegalMask = 1, 4, 4, true
	s, err := Measure(t.Context(), c, b, 1)
	if err != nil || s.Batch != 4 || s.Steps < 1 || !(s.PositionsPerSecond > 0) || !(s.FirstStep > 0) {
		t.Errorf("%+v, %v", s, err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := Measure(ended, c, b, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("behind the end: %v", err)
	}
	c.Precision = BFloat16
	if _, err := Measure(t.Context(), c, b, 1); !errors.Is(err, ErrPrecision) {
		t.Errorf("a precision that the backend lacks: %v", err)
	}
}

// The operations are those of a count by hand: of 2 blocks of 4 filters 64 squares times nine times 68·4 + 4·4·4, the
// heads' 1×1 convolutions 64·(4·2 + 4), and their matrices 4672·128 + 64·64 + 64; two operations each, three times.
func TestOperations(t *testing.T) {
	c, err := Preset("")
	if err != nil {
		t.Fatal(err)
	}
	c.Blocks, c.Filters = 2, 4
	want := 3.0 * 2 * (64*(9*(68*4+4*4*4)+4*2+4) + 4672*128 + 64*64 + 64)
	if got, err := c.Operations(); err != nil || got != want {
		t.Errorf("%g, %v, want %g", got, err, want)
	}
}
