package mcts

import (
	"fmt"
	"slices"
	"strings"
)

// Method is one way to choose a move. What callers must know of a searcher besides its settings ([Settings]) stands
// here.
type Method struct {
	Name string
	// Needs of the network: Prior, probabilities of moves; Value, a value of positions or chances of results.
	Prior, Value bool
	// Engine says that values are an engine's, not the network's.
	Engine bool
	// NoSearch says that it asks about a position, or all that follow it, once, and so needs no limit.
	NoSearch bool
	// OnePosition says that it asks about one position for each move: a batch has no more.
	OnePosition bool
	// GrowingBatches says that a move may take no more than the smallest batch: batches grow with the tree.
	GrowingBatches bool

	make func(Evaluator, Options) (Searcher, error)
}

// methods are all, the default first. Another one is a file and an entry.
var methods = []*Method{
	{Name: "puct", Value: true, GrowingBatches: true, make: noError(newPUCT)},
	{Name: "gumbel", Prior: true, Value: true, GrowingBatches: true, make: noError(newGumbel)},
	{Name: "talbotbot", Value: true, GrowingBatches: true, make: noError(newTalbotBot)},
	{Name: "napoleon", Value: true, make: noError(newNapoleon)},
	{Name: "policy", Prior: true, NoSearch: true, OnePosition: true, make: noError(newPolicy)},
	{Name: "value", Value: true, NoSearch: true, make: noError(newOnePly)},
	{Name: "rollouts", Prior: true, Engine: true, make: newRollouts},
}

// noError turns a maker that cannot fail into one of a [Method].
func noError[S Searcher](f func(Evaluator, Options) S) func(Evaluator, Options) (Searcher, error) {
	return func(e Evaluator, o Options) (Searcher, error) { return f(e, o), nil }
}

// Names are the names of the searchers, the default first.
func Names() (names []string) {
	for _, m := range methods {
		names = append(names, m.Name)
	}
	return names
}

// MethodOf returns the method of a name; an error lists all names.
func MethodOf(name string) (Method, error) {
	i := slices.IndexFunc(methods, func(m *Method) bool { return m.Name == name })
	if i < 0 {
		return Method{}, fmt.Errorf("searcher %q must be one of %s", name, strings.Join(Names(), ", "))
	}
	return *methods[i], nil
}

// DefaultFor is the method for a network that has these abilities, where nothing else is asked for: puct with
// priors and values, the move of the highest prior without values, and napoleon's search without priors.
func DefaultFor(abilities Capabilities) string {
	switch {
	case abilities.Prior && abilities.values():
		return "puct"
	case abilities.Prior:
		return "policy"
	}
	return "napoleon"
}

// New returns a searcher. An error says what the name should be, or which part of an answer the searcher needs and the
// evaluator does not give.
func New(name string, e Evaluator, o Options) (Searcher, error) {
	m, err := MethodOf(name)
	if err != nil {
		return nil, err
	}
	switch abilities := e.Capabilities(); {
	case m.Prior && !abilities.Prior:
		return nil, fmt.Errorf("the searcher %s needs a network with priors over moves; this one has none: take value "+
			"or puct", name)
	case m.Value && !abilities.values():
		return nil, fmt.Errorf("the searcher %s needs a network that values positions; this one gives priors only: "+
			"take policy", name)
	}
	return m.make(e, o)
}
