package train

import (
	"context"
	"errors"
	"talbot/encode"
	"testing"
	"testing/synctest"
	"time"
)

// slow is a source that takes its time.
type slow struct {
	synthetic
	busy bool
}

func (s *slow) Next(b *Batch) error {
	if s.busy {
		return errors.New("Next was called twice at once")
	}
	s.busy = true
	defer func() { s.busy = false }()
	time.Sleep(5 * time.Millisecond)
	return s.synthetic.Next(b)
}

func TestPrefetchKeepsOrderAndMeasuresWaiting(t *testing.T) {
	synctest.Test(t, keepsOrderAndMeasuresWaiting) // its clock stands still but for what sleeps
}

func keepsOrderAndMeasuresWaiting(t *testing.T) {
	layout := encode.TalbotBot{}.Layout()
	p := prefetch(&slow{synthetic: synthetic{batch: 2}}, &layout)
	defer p.close()
	start := time.Now()
	for i := range 10 {
		list, err := p.some(context.Background(), 1)
		if err != nil {
			t.Fatal(err)
		}
		b := list[0]
		if got := string(b.State); got != string(rune('1'+i)) && got != "10" {
			t.Fatalf("batch %d has state %s", i, got)
		}
		p.release(b)
	}
	if share := p.wait.Seconds() / time.Since(start).Seconds(); share != 1 {
		t.Errorf("waited %.0f%% of the time for a source that is all there is to wait for", 100*share)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for range 100 { // a cancelled wait ends even while batches are ready
		if _, err := p.some(ctx, 1); err != nil {
			return
		}
	}
	t.Error("next never saw the cancelled context")
}
