package main

import (
	"errors"
	"maps"
	"regexp"
	"strings"
	"testing"

	"talbot/evaluate"
	"talbot/internal/plain"
	"talbot/network/predict"
	"talbot/train/job"
)

// talbotBot is what a network of the recipe talbotbot is measured in.
var talbotBot = evaluate.Abilities{Capabilities: predict.Capabilities{Prior: true, Others: true, Value: true},
	Probability: true}

// The card says of each figure that has a baseline whether it is worse, for all combinations of better, equal and
// worse, in each column apart, and with no figure at all.
func TestWorseThanBaseline(t *testing.T) {
	for _, by := range []float64{-0.25, 0, 0.25} {
		better := evaluate.Figures{"policy_ce_legal": 2.5, "policy_ce_uniform": 3, "top1": 0.5, "top1_uniform": 0.25,
			"value_mse": 0.125, "value_mse_mean": 0.5}
		other := maps.Clone(better)
		other["policy_ce_legal"], other["top1"], other["value_mse"] = 3+by, 0.25-by, 0.5+by
		var b strings.Builder
		f := job.Figures{Report: evaluate.Report{Figures: better, Parts: evaluate.Parts{Unseen: other,
			Abilities: talbotBot,
			BySource:  map[string]evaluate.Figures{"game": other, "puzzle": {}}}}}
		if err := printFigures(&b, f); err != nil {
			t.Fatal(err)
		}
		mark, verdict := "", "no better"
		switch {
		case by < 0:
			verdict = "better"
		case by > 0:
			mark, verdict = " worse", "worse"
		}
		text := regexp.MustCompile(` +`).ReplaceAllString(b.String(), " ")
		for _, want := range []string{
			plain.Sprintf("legal moves 2.5000 %.4f%s %.4f%s -\n", 3+by, mark, 3+by, mark),
			plain.Sprintf("first move right 50.00 %% %.2f %%%s %.2f %%%s -\n", 25-100*by, mark, 25-100*by,
				mark),
			plain.Sprintf("value squared error 0.1250 %.4f%s %.4f%s -\n", 0.5+by, mark, 0.5+by, mark),
			plain.Sprintf("policy cross-entropy, legal moves, on unseen positions: %s than a uniform policy, %.4f "+
				"against 3.0000\n", verdict, 3+by),
			plain.Sprintf("value squared error, on unseen positions: %s than always the mean, %.4f against 0.5000\n",
				verdict, 0.5+by),
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%g: no %q in\n%s", by, want, b.String())
			}
		}
	}
}

// A measure that is added to the list has a row in each column, with its interval and its baseline, and a line with a
// verdict if it is to have one.
func TestAMeasureHasARow(t *testing.T) {
	for _, of := range []evaluate.Head{evaluate.PolicyHead, evaluate.ValueHead, evaluate.NoHead} {
		defer evaluate.Register(&evaluate.Measure{Name: "base", Head: of, Row: "a base", As: "base"})()
		remove := evaluate.Register(&evaluate.Measure{Name: "added", Head: of, Row: "an addition", Interval: true,
			Lower: true, Baseline: "base", Verdict: true})
		figures := evaluate.Figures{"added": 0.5, "base": 0.25}
		f := job.Figures{Report: evaluate.Report{Figures: figures, Parts: evaluate.Parts{Abilities: talbotBot,
			Intervals: map[string][2]float64{"added": {0.375, 0.625}},
			BySource:  map[string]evaluate.Figures{"game": {"added": 0.125, "base": 0.25}}}}}
		var b strings.Builder
		if err := printFigures(&b, f); err != nil {
			t.Fatal(err)
		}
		text := regexp.MustCompile(` +`).ReplaceAllString(b.String(), " ")
		for _, want := range []string{" an addition 0.5000 worse 0.3750 … 0.6250 0.1250\n",
			"an addition, on all positions, seen in training or not: worse than a base, 0.5000 against 0.2500\n"} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in\n%s", want, b.String())
			}
		}
		remove()
	}
}

// The card of a network has the rows of what the network knows, and no others.
func TestCardOfNetworks(t *testing.T) {
	gap := 0.25
	for name, c := range map[string]struct {
		knows      predict.Capabilities
		legalMask  bool
		with, miss []string
	}{
		"value alone": {predict.Capabilities{Value: true}, false, []string{"value squared error",
			"of these, with a value",
			"value squared error 0.5000 (0.5000)"}, []string{"legal moves", "first move", "policy", "mates",
			"cross-entropy"}},
		"policy alone": {predict.Capabilities{Prior: true, Others: true}, false, []string{"first move right",
			"all moves"},
			[]string{"value"}},
		"chances": {predict.Capabilities{Value: true, WDL: true}, false, []string{"win, draw, loss cross-entropy"},
			[]string{"legal"}},
		"legal mask": {talbotBot.Capabilities, true, []string{"first move right", "value squared error"},
			[]string{"policy cross-entropy, all moves", "illegal moves  "}},
	} {
		figures := evaluate.Figures{"samples": 9, "value_samples": 9}
		for _, m := range evaluate.Measures() {
			if m.Kind != evaluate.Count && (evaluate.Abilities{Capabilities: c.knows}).Has(m.Needs) {
				figures[m.Name] = 0.5
			}
		}
		f := job.Figures{About: job.About{LegalMask: c.legalMask}, Report: evaluate.Report{Figures: figures,
			Parts: evaluate.Parts{Abilities: evaluate.Abilities{Capabilities: c.knows},
				History: &evaluate.History{With: figures, Without: figures}}}}
		if c.knows.Value {
			f.Symmetry = &evaluate.Symmetry{Samples: 9, ValueGap: &gap}
		}
		var b strings.Builder
		if err := printFigures(&b, f); err != nil {
			t.Fatal(err)
		}
		for _, want := range c.with {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s: no %q in\n%s", name, want, b.String())
			}
		}
		for _, not := range c.miss {
			if strings.Contains(b.String(), not) {
				t.Errorf("%s: %q in\n%s", name, not, b.String())
			}
		}
	}
}

// What is worse is coloured on a terminal, and nowhere else; the rest stays plain.
func TestWorseIsColoured(t *testing.T) {
	for _, c := range []struct {
		terminal                  bool
		noColour, cliColour, want string
	}{
		{true, "", "", "3.1 \x1b[31mworse\x1b[m \\x1b[2J 0.2 \x1b[31mworse\x1b[m\n"},
		{true, "1", "", "3.1 worse \\x1b[2J 0.2 worse\n"},
		{true, "", "0", "3.1 worse \\x1b[2J 0.2 worse\n"},
		{false, "", "", "3.1 worse \\x1b[2J 0.2 worse\n"},
	} {
		t.Setenv("NO_COLOR", c.noColour)
		t.Setenv("CLICOLOR", c.cliColour)
		var b strings.Builder
		o := outletTo(&b, nil)
		if c.terminal {
			o.columns = func() int { return 80 }
		}
		err := writeJudged(o, "3.1 worse \x1b[2J 0.2 worse\n")
		if err := errors.Join(err, o.flush()); err != nil || b.String() != c.want {
			t.Errorf("%+v: %q, %v", c, b.String(), err)
		}
	}
}

// Coloured, a table and its verdicts are laid out as without colours, at any width.
func TestColoursTakeNoRoom(t *testing.T) {
	const text = `                            all      95 % interval            game         endgame
first move right        20.82 %  20.10 … 21.50 %         20.50 %   24.10 % worse
value squared error   0.1943 worse  0.1871 … 0.2012  0.2011 worse        0.1400 worse

value squared error, on unseen positions: worse than material alone, 0.2189 against 0.1743
`
	colours := regexp.MustCompile("\x1b\\[31mworse\x1b\\[m")
	for _, columns := range []int{40, 50, 60, 80, 100, 200} {
		t.Setenv("NO_COLOR", "1")
		want := on(t, columns, func(o *outlet) { writeJudged(o, text) })
		t.Setenv("NO_COLOR", "")
		got := on(t, columns, func(o *outlet) { writeJudged(o, text) })
		if n := strings.Count(got, "worse"); len(colours.FindAllString(got, -1)) != n || n < 5 ||
			colours.ReplaceAllString(got, "worse") != want {
			t.Errorf("%d columns: got\n%s\nwant\n%s", columns, got, want)
		}
	}
}

// The terminal says what JSON says: better, worse or no clear difference by the interval, from the best baseline, in
// each column and in the verdict; a column of too few games is not judged.
func TestOneVerdict(t *testing.T) {
	for _, c := range []struct {
		interval   [2]float64
		want, mark string
	}{
		{[2]float64{0.58, 0.62}, "no clear difference from", ""},
		{[2]float64{0.595, 0.604}, "better than", ""},
		{[2]float64{0.607, 0.65}, "worse than", " worse"},
	} {
		x := 0.5993
		if c.mark != "" {
			x = 0.63
		}
		figures := evaluate.Figures{"samples": 900, "policy_samples": 900, "value_samples": 157, "policy_ce_legal": 1,
			"policy_ce_uniform": 3, "value_mse": x, "value_mse_mean": 0.7, "value_mse_material": 0.6066}
		few := maps.Clone(figures)
		few["value_mse"] = 0.9
		f := job.Figures{Report: evaluate.Report{Figures: figures, Parts: evaluate.Parts{Unseen: figures,
			Abilities:       talbotBot,
			Intervals:       evaluate.Intervals{"value_mse": c.interval},
			UnseenIntervals: evaluate.Intervals{"value_mse": c.interval},
			BySource:        map[string]evaluate.Figures{"puzzle": few},
			GroupIntervals:  map[string]map[string]evaluate.Intervals{"by_source": {"puzzle": {}}}}}}
		var b strings.Builder
		if err := printFigures(&b, f); err != nil {
			t.Fatal(err)
		}
		text := regexp.MustCompile(` +`).ReplaceAllString(b.String(), " ")
		for _, want := range []string{
			plain.Sprintf("value squared error, on unseen positions: %s material alone, %.4f against 0.6066\n", c.want,
				x),
			plain.Sprintf(" 95 %% interval %.4f to %.4f, 157 samples\n", c.interval[0], c.interval[1]),
			plain.Sprintf("value squared error %.4f%s %.4f … %.4f %.4f%s 0.9000\n", x, c.mark, c.interval[0],
				c.interval[1], x, c.mark),
		} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in\n%s", want, b.String())
			}
		}
		for _, j := range f.Judgements() {
			if j.Measure != "value_mse" {
				continue
			}
			if few := j.Group == "puzzle"; few != (j.Interval == nil) || j.Samples != 157 ||
				few && j.Verdict != evaluate.Unclear || !few && j.Verdict.Phrase() != c.want {
				t.Errorf("%v: %+v, want %q", c.interval, j, c.want)
			}
		}
	}
}
