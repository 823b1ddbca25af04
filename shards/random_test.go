package shards

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"talbot/board"
	"talbot/dataset"
)

// starts are start positions other than the standard one, with all that a FEN can say.
var starts = []string{
	"8/8/8/4k3/8/8/4P3/4K3 w - - 0 1",
	"r3k2r/8/8/8/8/8/8/R3K2R b Kq - 12 34",
	"rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3",
	"6k1/5ppp/8/8/8/8/5PPP/R5K1 b - - 99 200",
}

// randomLine plays random moves and fills every field. With full, the line has policies, labels and predictions too.
func randomLine(rng *rand.Rand, number int64, full bool) dataset.Line {
	l := dataset.Line{
		Source: dataset.Source(rng.IntN(6)), Input: rng.IntN(3), Number: number,
		Offset: number * int64(800+rng.IntN(100)),
		Start:  board.StartPosition(), Result: dataset.Result(rng.IntN(4)), WhiteElo: rng.IntN(65536),
		BlackElo: rng.IntN(3000),
	}
	if rng.IntN(3) == 0 {
		l.Start, _ = board.ParseFEN(starts[rng.IntN(len(starts))])
	}
	l.Moves = randomMoves(rng, l.Start, rng.IntN(60))
	n := len(l.Moves)
	l.Reconstructed = rng.IntN(n + 1)
	switch rng.IntN(4) {
	case 0:
		l.Samples = dataset.OddPlies()
	case 1:
		l.Samples = dataset.LastPosition()
	case 2:
		bitmap := make([]byte, n/8+1)
		for i := range n + 1 {
			bitmap[i/8] |= byte(rng.IntN(2)) << (i % 8)
		}
		l.Samples = dataset.SomePlies(bitmap)
	}
	for _, name := range []string{"Black", "Event", "White", "Ünïcode"} { // sorted
		if rng.IntN(2) == 0 {
			l.Tags = append(l.Tags, dataset.Tag{Name: name,
				Value: []string{"", "Tal, Mikhail", "½", fmt.Sprint(rng.Int())}[rng.IntN(4)]})
		}
	}
	if rng.IntN(2) == 0 {
		addClocks(rng, &l)
	}
	if full {
		addPolicies(rng, &l)
		for f := range 3 {
			addLabels(rng, &l, 2*f)
		}
		for n := range 2 {
			addPredictions(rng, &l, 3*n)
		}
	}
	return l
}

// addClocks gives a line clocks that go down and up, of seconds or tenths, some of them unknown.
func addClocks(rng *rand.Rand, l *dataset.Line) {
	unit, known := 1+9*rng.Int32N(2), false
	clocks := make([]int32, len(l.Moves))
	for ply := range clocks {
		switch rng.IntN(20) {
		case 0:
			clocks[ply] = dataset.NoClock
			continue
		case 1:
			clocks[ply] = rng.Int32N(dataset.MaxClock/unit) * unit
		default:
			if ply > 1 {
				clocks[ply] = max(0, clocks[ply-2]-unit*(rng.Int32N(12)-2))
			}
		}
		known = true
	}
	if known {
		l.Clocks = clocks
	}
}

func randomMoves(rng *rand.Rand, pos board.Position, n int) []board.Move {
	moves := []board.Move{}
	var legal []board.Move
	for range n {
		if legal = pos.LegalMoves(legal[:0]); len(legal) == 0 {
			break
		}
		m := legal[rng.IntN(len(legal))]
		pos.Play(m)
		moves = append(moves, m)
	}
	return moves
}

// eachSample calls f with the position of each sample.
func eachSample(l *dataset.Line, f func(k int, pos board.Position)) {
	pos, k := l.Start, 0
	for ply := 0; ply <= len(l.Moves); ply++ {
		if l.Samples.Has(ply, len(l.Moves)) {
			f(k, pos)
			k++
		}
		if ply < len(l.Moves) {
			pos.Play(l.Moves[ply])
		}
	}
}

func addPolicies(rng *rand.Rand, l *dataset.Line) {
	lists, some := make([][]dataset.WeightedMove, l.SampleCount()), false // none of any sample is one form too
	kind := rng.IntN(3)
	eachSample(l, func(k int, pos board.Position) {
		for _, m := range pos.LegalMoves(nil) {
			if kind > 0 && rng.IntN(8) == 0 {
				t := dataset.WeightedMove{Move: m, Weight: 1}
				if kind == 2 {
					t.Weight = rng.Float32() * 100
				}
				lists[k], some = append(lists[k], t), true
			}
		}
	})
	if some || len(lists) > 0 && rng.IntN(2) == 0 {
		l.Policies = lists
	}
}

func addLabels(rng *rand.Rand, l *dataset.Line, fingerprint int) {
	labels, some := make([]dataset.Label, l.SampleCount()), false
	eachSample(l, func(k int, pos board.Position) {
		labels[k].Status = dataset.LabelStatus(rng.IntN(4))
		legal := pos.LegalMoves(nil)
		if len(legal) == 0 {
			labels[k].Status = dataset.Terminal
		}
		if labels[k].Status == dataset.Labelled {
			labels[k].Best = legal[rng.IntN(len(legal))]
			for range 1 + rng.IntN(3) {
				labels[k].Lines = append(labels[k].Lines, randomSearched(rng, pos))
			}
		}
		some = some || labels[k].Status != dataset.Missing
	})
	if some && rng.IntN(3) > 0 {
		l.Labels = append(l.Labels, dataset.LabelColumn{Fingerprint: fingerprint, Labels: labels})
	}
}

func addPredictions(rng *rand.Rand, l *dataset.Line, network int) {
	list, some := make([]dataset.Prediction, l.SampleCount()), false
	kind := rng.IntN(3)
	eachSample(l, func(k int, pos board.Position) {
		p := &list[k]
		legal := pos.LegalMoves(nil)
		if p.Status = dataset.PredictionStatus(rng.IntN(2)); len(legal) == 0 {
			p.Status = dataset.GameOver
		}
		some = some || p.Status != dataset.NotPredicted
		if p.Status != dataset.Predicted {
			return
		}
		p.Value = dataset.QuantizeValue(2*rng.Float64() - 1)
		if kind == 0 {
			return // a network without priors
		}
		rng.Shuffle(len(legal), func(i, j int) { legal[i], legal[j] = legal[j], legal[i] })
		last := 0
		for _, m := range legal {
			last = min(last+rng.IntN(1<<rng.IntN(17)), 65535)
			p.Moves = append(p.Moves, dataset.PriorMove{Move: m, Prior: dataset.QuantizedPrior(last)})
		}
	})
	if some && rng.IntN(3) > 0 {
		l.Predictions = append(l.Predictions, dataset.PredictionColumn{Network: network, Predictions: list})
	}
}

func randomSearched(rng *rand.Rand, pos board.Position) dataset.Searched {
	s := dataset.Searched{Score: dataset.Centipawns(rng.IntN(60001) - 30000), Depth: rng.IntN(200),
		Nodes: rng.Int64N(1 << 40)}
	if rng.IntN(4) == 0 {
		s.Score = dataset.MateIn(rng.IntN(4001) - 2000)
	}
	if rng.IntN(2) == 0 {
		win := rng.IntN(1001)
		draw := rng.IntN(1001 - win)
		s.WDL = dataset.WDL{Win: uint16(win), Draw: uint16(draw), Loss: uint16(1000 - win - draw)}
	}
	if n := rng.IntN(5); n > 0 {
		if pv := randomMoves(rng, pos, n); len(pv) > 0 {
			s.PV = pv
		}
	}
	return s
}

// randomLines returns lines that Check accepts.
func randomLines(t testing.TB, seed uint64, n int, full bool) []dataset.Line {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 1))
	lines := make([]dataset.Line, n)
	for i := range lines {
		lines[i] = randomLine(rng, int64(i+1), full)
		ok(t, lines[i].Check())
	}
	return lines
}
