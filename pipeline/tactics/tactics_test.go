package tactics

import (
	"errors"
	"maps"
	"path/filepath"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/pipeline/internal/madeup"
	"talbot/pipeline/output"
)

// twoLines is a label of two moves with their scores.
func twoLines(best, second dataset.Score, moves ...board.Move) dataset.Label {
	return dataset.Label{Status: dataset.Labelled, Best: moves[0], Lines: []dataset.Searched{
		{Score: best, PV: moves[:1]}, {Score: second, PV: moves[1:2]},
	}}
}

// TestTactics knows of every sample of a game why it is kept or left out.
func TestTactics(t *testing.T) {
	pos := board.StartPosition()
	var moves []board.Move
	var labels []dataset.Label
	cp := dataset.Centipawns
	for _, s := range []struct {
		best, second dataset.Score
		reason       dataset.Reason
	}{
		{cp(300), cp(0), ""},
		{cp(149), cp(-300), NoAdvantage},
		{cp(150), cp(-50), ""},
		{cp(300), cp(51), OthersHold},
		{cp(249), cp(50), SmallGap},
		{cp(250), cp(50), ""},
		{dataset.MateIn(3), cp(900), OthersHold},
		{dataset.MateIn(3), cp(20), ""},
		{dataset.MateIn(9), dataset.MateIn(-1), ""},
		{dataset.MateIn(-9), dataset.MateIn(-1), NoAdvantage},
		{cp(9000), cp(-9000), ""},
	} {
		legal := pos.LegalMoves(nil)
		labels = append(labels, twoLines(s.best, s.second, legal[1], legal[2]))
		moves = append(moves, legal[0])
		pos.Play(legal[0])
		p := labels[len(labels)-1]
		tactics := Request{Advantage: 150, Second: 50, Gap: 200}
		if got := tactics.judge(&pos, &p); got != s.reason {
			t.Errorf("%v and %v: %q, want %q", s.best, s.second, got, s.reason)
		}
	}
	changed := labels[0]
	changed.Best = moves[0]
	only := dataset.Label{Status: dataset.Labelled, Best: moves[0], Lines: labels[0].Lines[:1]}
	forced, err := board.ParseFEN("k7/8/8/8/8/8/1r6/K7 w - - 0 1")
	if err != nil {
		t.Fatal(err)
	}
	start := board.StartPosition()
	for _, c := range []struct {
		pos   *board.Position
		label dataset.Label
		want  dataset.Reason
	}{
		{&start, changed, Uncertain}, {&start, only, OneLine}, {&forced, only, OnlyMove},
		{&start, dataset.Label{Status: dataset.Terminal}, Unlabelled}, {&start, dataset.Label{},
			Unlabelled},
	} {
		if got := (Request{Advantage: 150, Second: 50, Gap: 200}).judge(c.pos, &c.label); got != c.want {
			t.Errorf("%v: %q, want %q", c.label, got, c.want)
		}
	}

	lines := []dataset.Line{
		{Start: start, Moves: moves, Labels: []dataset.LabelColumn{{Labels: labels}}, Number: 1},
		// not labelled
		{Start: start, Moves: moves[:2], Number: 2},
		// no tactic
		{Start: start, Moves: moves[:2], Number: 3, Labels: []dataset.LabelColumn{{Labels: []dataset.Label{labels[1],
			labels[3]}}}},
		{Start: start, Moves: moves[:1], Samples: dataset.LastPosition(), Source: dataset.SourceEndgame, Number: 4},
	}
	in := madeup.Labelled(t, lines, "2")
	out := filepath.Join(t.TempDir(), "tactics")
	sum, err := Request{In: in, Out: out, Advantage: 150, Second: 50, Gap: 200}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	madeup.Verify(t, out)
	if sum.GamesRead != 4 || sum.GamesKept != 1 || sum.Samples != 6 ||
		!maps.Equal(sum.Rejects, map[dataset.Reason]int64{NoTactic: 2, NotAGame: 1}) ||
		!maps.Equal(sum.Dropped, dataset.Drops{NoAdvantage: 3, OthersHold: 3, SmallGap: 1,
			Unlabelled: 2}) {
		t.Errorf("%+v", sum)
	}
	for _, l := range madeup.Each(t, out) {
		if l.Source != dataset.SourcePuzzle || len(l.Moves) != len(moves) ||
			dataset.SplitKey(l) != dataset.SplitKey(&lines[0]) || l.GameHash() != lines[0].GameHash() {
			t.Errorf("the game is another line: %+v", l)
		}
		plies := l.Samples.Plies(nil, len(l.Moves))
		for i, ply := range []int{0, 2, 5, 7, 8, 10} {
			if plies[i] != ply || len(l.Policies[i]) != 1 || l.Policies[i][0].Move != labels[ply].Best ||
				l.Labels[0].Labels[i].Lines[0].Score != labels[ply].Lines[0].Score {
				t.Errorf("tactic %d: ply %d, policy %v, label %+v", i, plies[i], l.Policies[i], l.Labels[0].Labels[i])
			}
		}
	}

	for name, c := range map[string]struct {
		t    Request
		want error
	}{
		"nothing so sharp":    {Request{In: in, Advantage: 2500}, ErrNoTactics},
		"one move was scored": {Request{In: madeup.Labelled(t, lines[:1], "1")}, dataset.ErrNoLabels},
		"no such fingerprint": {Request{In: in, Label: "0123456789abcdef"}, dataset.ErrNoLabels},
		"finished":            {Request{In: in, Out: out}, output.ErrFinished},
		"into itself":         {Request{In: in, Out: in}, output.ErrOccupied},
	} {
		if c.t.Out == "" {
			c.t.Out = filepath.Join(t.TempDir(), "x")
		}
		if _, err := c.t.Run(t.Context()); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
