package mcts

import "math"

// newTalbotBot returns the searcher talbotbot.
func newTalbotBot(e Evaluator, o Options) *tree {
	o.PolicyTemp, o.MateInOne, o.Tables = 1, false, nil
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
