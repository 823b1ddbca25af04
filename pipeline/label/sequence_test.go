package label

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/testkit"
	"talbot/internal/testkit/madeup"
	"talbot/stockfish"
)

// outOfOrder is a searcher that keeps some results back and hands them on in any order. Its scores are a function of
// the search: the start, the moves, and under [stockfish.LineScope] which positions before it were searched.
type outOfOrder struct {
	scope    stockfish.HashScope
	rng      *rand.Rand
	keep     int  // results that are kept back
	stop     int  // results after which it fails; 0: never
	sound    bool // nothing fails
	searched map[searchKey]int
	ahead    bool // a job of a shard came while there were results of the one before
	calls    int  // of Label
}

var errStopped = errors.New("stopped")

func (o *outOfOrder) Label(_ context.Context, jobs iter.Seq[stockfish.Job], done func(stockfish.Result) error) error {
	o.calls++
	var kept []stockfish.Result
	give := func() error {
		if o.stop > 0 {
			if o.stop--; o.stop == 0 {
				return errStopped
			}
		}
		i := o.rng.IntN(len(kept))
		r := kept[i]
		kept[i] = kept[len(kept)-1]
		kept = kept[:len(kept)-1]
		return done(r)
	}
	for j := range jobs {
		line := dataset.Line{Start: j.Start, Moves: j.Moves}
		for _, r := range kept {
			o.ahead = o.ahead || r.Index>>shardBits < j.Index>>shardBits
		}
		for k, id := range searchKeys(nil, o.scope, &line, j.Plies, nil) {
			o.searched[id]++
			kept = append(kept, fakeResult(j.Index, k, id, firstMove(&line, j.Plies[k]), o.sound))
		}
		if len(j.Plies) == 0 {
			if len(kept) == 0 {
				return errors.New("there are no jobs for now though nothing is under way")
			}
			time.Sleep(2 * time.Millisecond) // the next shard is looked through
			if err := give(); err != nil {
				return err
			}
		}
		for len(kept) > o.keep {
			if err := give(); err != nil {
				return err
			}
		}
	}
	for len(kept) > 0 {
		if err := give(); err != nil {
			return err
		}
	}
	return nil
}

// firstMove is a legal move of a position of a line.
func firstMove(line *dataset.Line, ply int) board.Move {
	p := line.Start
	for _, m := range line.Moves[:ply] {
		p.Play(m)
	}
	return p.LegalMoves(nil)[0]
}

// fakeResult is that of a search; a few always fail, unless the engine is sound.
func fakeResult(index int64, sample int, id searchKey, m board.Move, sound bool) stockfish.Result {
	r := stockfish.Result{Index: index, Sample: sample, Labels: []dataset.Label{{Status: dataset.Failed}}}
	sum := sha256.Sum256(id[:])
	if sum[0] < 8 && !sound {
		r.Err = errors.New("the engine fails")
		return r
	}
	r.Labels[0] = dataset.Label{Status: dataset.Labelled, Best: m, Lines: []dataset.Searched{{
		Score: dataset.Centipawns(int(sum[1])), Depth: 1, Nodes: int64(sum[2]), PV: []board.Move{m}}}}
	return r
}

func (o *outOfOrder) Fingerprints() []dataset.Fingerprint {
	return []dataset.Fingerprint{{Engine: "out of order", Build: "0123456789abcdef", Limit: "nodes 1",
		Options: []dataset.Tag{}}}
}
func (o *outOfOrder) Stats() stockfish.Stats { return stockfish.Stats{} }
func (o *outOfOrder) Abort()                 {}
func (o *outOfOrder) Close() error           { return nil }

// similarLines are games of random moves, few of which there are to choose from, so that many positions are in several.
func similarLines(t *testing.T, rng *rand.Rand, n int) (list []dataset.Line) {
	t.Helper()
	for i := range n {
		line := dataset.Line{Number: int64(i + 1), Start: board.StartPosition(), Moves: []board.Move{}}
		p := line.Start
		for range 1 + rng.IntN(9) {
			moves := p.LegalMoves(nil)
			line.Moves = append(line.Moves, moves[rng.IntN(2)])
			p.Play(line.Moves[len(line.Moves)-1])
		}
		list = append(list, line)
	}
	return list
}

// TestNextShardEarly: lines of the next shard go to the engines while some of the present one are under way. In
// whatever order the results come, and however often the work is interrupted, the bytes are the same, and nothing is
// searched twice that does not fail.
func TestNextShardEarly(t *testing.T) {
	for _, scope := range []stockfish.HashScope{stockfish.PositionScope, stockfish.LineScope} {
		t.Run(scope.String(), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, uint64(scope)))
			in := madeup.Dataset(t, similarLines(t, rng, 48), 12)
			var want map[string]string
			aheads := 0
			for round := range 12 {
				o := &outOfOrder{scope: scope, rng: rng, searched: map[searchKey]int{}}
				if round > 0 {
					o.keep = rng.IntN(100)
				}
				out := filepath.Join(t.TempDir(), "out")
				for {
					if round%2 == 1 {
						o.stop = 1 + rng.IntN(120)
					}
					start := func(context.Context, stockfish.Config, int) (Searcher, error) { return o, nil }
					_, err := Request{In: in, Out: out, Workers: 1, Start: start,
						Engine: stockfish.Config{Limit: stockfish.Nodes(1), Scope: scope}}.Run(t.Context())
					if err == nil {
						break
					}
					if !errors.Is(err, errStopped) {
						t.Fatal(err)
					}
				}
				if o.ahead {
					aheads++
				}
				got := filesOf(t, out)
				if want == nil {
					want = got
				}
				for name := range want {
					if got[name] != want[name] {
						t.Fatalf("round %d: %s differs when %d results are kept back", round, name, o.keep)
					}
				}
				if len(got) != len(want) {
					t.Fatalf("round %d: %d files, %d in the first", round, len(got), len(want))
				}
				for id, n := range o.searched {
					if n > 1 && fakeResult(0, 0, id, 0, false).Err == nil && scope == stockfish.PositionScope &&
						round%2 == 0 {
						t.Fatalf("round %d: searched %d times", round, n)
					}
				}
			}
			if aheads == 0 { // how often depends on the machine
				t.Error("the next shard never came early")
			}
		})
	}
}

// TestShardsChained: however many results are kept back, all shards are labelled in one call of the searcher, which is
// never without work before the end, and the bytes are the same.
func TestShardsChained(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 0))
	in := madeup.Dataset(t, similarLines(t, rng, 96), 12)
	var want map[string]string
	for _, keep := range []int{0, 10, 40, 80, 150} {
		o := &outOfOrder{rng: rng, keep: keep, sound: true, searched: map[searchKey]int{}}
		out := filepath.Join(t.TempDir(), "out")
		start := func(context.Context, stockfish.Config, int) (Searcher, error) { return o, nil }
		testkit.Run(t, Request{In: in, Out: out, Workers: 1, Start: start,
			Engine: stockfish.Config{Limit: stockfish.Nodes(1)}})
		if o.calls != 1 {
			t.Errorf("%d kept back: the searcher was called %d times", keep, o.calls)
		}
		got := filesOf(t, out)
		if want == nil {
			want = got
		}
		if !maps.Equal(got, want) {
			t.Errorf("%d kept back: the files differ", keep)
		}
	}
}

// filesOf are the files of a folder.
func filesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := madeup.Files(t, dir)
	if len(files) < 2 {
		t.Fatal(fmt.Sprint("no dataset: ", files))
	}
	return files
}
