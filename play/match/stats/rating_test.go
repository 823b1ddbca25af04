package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestRateOneAnchor: against one exact anchor the rating is the anchor's and the difference in Elo, and about even the
// interval is that of the match.
func TestRateOneAnchor(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 200 {
		e := Encounter{Pairs: randomPairs(r)}
		o := e.Pairs.Outcomes()
		want := o.Elo()
		if e.Games() == 0 || math.IsInf(want.Elo, 0) {
			continue
		}
		got := Rate([]Anchor{{Encounter: e, Rating: 1500}})
		if math.Abs(got.Rating-1500-want.Elo) > 1e-5 {
			t.Errorf("%v: %v, should be 1500 and %v", e, got, want)
		}
		if mean, variance := o.Score(); math.Abs(mean-0.5) < 0.05 && variance > 0 {
			if half := (want.High - want.Low) / 2; math.Abs(got.FromGames-half) > 0.05*half && half < 100 {
				t.Errorf("%v: error %v, should be %v", e, got.FromGames, half)
			}
		}
	}
}

// TestRateAnchorsErrors: what anchors do not know of themselves stays, however many games are played, and is less with
// several of them.
func TestRateAnchorsErrors(t *testing.T) {
	even := Encounter{Pairs: Pentanomial{100, 2000, 4000, 2000, 100}}
	one := Rate([]Anchor{{Encounter: even, Rating: 2000, Error: 40}})
	if math.Abs(one.Rating-2000) > 1e-3 || math.Abs(one.FromAnchors-40) > 1e-6 {
		t.Errorf("one anchor: %+v", one)
	}
	if d := math.Hypot(one.FromGames, one.FromAnchors); math.Abs(one.High-one.Rating-d) > 1e-9 {
		t.Errorf("half the interval is %v, should be %v", one.High-one.Rating, d)
	}
	four := Rate([]Anchor{{even, 2000, 40}, {even, 2000, 40}, {even, 2000, 40}, {even, 2000, 40}})
	if math.Abs(four.FromAnchors-20) > 0.01 {
		t.Errorf("four anchors: %+v", four)
	}
	// Two anchors that contradict each other: the one with the smaller error is believed.
	two := Rate([]Anchor{{even, 2000, 10}, {even, 2100, 100}})
	if two.Rating < 2000 || two.Rating > 2005 {
		t.Errorf("two anchors: %+v", two)
	}
}

// TestRateCoverage: the interval holds the truth in about 95 of 100 matches, with draws, colours that matter and
// anchors that are not what they say.
func TestRateCoverage(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	const truth, matches = 1700, 400
	inside := 0
	for range matches {
		var anchors []Anchor
		for _, known := range []float64{1500, 1650, 1800} {
			a := Anchor{Rating: known, Error: 30}
			own := known + r.NormFloat64()*30/z95
			for range 60 {
				points := 0
				for _, white := range []float64{40, -40} {
					p := ScoreOf(truth - own + white)
					draw, x := 0.6*min(p, 1-p), r.Float64()
					switch {
					case x < p-draw/2:
						points += 2
					case x < p+draw/2:
						points++
					}
				}
				a.Pairs[points]++
			}
			anchors = append(anchors, a)
		}
		if got := Rate(anchors); got.Low <= truth && truth <= got.High {
			inside++
		}
	}
	// 95 % of 400 with four standard deviations
	if share := float64(inside) / matches; share < 0.95-0.044 || share > 0.95+0.044 {
		t.Errorf("the truth is in %.3f of the intervals", share)
	}
}

func TestRateExtremes(t *testing.T) {
	if r := Rate(nil); !math.IsNaN(r.Rating) {
		t.Errorf("no anchors: %+v", r)
	}
	lost := Anchor{Encounter: Encounter{Singles: Trinomial{5, 0, 0}}, Rating: 1000}
	won := Anchor{Encounter: Encounter{Singles: Trinomial{0, 0, 5}}, Rating: 1000}
	if r := Rate([]Anchor{lost}); !math.IsInf(r.Rating, -1) {
		t.Errorf("all lost: %+v", r)
	}
	if r := Rate([]Anchor{won}); !math.IsInf(r.Rating, 1) {
		t.Errorf("all won: %+v", r)
	}
	if r := Rate([]Anchor{won, lost}); math.Abs(r.Rating-1000) > 1e-5 {
		t.Errorf("one won, one lost: %+v", r)
	}
	for _, p := range []Pentanomial{{0, 0, 1, 0, 0}, {0, 0, 40, 0, 0}, {0, 0, 0, 1, 0}} { // pairs that are all alike
		a := Anchor{Encounter: Encounter{Pairs: p}, Rating: 1000}
		if r := Rate([]Anchor{a}); !(r.FromGames > 50) {
			t.Errorf("%v: %+v", p, r)
		}
	}
	if won.Informative() || !(Anchor{Encounter: Encounter{Singles: Trinomial{9, 0, 1}}}).Informative() {
		t.Error("10 % is to count, 100 % not")
	}
}
