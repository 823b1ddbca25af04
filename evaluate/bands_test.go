package evaluate

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"talbot/board"
	"talbot/encode"
	"talbot/network/predict"
)

// bandSamples are samples of players of a rating, as the recipe prior sees them: of every four, one line, the first
// plays another move than the rest.
func bandSamples(t *testing.T, rating, n int, line int64) (list []Sample) {
	t.Helper()
	g := board.NewGame(board.StartPosition())
	var v encode.View
	for i := range n {
		s := Sample{Source: "game", Packed: make([]uint64, encode.PriorWords), Codes: []int32{7, 5}, Moves: 1,
			Legal:  []board.Move{board.NewMove(12, 28), board.NewMove(11, 27)},
			Policy: []Target{{Move: min(i%4, 1), Weight: 1}}, Unseen: i%2 == 0,
			Origin: &Origin{Position: *g.Position(), Line: line + int64(i/4), Rating: rating}}
		v.Play(g, rating, 0)
		encode.Prior{}.Pack(s.Packed, &v)
		list = append(list, s)
	}
	return list
}

// oddsOf is the probability of the first move by a network that is given a rating.
func oddsOf(rating uint64) float64 {
	return map[uint64]float64{1250: 0.25, 1750: 0.5, 2250: 0.75, 2750: 0.125}[rating]
}

// TestToldRatings: the samples of a band with 5,000 moves are shown with the rating of each band, and what is reported
// of it is what sums over lines give; with fewer moves, and without ratings, there is no comparison.
func TestToldRatings(t *testing.T) {
	network := &asked{capabilities: predict.Capabilities{Prior: true, Others: true}, batch: 64,
		answer: func(q predict.Input) predict.Output {
			p, known := oddsOf(q.Packed[4]>>8&0xffff), 0.5
			if p == 0 { // the sample as it is
				p = known
			}
			return predict.Output{Prior: []float32{float32(math.Log(p)), float32(math.Log(1 - p))}}
		}}
	samples := bandSamples(t, 1400, 5000, 1)
	samples = append(samples, bandSamples(t, 1500, 4999, 2000)...)
	samples = append(samples, bandSamples(t, 2800, 100, 4000)...)
	for i := range samples[len(samples)-100:] { // counted from 50 moves each, three quarters of them the first one
		s := &samples[len(samples)-100+i]
		s.Moves, s.Policy = 50, []Target{{0, 0.75}, {1, 0.25}}
	}
	samples = append(samples, bandSamples(t, 0, 8, 5000)...)
	samples = append(samples, bandSamples(t, 2100, 8, 6000)...) // of puzzles
	for i := range samples[len(samples)-8:] {
		samples[len(samples)-8+i].Source = "puzzle"
	}
	o := Options{Layout: encode.Prior{}.Layout(), Bands: encode.PriorBands}
	a, err := Evaluate(t.Context(), network, sequence(samples), o)
	if err != nil {
		t.Fatal(err)
	}
	bands := a.Report(true).Bands
	if len(bands) != 4 || bands[0].Count("samples") != 5000 || bands[0].Moves != 5000 || bands[1].Moves != 4999 ||
		bands[2].Moves != 0 || bands[3].Moves != 5000 || bands[0].Unseen.Count("samples") != 2500 ||
		bands[1].GivenRatings != nil || bands[2].GivenRatings != nil {
		t.Fatalf("%+v", bands)
	}
	near := func(what string, got, want float64) {
		if math.Abs(got-want) > 1e-6 {
			t.Errorf("%s is %g, want %g", what, got, want)
		}
	}
	near("cross-entropy as they are", bands[0].Figures["policy_ce_legal"], math.Ln2)
	near("floor", bands[3].Figures["policy_entropy"], -0.75*math.Log(0.75)-0.25*math.Log(0.25))
	near("best first move", bands[3].Figures["top1_best"], 0.75)
	if _, ok := bands[0].Figures["policy_entropy"]; ok {
		t.Error("a floor of single moves")
	}
	own := -0.25*math.Log(0.25) - 0.75*math.Log(0.75)
	for i, band := range encode.PriorBands {
		told, p := bands[0].GivenRatings[i], oddsOf(uint64(band.Elo))
		ce := -0.25*math.Log(p) - 0.75*math.Log(1-p)
		near("told "+band.String(), told.CE, ce)
		near("more", told.More, ce-own)
		near("its interval", told.MoreInterval[1]-told.MoreInterval[0], 0) // all lines are alike
		near("first move", told.Top1, map[bool]float64{true: 0.25, false: 0.75}[p > 0.5])
		p = oddsOf(uint64(band.Elo))
		near("counted, told "+band.String(), bands[3].GivenRatings[i].CE, -0.75*math.Log(p)-0.25*math.Log(1-p))
	}
	if text, err := json.Marshal(bands[1]); err != nil || !json.Valid(text) {
		t.Errorf("%s, %v", text, err)
	}
	// what is in no band is asked about once, and there is no table of empty bands
	network.sizes = nil
	if a, err = Evaluate(t.Context(), network, sequence(samples[len(samples)-16:]), o); err != nil {
		t.Fatal(err)
	}
	if bands := a.Report(true).Bands; bands != nil {
		t.Errorf("bands without samples: %+v", bands)
	}
	if !slices.Equal(network.sizes, []int{16}) {
		t.Errorf("asked %v times about 16 samples without a player's rating", network.sizes)
	}
	o.Layout = encode.Prior{Unrated: true}.Layout()
	if a, err = Evaluate(t.Context(), network, sequence(samples), o); err != nil {
		t.Fatal(err)
	}
	bands = a.Report(false).Bands
	if bands[0].GivenRatings != nil || bands[0].Unseen != nil || bands[0].Moves != 5000 {
		t.Errorf("without ratings: %+v", bands[0])
	}
}

// TestToldInterval compares the interval with its definition in two passes, for lines of different lengths.
func TestToldInterval(t *testing.T) {
	var told ratingTally
	sums, counts := map[int64]float64{}, map[int64]float64{}
	total := 0.0
	for i := range 1000 {
		line := int64(i * i / 900)
		more := math.Sin(float64(i*i)) + math.Cos(float64(line))/3
		told.add(line, &assessment{sample: &Sample{}, entropy: 2 + more}, &assessment{sample: &Sample{}, entropy: 2})
		sums[line] += more
		counts[line]++
		total += more
	}
	mean, square := total/1000, 0.0
	for line, sum := range sums {
		d := sum - mean*counts[line]
		square += d * d
	}
	r := told.report(1250)
	if within := 1.96 * math.Sqrt(square) / 1000; math.Abs(r.More-mean) > 1e-12 ||
		math.Abs(r.MoreInterval[1]-mean-within) > 1e-12 || math.Abs(r.MoreInterval[0]-mean+within) > 1e-12 {
		t.Errorf("%+v, want %g ± %g", r, mean, within)
	}
}
