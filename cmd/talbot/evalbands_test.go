package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"talbot/evaluate"
)

// TestCardOfBands: the tables of bands fit into 80 columns, a band with few moves is in the first one alone, and the
// last line says in how many bands the own rating is the best one.
func TestCardOfBands(t *testing.T) {
	figures := evaluate.Figures{"samples": 1_234_567, "policy_ce_legal": 2.34567, "policy_entropy": 0.12345,
		"top1": 0.41234, "top1_best": 0.98765}
	told := func(own int) (list []evaluate.RatingFigures) {
		for i, elo := range []int{1250, 1750, 2250, 2750} {
			more := 0.0123 * float64((i-own)*(i-own))
			list = append(list, evaluate.RatingFigures{Elo: elo, CE: 2.3 + more, More: more,
				MoreInterval: [2]float64{more - 0.004, more + 0.004}})
		}
		return list
	}
	band := func(from, to, elo int, told []evaluate.RatingFigures) evaluate.BandReport {
		return evaluate.BandReport{Figures: figures, BandParts: evaluate.BandParts{From: from, To: to, Elo: elo,
			Moves: 12_345_678, GivenRatings: told}}
	}
	bands := []evaluate.BandReport{band(0, 1500, 1250, told(0)), band(1500, 2000, 1750, told(1)),
		band(2000, 2500, 2250, told(2)), band(2500, 0, 2750, nil)}
	print := func() string {
		var b strings.Builder
		if err := printBands(&b, bands); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	text := print()
	for line := range strings.Lines(text) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	for _, want := range []string{"below 1500  1,234,567  12,345,678", "2.3000  +0.012 ±0.004  +0.049 ±0.004",
		"\nin each band the network is best when given the band's own rating\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if n := strings.Count(text, "from 2500"); n != 2 { // a row and a column
		t.Errorf("%d times from 2500:\n%s", n, text)
	}
	bands[0].GivenRatings = told(0)
	bands[0].GivenRatings[1].More = -0.001
	if text = print(); !strings.Contains(text, "\nin 2 of 3 bands the network is best") {
		t.Error(text)
	}
	for i := range bands {
		bands[i].GivenRatings = nil
	}
	if text = print(); strings.Contains(text, "told") {
		t.Error(text)
	}
	t.Log(text)
}
