package report

import (
	"bytes"
	"strings"
	"testing"

	"talbot/evaluate"
	"talbot/internal/chart/pagetest"
)

// twoRuns is a comparison in which the second run is better in its policy, and in its value not told apart.
func twoRuns() *Comparison {
	f := evaluate.Figures{"samples": 100, "policy_ce_legal": 2, "top1": 0.25, "value_mse": 0.5}
	i := evaluate.Intervals{"policy_ce_legal": {1.9, 2.1}}
	standing := evaluate.EntryResult{Figures: f, Intervals: i, Unseen: f, UnseenIntervals: i, Capabilities: talbotBot}
	unseen := int64(60)
	return &Comparison{
		Comparison: &evaluate.Comparison{Networks: []evaluate.EntryResult{standing, standing}, Lines: 9, UnseenLines: 8,
			Differences: []evaluate.Difference{
				{On: "unseen", Setting: 1, Measure: "policy_ce_legal", Samples: 60, Figure: 1.5, First: 2,
					Difference: -0.5, Interval: &[2]float64{-0.6, -0.4}, Verdict: evaluate.Better},
				{On: "unseen", Setting: 1, Measure: "top1", Samples: 60, Figure: 0.25, First: 0.25,
					Verdict: evaluate.Unclear, Interval: &[2]float64{}},
				{On: "unseen", Setting: 1, Measure: "value_mse", Samples: 60, Figure: 0.45, First: 0.5,
					Difference: -0.05, Interval: &[2]float64{-0.1, 0.01}, Verdict: evaluate.Unclear},
				{On: "all", Setting: 1, Measure: "top1", Samples: 100, Figure: 0.2, First: 0.25, Difference: -0.05,
					Verdict: evaluate.TooFew}},
			Incomparable: []evaluate.Incomparable{{Setting: 1, Measure: "policy_ce", Reason: "other moves"}}},
		Runs: []Compared{{Name: "one", Recipe: "lynx", EntryResult: standing},
			{Name: "two", Setting: 1, EntryResult: standing}},
		Settings:  []Setting{{Name: "one", Runs: []int{0}}, {Name: "two", Runs: []int{1}}},
		Differing: []Differing{{Name: "steps", Values: []string{"150", ""}}},
		Data:      []string{"lines"}, Split: "test", Samples: 100, Unseen: &unseen,
	}
}

func drawnComparison(t *testing.T, c *Comparison) string {
	t.Helper()
	var page bytes.Buffer
	if err := c.Page().WriteHTML(&page); err != nil {
		t.Fatal(err)
	}
	return strings.NewReplacer("&#43;", "+", "\u00a0", " ").Replace(page.String())
}

func TestComparisonPage(t *testing.T) {
	c := twoRuns()
	text := drawnComparison(t, c)
	pagetest.Check(t, text, 0)
	for _, want := range []string{`class="card verdict better"`, "two: better", "two: no clear difference",
		"two is better than one, on unseen positions: policy cross-entropy, legal moves 1.5000 against 2.0000, " +
			"difference -0.5000 (-0.6000 to -0.4000).", "two shows no clear difference from one",
		"Other seeds of the same settings", "Positions unseen to all runs", "too few games", "other moves",
		"<td>–</td>", "95 % interval 1.9000 to 2.1000",
		"left: 12.1%"} { // the point: −0.5 in ±1.1·0.6
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	// several seeds: the verdict is that of the settings
	c.Settings[0].Runs, c.Settings[1].Runs = []int{0, 1}, []int{1, 0}
	c.Differences[0].Seeds = &evaluate.SeedReport{Interval: [2]float64{-1.1, 0.1}, Verdict: evaluate.Unclear}
	if text = drawnComparison(t, c); strings.Contains(text, "two: better") || !strings.Contains(text,
		"The verdict is on the settings") || !strings.Contains(text, "(-1.1000 to +0.1000)") {
		t.Error("the verdict is not on the settings")
	}
	c.Unknown = []Unknown{{"two", "it is gone"}}
	if text = drawnComparison(t, c); !strings.Contains(text, "on positions unseen to one:") || !strings.Contains(text,
		"may have been trained on any of the positions") || strings.Contains(text, "unseen to all runs") {
		t.Error("it is not said of whom the data is not known")
	}
}

// What comes from files cannot leave its place on the page.
func TestHostileComparison(t *testing.T) {
	c := twoRuns()
	h := pagetest.Hostile
	for i := range c.Runs {
		c.Runs[i].Name, c.Runs[i].Checkpoint, c.Runs[i].Recipe, c.Settings[i].Name = h, h, h, h
	}
	c.Data, c.Split, c.Backend, c.Notes = []string{h}, h, h, []string{h}
	c.Unknown = []Unknown{{h, h}}
	c.Differing[0].Values[0] = h
	c.Incomparable[0].Reason = h
	pagetest.Check(t, drawnComparison(t, c), 0)
}
