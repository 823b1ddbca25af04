package mcts

import (
	"math"
	"math/bits"
	"math/rand/v2"
)

// newGumbel returns the searcher gumbel.
func newGumbel(e Evaluator, o Options) *tree {
	o.PolicyTemp, o.FreshTree, o.Look = 1, true, false
	t := newTree(e, o)
	t.choose, t.gumbel = (*tree).chooseGumbel, true
	return t
}

// chooseGumbel returns the edge that sequential halving visits next at the root. Below it is the one with the greatest
// π′ − n/(1+N), π′ being the improved policy, n and N the descents through the move and all moves (Danihelka et al.,
// "Policy improvement by planning with Gumbel", ICLR 2022, equation 14).
func (t *tree) chooseGumbel(n *node, top bool) int {
	edges, improved := t.edgesOf(n), t.improved(n, top)
	if top {
		return t.halve(n, improved)
	}
	softmax(improved)
	all := 1 + float64(t.descents(edges))
	best, most := -1, math.Inf(-1)
	for i := range edges {
		c, score := t.child(&edges[i]), improved[i]
		if c != nil {
			if c.lower() == 1 {
				continue // the opponent wins there
			}
			score -= float64(c.started()) / all
		}
		if score > most {
			best, most = i, score
		}
	}
	return best
}

// halve returns the root's edge that is visited next: of those with as many descents as the plan says the one with the
// greatest sum of noise, log-prior and scaled value. scores have the latter two.
func (t *tree) halve(n *node, scores []float64) int {
	edges, considered := t.edgesOf(n), 0
	for i := range edges {
		considered += b2i(t.eligible[i])
	}
	turn := consideredVisit(min(considered, t.options.Considered), t.plan, t.descents(edges))
	best, onTurn := -1, false
	for i := range edges {
		if !t.eligible[i] {
			continue
		}
		scores[i] += t.noise[i]
		// That none is on turn happens only where memory was short.
		is := t.descents(edges[i:i+1]) == turn
		if best < 0 || is && !onTurn || is == onTurn && scores[i] > scores[best] {
			best, onTurn = i, is
		}
	}
	return best
}

// descents counts those through edges.
func (t *tree) descents(edges []edge) (n int64) {
	for i := range edges {
		if c := t.child(&edges[i]); c != nil {
			n += int64(c.started())
		}
	}
	return n
}

// consideredVisit is sequential halving as a table: how many visits the root's moves have among which simulation done
// (from 0) of a plan of that many chooses, of considered moves at first. Each phase gives the moves that are still
// considered as many visits as fit into an equal share of the plan, at least one, and halves them, but never below
// two. Behind the plan the last two go on.
func consideredVisit(considered int, plan, done int64) int64 {
	if considered <= 1 {
		return done
	}
	phases := int64(bits.Len(uint(considered - 1))) // log₂ rounded up
	visits := int64(0)
	for k := int64(considered); ; k = max(2, k/2) {
		extra := max(1, plan/(phases*k))
		if done < extra*k {
			return visits + done/k
		}
		done -= extra * k
		visits += extra
	}
}

// improved returns log-prior + σ(q) of a node's edges: the logits of the improved policy. A move without a visit has
// the value
//
//	v_mix = (v + N · Σ P·q / Σ P) / (1 + N)
//
// where v is the network's value of the node, and N and the sums are over the moves with visits (Danihelka et al.,
// appendix D). σ(q) is (CVisit + max n) · CScale · q, with q in [0, 1]: (1 + value) / 2, or with RescaleValues from the
// least value of the node's moves to the greatest. The slice is used again by the next call.
func (t *tree) improved(n *node, top bool) []float64 {
	edges := t.edgesOf(n)
	logits, q := t.logits[:len(edges)], t.values[:len(edges)]
	var most uint32
	sum, mass, weighted := 0.0, 0.0, 0.0
	for i := range edges {
		p := max(float64(unpack(edges[i].prior)), smallestPrior)
		logits[i], q[i] = math.Log(p), math.NaN()
		if top && !t.eligible[i] {
			logits[i] = math.Inf(-1)
			continue
		}
		if c := t.child(&edges[i]); c != nil && c.visits > 0 {
			q[i] = -c.mean()
			sum, mass, weighted = sum+float64(c.visits), mass+p, weighted+p*q[i]
			most = max(most, c.visits)
		}
	}
	value := float64(n.value)
	if sum > 0 {
		value = (value + sum*weighted/mass) / (1 + sum)
	}
	least, greatest := math.Inf(1), math.Inf(-1)
	for i := range q {
		if math.IsNaN(q[i]) {
			q[i] = value
		}
		least, greatest = min(least, q[i]), max(greatest, q[i])
	}
	if !t.options.Rescale {
		least, greatest = -1, 1
	}
	scale := (t.options.CVisit + float64(most)) * t.options.CScale / max(greatest-least, 1e-8)
	for i := range logits {
		logits[i] += scale * (q[i] - least)
	}
	return logits
}

// smallestPrior stands in for a prior of 0: the least normal float32.
const smallestPrior = 0x1p-126

// softmax turns logits into probabilities.
func softmax(logits []float64) {
	most, sum := math.Inf(-1), 0.0
	for _, x := range logits {
		most = max(most, x)
	}
	for i, x := range logits {
		logits[i] = math.Exp(x - most)
		sum += logits[i]
	}
	for i := range logits {
		logits[i] /= sum
	}
}

// addNoise draws the noise of the root's edges, in the order in which the side to move sees the moves: of gumbel
// GumbelNoise times a standard Gumbel variable for each, of puct Dirichlet noise, as shares that sum to 1.
func (t *tree) addNoise() {
	o := &t.options
	clear(t.noise[:])
	if t.drawn != nil {
		for i, e := range t.edgesOf(t.at(t.top)) {
			t.noise[i] = t.drawn(e.move)
		}
		return
	}
	if t.gumbel && o.GumbelNoise == 0 || !t.gumbel && o.RootNoise == 0 {
		return
	}
	random := t.random(o.Seed ^ noiseStream)
	draws, sum := t.values[:len(t.legal)], 0.0
	for i := range draws {
		if t.gumbel {
			draws[i] = o.GumbelNoise * -math.Log(-math.Log(open01(random)))
			continue
		}
		draws[i] = gamma(random, o.RootNoiseTotal/float64(len(t.legal)))
		sum += draws[i]
	}
	for i, e := range t.edgesOf(t.at(t.top)) {
		for k, m := range t.legal {
			if m == e.move {
				t.noise[i] = draws[k]
			}
		}
		switch {
		case t.gumbel:
		case sum > 0:
			t.noise[i] /= sum
		default:
			t.noise[i] = 1 / float64(len(t.legal))
		}
	}
}

// noiseStream sets the numbers of the root's noise apart from those that draw a move.
const noiseStream = 0x6e6f697365

// open01 draws from (0, 1), without its ends.
func open01(random *rand.Rand) float64 { return (float64(random.Uint64()>>12) + 0.5) * 0x1p-52 }

// gamma draws from the gamma distribution of a shape above 0 and of scale 1 (Marsaglia and Tsang, "A simple method for
// generating gamma variables", 2000).
func gamma(random *rand.Rand, shape float64) float64 {
	boost := 1.0
	if shape < 1 {
		boost = math.Pow(open01(random), 1/shape)
		shape++
	}
	d := shape - 1.0/3
	for {
		x := random.NormFloat64()
		v := 1 + x/math.Sqrt(9*d)
		if v <= 0 {
			continue
		}
		v = v * v * v
		if math.Log(open01(random)) < x*x/2+d*(1-v+math.Log(v)) {
			return boost * d * v
		}
	}
}
