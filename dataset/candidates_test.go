package dataset

import (
	"errors"
	"fmt"
	"testing"

	"talbot/board"
)

// valued is a manifest with values of candidates, and a line that has them; the engine's order is not the network's.
func valued() (*Manifest, *Line) {
	net := Network{Recipe: "prior", Checkpoint: "0", Backend: "go", Prior: true}
	m := &Manifest{Splits: DefaultSplits, Networks: []Network{{Recipe: "other", Checkpoint: "1", Prior: true}, net},
		Fingerprints: []Fingerprint{{Engine: "Other", Limit: "depth 3"}}}
	e4, d4, a3 := board.NewMove(12, 28), board.NewMove(11, 27), board.NewMove(8, 16)
	l := &Line{Start: board.StartPosition(), Moves: []board.Move{e4}, Predictions: []PredictionColumn{{Network: 1,
		Predictions: []Prediction{{Status: Predicted, Moves: []PriorMove{{d4, 5}, {e4, 9}, {a3, 700}}}}}}}
	l.Labels = []LabelColumn{{Fingerprint: 0, Labels: []Label{{Status: Labelled, Best: e4,
		Lines: []Searched{{Score: 1, PV: []board.Move{e4}}}}}}}
	for i, d := range CandidateDepths {
		m.Fingerprints = append(m.Fingerprints, Fingerprint{Engine: "Stockfish", Limit: fmt.Sprint("depth ", d+1),
			Options: []Tag{{SearchMoves, SearchMovesText(3, net.ID())}}})
		l.Labels = append(l.Labels, LabelColumn{Fingerprint: 1 + i, Labels: []Label{{Status: Labelled, Best: e4,
			Lines: []Searched{{Score: Centipawns(10 * i), PV: []board.Move{e4}},
				{Score: Centipawns(20 * i), PV: []board.Move{d4}}, {Score: MateIn(-1 - i), PV: []board.Move{a3}}}}}})
	}
	return m, l
}

// TestCandidates: candidates come in the order of their priors with their own values at each depth, and do not count as
// labels of the position.
func TestCandidates(t *testing.T) {
	m, l := valued()
	if err := l.Check(); err != nil {
		t.Fatal(err)
	}
	plain, err := NewCounting(m.Fingerprints, "")
	if err != nil {
		t.Fatal(err)
	}
	if said := plain.Of(l, 0); said.Column != 0 || said.Candidates != nil {
		t.Errorf("%+v", said)
	}
	if column, err := LastEngine(m.Fingerprints); column != 0 || err != nil {
		t.Errorf("the last engine is %d, %v", column, err)
	}
	for count, want := range map[int]string{
		2: "[{d2d4 5 [cp 0 cp 20 cp 40 cp 60]} {e2e4 9 [cp 0 cp 10 cp 20 cp 30]}]",
		3: "[{d2d4 5 [cp 0 cp 20 cp 40 cp 60]} {e2e4 9 [cp 0 cp 10 cp 20 cp 30]} " +
			"{a2a3 700 [mate -1 mate -2 mate -3 mate -4]}]",
	} {
		c, err := plain.WithCandidates(m, count)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(c.Of(l, 0).Candidates); got != want {
			t.Errorf("%d candidates: %s, want %s", count, got, want)
		}
	}
	if _, err := plain.WithCandidates(m, 4); !errors.Is(err, ErrNoCandidates) {
		t.Errorf("more candidates than were searched: %v", err)
	}
}

// TestNoCandidates: without a depth, a network or a value there are none.
func TestNoCandidates(t *testing.T) {
	for name, spoil := range map[string]func(*Manifest){
		"depth":   func(m *Manifest) { m.Fingerprints[2].Limit = "depth 5" },
		"engine":  func(m *Manifest) { m.Fingerprints[1].Engine = "Other" },
		"network": func(m *Manifest) { m.Networks = m.Networks[:1] },
		"option":  func(m *Manifest) { m.Fingerprints[4].Options[0].Value = "3" },
	} {
		m, _ := valued()
		spoil(m)
		if _, err := (Counting{}).WithCandidates(m, 3); !errors.Is(err, ErrNoCandidates) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, spoil := range map[string]func(*Line){
		"no values":      func(l *Line) { l.Labels = l.Labels[:4] },
		"a move is lost": func(l *Line) { l.Labels[3].Labels[0].Lines = l.Labels[3].Labels[0].Lines[:2] },
		"failed":         func(l *Line) { l.Labels[3].Labels[0] = Label{Status: Failed} },
		"no priors":      func(l *Line) { l.Predictions = nil },
	} {
		m, l := valued()
		spoil(l)
		c, err := (Counting{}).WithCandidates(m, 3)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Of(l, 0).Candidates; len(got) > 0 {
			t.Errorf("%s: %v", name, got)
		}
	}
}
