package train

import (
	"context"
	"errors"
	"io"
	"reflect"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gomlx/gomlx/core/tensors"

	"talbot/encode"
	"talbot/network/backend"
	"talbot/network/model"
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
	e := &engine{layout: encode.TalbotBot{}.Layout(), backend: &backend.Backend{Kind: "go"}}
	p := prefetch(&slow{synthetic: synthetic{batch: 2}}, e)
	defer p.close()
	start := time.Now()
	for i := range 10 {
		s, err := p.next(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if got := string(s.states[0]); got != string(rune('1'+i)) && got != "10" {
			t.Fatalf("batch %d has state %s", i, got)
		}
		s.done++
	}
	if share := p.wait.Seconds() / time.Since(start).Seconds(); share != 1 {
		t.Errorf("waited %.0f%% of the time for a source that is all there is to wait for", 100*share)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for range 100 { // a cancelled wait ends even while batches are ready
		if _, err := p.next(ctx); err != nil {
			return
		}
	}
	t.Error("next never saw the cancelled context")
}

// ending is a source that ends.
type ending struct {
	Source
	left int
}

func (s *ending) Next(b *Batch) error {
	if s.left--; s.left < 0 {
		return io.EOF
	}
	return s.Source.Next(b)
}

// TestPrefetchFillsStacks: every batch is in a row of a stack, in order, with its state; what fits is in one stack,
// which is on the device before the execution; and the error comes after all of them.
func TestPrefetchFillsStacks(t *testing.T) {
	b := openTest(t, "xla:cpu")
	for name, test := range map[string]struct {
		kind   string
		source func() Source
		count  int
		sizes  []int
	}{
		"of one size": {b.Kind, func() Source { return &synthetic{batch: 2} }, 72, []int{32, 32, 8}},
		"full ones":   {b.Kind, func() Source { return &synthetic{batch: 2} }, 64, []int{32, 32}},
		"uneven":      {b.Kind, func() Source { return &uneven{synthetic{batch: 2}} }, 48, []int{7, 7, 7, 7, 7, 7, 6}},
		"alone":       {"go", func() Source { return &synthetic{batch: 2} }, 3, []int{1, 1, 1}},
		"none":        {b.Kind, func() Source { return &synthetic{batch: 2} }, 0, nil},
	} {
		e := &engine{config: tiny(), layout: encode.TalbotBot{}.Layout(), conv: model.Winograd,
			backend: &backend.Backend{Backend: b.Backend, Kind: test.kind}}
		p := prefetch(&ending{test.source(), test.count}, e)
		want, at := test.source(), 0
		var sizes []int
		for {
			s, err := p.next(t.Context())
			if err != nil {
				if !errors.Is(err, io.EOF) || at != test.count {
					t.Errorf("%s: after %d batches %v", name, at, err)
				}
				break
			}
			sizes = append(sizes, s.left())
			for i := range s.left() {
				at++
				var batch Batch
				if err := want.Next(&batch); err != nil {
					t.Fatal(err)
				}
				batch.State = nil
				row := s.part(i, s.room)
				if !reflect.DeepEqual(row, batch) || string(s.states[i]) != strconv.Itoa(at) {
					t.Fatalf("%s: batch %d, with the state %s, is not that of its row", name, at, s.states[i])
				}
			}
			for _, x := range s.inputs {
				if x := x.(*tensors.Tensor); !x.IsOnDevice(0) {
					t.Errorf("%s: %s is not on the device", name, x.Shape())
				}
			}
			if (len(s.inputs) > 0) != (s.room > 1) {
				t.Errorf("%s: %d inputs", name, len(s.inputs))
			}
			s.done += s.left()
		}
		p.close()
		if !slices.Equal(sizes, test.sizes) {
			t.Errorf("%s: stacks of %d", name, sizes)
		}
	}
}
