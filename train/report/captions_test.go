package report

import (
	"maps"
	"strings"
	"testing"

	"talbot/evaluate"
)

func html(t *testing.T, r Run) string {
	t.Helper()
	page, err := r.Page()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := page.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	return strings.NewReplacer("&#43;", "+").Replace(b.String())
}

// The captions name what a policy is over and what values are held against, and every term has a name in words.
func TestCaptions(t *testing.T) {
	r := made()
	x := 0.25
	r.Lines = append(r.Lines, line("val", 3000, "after_bce", x))
	r.Eval.Symmetry = nil
	for among, want := range map[string]string{"": "cross-entropy over all moves, in nats",
		"legal move": "cross-entropy over the legal moves, in nats",
		"candidate":  "cross-entropy over the candidates, in nats"} {
		r.Among = among
		if page := html(t, r); !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	page := html(t, r)
	for _, not := range []string{"after_bce", "with colours swapped", "mean result"} {
		if strings.Contains(page, not) {
			t.Errorf("the page says %q", not)
		}
	}
	r.Eval.Results = true
	page = html(t, r)
	for _, want := range []string{"mean result at each predicted value", "(value − result)²",
		"the same positions without their past"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if strings.Contains(page, "labelled samples") || strings.Contains(page, "mean label at") {
		t.Error("results of games are called labels")
	}
}

// A part of the verdict on the value counts the samples that have one, and a row of the tables says so too.
func TestCountsOfTheValue(t *testing.T) {
	r := made()
	e := r.Eval
	f := evaluate.Figures{"samples": 16865, "policy_samples": 16865, "value_samples": 157, "policy_ce_legal": 1,
		"policy_ce_uniform": 3, "value_mse": 0.1, "value_mse_mean": 0.2}
	e.Figures, e.Unseen, e.BySource = f, f, map[string]evaluate.Figures{"game": f, "puzzle": f}
	e.UnseenBySource = map[string]evaluate.SourceFigures{"game": {Figures: f}, "puzzle": {Figures: f}}
	page := html(t, r)
	for _, want := range []string{"better than the mean, 0.1000 against 0.2000 on 157<",
		"better than chance, 1.000 against 3.000 on 16,865<", "<small>of 157</small>"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

// A row whose interval holds the baseline, or that is too small for one, is not marked, and the same row is where the
// interval does not hold it. The best baseline counts.
func TestRowsAreMarkedByTheirIntervals(t *testing.T) {
	marks := func(of evaluate.Figures, intervals evaluate.Intervals) int {
		r := made()
		r.Eval.Report.Endgames, r.Eval.History = nil, nil
		good := maps.Clone(r.Eval.Figures)
		r.Eval.BySource = map[string]evaluate.Figures{"game": good, "puzzle": of}
		r.Eval.GroupIntervals = map[string]map[string]evaluate.Intervals{"by_source": {"puzzle": intervals}}
		_, body, _ := strings.Cut(html(t, r), "<h1>")
		return strings.Count(body, `<td class="worse"`)
	}
	f := evaluate.Figures{"samples": 3, "value_samples": 3, "value_mse": 0.25, "value_mse_mean": 0.3,
		"value_mse_material": 0.2}
	for name, c := range map[string]struct {
		intervals evaluate.Intervals
		want      int
	}{"not known": {nil, 1}, "too few": {evaluate.Intervals{}, 0},
		"wide":   {evaluate.Intervals{"value_mse": {0.1, 0.4}}, 0},
		"narrow": {evaluate.Intervals{"value_mse": {0.24, 0.26}}, 1}} {
		if n := marks(f, c.intervals); n != c.want {
			t.Errorf("%s: %d rows are marked", name, n)
		}
	}
}

// The style is on the page, with what it is held against.
func TestStyleOnThePage(t *testing.T) {
	r := made()
	x := evaluate.Estimate{Mean: 0.05, Interval: [2]float64{0.04, 0.06}}
	less := evaluate.Estimate{Mean: -0.02, Interval: [2]float64{-0.03, -0.01}}
	trait := evaluate.Trait{Network: x, Played: x, AbovePlayed: less}
	r.Eval.Style = &evaluate.StyleReport{Samples: 1234, Offers: trait, Checks: trait, Advances: trait}
	page := html(t, r)
	for _, want := range []string{`href="#style"`, "5.0 <small>4.0 … 6.0", "−2.0 <small>−3.0 … −1.0", "the moves " +
		"played"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(page, "before fine-tuning") {
		t.Error("a network before that there is not")
	}
	trait.Before, trait.AboveBefore = &x, &less
	r.Eval.Style = &evaluate.StyleReport{Before: "first", Offers: trait, Checks: trait, Advances: trait}
	if page := html(t, r); !strings.Contains(page, "before fine-tuning") || !strings.Contains(page, "above before") {
		t.Error("the network before is not shown")
	}
}
