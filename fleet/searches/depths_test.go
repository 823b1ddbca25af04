package searches

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/stockfish"
)

// TestWorkersBeforeLinesRule: a worker whose engine's sets of lines may mix depths is refused when it joins, also where
// other builds are let in.
func TestWorkersBeforeLinesRule(t *testing.T) {
	now := dataset.Fingerprint{Engine: "Test Engine", Build: "0123456789abcdef", Limit: "nodes 100",
		Options: []dataset.Tag{{Name: "MultiPV", Value: "3"}, {Name: dataset.LinesRule, Value: dataset.OneDepth}}}
	p := &Pool{prints: []dataset.Fingerprint{now}, share: Share{AllowBuilds: true}}
	prove := func(f dataset.Fingerprint) error {
		text, err := json.Marshal(proof{Fingerprints: []dataset.Fingerprint{f}})
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.prove(text)
		return err
	}
	if err := prove(now); err != nil {
		t.Error(err)
	}
	if err := prove(now.WithoutLinesRule()); err == nil || !strings.Contains(err.Error(), "use the same version") {
		t.Errorf("an old worker: %v", err)
	}
	p.prints = []dataset.Fingerprint{now.WithoutLinesRule()}
	if err := prove(now); err == nil || !strings.Contains(err.Error(), "use the same version") {
		t.Errorf("an old coordinator: %v", err)
	}
}

// TestWorkersMixDepths: an answer with lines of different depths is not taken.
func TestWorkersMixDepths(t *testing.T) {
	start := board.StartPosition()
	legal := start.LegalMoves(nil)
	l := dataset.Label{Status: dataset.Labelled, Best: legal[0]}
	for i := range 3 {
		l.Lines = append(l.Lines, dataset.Searched{Depth: 8, Nodes: 9, PV: legal[i : i+1]})
	}
	p := &Pool{config: stockfish.Config{MultiPV: 3}}
	q := &question{start: start, plies: []int{0}}
	if err := p.checkLabels(q, [][]dataset.Label{{l}}); err != nil {
		t.Error(err)
	}
	for i := range l.Lines {
		mixed := l
		mixed.Lines = slices.Clone(l.Lines)
		mixed.Lines[i].Depth++
		if err := p.checkLabels(q, [][]dataset.Label{{mixed}}); err == nil {
			t.Errorf("line %d is of another depth", i+1)
		}
	}
}
