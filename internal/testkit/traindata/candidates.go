package traindata

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"talbot/board"
	"talbot/dataset"
)

// network is whose priors there are.
var network = dataset.Network{Recipe: "made up", Checkpoint: "0", Backend: "go", Prior: true}

// mostCandidates is how many moves of a sample are valued, as [encode.Probability] wants.
const mostCandidates = 20

// candidatePrints are the fingerprints of the values of candidates.
func candidatePrints() (list []dataset.Fingerprint) {
	for _, d := range dataset.CandidateDepths {
		list = append(list, dataset.Fingerprint{Engine: "Made-up 1", Limit: fmt.Sprint("depth ", d+1),
			Options: []dataset.Tag{{Name: dataset.SearchMoves,
				Value: dataset.SearchMovesText(mostCandidates, network.ID())}}})
	}
	return list
}

// addCandidates gives each sample priors and values, of which the move that was played has the highest in every other
// one.
func addCandidates(l *dataset.Line, rng *rand.Rand, samples []int, positions []board.Position) {
	said := make([]dataset.Prediction, len(samples))
	columns := make([][]dataset.Label, len(dataset.CandidateDepths))
	for d := range columns {
		columns[d] = make([]dataset.Label, len(samples))
	}
	for i, ply := range samples {
		legal := positions[ply].LegalMoves(nil)
		if len(legal) == 0 {
			said[i].Status = dataset.GameOver
			continue
		}
		rng.Shuffle(len(legal), func(a, b int) { legal[a], legal[b] = legal[b], legal[a] })
		if k := 0; ply < len(l.Moves) && rng.IntN(2) == 0 {
			k = slices.Index(legal, l.Moves[ply])
			legal[0], legal[k] = legal[k], legal[0]
		}
		said[i].Status = dataset.Predicted
		for k, m := range legal {
			said[i].Moves = append(said[i].Moves, dataset.PriorMove{Move: m,
				Prior: dataset.QuantizedPrior(2000 + 300*k)})
		}
		for d := range columns {
			label := dataset.Label{Status: dataset.Labelled, Best: legal[0]}
			for k, m := range legal[:min(mostCandidates, len(legal))] {
				label.Lines = append(label.Lines, dataset.Searched{Score: dataset.Centipawns(200 - 40*k + rng.IntN(30)),
					Depth: 1, PV: []board.Move{m}})
			}
			columns[d][i] = label
		}
	}
	l.Predictions = []dataset.PredictionColumn{{Predictions: said}}
	for d, labels := range columns {
		l.Labels = append(l.Labels, dataset.LabelColumn{Fingerprint: 2 + d, Labels: labels})
	}
}
