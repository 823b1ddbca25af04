package label_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"talbot/dataset"
	"talbot/fleet"
	"talbot/internal/durable"
	"talbot/internal/output"
	"talbot/internal/testkit"
	"talbot/pipeline/label"
	"talbot/stockfish"
)

// forger is a pool whose results are said to come from workers, one of which forges each label that it gives. After so
// many of its labels, or at the end, it is found out.
type forger struct {
	*stockfish.Pool
	after  int // labels of the liar; 0: at the end
	caught *bool
	forged int
	given  int
}

const liar, honest = 1, 2

var _ label.Shared = (*forger)(nil)

var foundOut = &fleet.WithdrawnError{Worker: liar, Reason: "it lies"}

func (f *forger) Serve(context.Context, string) error { return nil }

func (f *forger) SetRemaining(int64) {}

func (f *forger) Banned(worker int) bool { return worker == liar && *f.caught }

func (f *forger) Builds() []string { return nil }

func (f *forger) Remote() (a, b, c int64) { return int64(f.given), 0, int64(f.forged) }

func (f *forger) Finish() {}

func (f *forger) Label(ctx context.Context, jobs iter.Seq[stockfish.Job], done func(stockfish.Result) error) error {
	err := f.Pool.Label(ctx, jobs, func(r stockfish.Result) error {
		f.given++
		r.Worker = f.given % 4 // the liar, another one, and twice the own engines
		if r.Worker == 3 {
			r.Worker = 0
		}
		if r.Worker == liar && *f.caught {
			r.Worker = honest
		}
		if r.Worker != liar || r.Labels[0].Status != dataset.Labelled {
			return done(r)
		}
		r.Labels = slices.Clone(r.Labels)
		r.Labels[0].Lines = slices.Clone(r.Labels[0].Lines)
		r.Labels[0].Lines[0].Score++
		f.forged++
		if err := done(r); err != nil {
			return err
		}
		if f.forged == f.after {
			*f.caught = true
			return foundOut
		}
		return nil
	})
	if err == nil && f.forged > 0 && !*f.caught {
		*f.caught = true
		return foundOut
	}
	return err
}

// withForger has a labelling make its labels with a forger. What was found out outlives it.
func withForger(r *label.Request, after int, caught *bool, last **forger) {
	r.Start = func(ctx context.Context, c stockfish.Config, workers int) (label.Searcher, error) {
		pool, err := stockfish.NewPool(ctx, c, workers)
		if err != nil {
			return nil, err
		}
		*last = &forger{Pool: pool, after: after, caught: caught}
		return *last, nil
	}
}

// TestWithdrawn: labels of a worker that is found to lie are gone from the output, with their copies, whether that is
// found out while their shard is made, when it is sealed, or at the very end; those of others are not made again.
func TestWithdrawn(t *testing.T) {
	output.SmallShards(t, 400)
	dir := t.TempDir()
	count := testkit.Searches(t)
	in := someGames(t, 50)
	for _, scope := range []stockfish.HashScope{stockfish.PositionScope, stockfish.LineScope} {
		if scope == stockfish.LineScope {
			t.Setenv(testkit.HasMemory, "1")
		}
		alone := job{In: in, Out: filepath.Join(dir, "alone"+scope.String()), Workers: 2,
			Scope: scope}.request(t)
		labelled(t, alone)
		distinct := count()
		for _, after := range []int{1, 30, 110, 0} {
			t.Run(fmt.Sprint(scope, after), func(t *testing.T) {
				r := alone
				r.Out = filepath.Join(t.TempDir(), "out")
				caught := false
				var f *forger
				warned := 0
				r.Warn = func(error) { warned++ }
				withForger(&r, after, &caught, &f)
				labelled(t, r)
				if !caught || f.forged == 0 || warned != 1 {
					t.Errorf("caught %v, %d forged, %d warnings", caught, f.forged, warned)
				}
				testkit.Same(t, alone.Out, r.Out)
				searched := count()
				if scope == stockfish.PositionScope && searched > distinct+f.forged+8 {
					t.Errorf("%d searches of %d positions, %d of them forged", searched, distinct, f.forged)
				}
			})
		}
	}
}

// TestWithdrawnFaults lets each step of writing fail in turn once the liar is found out, and repeats the command: no
// forged label stays.
func TestWithdrawnFaults(t *testing.T) {
	output.SmallShards(t, 200)
	dir := t.TempDir()
	in := someGames(t, 20)
	alone := job{In: in, Out: filepath.Join(dir, "alone"), Workers: 2}.request(t)
	labelled(t, alone)
	failed := 0
	step := 4
	if testkit.Full() {
		step = 1
	}
	for k := 1; ; k += step {
		r := alone
		r.Out = filepath.Join(t.TempDir(), "out")
		caught := false
		var f *forger
		withForger(&r, 0, &caught, &f)
		steps := 0
		durable.InjectFaults(t, func(op, path string) error {
			if !caught || op == "write" && filepath.Ext(path) == ".journal" { // labels are written in no order
				return nil
			}
			if steps++; steps == k {
				return &os.PathError{Op: op, Path: path, Err: syscall.ENOSPC}
			}
			return nil
		})
		_, err := r.Run(t.Context())
		durable.InjectFaults(t, nil)
		if err != nil {
			failed++
			if !errors.Is(err, syscall.ENOSPC) {
				t.Fatalf("step %d: %v", k, err)
			}
			if _, err := r.Run(t.Context()); err != nil && !errors.Is(err, output.ErrFinished) {
				t.Fatalf("step %d, repeated: %v", k, err)
			}
		}
		testkit.Same(t, alone.Out, r.Out)
		if steps < k {
			break
		}
	}
	t.Logf("failed at %d steps", failed)
	if failed < 40/step {
		t.Errorf("only %d failures", failed)
	}
}
