package dataset

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"talbot/board"
)

func TestNames(t *testing.T) {
	for want, got := range map[string]fmt.Stringer{
		"Source(7)": Source(7),
		"*":         ResultUnknown, "1-0": WhiteWins, "1/2-1/2": Draw, "0-1": BlackWins, "Result(4)": Result(4),
		"missing": Missing, "labelled": Labelled, "terminal": Terminal, "failed": Failed,
		"LabelStatus(4)": LabelStatus(4),
		"train":          Train, "val": Val, "test": Test, "Split(3)": Split(3), "90,5,5": DefaultSplits,
		"cp -31": Centipawns(-31), "mate 3": MateIn(3), "mate -2": MateIn(-2), "Score(-32768)": Score(math.MinInt16),
	} {
		if got.String() != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for _, r := range []Result{ResultUnknown, WhiteWins, Draw, BlackWins} {
		if got, err := ParseResult(r.String()); err != nil || got != r {
			t.Errorf("%v: %v, %v", r, got, err)
		}
	}
	if _, err := ParseResult("1-1"); err == nil || !strings.Contains(err.Error(), `"1-1"`) {
		t.Errorf("1-1: %v", err)
	}
}

// TestScore goes through all 65536 scores and some beyond.
func TestScore(t *testing.T) {
	for i := math.MinInt16; i <= math.MaxInt16; i++ {
		s := Score(i)
		cp, isCP := s.Centipawns()
		n, isMate := s.Mate()
		switch {
		case isCP && isMate, s.Valid() != (isCP || isMate):
			t.Fatalf("%d is both, or Valid is wrong", i)
		case isCP && (cp != i || Centipawns(cp) != s):
			t.Fatalf("%d: centipawns %d", i, cp)
		case isMate && MateIn(n) != s:
			t.Fatalf("%d: mate %d", i, n)
		}
	}
	for _, c := range []struct {
		got  Score
		want int16
	}{
		{Centipawns(0), 0}, {Centipawns(30000), 30000}, {Centipawns(-30000), -30000}, {Centipawns(30001),
			30000}, {Centipawns(math.MinInt), -30000},
		{MateIn(1), 32766}, {MateIn(2000), 30767}, {MateIn(2001), 30767}, {MateIn(-1), -32766}, {MateIn(-2000), -30767},
		{MateIn(math.MinInt), -30767}, {MateIn(math.MaxInt), 30767}, {MateIn(0), -32767},
	} {
		if int16(c.got) != c.want {
			t.Errorf("%d, want %d", c.got, c.want)
		}
	}
	ordered := []Score{MateIn(0), MateIn(-1), MateIn(-2), MateIn(-2000), Centipawns(-30000), 0, Centipawns(30000),
		MateIn(2000), MateIn(2), MateIn(1)}
	if !slices.IsSorted(ordered) {
		t.Errorf("%v is not in order", ordered)
	}
}

func TestSamples(t *testing.T) {
	for _, c := range []struct {
		s    Samples
		n    int
		want string
	}{
		{AllMoves(), 0, "[]"}, {AllMoves(), 3, "[0 1 2]"}, {Samples{}, 2, "[0 1]"},
		{OddPlies(), 0, "[]"}, {OddPlies(), 1, "[]"}, {OddPlies(), 2, "[1]"}, {OddPlies(), 5, "[1 3]"}, {OddPlies(), 6,
			"[1 3 5]"},
		{LastPosition(), 0, "[0]"}, {LastPosition(), 4, "[4]"},
		{SomePlies(nil), 9, "[]"}, {SomePlies([]byte{0x81, 0x03}), 9, "[0 7 8 9]"}, {SomePlies([]byte{0x81, 0x03}), 8,
			"[0 7 8]"},
		{SomePlies([]byte{0xff}), 0, "[0]"}, {SomePlies([]byte{0xff, 0xff, 0xff}), 7, "[0 1 2 3 4 5 6 7]"},
	} {
		got := c.s.Plies(nil, c.n)
		if fmt.Sprint(got) != c.want || c.s.Count(c.n) != len(got) {
			t.Errorf("%+v of %d moves: %v, count %d, want %s", c.s, c.n, got, c.s.Count(c.n), c.want)
		}
		for ply := -2; ply < c.n+20; ply++ {
			if c.s.Has(ply, c.n) != slices.Contains(got, ply) {
				t.Errorf("%+v of %d moves: Has(%d) is %v", c.s, c.n, ply, c.s.Has(ply, c.n))
			}
		}
	}
	if got := OddPlies().Plies([]int{9}, 2); fmt.Sprint(got) != "[9 1]" {
		t.Errorf("Plies does not append: %v", got)
	}
}

// goodLine is a labelled line of 1. e4 e5 2. Nf3.
func goodLine() Line {
	e4, e5, nf3 := board.NewMove(12, 28), board.NewMove(52, 36), board.NewMove(6, 21)
	return Line{
		Start: board.StartPosition(), Moves: []board.Move{e4, e5, nf3}, Reconstructed: 1, WhiteElo: 2700,
		Tags:     []Tag{{"White", "Tal"}},
		Policies: [][]WeightedMove{{{e4, 1}}, nil, {{nf3, 0.5}, {board.NewMove(6, 23), 0}}},
		Labels: []LabelColumn{{0, []Label{
			{Status: Labelled, Best: e4, Lines: []Searched{{Score: 31, WDL: WDL{42, 956, 2}, Depth: 10, Nodes: 9,
				PV: []board.Move{e4, e5}}}},
			{Status: Failed}, {},
		}}},
	}
}

func TestCheck(t *testing.T) {
	l := goodLine()
	if err := l.Check(); err != nil {
		t.Fatal(err)
	}
	if l.Tag("White") != "Tal" || l.Tag("Black") != "" || l.SampleCount() != 3 {
		t.Error("Tag or SampleCount")
	}
	first := func(f func(*Label)) func(*Line) { return func(l *Line) { f(&l.Labels[0].Labels[0]) } }
	for want, spoil := range map[string]func(*Line){
		"ply 2: move g1f4 is illegal":        func(l *Line) { l.Moves[2] = board.NewMove(6, 29) },
		"source":                             func(l *Line) { l.Source = SourceSelfPlay + 1 },
		"offset -1":                          func(l *Line) { l.Offset = -1 },
		"rating 70000":                       func(l *Line) { l.WhiteElo = 70000 },
		"4 reconstructed plies":              func(l *Line) { l.Reconstructed = 4 },
		`tag "White" "\xff"`:                 func(l *Line) { l.Tags[0].Value = "\xff" },
		"sample at ply 4":                    func(l *Line) { l.Samples = SomePlies([]byte{0x17}) },
		"unknown kind":                       func(l *Line) { l.Samples.kind = 4 },
		"2 policies for 3 samples":           func(l *Line) { l.Policies = l.Policies[:2] },
		"policy move g1f4":                   func(l *Line) { l.Policies[2][0].Move = board.NewMove(6, 29) },
		"policy weight NaN":                  func(l *Line) { l.Policies[0][0].Weight = float32(math.NaN()) },
		"policy weight -1":                   func(l *Line) { l.Policies[0][0].Weight = -1 },
		"policy weight +Inf":                 func(l *Line) { l.Policies[0][0].Weight = float32(math.Inf(1)) },
		"2 labels of fingerprint 0":          func(l *Line) { l.Labels[0].Labels = l.Labels[0].Labels[:2] },
		"labels of fingerprint 0 after 0":    func(l *Line) { l.Labels = append(l.Labels, l.Labels[0]) },
		"label 1 of fingerprint 0":           func(l *Line) { l.Labels[0].Labels[1].Best = l.Moves[1] },
		"unknown status 4":                   first(func(l *Label) { l.Status = 4 }),
		"0 lines":                            first(func(l *Label) { l.Lines = nil }),
		"no best move":                       first(func(l *Label) { l.Best = 0 }),
		"Score(30500)":                       first(func(l *Label) { l.Lines[0].Score = 30500 }),
		"depth -1":                           first(func(l *Label) { l.Lines[0].Depth = -1 }),
		"does not sum to 1000":               first(func(l *Label) { l.Lines[0].WDL.Win++ }),
		"move 2 of its variation, 0000":      first(func(l *Label) { l.Lines[0].PV[1] = 0 }),
		"start position":                     func(l *Line) { l.Start = board.Position{} },
		"move 1 of its variation, e7e5, is ": first(func(l *Label) { l.Lines[0].PV = l.Lines[0].PV[1:] }),
	} {
		l := goodLine()
		spoil(&l)
		if err := l.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v", want, err)
		}
	}
}

// TestKeep: a line that is left some of its samples keeps what belongs to them, column by column, and the line that it
// was copied from is as before.
func TestKeep(t *testing.T) {
	known := []string{"Moves", "Clocks", "Tags", "Policies", "Labels", "Predictions"}
	for f := range reflect.TypeFor[Line]().Fields() {
		if f := f; f.Type.Kind() == reflect.Slice && !slices.Contains(known, f.Name) {
			t.Errorf("%s is new: say in Keep whether it has an element for each sample", f.Name)
		}
	}
	whole := func() *Line {
		l := &Line{Start: board.StartPosition()}
		said := [3]LabelColumn{{Fingerprint: 0}, {Fingerprint: 2}, {Fingerprint: 5}}
		asked := [2]PredictionColumn{{Network: 0}, {Network: 3}}
		p := l.Start
		for ply := range 12 {
			legal := p.LegalMoves(nil)
			m := legal[ply%len(legal)]
			l.Moves = append(l.Moves, m)
			l.Policies = append(l.Policies, []WeightedMove{{m, float32(ply)}})
			for i := range said {
				said[i].Labels = append(said[i].Labels, Label{Status: Labelled, Best: m,
					Lines: []Searched{{Depth: 100*i + ply, PV: []board.Move{m}}}})
			}
			for i := range asked {
				asked[i].Predictions = append(asked[i].Predictions,
					Prediction{Status: Predicted, Value: QuantizedValue(100*i + ply)})
			}
			p.Play(m)
		}
		l.Labels, l.Predictions = said[:], asked[:]
		return l
	}
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(1, seed))
		l, samples := *whole(), []int{}
		for k := range 12 {
			if rng.IntN(3) == 0 {
				samples = append(samples, k)
			}
		}
		l.Keep(samples)
		if err := l.Check(); err != nil {
			t.Fatalf("%v: %v", samples, err)
		}
		plies := l.Samples.Plies(nil, 12)
		if !slices.Equal(plies, samples) {
			t.Fatalf("%v: samples at %v", samples, plies)
		}
		for i, ply := range plies {
			if l.Policies[i][0].Weight != float32(ply) {
				t.Errorf("%v: policy %v at ply %d", samples, l.Policies[i], ply)
			}
			for c := range l.Labels {
				if d := l.Labels[c].Labels[i].Lines[0].Depth; d != 100*c+ply {
					t.Errorf("%v: label %d of column %d at ply %d", samples, d, c, ply)
				}
			}
			for c := range l.Predictions {
				if v := l.Predictions[c].Predictions[i].Value; int(v) != 100*c+ply {
					t.Errorf("%v: prediction %d of column %d at ply %d", samples, v, c, ply)
				}
			}
		}
		again, before := l, l.SampleCount()
		if before > 0 { // once more, from samples that are not all plies
			again.Keep([]int{before - 1})
			if again.Labels[1].Labels[0].Lines[0].Depth != 100+plies[before-1] {
				t.Errorf("%v: the last sample is %v", samples, again.Labels[1].Labels)
			}
		}
	}
	l := whole()
	part := *l
	part.Keep([]int{3})
	if !reflect.DeepEqual(l, whole()) {
		t.Error("the line that was copied has changed")
	}
}

// TestCheckEach: a sample is handed out only if the move played there is legal, with its position and number.
func TestCheckEach(t *testing.T) {
	moves := []board.Move{board.NewMove(12, 28), board.NewMove(52, 36), board.NewMove(12, 28)} // e4, e5, and e4 again
	l := Line{Source: SourceGame, Start: board.StartPosition(), Samples: AllMoves(), Moves: moves}
	var seen []int
	err := l.CheckEach(func(p *board.Position, ply, sample int) error {
		if p.Turn() != board.Color(ply%2) || sample != ply {
			t.Errorf("sample %d at ply %d: %q", sample, ply, p.FEN())
		}
		seen = append(seen, ply)
		return nil
	})
	if err == nil || !strings.Contains(err.Error(), "ply 2: move e2e4 is illegal") || len(seen) != 2 {
		t.Errorf("samples at %v, then %v", seen, err)
	}
	broken := errors.New("broken")
	if err := l.CheckEach(func(*board.Position, int, int) error { return broken }); !errors.Is(err, broken) {
		t.Error(err)
	}
}
