package loader

import (
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/encode"
)

// anyLabel stands for no fingerprint asked for.
const anyLabel = -1

// TestExactResults: where endgame tables have a sample its value is theirs and its move the engine's, unless a
// fingerprint is asked for; without an engine the value remains.
func TestExactResults(t *testing.T) {
	start, err := board.ParseFEN("8/8/8/8/4k3/8/8/R2K4 w - - 0 1")
	if err != nil {
		t.Fatal(err)
	}
	best := start.LegalMoves(nil)[0]
	said := dataset.Label{Status: dataset.Labelled, Best: best,
		Lines: []dataset.Searched{{Score: dataset.Centipawns(-50), PV: []board.Move{best}}}}
	engine := dataset.LabelColumn{Fingerprint: 0, Labels: []dataset.Label{said}}
	tables := dataset.LabelColumn{Fingerprint: 1, Labels: []dataset.Label{dataset.ExactLabel(dataset.Won)}}
	set := Set{Manifest: &dataset.Manifest{Fingerprints: []dataset.Fingerprint{{Limit: "nodes 1"},
		{Limit: dataset.ExactLimit}}}}
	value := func(s dataset.Score) float32 { v, _ := encode.TalbotBot{}.Value(s); return v }
	won, minus := value(dataset.Centipawns(dataset.MaxCentipawns)), value(dataset.Centipawns(-50))
	for name, c := range map[string]struct {
		label   int
		columns []dataset.LabelColumn
		value   float32
		choices int
	}{
		"both":       {anyLabel, []dataset.LabelColumn{engine, tables}, won, 1},
		"engine":     {anyLabel, []dataset.LabelColumn{engine}, minus, 1},
		"tables":     {anyLabel, []dataset.LabelColumn{tables}, won, 0},
		"the engine": {0, []dataset.LabelColumn{engine, tables}, minus, 1},
		"the tables": {1, []dataset.LabelColumn{engine, tables}, won, 0},
	} {
		id := ""
		if c.label != anyLabel {
			id = set.Manifest.Fingerprints[c.label].ID()
		}
		counting, err := dataset.NewCounting(set.Manifest.Fingerprints, id)
		if err != nil {
			t.Fatal(err)
		}
		l := dataset.Line{Source: dataset.SourceEndgame, Start: start, Samples: dataset.LastPosition(),
			Labels: c.columns}
		var w dataset.Walker
		w.Reset(&l)
		w.Next()
		said := counting.Of(&l, 0)
		var view encode.View
		view.Visit(&w, said)
		choices := len(encode.Policy(nil, encode.TalbotBot{}, encode.Targets{}, &view))
		if v, ok := encode.Value(encode.TalbotBot{}, encode.RecipeValue, w.Position(), said.Value); !ok ||
			v != c.value ||
			choices != c.choices {
			t.Errorf("%s: value %v and %d moves, want %v and %d", name, v, choices, c.value, c.choices)
		}
	}
}
