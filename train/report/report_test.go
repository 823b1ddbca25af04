package report

import (
	"slices"
	"strings"
	"testing"

	"talbot/evaluate"
	"talbot/internal/chart/pagetest"
	"talbot/internal/table"
	"talbot/network/predict"
	"talbot/network/run"
	"talbot/train"
)

// talbotBot is what a network of the recipe talbotbot is measured in.
var talbotBot = evaluate.Capabilities{Capabilities: predict.Capabilities{Prior: true, Others: true, Value: true},
	Probability: true}

// line is one of the metrics with a term.
func line(kind string, step int64, term string, mean float64) train.MetricsLine {
	return train.MetricsLine{Kind: kind, Step: step,
		Means: run.Means{Loss: mean, Terms: []run.Mean{{Name: term, Mean: &mean}}}}
}

func made() Run {
	x := func(v float64) *float64 { return &v }
	f := evaluate.Figures{"samples": 12345, "policy_samples": 12345, "policy_ce": 2, "policy_ce_legal": 1.5,
		"policy_ce_uniform": 3.3, "top1": 0.4, "top3": 0.6, "top5": 0.7, "value_mse": 0.05, "value_mse_mean": 0.2}
	r := Run{Name: "<run & co>", Command: "talbot eval --run r --data DIR",
		Settings: []table.Fact{{Name: "data", Text: "a, manifest abc, weight 0.5"}}}
	for step := int64(1); step <= 3000; step++ {
		l := line("train", step, "policy_ce", 8/float64(step))
		l.LR, l.GradNorm = 1e-3, 1
		r.Lines = append(r.Lines, l)
	}
	miss := evaluate.Miss{FEN: "4k2r/8/8/8/8/8/8/4K2R b Kk - 0 9", Source: "game", Game: "A – B",
		Link: "https://lichess.org/abcdefgh#17", Target: evaluate.MoveProbability{UCI: "e8g8", SAN: "O-O",
			Probability: 1e-9},
		Moves: []evaluate.MoveProbability{{UCI: "h8h1", SAN: "Rxh1+", Probability: 0.9}}, Label: x(0.5)}
	ends := evaluate.EndgameFigures{Samples: 40, ValueAccuracy: x(0.775),
		Moves: evaluate.Kept{Positions: 30, Kept: x(0.845), Random: x(0.5)}, Won: evaluate.Kept{Positions: 30,
			Kept: x(0.845)}}
	r.Eval = &Eval{Report: evaluate.Report{Figures: f, Parts: evaluate.Parts{Capabilities: talbotBot,
		Intervals:   map[string][2]float64{"top1": {0.39, 0.41}},
		BySource:    map[string]evaluate.Figures{"game": f, "puzzle": {}},
		ByRating:    map[string]evaluate.Figures{"2200": f, "800": f, "unknown": f},
		Calibration: []evaluate.Bin{{From: -0.1, To: 0, Count: 10, Predicted: -0.05, Actual: 0, Spread: 0.1}},
		History:     &evaluate.History{With: f, Without: evaluate.Figures{"samples": 12345, "top1": 0.123}},
		Symmetry:    &evaluate.Symmetry{Samples: 9, ValueGap: x(0.0625)},
		Endgames: &evaluate.EndgameReport{EndgameFigures: ends,
			Verdicts: [3][3]int64{{10, 0, 0}, {3, 5, 2}, {1, 3, 16}},
			ByPieces: map[string]evaluate.EndgameFigures{"3": ends,
				"10": ends}, ByMaterial: map[string]evaluate.EndgameFigures{"KPvK": ends, "KQvK": ends,
				"KRvK": {Samples: 1}}},
		Misses: []evaluate.Miss{miss}}},
		About: About{Split: "test", Noise: &evaluate.Noise{
			Labels: "Stockfish 15.1, nodes 1000", Truth: "nodes 100000", MSE: 0.0291},
			Puzzles: &evaluate.PuzzleReport{
				PuzzleScore: evaluate.PuzzleScore{Puzzles: 3, FirstMove: 0.5, WholeLine: 0.25},
				ByRating:    map[string]evaluate.PuzzleScore{"1000": {Puzzles: 3}}}}}
	return r
}

// TestBandsAndCandidates: ratings and candidates have tables, in which a better rating and a better baseline are
// marked.
func TestBandsAndCandidates(t *testing.T) {
	r := made()
	f := r.Eval.Figures
	band := func(from, to, elo int, told ...evaluate.RatingFigures) evaluate.BandReport {
		return evaluate.BandReport{Figures: f, BandParts: evaluate.BandParts{From: from, To: to, Elo: elo, Moves: 5000,
			GivenRatings: told}}
	}
	r.Eval.Bands = []evaluate.BandReport{band(0, 1500, 1250, evaluate.RatingFigures{Elo: 1250, CE: 1.75},
		evaluate.RatingFigures{Elo: 1750, CE: 1.7, More: -0.05, MoreInterval: [2]float64{-0.06, -0.04}}), band(1500, 0,
		1750)}
	r.Eval.Candidates = &evaluate.CandidateReport{Samples: 100, Network: 1.5, Uniform: 3, Floor: 0.25,
		Prior:  evaluate.Baseline{CE: 1.625, More: 0.125, MoreInterval: [2]float64{0.1, 0.15}},
		Values: &evaluate.Baseline{CE: 1.375, More: -0.125, MoreInterval: [2]float64{-0.15, -0.1}}}
	page := html(t, r)
	text := strings.ReplaceAll(page, "&#43;", "+")
	for _, want := range []string{"from 1500", ">1.750<", "var(--bad) 50.0%", "−0.050", "±0.010",
		"1.6250", "+0.125 <small>+0.100 to +0.150", "the network is worse", `href="#ratings"`, `href="#candidates"`} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	pagetest.Check(t, page, 1)
	r.Eval.Capabilities.Prior = false
	if strings.Contains(html(t, r), `href="#ratings"`) {
		t.Error("bands of a network without a policy")
	}
}

// The page is well formed, needs nothing from elsewhere, and shows what it is given.
func TestPage(t *testing.T) {
	page := html(t, made())
	text := page
	for _, want := range []string{"&lt;run &amp; co&gt;", "40.0 %", "39.0\u00a0% … 41.0\u00a0%", "2200–2399", "800–999",
		"A – B",
		"&lt; 0.0001 %", "O-O", "manifest abc", "25.0 %", "84.5 %", "77.5 %", "KQvK", "says drawn",
		"nodes 1000 differs from nodes 100000 by a mean squared error of 0.0291", "12.3 %",
		"values change by 0.062"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if all, links := strings.Count(text, "https:"), strings.Count(text,
		`<a href="https://lichess.org/`); all != links || links != 2 {
		t.Errorf("%d addresses, %d links", all, links) // to be followed, nothing is loaded
	}
	if n := strings.Count(text, `href="#k"`); n != 2 {
		t.Errorf("%d kings", n)
	}
	pagetest.Check(t, text, 1)
	if html(t, made()) != text {
		t.Error("a second page is another")
	}
	if strings.Contains(text, "KRvK") {
		t.Error("a material of one position is compared")
	}
	r := made()
	r.Eval = nil
	again := html(t, r)
	if !strings.Contains(again, r.Command) {
		t.Error("without an evaluation")
	}
	pagetest.Check(t, again, 0)
}

// Each measure of the list that names a tile or a column has it, with its interval and its baseline.
func TestMeasuresAreOnThePage(t *testing.T) {
	r := made()
	r.Eval.Capabilities = evaluate.Capabilities{Capabilities: predict.Capabilities{Prior: true, Others: true,
		Value: true, WDL: true}, Probability: true}
	for _, m := range evaluate.Measures() {
		r.Eval.Figures[m.Name] = 0.5
		r.Eval.Intervals[m.Name] = [2]float64{0.375, 0.625}
	}
	page := html(t, r)
	tiles := 0
	for _, m := range evaluate.Measures() {
		if m.Tile.Name != "" {
			tiles++
			if !strings.Contains(page, "</b>"+m.Tile.Name+"<small>") {
				t.Errorf("no tile %q", m.Tile.Name)
			}
		}
	}
	for _, m := range evaluate.Columns() {
		if !strings.Contains(page, "<bdi>"+m.Column.Title+"</bdi></th>") {
			t.Errorf("no column %q", m.Column.Title)
		}
	}
	if tiles == 0 {
		t.Error("no measure has a tile")
	}
}

// The page of a network shows what the network knows, and nothing else.
func TestPageOfNetworks(t *testing.T) {
	policy := []string{"Policy, on unseen", "cross-entropy, legal moves", "<bdi>first move</bdi></th>",
		"The strong bar: the first",
		"play the same move"}
	all := []string{"on illegal moves", "<bdi>illegal mass</bdi></th>"}
	value := []string{"Value, on unseen", "value squared error", "<bdi>value error</bdi></th>", "white–black gap",
		"values change by"}
	for name, c := range map[string]struct {
		knows      predict.Capabilities
		with, miss [][]string
	}{
		"talbotbot":    {talbotBot.Capabilities, [][]string{policy, all, value}, nil},
		"value alone":  {predict.Capabilities{Value: true}, [][]string{value}, [][]string{policy, all}},
		"policy alone": {predict.Capabilities{Prior: true}, [][]string{policy}, [][]string{all, value}},
	} {
		r := made()
		half := 0.5
		e := r.Eval
		e.Puzzles, e.Report.Endgames, e.Misses = nil, nil, nil
		e.Capabilities, e.Symmetry = evaluate.Capabilities{Capabilities: c.knows}, &evaluate.Symmetry{Samples: 9}
		if c.knows.Value {
			e.Symmetry.ValueGap = &half
		}
		if c.knows.Prior {
			e.Symmetry.PolicyGap, e.Symmetry.SameMove = &half, &half
		}
		page := html(t, r)
		pagetest.Check(t, page, 0)
		for i, list := range [][][]string{c.with, c.miss} {
			for _, words := range list {
				for _, w := range words {
					if strings.Contains(page, w) != (i == 0) {
						t.Errorf("%s: %q is there, or lacking", name, w)
					}
				}
			}
		}
	}
}

// Terms that no other recipe has are drawn under their names.
func TestCurvesOfTerms(t *testing.T) {
	var r Run
	for step := int64(1); step <= 3; step++ {
		for _, term := range []string{"odd_loss", "value_mse", "policy_ce"} {
			r.Lines = append(r.Lines, line("train", step, term, 1/float64(step)), line("val", step, term, 1))
		}
	}
	losses, _ := Charts([]Run{r}, View{})
	var titles []string
	for _, c := range losses {
		titles = append(titles, c.Title)
	}
	if want := []string{"Policy", "Value", "odd_loss"}; !slices.Equal(titles, want) {
		t.Errorf("%q, want %q", titles, want)
	}
	names := ""
	for _, tile := range r.tiles() {
		names += tile.Name + ", "
	}
	if want := "policy cross-entropy, value squared error, odd_loss, steps, "; names != want {
		t.Errorf("tiles %q, want %q", names, want)
	}
}

// The page of a long run stays small.
func TestLongRun(t *testing.T) {
	r := Run{}
	for step := int64(1); step <= 100_000; step++ {
		noise := float64(step*7919%1000)/1000 - 0.4995 // of mean 0 over a thousand steps
		r.Lines = append(r.Lines, line("train", step, "policy_ce", 2+noise))
	}
	losses, _ := Charts([]Run{r}, View{})
	if len(losses) != 1 || !losses[0].Smoothed {
		t.Fatalf("%d charts", len(losses))
	}
	if page := html(t, r); len(page) > 300_000 {
		t.Errorf("%d bytes", len(page))
	}
}
