package evaluate

import "math"

// Bin is one bin of a calibration: what the network said, and what it was.
type Bin struct {
	From      float64 `json:"from"`
	To        float64 `json:"to"`
	Count     int64   `json:"count"`
	Predicted float64 `json:"said"`   // mean prediction
	Actual    float64 `json:"was"`    // mean target
	Spread    float64 `json:"spread"` // standard deviation of the targets
}

// bins are sums for each bin of a calibration.
type bins struct{ sums []binSums }

type binSums struct {
	n                          int64
	predicted, actual, squares float64
}

// add adds a prediction to one of n bins, chosen by its place in [0, 1].
func (b *bins) add(place, predicted, actual float64, n int) {
	if b.sums == nil {
		b.sums = make([]binSums, n)
	}
	s := &b.sums[min(max(int(place*float64(n)), 0), n-1)]
	s.n++
	s.predicted += predicted
	s.actual += actual
	s.squares += actual * actual
}

// list returns the n bins of [from, to] that hold something.
func (b *bins) list(from, to float64, n int) []Bin {
	list := []Bin{}
	width := (to - from) / float64(n)
	for i, s := range b.sums {
		if s.n == 0 {
			continue
		}
		count := float64(s.n)
		mean := s.actual / count
		list = append(list, Bin{From: from + float64(i)*width, To: from + float64(i+1)*width, Count: s.n,
			Predicted: s.predicted / count, Actual: mean, Spread: math.Sqrt(max(0, s.squares/count-mean*mean))})
	}
	return list
}
