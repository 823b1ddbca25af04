package review

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/formats/rows"
	"talbot/internal/testkit"
	"talbot/internal/testkit/shareddata"
	"talbot/play/engine"
)

// lichess returns puzzles of Lichess, with their themes and ratings.
func lichess(t *testing.T) (list []*puzzle, themes [][]string, ratings []int) {
	r := rows.NewPuzzleReader(bytes.NewReader(shareddata.Read(t, "puzzles/lichess-stratified-a.csv")))
	for {
		l, _, err := r.Next()
		if errors.Is(err, io.EOF) {
			return list, themes, ratings
		}
		if err != nil {
			t.Fatal(err)
		}
		words := strings.Fields(l.Tag(rows.TagThemes))
		if len(words) < 2 { // nobody has given it any
			continue
		}
		p := &puzzle{start: l.Start, row: l.Moves, solution: l.Moves, score: 300}
		if slices.Contains(words, "crushing") {
			p.score = 900
		}
		list, themes = append(list, p), append(themes, words)
		ratings = append(ratings, testkit.Value(strconv.Atoi(l.Tag(rows.TagPuzzleRating)))(t))
	}
}

// TestThemes compares the themes with those that Lichess has for its puzzles; the opening and the middlegame, which end
// otherwise there, are alike in 97 of 100.
func TestThemes(t *testing.T) {
	list, known, _ := lichess(t)
	differ := map[string]int{}
	for i, p := range list {
		own := p.themes()
		for theme := range strings.FieldsSeq("mate mateIn1 mateIn2 mateIn3 mateIn4 mateIn5 oneMove short long " +
			"veryLong endgame middlegame opening crushing advantage promotion doubleCheck fork hangingPiece") {
			switch a, b := slices.Contains(own, theme), slices.Contains(known[i], theme); {
			case theme == "advantage" && slices.Contains(known[i], "equality"), a == b:
			default:
				differ[theme]++
			}
		}
	}
	most := map[string]int{"middlegame": len(list) / 30, "opening": len(list) / 30, "fork": 1, "hangingPiece": 1,
		"endgame": 1}
	for theme, n := range differ {
		if n > most[theme] {
			t.Errorf("%s: differs in %d of %d puzzles", theme, n, len(list))
		}
	}
}

// TestRatings compares the ratings of an eighth of Lichess's puzzles with those that a network of Maia's predicts.
func TestRatings(t *testing.T) {
	list, _, ratings := lichess(t)
	n := testkit.Value(engine.Open(engine.Config{Path: shareddata.Path(t, "lc0/maia-1300.pb.gz"), Backend: "go",
		Bulk: true}))(t)
	defer n.Close()
	var some []*puzzle
	var real []float64
	for i := 0; i < len(list); i += 8 {
		some, real = append(some, list[i]), append(real, float64(ratings[i]))
	}
	r := Request{People: []Person{{Rating: 1300, Evaluator: n.Evaluator()}}}
	var own []float64
	for _, rating := range testkit.Value(r.rate(t.Context(), some))(t) {
		own = append(own, float64(rating))
	}
	if rho := correlation(ranks(own), ranks(real)); rho < 0.75 {
		t.Errorf("rank correlation %.3f of %d puzzles", rho, len(some))
	}
}

func ranks(list []float64) []float64 {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(list[a], list[b]) })
	place := make([]float64, len(list))
	for rank, i := range order {
		place[i] = float64(rank)
	}
	return place
}

func correlation(a, b []float64) float64 {
	mean := float64(len(a)-1) / 2
	var ab, aa, bb float64
	for i := range a {
		ab, aa, bb = ab+(a[i]-mean)*(b[i]-mean), aa+(a[i]-mean)*(a[i]-mean), bb+(b[i]-mean)*(b[i]-mean)
	}
	return ab / math.Sqrt(aa*bb)
}

// TestExtend follows solutions through searches that are made up: where they end, and which are given up.
func TestExtend(t *testing.T) {
	const start = "6k1/5ppp/8/8/8/8/r4PPP/1R4K1 b - - 0 1"
	const two = "7k/5ppp/8/8/8/8/R7/1R4K1 b - - 0 1"
	cp := dataset.Centipawns
	type searched struct {
		pv           string
		best, second dataset.Score
	}
	for name, c := range map[string]struct {
		fen, row string
		mates    bool
		said     []searched
		solution string // "" is none
		row2     string // the longer row; "" if it stays
	}{
		"one move, no reply known": {start, "a2a8 b1b8", false,
			[]searched{{"b1a1", cp(500), cp(0)}}, "a2a8 b1a1", ""},
		"another one wins too": {start, "a2a8 b1b8", false,
			[]searched{{"b1a1", cp(500), cp(300)}}, "", ""},
		"not enough": {start, "a2a8 b1b8", false,
			[]searched{{"b1a1", cp(190), cp(-900)}}, "", ""},
		"longer": {start, "a2a8 b1b8", false,
			[]searched{{"b1a1 a8b8", cp(500), cp(0)}}, "a2a8 b1a1", "a2a8 b1a1 a8b8 ?"},
		"mate": {start, "h7h6 b1b8", true,
			[]searched{{"b1b8 g8h7", dataset.MateIn(2), cp(0)}}, "h7h6 b1b8", "h7h6 b1b8 g8h7 ?"},
		"mate in one": {two, "h8g8 a2a8", true,
			[]searched{{"a2a8", dataset.MateIn(1), cp(300)}}, "h8g8 a2a8", ""},
		"two mates in one": {two, "h8g8 a2a8", true,
			[]searched{{"a2a8", dataset.MateIn(1), dataset.MateIn(1)}}, "", ""},
		"a mate that ends without mating": {start, "h7h6 b1b8", true,
			[]searched{{"b1b8", dataset.MateIn(2), cp(0)}}, "", ""},
		"a mate that is none": {start, "h7h6 b1b8", true,
			[]searched{{"b1b8 g8h7", cp(900), cp(0)}}, "", ""},
		"the second is not the only one": {start, "a2a8 b1a1 a8b8 g2g3", false,
			[]searched{{"b1a1 a8b8", cp(500), cp(0)}, {"g2g3", cp(500), cp(450)}}, "a2a8 b1a1", ""},
		"another move than the row's": {start, "a2a8 b1b8 a8b8 g2g3", false,
			[]searched{{"b1a1 a8b8", cp(500), cp(0)}, {"g2g3", cp(500), cp(0)}}, "a2a8 b1a1", "a2a8 b1a1 a8b8 ?"},
	} {
		at := testkit.Value(board.ParseFEN(c.fen))(t)
		moves := func(at board.Position, text string) []board.Move {
			list, err := at.PlayUCI(strings.Fields(text)...)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			return list
		}
		p := &puzzle{start: at, row: moves(at, c.row), mates: c.mates}
		before := slices.Clone(p.row)
		var labels []dataset.Label
		played := at
		for k, s := range c.said {
			played.Play(p.row[2*k])
			pv := moves(played, s.pv)
			labels = append(labels, dataset.Label{Status: dataset.Labelled, Best: pv[0], Lines: []dataset.Searched{
				{Score: s.best, PV: pv}, {Score: s.second, PV: []board.Move{first}}}})
			played.Play(p.row[2*k+1])
		}
		more := p.extend(labels)
		if p.spoilt {
			p.solution = nil
		}
		row := strings.Trim(fmt.Sprint(p.row), "[]")
		if got := strings.Trim(fmt.Sprint(p.solution), "[]"); got != c.solution || more != (c.row2 != "") ||
			more && !strings.HasPrefix(row, strings.TrimSuffix(c.row2, "?")) || !more && !slices.Equal(p.row, before) {
			t.Errorf("%s: %q, more %t, row %s", name, got, more, row)
		}
	}
}

// TestTraps weighs moves by their costs: what many still play and loses is a trap, met and perhaps fallen into.
func TestTraps(t *testing.T) {
	at := board.StartPosition()
	e4, d4, a3 := board.NewMove(12, 28), board.NewMove(11, 27), board.NewMove(8, 16)
	known := func(m board.Move, share, expected float64) weighed {
		return weighed{move: m, share: share, expected: expected, known: true}
	}
	for name, c := range map[string]struct {
		moves []weighed
		traps []board.Move // with what is known
		may   []board.Move // and with what is not
	}{
		// 0.84^(0.3·√1500) = 0.132: 0.9·0.132/(0.1 + 0.9·0.132) = 0.54 of them.
		"nearly all fall": {[]weighed{known(e4, 0.1, 0.6), known(d4, 0.9, 0.44)}, []board.Move{d4},
			[]board.Move{d4}},
		"it costs little":     {[]weighed{known(e4, 0.1, 0.6), known(d4, 0.9, 0.46)}, nil, nil},
		"most see it":         {[]weighed{known(e4, 0.6, 0.6), known(d4, 0.4, 0.44)}, nil, nil},
		"not known":           {[]weighed{known(e4, 0.1, 0.6), {move: d4, share: 0.9}}, nil, []board.Move{d4}},
		"whatever it costs":   {[]weighed{known(e4, 0.6, 0.6), {move: d4, share: 0.4}}, nil, nil},
		"a third is known":    {[]weighed{known(e4, 0.1, 0.6), known(d4, 0.4, 0.4), known(a3, 0.5, 0.6)}, nil, nil},
		"better than thought": {[]weighed{known(e4, 0.5, 0.6), known(d4, 0.5, 0.9)}, nil, nil},
	} {
		l := lure{at: at, rating: 1500, best: 0.6, moves: c.moves}
		if got := l.traps(TrapCost, false); !slices.Equal(got, c.traps) {
			t.Errorf("%s: traps %v, want %v", name, got, c.traps)
		}
		if got := l.traps(TrapCost, true); !slices.Equal(got, c.may) {
			t.Errorf("%s: perhaps traps %v, want %v", name, got, c.may)
		}
	}
	trap := []weighed{known(e4, 0.1, 0.6), known(d4, 0.9, 0.3)}
	lures := []lure{{rating: 1500, best: 0.6, moves: trap, played: d4}, // before anybody moved
		{rating: 1500, best: 0.6, moves: trap, side: 1, set: true, played: e4},
		{rating: 1500, best: 0.6, moves: trap, side: 1, set: true, played: d4},
		{rating: 1500, best: 0.6, moves: trap[:1], side: 1, set: true, played: e4}}
	count := make([]Traps, 2)
	if err := (&Request{}).findTraps(t.Context(), "", lures, count); err != nil {
		t.Fatal(err)
	}
	if want := []Traps{{Met: 1, Fallen: 1, Set: 2, Worked: 1}, {Met: 2, Fallen: 1}}; !slices.Equal(count, want) {
		t.Errorf("%+v, want %+v", count, want)
	}
}
