package mcts

import "math"

// newPUCT returns the searcher puct.
func newPUCT(e Evaluator, o Options) *tree {
	t := newTree(e, o)
	t.choose, t.provesLines = (*tree).puct, true
	return t
}

// puct returns the edge with the greatest value + c · prior · √N / (1 + n), where N and n count the descents through
// node and child, those that wait included. Where several lines are asked for, the root's proven wins are not chosen,
// nor, once its result is known, other proven moves. Until then a draw needs visits, which decide what is played.
func (t *tree) puct(n *node, top bool) int {
	u := t.exploration(n)
	best, unvisited := -1, -1
	most, share, mass := math.Inf(-1), -1.0, 0.0
	edges := t.edgesOf(n)
	for i := range edges {
		e := &edges[i]
		prior := float64(unpack(e.prior))
		if top && t.options.RootNoise > 0 {
			prior += t.options.RootNoise * (t.noise[i] - prior)
		}
		c := t.child(e)
		if c == nil {
			if top && !t.eligible[i] {
				continue
			}
			if prior > share {
				unvisited, share = i, prior
			}
			if top {
				continue
			}
			break // those that follow have no child either, and smaller priors
		}
		if c.visits > 0 {
			mass += prior
		}
		if c.lower() == 1 || top && !t.eligible[i] {
			continue // the opponent wins there
		}
		if top && t.multiPV && c.proven() && (t.proven() || c.upper() == -1) {
			continue // nothing is left to find out there
		}
		weight := prior / float64(1+c.started())
		if c.visits == 0 {
			if weight > share {
				unvisited, share = i, weight
			}
			continue
		}
		score := u*weight - c.mean()
		if t.abilities.MovesLeft {
			score += t.hurry(n, c)
		}
		if score > most {
			best, most = i, score
		}
	}
	if unvisited >= 0 && t.unvisited(n, mass)+u*share > most {
		return unvisited
	}
	return best
}

// hurry returns what a move is better for ending a won game sooner, or a lost one later, than its position is expected
// to end, as lc0 has it: the difference in plies by MovesLeftSlope, at most MovesLeftMaxEffect, times x(1.6521 −
// 0.6521x), where x is how far the move's value is from the threshold, 0, to a certain result, 1.
func (t *tree) hurry(n, c *node) float64 {
	o := &t.options
	q := -c.mean()
	x := (math.Abs(q) - o.LeftThreshold) / (1 - o.LeftThreshold)
	if !(x > 0) || math.Abs(n.mean()) <= o.LeftThreshold {
		return 0
	}
	longer := min(max(o.LeftSlope*float64(c.left-n.left), -o.LeftMax), o.LeftMax)
	return math.Copysign(longer, -q*longer) * x * (1.6521 - 0.6521*x)
}

// exploration returns c · √N of a node: c grows with the logarithm of N, as in AlphaZero (Silver et al. 2018).
func (t *tree) exploration(n *node) float64 {
	o, visits := &t.options, float64(t.explorationVisits(n))
	c := o.C + o.CFactor*math.Log((visits+o.CBase)/o.CBase)
	return c * math.Sqrt(visits)
}

// unvisited returns the value that an unvisited move is taken to have.
func (t *tree) unvisited(n *node, mass float64) float64 {
	return n.mean() - t.options.FPU*math.Sqrt(mass)
}

// newTalbotBot returns the searcher talbotbot.
func newTalbotBot(e Evaluator, o Options) *tree {
	o.PolicyTemp, o.MateInOne, o.Look, o.Tables = 1, false, false, nil
	t := newTree(e, o)
	t.choose, t.asPublished = (*tree).talbotbot, true
	return t
}

// talbotbot returns the edge with the greatest value + c · prior · √N / (1 + n) among those with a visit, but first of
// all the unvisited ones, the most probable first. Where the child waits, or all below it, the edge is passed over.
func (t *tree) talbotbot(n *node, top bool) int {
	u := t.options.TalbotBotC * math.Sqrt(float64(t.explorationVisits(n)))
	best, most := -1, math.Inf(-1)
	edges := t.edgesOf(n)
	for i := range edges {
		e := &edges[i]
		if top && !t.eligible[i] {
			continue
		}
		c := t.child(e)
		switch {
		case c == nil || c.visits == 0 && c.inFlight == 0:
			return i
		case c.inFlight == 0:
			if score := u*float64(unpack(e.prior))/float64(1+c.visits) - c.mean(); score > most {
				best, most = i, score
			}
		}
	}
	return best
}
