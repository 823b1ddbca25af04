package stats

import (
	"maps"
	"reflect"
	"strings"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/testkit/madeup"
)

// countedBy returns the statistics of lines that have labels of some fingerprints.
func countedBy(t *testing.T, prints []dataset.Fingerprint, lines []dataset.Line) *Statistics {
	t.Helper()
	s, err := Request{Dir: madeup.OneShard(t, dataset.Manifest{Splits: dataset.DefaultSplits,
		Fingerprints: prints}, lines)}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestCoverage knows every number of a small dataset: four endgameCount with labels and tables' results.
func TestCoverage(t *testing.T) {
	prints := []dataset.Fingerprint{{Engine: "Stockfish 15.1", Limit: "nodes 1"},
		{Engine: "Syzygy tables", Limit: dataset.ExactLimit}}
	endgame := func(fen, moves string, said int, class dataset.Class, known bool) dataset.Line {
		l := madeup.Line(t, fen, strings.Fields(moves)...)
		l.Source, l.Samples, l.Reconstructed = dataset.SourceEndgame, dataset.LastPosition(), len(l.Moves)
		label := dataset.Label{Status: dataset.Labelled, Lines: []dataset.Searched{{Score: dataset.Centipawns(said)}}}
		p := l.Start
		for _, m := range l.Moves {
			p.Play(m)
		}
		label.Best = p.LegalMoves(nil)[0]
		label.Lines[0].PV = []board.Move{label.Best}
		l.Labels = []dataset.LabelColumn{{Fingerprint: 0, Labels: []dataset.Label{label}}}
		if known {
			l.Labels = append(l.Labels, dataset.LabelColumn{Fingerprint: 1,
				Labels: []dataset.Label{dataset.ExactLabel(class)}})
		}
		return l
	}
	lines := []dataset.Line{
		// Kxd2, Ke3: White, who has the rook, is to move behind a capture.
		endgame("8/8/8/8/4k3/8/3p4/R2K4 w - - 0 1", "d1d2 e4d4 d2c2 d4e4", 900, dataset.Won, true),
		endgame("8/8/8/8/4k3/8/8/R2K4 w - - 0 1", "a1a2 e4e5 a2a3 e5e4", -500, dataset.Won, true), // the opposite
		// a draw for a loss; Black has the rook
		endgame("r2k4/8/8/4K3/8/8/8/8 w - - 0 1", "e5e6 a8a7", 0, dataset.Lost, true),
		// by the engine alone
		endgame("8/8/8/4k3/8/8/3PP3/R2K4 w - - 0 1", "d1c2 e5d6 d2d4 d6d5", 300, dataset.Drawn, false),
	}
	s := countedBy(t, prints, lines)
	want := Coverage{
		SideToMove: map[string]int64{"white": 4, "black": 0}, Exact: 3,
		Results:         map[string]int64{"win": 3, "draw": 0, "loss": 1, "unknown": 0},
		HistoryCaptures: map[int]int64{0: 3, 1: 1},
		Signatures: []SignatureCoverage{
			{Signature: "KRvK", Pieces: 3, Samples: 3, Greater: 2, Win: 2, Loss: 1, Captures: 1},
			{Signature: "KRPPvK", Pieces: 5, Samples: 1, Greater: 1, Win: 1},
		},
	}
	if !reflect.DeepEqual(s.Coverage, want) {
		t.Errorf("coverage %+v\nwant %+v", s.Coverage, want)
	}
	agreement := &Agreement{
		Samples: 3, Disagree: 2, Opposite: 1, Confusion: [3][3]int64{{0, 1, 0}, {}, {1, 0, 1}},
		Signatures: []SignatureAgreement{{"KRvK", 3, 2, 1}},
	}
	if !reflect.DeepEqual(s.Labels[0].Tables, agreement) || s.Labels[1].Tables != nil {
		t.Errorf("agreement %+v", s.Labels[0].Tables)
	}
	text, page := written(t, s)
	for _, part := range []string{"KRvK            3            66.7 %", "Compared with endgame tables: 2 of 3 " +
		"samples disagree " +
		"(66.7 %), 1 swap win and loss", "KRvK            3         2  66.7 %         1\n"} {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in\n%s", part, text)
		}
	}
	for _, part := range []string{"<bdi>KRPPvK</bdi></td><td>1</td>", "2 of 3 samples disagree"} {
		if !strings.Contains(page, part) {
			t.Errorf("no %q in the page", part)
		}
	}
}

// TestCandidateLabels: what an engine says of likely moves alone is neither the result of a sample nor compared with
// tables or with what was played.
func TestCandidateLabels(t *testing.T) {
	prints := []dataset.Fingerprint{{Engine: "Stockfish 15.1", Limit: "nodes 1"},
		{Engine: "Syzygy tables", Limit: dataset.ExactLimit},
		{Engine: "Stockfish 15.1", Limit: "depth 11", Options: []dataset.Tag{{Name: "MultiPV", Value: "2"},
			{Name: dataset.SearchMoves, Value: "2 of 0123456789abcdef"}}}}
	label := func(l *dataset.Line, cp int) dataset.Label {
		best := l.Start.LegalMoves(nil)[0]
		return dataset.Label{Status: dataset.Labelled, Best: best,
			Lines: []dataset.Searched{{Score: dataset.Centipawns(cp), PV: []board.Move{best}}}}
	}
	game := madeup.Line(t, "8/8/8/8/4k3/8/8/R2K4 w - - 0 1", "a1a2")
	game.Labels = []dataset.LabelColumn{{Fingerprint: 0, Labels: []dataset.Label{label(&game, 900)}},
		{Fingerprint: 2, Labels: []dataset.Label{label(&game, -900)}}}
	end := madeup.Line(t, "8/8/8/8/4k3/8/8/R2K4 w - - 0 1")
	end.Source, end.Samples = dataset.SourceEndgame, dataset.LastPosition()
	end.Labels = []dataset.LabelColumn{{Fingerprint: 1, Labels: []dataset.Label{dataset.ExactLabel(dataset.Won)}},
		{Fingerprint: 2, Labels: []dataset.Label{label(&end, -900)}}}
	s := countedBy(t, prints, []dataset.Line{game, end})
	if want := map[string]int64{"win": 2, "draw": 0, "loss": 0, "unknown": 0}; !maps.Equal(s.Coverage.Results, want) {
		t.Errorf("results %v", s.Coverage.Results)
	}
	if s.Labels[0].Played.Moves != 1 || s.Labels[2].Played != (Played{}) || s.Labels[2].Tables != nil {
		t.Errorf("played %+v, %+v; tables %+v", s.Labels[0].Played, s.Labels[2].Played, s.Labels[2].Tables)
	}
}

// positions writes aggregated positions of four bands: 3 samples of the second with 2, 3 and 4 moves, 1 of the last.
func positions(t *testing.T) string {
	t.Helper()
	bands := []dataset.Band{{To: 1500, Elo: 1250}, {From: 1500, To: 2000, Elo: 1750}, {From: 2000, To: 2500, Elo: 2250},
		{From: 2500, Elo: 2750}}
	m := dataset.Manifest{Splits: dataset.DefaultSplits, Inputs: []dataset.Input{{Name: "positions",
		Aggregate: &dataset.Aggregate{Bands: bands}}}}
	var lines []dataset.Line
	start := board.StartPosition()
	black := start.After(board.NewMove(12, 28))
	for _, c := range []struct {
		start board.Position
		elo   int
		move  board.Move
		times float32
	}{{start, 1750, board.NewMove(12, 28), 2}, {start, 1750, board.NewMove(11, 27), 3},
		{black, 1750, board.NewMove(52, 36), 4}, {start, 2750, board.NewMove(12, 28), 9}} {
		l := dataset.Line{Source: dataset.SourceAggregate, Start: c.start, Samples: dataset.LastPosition(),
			Policies: [][]dataset.WeightedMove{{{Move: c.move, Weight: c.times}}}}
		if c.start.Turn() == board.White {
			l.WhiteElo = c.elo
		} else {
			l.BlackElo = c.elo
		}
		lines = append(lines, l)
	}
	return madeup.OneShard(t, m, lines)
}

// TestBands counts samples and moves by band, and shows them as text and as a page.
func TestBands(t *testing.T) {
	s, err := Request{Dir: positions(t), Workers: 2}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []dataset.Band{{To: 1500, Elo: 1250}, {From: 1500, To: 2000, Elo: 1750, Samples: 3, Moves: 9},
		{From: 2000, To: 2500, Elo: 2250}, {From: 2500, Elo: 2750, Samples: 1, Moves: 9}}
	if !reflect.DeepEqual(s.Bands, want) || s.BySource["aggregate"].Samples != 4 || s.Policies != 4 {
		t.Errorf("%+v", s)
	}
	text, page := written(t, s)
	for _, part := range []string{"by the rating of the side to move", "1500–1999", "from 2500", "3"} {
		if !strings.Contains(text, part) || !strings.Contains(page, part) {
			t.Errorf("%q is not in\n%s\nor not in %s", part, text, page)
		}
	}
	if !strings.Contains(text, "3, 75.0 %") || !strings.Contains(text, "9, 50.0 %") {
		t.Error(text)
	}
}
