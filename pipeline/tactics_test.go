package pipeline

import (
	"errors"
	"maps"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"talbot/board"
	"talbot/dataset"
	"talbot/pipeline/output"
	"talbot/shards"
	"talbot/stockfish"
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
		{cp(149), cp(-300), TacticNoAdvantage},
		{cp(150), cp(-50), ""},
		{cp(300), cp(51), TacticOthersHold},
		{cp(249), cp(50), TacticSmallGap},
		{cp(250), cp(50), ""},
		{dataset.MateIn(3), cp(900), TacticOthersHold},
		{dataset.MateIn(3), cp(20), ""},
		{dataset.MateIn(9), dataset.MateIn(-1), ""},
		{dataset.MateIn(-9), dataset.MateIn(-1), TacticNoAdvantage},
		{cp(9000), cp(-9000), ""},
	} {
		legal := pos.LegalMoves(nil)
		labels = append(labels, twoLines(s.best, s.second, legal[1], legal[2]))
		moves = append(moves, legal[0])
		pos.Play(legal[0])
		p := labels[len(labels)-1]
		tactics := Tactics{Advantage: 150, Second: 50, Gap: 200}
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
		{&start, changed, TacticUncertain}, {&start, only, TacticOneLine}, {&forced, only, TacticOnlyMove},
		{&start, dataset.Label{Status: dataset.Terminal}, TacticUnlabelled}, {&start, dataset.Label{},
			TacticUnlabelled},
	} {
		if got := (Tactics{Advantage: 150, Second: 50, Gap: 200}).judge(c.pos, &c.label); got != c.want {
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
	in := labelledLinesIn(t, lines, "2")
	out := filepath.Join(t.TempDir(), "tactics")
	sum, err := Tactics{In: in, Out: out, Advantage: 150, Second: 50, Gap: 200}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	verify(t, out)
	if sum.GamesRead != 4 || sum.GamesKept != 1 || sum.Samples != 6 ||
		!maps.Equal(sum.Rejects, map[dataset.Reason]int64{NoTactic: 2, NotAGame: 1}) ||
		!maps.Equal(sum.Dropped, dataset.Drops{TacticNoAdvantage: 3, TacticOthersHold: 3, TacticSmallGap: 1,
			TacticUnlabelled: 2}) {
		t.Errorf("%+v", sum)
	}
	d, err := shards.OpenDataset(out)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for l, err := range d.Lines() {
		if err != nil {
			t.Fatal(err)
		}
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
		t    Tactics
		want error
	}{
		"nothing so sharp":    {Tactics{In: in, Advantage: 2500}, ErrNoTactics},
		"one move was scored": {Tactics{In: labelledLinesIn(t, lines[:1], "1")}, ErrNoLabels},
		"no such fingerprint": {Tactics{In: in, Label: "0123456789abcdef"}, ErrNoLabels},
		"finished":            {Tactics{In: in, Out: out}, output.ErrFinished},
		"into itself":         {Tactics{In: in, Out: in}, output.ErrOccupied},
	} {
		if c.t.Out == "" {
			c.t.Out = filepath.Join(t.TempDir(), "x")
		}
		if _, err := c.t.Run(t.Context()); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// labelledLinesIn writes lines as a dataset with one fingerprint.
func labelledLinesIn(t *testing.T, lines []dataset.Line, multiPV string) string {
	t.Helper()
	dir := t.TempDir()
	w, err := shards.Create(dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	m := dataset.Manifest{Tool: output.Tool, Verb: "label", Splits: dataset.DefaultSplits,
		Inputs: []dataset.Input{{Name: "x.pgn", Games: int64(len(lines))}},
		Fingerprints: []dataset.Fingerprint{{Engine: "Test", Options: []dataset.Tag{{Name: "MultiPV", Value: multiPV}},
			Limit: "nodes 1000"}},
		Counts: dataset.Counts{Rejects: map[dataset.Reason]int64{}}}
	for i := range lines {
		if err := w.Write(&lines[i]); err != nil {
			t.Fatal(err)
		}
		m.Counts.GamesRead++
		m.Counts.AddLine(&lines[i])
	}
	info, err := w.Commit()
	if err != nil {
		t.Fatal(err)
	}
	m.Shards = []dataset.ShardInfo{info}
	if err := dataset.WriteManifest(dir, &m); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestAudit compares the labels of a share with those of a hundred times the nodes.
func TestAudit(t *testing.T) {
	defer os.Unsetenv(child)
	dir := t.TempDir()
	openings(t, filepath.Join(dir, "g.pgn"), 30, 1)
	r := job{Inputs: []string{ingested(t, filepath.Join(dir, "in"), filepath.Join(dir, "g.pgn"))},
		Out: filepath.Join(dir, "labels"), Workers: 2}.label()
	n := labelled(t, r).Samples
	r.In, r.Out = r.Out, filepath.Join(dir, "audit")
	t.Setenv(hasMemory, "1") // another engine, as it were: it says other things
	sum, err := Audit{Label: r, Share: 0.3}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	verify(t, r.Out)
	if sum.Nodes != 10000 || sum.Of != "nodes 100" || sum.Limit != "nodes 10000" ||
		sum.Labelled+sum.Reused != sum.All.Samples ||
		sum.All.Samples < n/5 || sum.All.Samples > n*2/5 {
		t.Errorf("%+v of %d samples", sum, n)
	}
	var value, phases, pieces float64
	var changed int64
	d, err := shards.OpenDataset(r.Out)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for l, err := range d.Lines() {
		if err != nil {
			t.Fatal(err)
		}
		if len(l.Labels) < 2 {
			continue
		}
		for k := range l.Labels[1].Labels {
			if a, b := l.Labels[0].Labels[k], l.Labels[1].Labels[k]; b.Status == dataset.Labelled {
				x, _ := a.Lines[0].Score.Centipawns()
				y, _ := b.Lines[0].Score.Centipawns()
				value += (tanh(x) - tanh(y)) * (tanh(x) - tanh(y))
				changed++
			}
		}
	}
	if changed != sum.All.Samples || math.Abs(value/float64(changed)-sum.All.ValueMSE) > 1e-6 || sum.All.BestMove != 0 {
		t.Errorf("%d samples with an MSE of %g, reported %+v", changed, value/float64(changed), sum.All)
	}
	for _, p := range sum.Phases {
		phases += float64(p.Samples) * p.ValueMSE
	}
	for _, p := range sum.Pieces {
		pieces += float64(p.Samples) * p.ValueMSE
	}
	if all := float64(sum.All.Samples) * sum.All.ValueMSE; math.Abs(phases-all) > 1e-6 || math.Abs(pieces-all) > 1e-6 {
		t.Errorf("the parts do not make the whole: %+v", sum)
	}
	if _, err := (Audit{Label: Label{In: filepath.Join(dir, "in"), Out: filepath.Join(dir, "x")},
		Share: 1}).Run(t.Context()); !errors.Is(err, ErrNoLabels) {
		t.Errorf("no labels: %v", err)
	}
}

func TestCalibrate(t *testing.T) {
	defer os.Unsetenv(child)
	dir := t.TempDir()
	openings(t, filepath.Join(dir, "g.pgn"), 10, 1)
	r := job{Inputs: []string{ingested(t, filepath.Join(dir, "in"), filepath.Join(dir, "g.pgn"))}, Workers: 1}.label()
	r.Engine.Limit = stockfish.MoveTime(time.Millisecond)
	sum, err := Calibrate{Dir: filepath.Join(dir, "in"), Engine: r.Engine, Workers: 2}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if sum.NodesMean != 77 || sum.NodesMedian != 77 || sum.NodesLow != 77 || sum.NodesHigh != 77 ||
		sum.Positions < 200 || sum.DepthMean != 3 ||
		sum.Nodes < 1 || sum.MillisPerSearch <= 0 || sum.MillisAtNodes <= 0 || sum.Workers != 2 ||
		sum.Limit != "movetime 1" {
		t.Errorf("%+v", sum)
	}
	for n, want := range map[float64]int64{1: 1, 0.2: 1, 99.4: 99, 104: 100, 17_654: 18_000, 999_999: 1_000_000} {
		if got := roundNodes(n); got != want {
			t.Errorf("%v becomes %d, want %d", n, got, want)
		}
	}
}

func tanh(cp int) float64 { return math.Tanh(float64(cp) / 350) }
