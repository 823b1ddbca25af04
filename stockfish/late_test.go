package stockfish

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/testkit"
	"talbot/stockfish/uci"
)

// madeUpSearch is what Stockfish might say of a search for the best few of the legal moves, up to a depth or, if that
// is 0, until its nodes run out somewhere. At each depth it searches the ranks in turn, and has lines of several kinds
// meanwhile: those of ranks that are done, those of moves that looked better than the ones before but may not stay
// where they are, and those of the depth before. It reports after the last rank of each depth and at the stop; from
// the late-th rank on, counted over all depths, after every one.
func madeUpSearch(legal []board.Move, seed uint64, several, depth, late int) (said []string) {
	r := rand.New(rand.NewPCG(seed, 0))
	several = min(several, len(legal))
	stop := several*depth - 1
	if depth == 0 {
		stop = r.IntN(6 * several)
	}
	nodes := 0
	for step := 0; step <= stop; step++ {
		rank, at := step%several, step/several+1
		nodes += 1 + r.IntN(100)
		stopped := depth == 0 && step == stop
		r.Shuffle(len(legal)-rank, func(i, j int) { legal[rank+i], legal[rank+j] = legal[rank+j], legal[rank+i] })
		var set []string
		for i := range several {
			d, bound := at, ""
			switch {
			case i > rank && r.IntN(3) > 0:
				d--
			case i == rank && stopped:
				d, bound = at-r.IntN(2), []string{"", " upperbound", " lowerbound"}[r.IntN(3)]
			}
			cp := 100 - 10*i + r.IntN(10)
			if d == 0 {
				continue
			}
			set = append(set, fmt.Sprintf("info depth %d multipv %d score cp %d%s nodes %d pv %s", d, i+1, cp, bound,
				nodes, legal[i]))
		}
		if rank == several-1 || stopped || step >= late {
			said = append(said, set...)
		}
	}
	return append(said, "bestmove "+legal[0].String())
}

// labelsOf are what is found in the lines of a search; the error is the text of what they lack.
func labelsOf(t *testing.T, said []string, several int, depths []int) ([]dataset.Label, string) {
	t.Helper()
	pos := board.StartPosition()
	f := newSearchLines(&pos, several, depths, nil)
	for _, line := range said {
		if best, ok := strings.CutPrefix(line, "bestmove "); ok {
			if f.incomplete(best, &pos) {
				return nil, "short"
			}
			labels, err := f.labels(&pos, best)
			return labels, fmt.Sprint(err)
		}
		i, err := uci.ParseInfo([]byte(strings.TrimPrefix(line, "info ")))
		if err == nil {
			err = f.add(i)
		}
		testkit.OK(t, err)
	}
	t.Fatal("no best move")
	return nil, ""
}

// TestLateReports: however early a search becomes late, its labels are those of one that never does, and all lines of
// one are of the same depth.
func TestLateReports(t *testing.T) {
	short, labelled := 0, 0
	for seed := range uint64(60) {
		for _, c := range []struct {
			several, depth int
			shallower      []int
		}{{1, 0, nil}, {2, 0, nil}, {3, 0, nil}, {5, 0, nil}, {8, 0, nil}, {4, 5, []int{1, 2, 4}}, {8, 3, []int{2}}} {
			start := board.StartPosition()
			search := func(late int) []string {
				return madeUpSearch(start.LegalMoves(nil), seed, c.several, c.depth, late)
			}
			ranks := 6 * c.several
			want, why := labelsOf(t, search(ranks), c.several, c.shallower)
			if want == nil {
				short++
			}
			for _, l := range want {
				labelled++
				if l.MixesDepths() {
					t.Fatalf("seed %d, %+v: lines of different depths: %+v", seed, c, l)
				}
			}
			for late := range ranks {
				if got, whyLate := labelsOf(t, search(late), c.several, c.shallower); !reflect.DeepEqual(got, want) ||
					whyLate != why {
					t.Fatalf("seed %d, %+v, late from rank %d on:\n%s\ngives %+v, %s; in time\n%s\ngives %+v, %s", seed,
						c, late, strings.Join(search(late), "\n"), got, whyLate,
						strings.Join(search(ranks), "\n"), want, why)
				}
			}
		}
	}
	if short < 20 || labelled < 300 {
		t.Errorf("only %d searches without a label and %d labels", short, labelled)
	}
}

// TestLateEngine: the same through an engine's process.
func TestLateEngine(t *testing.T) {
	noLeak(t)
	var want []string
	for late := 30; late >= 0; late -= 3 {
		cfg := fakeConfig(t, fmt.Sprintf("overdue:%d", late))
		cfg.MultiPV = 5
		e := startEngine(t, cfg)
		var got []string
		for _, moves := range []string{"", "e2e4", "d2d4", "g1f3 g8f6", "e2e4 e7e5"} {
			start, list := line(t, "", moves)
			label, err := one(t.Context(), e, start, list)
			got = append(got, fmt.Sprintf("%+v %v", label, err))
		}
		if want == nil {
			want = got
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("late from rank %d on: %q, in time %q", late, got, want)
		}
	}
}
