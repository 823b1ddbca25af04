package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"talbot/evaluate"
	"talbot/internal/chart/pagetest"
	"talbot/internal/table"
)

// The verdict is about unseen positions alone, and says so where it cannot be had.
func TestVerdicts(t *testing.T) {
	figures := func(n, ce, chance, mse, mean float64) evaluate.Figures {
		return evaluate.Figures{"samples": n, "policy_samples": n, "value_samples": n, "policy_ce_legal": ce,
			"policy_ce_uniform": chance, "value_mse": mse, "value_mse_mean": mean}
	}
	good, bad := figures(100, 1, 3, 0.1, 0.2), figures(10, 3.5, 3, 0.3, 0.2)
	for name, c := range map[string]struct {
		all           evaluate.Figures
		unseen        evaluate.Figures
		intervals     map[string][2]float64
		policy, value string // class
		says          []string
	}{
		"better": {bad, good, nil, table.Better, table.Better, []string{"Better than chance by 2.00\u00a0nats",
			"gets 7.39 times the probability", "Better than the mean by 50.0\u00a0%", "on 100 unseen positions"}},
		"worse, though not on seen ones": {good, bad, nil, table.Worse, table.Worse,
			[]string{"Worse than chance by 0.50\u00a0nats", "has 1.65 times the probability",
				"Worse than the mean by 50.0\u00a0%", "On all 100 samples, seen ones too: 1.000 against 3.000"}},
		"each by itself": {good, figures(10, 2, 3, 0.3, 0.2), nil, table.Better, table.Worse,
			[]string{"Better than chance", "Worse than the mean"}},
		"alike": {good, figures(10, 3, 3, 0.2, 0.2), nil, table.Unsure, table.Unsure,
			[]string{"No better than chance", "No better than"}},
		"not known": {good, nil, nil, table.Unsure, table.Unsure, []string{"Cannot be judged", "was not found"}},
		"nothing new": {good, evaluate.Figures{}, nil, table.Unsure, table.Unsure, []string{"Cannot be judged",
			"All 100 samples"}},
		"nothing at all": {evaluate.Figures{}, evaluate.Figures{}, nil, table.Unsure, table.Unsure,
			[]string{"Cannot be judged", "has a label"}},
		"in the interval": {good, good, map[string][2]float64{"policy_ce_legal": {0.5, 3.1}, "value_mse": {0.05, 0.15}},
			table.Unsure, table.Better, []string{"No clear difference from chance", "95\u00a0% interval: 0.500 to " +
				"3.100",
				"0.0500 to 0.1500"}},
	} {
		r := Run{Eval: &Eval{Report: evaluate.Report{Figures: c.all, Parts: evaluate.Parts{Unseen: c.unseen,
			UnseenIntervals: c.intervals, Capabilities: talbotBot}}}}
		list := r.verdicts()
		if list[0].Class != c.policy || list[1].Class != c.value {
			t.Errorf("%s: policy %s, value %s, want %s and %s", name, list[0].Class, list[1].Class, c.policy, c.value)
		}
		page := html(t, r)
		pagetest.Check(t, page, 0)
		for _, want := range c.says {
			if !strings.Contains(page, want) {
				t.Errorf("%s: the page does not say %q: %+v", name, want, list)
			}
		}
		for _, class := range []string{c.policy, c.value} {
			if !strings.Contains(page, `verdict `+class+`"`) {
				t.Errorf("%s: no verdict has the colour of %q", name, class)
			}
		}
	}
	doubted := evaluate.Bounds{Intervals: map[string][2]float64{"policy_ce_legal": {2, 4}}}
	e := Eval{Report: evaluate.Report{Figures: good, Parts: evaluate.Parts{Unseen: good,
		UnseenBySource: map[string]evaluate.SourceFigures{"game": {Figures: good}, "puzzle": {Figures: bad},
			"endgame": {Figures: good, Bounds: doubted}, "table": {}}}}}
	var parts []string
	for _, part := range e.policyVerdict().Parts {
		parts = append(parts, part.Class+" "+part.Head+" "+part.Text)
	}
	want := []string{"unsure endgame no clear difference from chance, 1.000 against 3.000 on 100",
		"better game better than chance, 1.000 against 3.000 on 100",
		"worse puzzle worse than chance, 3.500 against 3.000 on 10"}
	if !slices.Equal(parts, want) {
		t.Errorf("by source: %q, want %q", parts, want)
	}
	if list := (Run{}).verdicts(); len(list) != 1 || list[0].Class != table.Unsure || list[0].Title != "Not judged "+
		"yet" {
		t.Errorf("before an evaluation: %+v", list)
	}
}

// Wherever a figure stands beside its baseline the page says when it is worse, and nowhere else.
func TestWorseInWords(t *testing.T) {
	count := func(r Run) int {
		page := html(t, r)
		_, body, _ := strings.Cut(page, "<h1>")
		return strings.Count(strings.ReplaceAll(body, `<span class="worse">`, ""), `class="worse"`)
	}
	if n := count(made()); n != 0 {
		t.Errorf("a good network: %d figures are worse", n)
	}
	r := made()
	swap := func(f evaluate.Figures) evaluate.Figures {
		f = maps.Clone(f)
		f["policy_ce_legal"], f["policy_ce_uniform"] = f["policy_ce_uniform"], f["policy_ce_legal"]
		f["value_mse"], f["value_mse_mean"] = f["value_mse_mean"], f["value_mse"]
		return f
	}
	e := r.Eval
	e.Intervals = nil // those of the swapped figures would be missing, and nothing clear
	e.Figures = swap(e.Figures)
	e.BySource["game"] = swap(e.BySource["game"])
	e.History.With = swap(e.History.With)
	e.Report.Endgames.Moves.Kept, e.Report.Endgames.Moves.Random = e.Report.Endgames.Moves.Random,
		e.Report.Endgames.Moves.Kept
	// Two tiles and a third of endgames; two figures of all samples, of games and of history, and one of all endgames.
	if n := count(r); n != 3+2+2+2+1 {
		t.Errorf("a bad network: %d marks", n)
	}
}

// What comes from files cannot leave its place on the page.
func TestHostileNames(t *testing.T) {
	r := made()
	h := pagetest.Hostile
	r.Name, r.Command = h, h
	r.Backend, r.Settings = h, []table.Fact{{Name: "data", Text: h}, {Name: h, Text: h}}
	e := r.Eval
	e.Data, e.Weights, e.ValueTarget, e.Checkpoint, e.Split = []string{h}, h, h, h, h
	e.BySource[h] = e.BySource["game"]
	e.Puzzles.ByTheme = map[string]evaluate.PuzzleScore{h: {Puzzles: 1}}
	e.Noise.Labels, e.Noise.Truth = h, h
	for _, link := range []string{"", "javascript:alert(1)", "https://lichess.org/abcdefgh#17"} {
		m := e.Misses[0]
		m.Game, m.Source, m.Link = h, h, link
		e.Misses = append(e.Misses, m)
	}
	for len(e.Misses) < 20 {
		e.Misses = append(e.Misses, e.Misses[0])
	}
	page := html(t, r)
	text := strings.ReplaceAll(page, "#ZgotmplZ", "#") // what stands for the address of a script
	pagetest.Check(t, text, 1)
	if len(page) > 400_000 {
		t.Errorf("a page of %d bytes", len(page))
	}
	if !strings.Contains(text, "&lt;script&gt;alert(1)") || !strings.Contains(text, `\u202egnp.exe`) {
		t.Error("names are not shown")
	}
}

// The best checkpoint is marked in each curve of losses, at its step.
func TestBestMark(t *testing.T) {
	var r Run
	for _, step := range []int64{100, 200, 300} {
		for _, kind := range []string{"train", "val"} {
			l := line(kind, step, "policy_ce", 3)
			l.Best = kind == "val" && step < 300
			l.Seconds = float64(step) / 100
			r.Lines = append(r.Lines, l)
		}
	}
	losses, others := Charts([]Run{r}, View{})
	b := losses[0].Best
	if b == nil || !strings.HasSuffix(losses[0].Note, "; dotted: the best, step 200") || !b.Ring ||
		b.X != (losses[0].Left+losses[0].Right)/2 {
		t.Errorf("mark %+v", b)
	}
	for _, c := range others {
		if c.Best != nil {
			t.Errorf("a mark in %s", c.Title)
		}
	}
	again := r.Lines[0]
	again.Seconds = 2.5
	day := time.Date(2026, 11, 22, 10, 30, 0, 0, time.FixedZone("", 3600))
	r.Trained = day
	if got := r.trained(); got != "until 2026-11-22 09:30 UTC, 3s of training" {
		t.Errorf("trained %q", got)
	}
	r.Lines = append(r.Lines, again)
	if got := r.trained(); !strings.HasSuffix(got, ", 6s of training, resumed 1 time") {
		t.Errorf("trained %q", got)
	}
}

// A terminal, the page and JSON say the same: better, worse or no clear difference by the interval, from the best
// baseline, in each table and in the verdict; a part of too few games is not judged.
func TestOneVerdict(t *testing.T) {
	for _, c := range []struct {
		interval [2]float64
		value    float64
		want     string
		marks    int
	}{
		{[2]float64{0.58, 0.62}, 0.5993, "no clear difference from", 0},
		{[2]float64{0.595, 0.604}, 0.5993, "better than", 0},
		{[2]float64{0.607, 0.65}, 0.63, "worse than", 2},
	} {
		figures := evaluate.Figures{"samples": 900, "policy_samples": 900, "value_samples": 157, "policy_ce_legal": 1,
			"policy_ce_uniform": 3, "value_mse": c.value, "value_mse_mean": 0.7, "value_mse_material": 0.6066}
		few := maps.Clone(figures)
		few["value_mse"] = 0.9
		i := evaluate.Intervals{"value_mse": c.interval}
		e := &Eval{Report: evaluate.Report{Figures: figures, Parts: evaluate.Parts{Unseen: figures,
			Capabilities: talbotBot,
			Intervals:    i, UnseenIntervals: i, BySource: map[string]evaluate.Figures{"game": few, "puzzle": few},
			GroupIntervals: map[string]map[string]evaluate.Intervals{"by_source": {"puzzle": {}, "game": {}}}}}}
		text := strings.ReplaceAll(e.Text(), "\u00a0", " ")
		verdict := "Value, on unseen positions: " + capital(c.want) + " material alone"
		for _, want := range []string{verdict, fmt.Sprintf("interval: %.4f to %.4f", c.interval[0], c.interval[1]),
			c.want + " material alone  "} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in\n%s", want, text)
			}
		}
		if n := strings.Count(text, " worse\n") + strings.Count(text, " worse  "); n != c.marks {
			t.Errorf("%d marks in\n%s", n, text)
		}
		page := html(t, Run{Eval: e})
		if n := strings.Count(page, `<td class="worse"`); n != c.marks || !strings.Contains(page, "material alone") {
			t.Errorf("%d marks on the page, want %d", n, c.marks)
		}
		for _, j := range e.Judgements() {
			if j.Measure != "value_mse" {
				continue
			}
			if few := j.Group != ""; few != (j.Interval == nil) || j.Samples != 157 ||
				few && j.Verdict != evaluate.Unclear || !few && j.Verdict.Phrase() != c.want {
				t.Errorf("%v: %+v, want %q", c.interval, j, c.want)
			}
		}
	}
}
