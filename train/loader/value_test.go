package loader

import (
	"math"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/encode"
	"talbot/internal/testkit/madeup"
)

// TestValueTargetsAreRead: each target finds in the shards what it is made of. An endgame's sample comes with the
// result of the tables, and is marked where its value is by audited labels.
func TestValueTargetsAreRead(t *testing.T) {
	start, err := board.ParseFEN("8/8/8/8/4k3/8/8/R2K4 w - - 0 1")
	if err != nil {
		t.Fatal(err)
	}
	best := start.LegalMoves(nil)[0]
	engine := dataset.Fingerprint{Engine: "Made-up", Limit: "nodes 1"}
	said := dataset.Label{Status: dataset.Labelled, Best: best, Lines: []dataset.Searched{
		{Score: dataset.Centipawns(350), WDL: dataset.WDL{Win: 700, Draw: 200, Loss: 100}, PV: []board.Move{best}}}}
	line := dataset.Line{Source: dataset.SourceEndgame, Start: start, Samples: dataset.LastPosition(),
		Labels: []dataset.LabelColumn{
			{Fingerprint: 0, Labels: []dataset.Label{said}}, {Fingerprint: 1,
				Labels: []dataset.Label{dataset.ExactLabel(dataset.Won)}}}}
	dir := madeup.OneShard(t, dataset.Manifest{Splits: dataset.Splits{Test: 100},
		Fingerprints: []dataset.Fingerprint{engine, {Engine: "Tables", Limit: dataset.ExactLimit}}},
		[]dataset.Line{line})
	for target, want := range map[encode.ValueTarget]float64{
		encode.TanhValue: math.Tanh(1), encode.WDLValue: 0.6,
		encode.WinProbValue: 2/(1+math.Exp(-0.00368208*350)) - 1} {
		for _, label := range []string{"", engine.ID()} {
			d, err := Open(t.Context(), []Spec{{Dir: dir}},
				Options{Encoder: encode.TalbotBot{}, Label: label, Targets: encode.Targets{Value: target},
					Origins: true})
			if err != nil {
				t.Fatal(err)
			}
			s := collect(t, d, EvalOptions{Splits: []dataset.Split{dataset.Test}, Audited: engine.ID()})[0]
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
			if label != "" && !(math.Abs(float64(s.Floats[0])-want) <= 1e-6) || label == "" && !(s.Floats[0] >= 0.95) {
				t.Errorf("%v by label %q: %g", target, label, s.Floats[0])
			}
			if at := s.Origin; !at.HasResult || at.Result != dataset.Won || at.Audited != (label != "") {
				t.Errorf("label %q: %+v", label, at)
			}
		}
	}
}
