package chart

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var pathNumber = regexp.MustCompile(`-?\d+(?:\.\d+)?(?:e[-+]\d+)?`)

// A band stays within its plot whatever its first intervals are, ends at the last estimate, and is none without two
// points that have an estimate.
func TestBandChart(t *testing.T) {
	inf := math.Inf(1)
	points := []BandPoint{{1, math.NaN(), math.NaN(), math.NaN()}, {2, inf, -inf, inf}, {4, 600, -900, 2000}}
	for games := 10.0; games <= 1000; games += 10 {
		d := 300 / math.Sqrt(games)
		points = append(points, BandPoint{games, 30, 30 - d, 30 + d})
	}
	c, ok := NewBandChart(Band{Title: "a", XName: "games", Points: points})
	if !ok || c.End == nil || c.End.X != c.Right || !strings.Contains(c.End.Text, "+30.0 (+20.5 to +39.5)") {
		t.Fatalf("%+v", c)
	}
	for _, p := range []string{c.Line, c.Band} {
		for i, text := range pathNumber.FindAllString(p, -1) {
			v, err := strconv.ParseFloat(text, 64)
			if err != nil || i%2 == 0 && (v < c.Left || v > c.Right) || i%2 == 1 && (v < c.Top || v > c.Base) {
				t.Fatalf("%v at %d of %s", text, i, p)
			}
		}
	}
	if strings.Count(c.Line, "L") != 99 || strings.Count(c.Band, "L") != 201 {
		t.Errorf("points: %s", c.Band)
	}
	for _, few := range [][]BandPoint{nil, points[:3], {{5, 1, 0, 2}, {5, 1, 0, 2}}} {
		if _, ok := NewBandChart(Band{Points: few}); ok {
			t.Errorf("a chart of %v", few)
		}
	}
}
