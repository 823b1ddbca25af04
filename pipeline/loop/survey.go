package loop

import (
	"math"
	"strconv"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/chart"
	"talbot/shards"
)

// Survey is what the games of a generation say of the network that played them.
type Survey struct {
	Games   int64            `json:"games"`
	Samples int64            `json:"samples"`
	Ends    map[string]int64 `json:"ends"`   // games by how they ended
	Draws   int64            `json:"draws"`  // games, mates and all other ends apart
	Length  float64          `json:"length"` // mean of the plies that were searched
	// Retracted counts the samples at which a network without a search chose an illegal move.
	Retracted int64 `json:"retracted"`
	// Entropy is the mean entropy of the policy targets in nats, over the Policies samples that have one.
	Entropy  float64 `json:"entropy"`
	Policies int64   `json:"policies"`
	// Raw and Searched compare values with the results of the games, both for the side to move: what the network said
	// before the search, and what the search made of it.
	Raw      Agreement `json:"raw"`
	Searched Agreement `json:"searched"`
}

// alone reports whether the network played without a search.
func (s *Survey) alone() bool { return s.Searched.Bins == nil }

// Agreement compares values with results, both in [-1, 1].
type Agreement struct {
	Correlation *float64    `json:"correlation"` // nil: one of the two never changes
	Bins        []chart.Bin `json:"bins"`        // ranges of values, without those that are empty
}

// SurveyGames reads the games of self-play in a folder. The errors are those of [shards.OpenDataset] and of reading.
func SurveyGames(dir string) (Survey, error) {
	s := Survey{Ends: map[string]int64{}}
	d, err := shards.OpenDataset(dir)
	if err != nil {
		return s, err
	}
	defer d.Close()
	var raw, searched tally
	entropy := 0.0
	for line, err := range d.Lines() {
		if err != nil {
			return s, err
		}
		s.Games++
		s.Samples += int64(line.SampleCount())
		s.Ends[line.Tag("End")]++
		if n, err := strconv.ParseInt(line.Tag("Retracted"), 10, 64); err == nil {
			s.Retracted += n
		}
		if line.Result == dataset.Draw {
			s.Draws++
		}
		for _, p := range line.Policies {
			if len(p) > 0 {
				s.Policies++
				entropy += entropyOf(p)
			}
		}
		raw.addLine(line, line.PredictionsOf(0), nil)
		if len(line.Labels) > 0 {
			searched.addLine(line, nil, line.Labels[0].Labels)
		}
	}
	s.Length, s.Entropy = ratio(float64(s.Samples), s.Games), ratio(entropy, s.Policies)
	s.Raw, s.Searched = raw.agreement(), searched.agreement()
	return s, nil
}

func ratio(x float64, n int64) float64 { return x / float64(max(n, 1)) }

// entropyOf is −Σ w·ln w of weights that need not sum to 1, in nats.
func entropyOf(policy []dataset.WeightedMove) (entropy float64) {
	sum := 0.0
	for _, m := range policy {
		sum += float64(m.Weight)
	}
	for _, m := range policy {
		if w := float64(m.Weight) / sum; w > 0 {
			entropy -= w * math.Log(w)
		}
	}
	return entropy
}

// bins is how many ranges of values are told apart.
const bins = 10

// tally sums up pairs of a value and a result.
type tally struct {
	n                int64
	x, y, xx, xy, yy float64
	bins             [bins]chart.Bin // sums; Spread is that of the squares
}

// addLine adds the samples of a game, with what predictions or labels say of them.
func (t *tally) addLine(line *dataset.Line, predictions []dataset.Prediction, labels []dataset.Label) {
	z, ok := map[dataset.Result]float64{dataset.WhiteWins: 1, dataset.Draw: 0, dataset.BlackWins: -1}[line.Result]
	if !ok {
		return
	}
	k := 0
	for ply := range len(line.Moves) + 1 {
		if !line.Samples.Has(ply, len(line.Moves)) {
			continue
		}
		result := z
		if (line.Start.Turn() == board.Black) != (ply%2 == 1) {
			result = -z
		}
		switch {
		case k < len(predictions) && predictions[k].Status == dataset.Predicted:
			t.add(predictions[k].Value.Float(), result)
		case k < len(labels) && labels[k].Status == dataset.Labelled && len(labels[k].Lines) > 0:
			w := labels[k].Lines[0].WDL
			t.add((float64(w.Win)-float64(w.Loss))/1000, result)
		}
		k++
	}
}

func (t *tally) add(value, result float64) {
	t.n++
	t.x, t.y = t.x+value, t.y+result
	t.xx, t.xy, t.yy = t.xx+value*value, t.xy+value*result, t.yy+result*result
	b := &t.bins[min(bins-1, max(0, int((value+1)/2*bins)))]
	b.Count++
	b.Predicted, b.Actual, b.Spread = b.Predicted+value, b.Actual+result, b.Spread+result*result
}

func (t *tally) agreement() (a Agreement) {
	n := float64(t.n)
	if square := (n*t.xx - t.x*t.x) * (n*t.yy - t.y*t.y); square > 1e-12*n*n*n*n {
		a.Correlation = new((n*t.xy - t.x*t.y) / math.Sqrt(square))
	}
	for i, b := range t.bins {
		if b.Count == 0 {
			continue
		}
		k := float64(b.Count)
		mean := b.Actual / k
		a.Bins = append(a.Bins, chart.Bin{From: 2*float64(i)/bins - 1, To: 2*float64(i+1)/bins - 1, Count: b.Count,
			Predicted: b.Predicted / k, Actual: mean, Spread: math.Sqrt(max(0, b.Spread/k-mean*mean))})
	}
	return a
}
