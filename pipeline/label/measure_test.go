package label_test

import (
	"errors"
	"math"
	"path/filepath"
	"testing"
	"time"

	"talbot/dataset"
	"talbot/internal/testkit"
	"talbot/internal/testkit/madeup"
	"talbot/pipeline/label"
	"talbot/stockfish"
)

// TestAudit compares the labels of a share with those of a hundred times the nodes.
func TestAudit(t *testing.T) {
	dir := t.TempDir()
	openings(t, filepath.Join(dir, "g.pgn"), 30, 1)
	r := job{In: ingested(t, filepath.Join(dir, "in"), filepath.Join(dir, "g.pgn")),
		Out: filepath.Join(dir, "labels"), Workers: 2}.request(t)
	n := labelled(t, r).Samples
	r.In, r.Out = r.Out, filepath.Join(dir, "audit")
	t.Setenv(testkit.HasMemory, "1") // another engine, as it were: it says other things
	sum := testkit.Run(t, label.Audit{Request: r, Share: 0.3})
	madeup.Verify(t, r.Out)
	if sum.Nodes != 10000 || sum.Of != "nodes 100" || sum.Limit != "nodes 10000" ||
		sum.Labelled+sum.Reused != sum.All.Samples ||
		sum.All.Samples < n/5 || sum.All.Samples > n*2/5 {
		t.Errorf("%+v of %d samples", sum, n)
	}
	var value, phases, pieces float64
	var changed int64
	for _, l := range madeup.Each(t, r.Out) {
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
	if _, err := (label.Audit{Request: label.Request{In: filepath.Join(dir, "in"), Out: filepath.Join(dir, "x")},
		Share: 1}).Run(t.Context()); !errors.Is(err, dataset.ErrNoLabels) {
		t.Errorf("no labels: %v", err)
	}
}

func TestCalibrate(t *testing.T) {
	dir := t.TempDir()
	openings(t, filepath.Join(dir, "g.pgn"), 10, 1)
	r := job{In: ingested(t, filepath.Join(dir, "in"), filepath.Join(dir, "g.pgn")), Workers: 1}.request(t)
	r.Engine.Limit = stockfish.MoveTime(time.Millisecond)
	sum := testkit.Run(t, label.MeasureNodes{Dir: filepath.Join(dir, "in"), Engine: r.Engine, Workers: 2})
	if sum.NodesMean != 77 || sum.NodesMedian != 77 || sum.NodesLow != 77 || sum.NodesHigh != 77 ||
		sum.Positions < 200 || sum.DepthMean != 3 ||
		sum.Nodes < 1 || sum.MillisPerSearch <= 0 || sum.MillisAtNodes <= 0 || sum.Workers != 2 ||
		sum.Limit != "movetime 1" {
		t.Errorf("%+v", sum)
	}
}

func tanh(cp int) float64 { return math.Tanh(float64(cp) / 350) }
