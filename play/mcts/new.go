package mcts

import (
	"fmt"
	"strings"
)

// Names are the names of the searchers, the default first.
var Names = []string{"puct", "talbotbot", "napoleon", "policy", "value", "rollouts"}

// New returns a searcher. An error says what the name should be, or which part of an answer the searcher needs and the
// evaluator does not give.
func New(name string, e Evaluator, o Options) (Searcher, error) {
	knows := e.Knows()
	hasValue := knows.Value || knows.Chances
	switch name {
	case "policy":
		if !knows.Prior {
			return nil, fmt.Errorf("the searcher policy needs a network with priors over moves; this one has none: " +
				"take value or puct")
		}
		return newPolicy(e, o), nil
	case "rollouts":
		return newRollouts(e, o)
	case "puct", "talbotbot", "napoleon", "value":
		if !hasValue {
			return nil, fmt.Errorf("the searcher %s needs a network that values positions; this one gives priors "+
				"only: take policy", name)
		}
	}
	switch name {
	case "puct":
		return newPUCT(e, o), nil
	case "talbotbot":
		return newTalbotBot(e, o), nil
	case "napoleon":
		return newNapoleon(e, o), nil
	case "value":
		return newOnePly(e, o), nil
	default:
		return nil, fmt.Errorf("searcher %q must be one of %s", name, strings.Join(Names, ", "))
	}
}
