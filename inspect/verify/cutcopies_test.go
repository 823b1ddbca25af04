package verify

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/formats/rows"
	"talbot/internal/testkit/madeup"
	"talbot/pgn"
)

// datasetOf writes lines as a dataset of one input, numbered from 1.
func datasetOf(t *testing.T, splits dataset.Splits, lines []dataset.Line) string {
	t.Helper()
	for i := range lines {
		lines[i].Number = int64(i + 1)
	}
	return madeup.OneShard(t, dataset.Manifest{Tool: "test", Verb: "test", Splits: splits,
		Inputs: []dataset.Input{{Name: "made up"}}}, lines)
}

// branching are lines of few openings, each up to 45 plies; half of them are beginnings of others.
func branching(rng *rand.Rand, n int) (lines []dataset.Line) {
	for len(lines) < n {
		l := dataset.Line{Start: board.StartPosition(), Source: dataset.Source(rng.IntN(4))}
		if len(lines) > 0 && rng.IntN(2) == 0 {
			other := &lines[rng.IntN(len(lines))]
			l.Moves = slices.Clone(other.Moves[:rng.IntN(len(other.Moves)+1)])
		} else {
			at := l.Start
			for range rng.IntN(46) {
				legal := at.LegalMoves(nil)
				m := legal[rng.IntN(2)%len(legal)]
				at.Play(m)
				if l.Moves = append(l.Moves, m); !at.HasLegalMove() {
					break
				}
			}
		}
		lines = append(lines, l)
	}
	return lines
}

// placed is a line with where it is.
type placed struct {
	dir   string
	split dataset.Split
	line  dataset.Line
}

// isBeginningOf reports whether p is the beginning of a longer line in another split, from the words alone.
func (p *placed) isBeginningOf(q *placed) bool {
	start, moves := p.line.WithoutHistory()
	longerStart, longer := q.line.WithoutHistory()
	return p.split != q.split && len(moves) >= 20 && len(moves) < len(longer) && start.EPD() == longerStart.EPD() &&
		slices.Equal(moves, longer[:len(moves)])
}

func verifyDirs(t *testing.T, workers int, dirs ...string) *Report {
	t.Helper()
	v, err := Request{Dirs: dirs, Workers: workers}.Run(t.Context())
	if err != nil && !errors.Is(err, ErrBothSides) {
		t.Fatal(err)
	}
	v.Seconds = 0
	return v
}

// TestCutCopies compares each line with each, within datasets and across them, where they are split alike and where
// not.
func TestCutCopies(t *testing.T) {
	half := dataset.Splits{Train: 50, Val: 30, Test: 20}
	for name, splits := range map[string][2]dataset.Splits{
		"alike":     {half, half},
		"otherwise": {half, {Train: 20, Val: 40, Test: 40}}, // where lines of 30 plies and more are in two splits too
	} {
		total := 0
		for seed := range uint64(6) {
			rng := rand.New(rand.NewPCG(seed, 3))
			lines := branching(rng, 400)
			var all []placed
			var dirs []string
			for i, part := range [][]dataset.Line{lines[:150], lines[150:]} {
				dir := datasetOf(t, splits[i], part)
				dirs = append(dirs, dir)
				for _, l := range part {
					all = append(all, placed{dir, splits[i].Of(dataset.SplitKey(&l)), l})
				}
			}
			count := int64(0)
			keys := map[string]bool{}
			for i := range all {
				if slices.ContainsFunc(all, func(q placed) bool { return all[i].isBeginningOf(&q) }) {
					count++
					start, moves := all[i].line.WithoutHistory()
					keys[start.EPD()+fmt.Sprint(moves)] = true
				}
			}
			got := verifyDirs(t, 3, dirs...)
			if got.CutCopies != count || len(got.CutExamples) != min(len(keys), 10) {
				t.Fatalf("%s, seed %d: %d lines, %d examples; want %d lines, %d different", name, seed, got.CutCopies,
					len(got.CutExamples), count, len(keys))
			}
			find := func(l CutLine) *placed {
				i := slices.IndexFunc(all, func(p placed) bool {
					return p.dir == l.Dataset && p.line.Number == l.Number && p.split.String() == l.Split &&
						len(p.line.Moves)-p.line.Reconstructed == l.Plies && l.Input == "made up"
				})
				if i < 0 {
					t.Fatalf("%s, seed %d: no line is %+v", name, seed, l)
				}
				return &all[i]
			}
			for _, c := range got.CutExamples {
				if !find(c.Shorter).isBeginningOf(find(c.Longer)) {
					t.Errorf("%s, seed %d: %+v is none", name, seed, c)
				}
			}
			if again := verifyDirs(t, 1, dirs...); !reflect.DeepEqual(again, got) {
				t.Errorf("%s, seed %d: one worker finds something else", name, seed)
			}
			total += int(count)
		}
		if total < 60 {
			t.Errorf("%s: %d found: the test shows nothing", name, total)
		}
	}
}

// TestCutCopiesOfKramnik: of games cut to 28 plies, those that are in another split than the whole are counted.
func TestCutCopiesOfKramnik(t *testing.T) {
	in, err := rows.Open("../../../shared/data/corpus/gm-corpus.pgn.zst")
	if err != nil {
		t.Skipf("SKIPPED: the shared test data are not here: %v", err)
	}
	defer in.Close()
	var whole, cut []dataset.Line
	wholes := map[[16]byte]bool{}
	s, p := pgn.NewSplitter(in), new(pgn.Parser)
	for len(whole) < 407 {
		batch, err := s.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range batch.Games {
			l, reject := p.Parse(g)
			if reject != nil || !strings.HasPrefix(l.Tag("White"), "Kramnik") || len(l.Moves) <= 28 ||
				wholes[l.GameHash()] || len(whole) == 407 {
				continue
			}
			wholes[l.GameHash()] = true
			l.Input, l.Moves = 0, slices.Clone(l.Moves)
			whole = append(whole, l)
			l.Moves = l.Moves[:28]
			cut = append(cut, l)
		}
		batch.Release()
	}
	apart := 0
	for i := range whole {
		split := dataset.DefaultSplits.Of(dataset.SplitKey(&whole[i]))
		if split != dataset.DefaultSplits.Of(dataset.SplitKey(&cut[i])) {
			apart++
		}
	}
	if len(whole) != 407 || apart < 40 {
		t.Fatalf("%d games, %d in another split than their beginnings", len(whole), apart)
	}
	got := verifyDirs(t, 2, datasetOf(t, dataset.DefaultSplits, whole), datasetOf(t, dataset.DefaultSplits, cut))
	// Games that begin alike for 28 plies may be in one split with their own and in another with each other's.
	if got.BothSides != 0 || got.CutCopies < int64(apart) || got.CutCopies > int64(apart+20) {
		t.Errorf("%d cut copies, %d games on both sides; %d beginnings are in another split than their game",
			got.CutCopies, got.BothSides, apart)
	}
	t.Logf("%d of 407 beginnings are in another split than their game, %d than some game", apart, got.CutCopies)
	for _, c := range got.CutExamples {
		if c.Shorter.Plies != 28 || !filepath.IsAbs(c.Shorter.Dataset) || c.Longer.Plies <= 28 {
			t.Errorf("example %+v", c)
		}
	}
}
