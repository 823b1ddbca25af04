package mcts

// targets gives the lines of a report, which are those of all moves that may be chosen, their weights in the policy
// that a network should learn: see [Line.Target].
func (t *tree) targets(edges []*edge, lines []Line) {
	weights := make([]float64, len(lines))
	switch n := t.at(t.top); {
	case t.proven() && t.lower != 0:
		for i := range lines { // the best moves come first
			weights[i] = float64(b2i(lines[i].Proven && lines[i].Value == lines[0].Value &&
				lines[i].Mate == lines[0].Mate))
		}
	default:
		var improved []float64
		if t.gumbel {
			improved = t.improved(n, true)
			softmax(improved)
		}
		for i, e := range edges {
			if c := t.child(e); c != nil && c.lower() == 1 && t.upper > -1 || t.proven() && !t.secures(e) {
				continue // loses for certain, or is not known to hold the draw
			}
			weights[i] = float64(lines[i].Visits)
			if t.gumbel {
				weights[i] = improved[t.place(e)]
			}
		}
	}
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	for i, w := range weights {
		switch {
		case sum > 0:
			lines[i].Target = float32(w / sum)
		case i == 0: // nothing was visited yet
			lines[i].Target = 1
		}
	}
}

// place is the index of a root's edge.
func (t *tree) place(e *edge) int {
	for i := range t.edgesOf(t.at(t.top)) {
		if t.edgesOf(t.at(t.top))[i].move == e.move {
			return i
		}
	}
	return 0
}

// rootEstimate is the mean of the root's visits, or its result where that is proven.
func (t *tree) rootEstimate(n *node) (e Estimate) {
	switch {
	case t.proven():
		e.Value = float32(t.lower)
		e.WDL[1-int(t.lower)] = 1
	case n.visits > 0:
		e.Value = float32(n.mean())
		e.WDL = t.chances(e.Value, n.drawn)
	}
	return e
}
