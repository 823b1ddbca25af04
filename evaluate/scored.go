package evaluate

import (
	"errors"
	"fmt"
	"math"

	"talbot/board"
	"talbot/encode"
	"talbot/network/predict"
)

// scorer holds answers against samples.
type scorer struct {
	capabilities                           Capabilities
	value, result                          int                         // number of the float, −1 if the recipe has none
	predictedProbability, labelProbability func(value float32) float64 // of a network's value, and of a label
	valueFromWDL                           bool                        // the value is that of the chances
	simple                                 Simple
}

func newScorer(network predict.Capabilities, o Options) scorer {
	s := scorer{capabilities: Capabilities{Capabilities: network, Probability: o.PredictedProbability != nil &&
		o.LabelProbability != nil}, predictedProbability: o.PredictedProbability, labelProbability: o.LabelProbability,
		value: o.Layout.Float(encode.ValueFloat), result: o.Layout.Float(encode.ResultFloat), simple: o.Simple}
	if network.WDL && !network.Value {
		s.capabilities.Value, s.valueFromWDL = true, true
	}
	return s
}

// assessment is a sample with the answer to it, as the measures see both.
type assessment struct {
	sample *Sample
	answer *predict.Output

	first      int     // the most probable legal move, −1 without a policy
	confidence float64 // its probability among the legal ones
	entropy    float64 // cross-entropy over the legal moves
	ranks      []int   // of the target's moves among the legal ones, from 0

	labelled            bool // there is a label to compare the value with
	value, label        float64
	likely, likelyLabel float64 // as win probabilities

	weighed  bool    // there is a value by material
	material float64 // that value

	counted               bool    // there are statistics of moves
	ofKinds, firstOfKinds float64 // their cross-entropy, and the weight that falls on their first move

	finished bool    // the result of the game is known
	ofResult float64 // the chance that the network gives to it

	mates, mated bool // some move mates; the most probable one does
	ends         endgameTally
	candidates   candidateSample
}

func (q *assessment) hasPolicy() bool { return len(q.sample.Policy) > 0 }

func (q *assessment) squared() float64 { return (q.value - q.label) * (q.value - q.label) }

// weightOfBest is the weight that falls on the k most probable legal moves.
func (q *assessment) weightOfBest(k int) float64 {
	sum := 0.0
	for i, t := range q.sample.Policy {
		if q.ranks[i] < k {
			sum += float64(t.Weight)
		}
	}
	return sum
}

// targetEntropy is the entropy of the target.
func (q *assessment) targetEntropy() float64 {
	sum := 0.0
	for _, t := range q.sample.Policy {
		sum -= float64(t.Weight) * math.Log(float64(t.Weight))
	}
	return sum
}

// largestWeight is the largest weight of the target.
func (q *assessment) largestWeight() float64 {
	largest := float32(0)
	for _, t := range q.sample.Policy {
		largest = max(largest, t.Weight)
	}
	return float64(largest)
}

// score holds an answer against its sample. An answer with a number that is not finite is an error.
func (s *scorer) score(sample *Sample, answer *predict.Output) (assessment, error) {
	q := assessment{sample: sample, answer: answer, first: -1}
	if len(sample.Legal) == 0 {
		return q, errors.New("no legal moves")
	}
	if s.capabilities.Prior {
		if err := s.policy(&q); err != nil {
			return q, err
		}
	}
	if s.capabilities.WDL {
		if c := answer.WDL; !finite(float64(c[0] + c[1] + c[2])) {
			return q, fmt.Errorf("the network's chances are %g", c)
		}
	}
	value := answer.Value
	if s.valueFromWDL {
		value = encode.ChancesValue(answer.WDL)
	}
	if q.value = float64(value); !finite(q.value) {
		return q, fmt.Errorf("the network's value is %g", value)
	}
	if label, ok := float(sample, s.value); ok && s.capabilities.Value {
		q.labelled, q.label = true, float64(label)
		if m := s.simple.Value; m != nil && sample.Origin != nil {
			q.weighed, q.material = true, m.Of(&sample.Origin.Position)
		}
		if s.capabilities.Probability {
			q.likely, q.likelyLabel = s.predictedProbability(value), s.labelProbability(label)
		}
	}
	if result, ok := float(sample, s.result); ok && s.capabilities.WDL {
		// Win, draw and loss in this order.
		q.finished, q.ofResult = true, float64(answer.WDL[2-int(resultClass(result))])
	}
	return q, nil
}

// float is one of the sample's; false if it is not known.
func float(s *Sample, i int) (float32, bool) {
	if i < 0 || i >= len(s.Floats) || s.Floats[i] != s.Floats[i] {
		return 0, false
	}
	return s.Floats[i], true
}

// policy is the part of score that is about moves.
func (s *scorer) policy(q *assessment) error {
	sample, prior := q.sample, q.answer.Prior
	if len(prior) != len(sample.Legal) {
		return fmt.Errorf("the network answers with %d moves, %d are legal", len(prior), len(sample.Legal))
	}
	for _, x := range prior {
		if !finite(float64(x)) {
			return fmt.Errorf("the network's log-probability of a move is %g", x)
		}
	}
	if in, out := float64(q.answer.Inside), float64(q.answer.Outside); s.capabilities.Others && !finite(in+out) {
		return fmt.Errorf("the network gives the legal moves %g and others %g", in, out)
	}
	q.first = first(sample, prior)
	q.confidence = math.Exp(float64(prior[q.first]))
	for _, t := range sample.Policy {
		if t.Move < 0 || t.Move >= len(sample.Legal) {
			return fmt.Errorf("target move %d is not one of %d legal ones", t.Move, len(sample.Legal))
		}
		q.entropy -= float64(t.Weight) * float64(prior[t.Move])
		rank := 0
		for i := range prior {
			if i != t.Move && before(sample, prior, i, t.Move) {
				rank++
			}
		}
		q.ranks = append(q.ranks, rank)
	}
	if m := s.simple.Policy; m != nil && q.hasPolicy() && sample.Origin != nil {
		q.counted = true
		q.ofKinds, q.firstOfKinds = m.judge(sample)
	}
	if sample.Origin != nil {
		q.mates, q.mated = mateInOne(&sample.Origin.Position, sample.Legal, q.first)
	}
	return nil
}

// before reports whether legal move i is more probable than j; of equals that of the lower first word is.
func before(s *Sample, prior []float32, i, j int) bool {
	if prior[i] != prior[j] {
		return prior[i] > prior[j]
	}
	words := len(s.Codes) / len(s.Legal)
	if words > 0 && s.Codes[i*words] != s.Codes[j*words] {
		return s.Codes[i*words] < s.Codes[j*words]
	}
	return i < j
}

// first is the most probable legal move.
func first(s *Sample, prior []float32) int {
	first := 0
	for i := range prior {
		if i != first && before(s, prior, i, first) {
			first = i
		}
	}
	return first
}

// mateInOne reports whether some legal move mates, and whether that of an index does.
func mateInOne(p *board.Position, legal []board.Move, choice int) (mates, mated bool) {
	for i, m := range legal {
		if after := p.After(m); after.IsCheckmate() {
			mates = true
			mated = mated || i == choice
		}
	}
	return mates, mated
}
