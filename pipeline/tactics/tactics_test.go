package tactics

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/output"
	"talbot/internal/testkit"
	"talbot/internal/testkit/madeup"
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
	forced := testkit.Value(board.ParseFEN("k7/8/8/8/8/8/1r6/K7 w - - 0 1"))(t)
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
	sum := testkit.Run(t, Request{In: in, Out: out, Advantage: 150, Second: 50, Gap: 200})
	madeup.Verify(t, out)
	if sum.GamesRead != 4 || sum.GamesKept != 1 || sum.Samples != 6 ||
		!maps.Equal(sum.Rejects, map[dataset.Reason]int64{NoTactic: 2, NotAGame: 1}) ||
		!maps.Equal(sum.SamplesDropped, dataset.Drops{NoAdvantage: 3, OthersHold: 3, SmallGap: 1, Unlabelled: 2}) {
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

// TestPredicted: of a dataset that a network predicted, and whose most probable moves have labels too, each tactic
// keeps its own predictions and labels, and is judged by the labels that compare all moves: the last such of each
// sample.
func TestPredicted(t *testing.T) {
	net := dataset.Network{Recipe: "test", Checkpoint: "0", Backend: "go", Value: true}
	several := []dataset.Tag{{Name: "MultiPV", Value: "2"}}
	among := dataset.Fingerprint{Engine: "Test", Options: []dataset.Tag{{Name: "MultiPV", Value: "2"},
		{Name: dataset.SearchMoves, Value: dataset.SearchMovesText(2, net.ID())}}, Limit: "depth 11"}
	prints := []dataset.Fingerprint{
		{Engine: "Test", Options: several, Limit: "nodes 1000"},
		{Engine: "Test", Options: several, Limit: "nodes 2000"},
		among,
		{Engine: "Test", Limit: "nodes 3000"},
	}
	l := dataset.Line{Start: board.StartPosition(), Number: 1}
	columns := make([]dataset.LabelColumn, len(prints))
	said := dataset.PredictionColumn{}
	p := l.Start
	cp := dataset.Centipawns
	for ply := range 9 {
		legal := p.LegalMoves(nil)
		sharp, flat := twoLines(cp(300), cp(0), legal[1], legal[2]), twoLines(cp(30), cp(0), legal[3], legal[2])
		first, second := flat, dataset.Label{}
		switch ply % 3 {
		case 0: // by the first labels alone: a tactic
			first, second.Status = sharp, dataset.Failed
		case 1: // the second ones say that it is none
			first, second = sharp, flat
		}
		for i, label := range []dataset.Label{first, second, sharp, {Status: dataset.Labelled, Best: legal[4],
			Lines: []dataset.Searched{{Score: cp(900), PV: legal[4:5]}}}} {
			columns[i].Fingerprint = i
			columns[i].Labels = append(columns[i].Labels, label)
		}
		said.Predictions = append(said.Predictions, dataset.Prediction{Status: dataset.Predicted,
			Value: dataset.QuantizedValue(ply)})
		l.Moves = append(l.Moves, legal[0])
		p.Play(legal[0])
	}
	l.Labels, l.Predictions = columns, []dataset.PredictionColumn{said}
	in := madeup.OneShard(t, dataset.Manifest{Tool: output.Tool, Verb: "label", Splits: dataset.DefaultSplits,
		Inputs: []dataset.Input{{Name: "x.pgn", Games: 1}}, Fingerprints: prints, Networks: []dataset.Network{net},
		Counts: dataset.Counts{Rejects: map[dataset.Reason]int64{}}}, []dataset.Line{l})
	out := filepath.Join(t.TempDir(), "tactics")
	request := Request{In: in, Out: out, Advantage: 150, Second: 50, Gap: 200}
	sum := testkit.Run(t, request)
	madeup.Verify(t, out)
	if sum.Samples != 3 || sum.Fingerprint != prints[1].ID() || !maps.Equal(sum.SamplesDropped,
		dataset.Drops{NoAdvantage: 6}) {
		t.Errorf("%+v", sum)
	}
	for m, got := range madeup.Each(t, out) {
		if len(m.Networks) != 1 || m.Networks[0] != net {
			t.Errorf("networks %+v", m.Networks)
		}
		for i, ply := range []int{0, 3, 6} {
			if v := got.PredictionsOf(0)[i].Value; int(v) != ply {
				t.Errorf("tactic at ply %d: the prediction is that of ply %d", ply, v)
			}
			for c := range columns {
				a, b := got.Labels[c].Labels[i].AppendBytes(nil), columns[c].Labels[ply].AppendBytes(nil)
				if !bytes.Equal(a, b) {
					t.Errorf("tactic at ply %d: label %d is another one", ply, c)
				}
			}
			if best := columns[0].Labels[ply].Best; got.Policies[i][0].Move != best {
				t.Errorf("tactic at ply %d: %v, want %v", ply, got.Policies[i][0].Move, best)
			}
		}
	}

	for _, c := range []struct {
		print   int
		samples int64
		want    string
	}{{0, 6, ""}, {1, 0, "no tactics found"}, {2, 0, "is of candidates alone"}, {3, 0, "scores one"}} {
		r := request
		r.Label, r.Out = prints[c.print].ID(), filepath.Join(t.TempDir(), "x")
		sum, err := r.Run(t.Context())
		if sum.Samples != c.samples || (err == nil) != (c.want == "") ||
			err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("labels %d: %d tactics, %v", c.print, sum.Samples, err)
		}
		// What found nothing can be tried again with other flags.
		if _, err := os.Stat(r.Out); c.want != "" && !errors.Is(err, os.ErrNotExist) {
			t.Errorf("labels %d: the folder is there: %v", c.print, err)
		}
	}
}
