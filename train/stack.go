package train

import (
	"slices"
	"strconv"
	"strings"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	gomlx "github.com/gomlx/gomlx/ml/model"

	"talbot/network/model"
)

// XLA computes up to [together] steps in one execution: a loop over a stack of batches. What an execution costs beside
// the kernels, handing over hundreds of tensors and taking back as many, is paid once for all of them, and memory for
// activations and for the new weights is not allocated again for each. How many steps of the stack are computed is an
// input, so one step alone is computed by the same program, and bits do not depend on how steps are put together.

// together is the most steps that one execution takes.
const together = 32

// stacks reports whether several steps are computed in one execution. The backend go has no DynamicSlice and nothing to
// hand over; several devices and micro-batches have their own graphs. On a processor XLA computes its own convolutions
// fifty times slower inside a loop than outside.
func (e *engine) stacks() bool {
	return strings.HasPrefix(e.backend.Kind, "xla") && e.config.Devices == 1 && e.config.Accumulate == 1 &&
		!(e.backend.Kind == "xla:cpu" && e.conv == model.Native && convolves(e.network))
}

// convolves reports whether a network has convolutions: kernels of four axes.
func convolves(n model.Network) bool {
	return slices.ContainsFunc(n.Params(), func(p model.Param) bool { return len(p.Shape) == 4 })
}

// steps trains on one batch after the other, up to [together] if the engine stacks, all with lists of moves of one
// length; the first step counts from 0, and each has its learning rate.
func (e *engine) steps(batches []*Batch, step int64, rates []float64) (list []stepResult, err error) {
	if e.stacks() {
		return e.stack(batches, step, rates)
	}
	for i, b := range batches {
		s, err := e.stepAlone(b, step+int64(i), rates[i])
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

// stack is steps in one execution.
func (e *engine) stack(batches []*Batch, step int64, rates []float64) (list []stepResult, err error) {
	var keys []uint32
	var totals, numbers []float32
	var over [][]float64
	var all Batch
	for i := range together {
		k := i
		if i >= len(batches) {
			k = 0 // fills the stack and is not computed
		}
		o, t := e.totals(batches[k])
		over, totals = append(over, o), append(totals, t...)
		keys = append(keys, dropoutKey(e.config.Seed, step+int64(i))...)
		numbers = append(numbers, hyper(e.config, step+int64(i), rates[k])...)
		all.add(batches[k])
	}
	out, err := e.run(&e.train, "training", append([]any{
		tensors.FromScalar(int32(len(batches))),
		tensors.FromFlatDataAndDimensions(keys, together, len(keys)/together),
		tensors.FromFlatDataAndDimensions(totals, together, len(totals)/together),
		tensors.FromFlatDataAndDimensions(numbers, together, len(numbers)/together),
	}, e.inputs(&all)...), e.stackGraph)
	if err != nil {
		return nil, err
	}
	width := len(e.terms) + 2
	for i := range batches {
		sums := make([]float64, width) // loss, those of the terms, norm
		for j := range sums {
			sums[j] = float64(out[0][i*width+j])
		}
		list = append(list, stepResult{Means: e.means(sums[0], sums[1:], over[i]), norm: sums[width-1]})
	}
	return list, nil
}

// stackGraph is the first steps of a stack. The inputs are their number, those of [engine.trainGraph] with a
// row for each step, and the samples of all steps; the output has a row for each step.
//
// All state goes through the parameters of the loop, since go-xla's operations do not take operands of several
// functions. For the same reason no scalar is made outside the loop's body: GoMLX makes each once for a graph.
func (e *engine) stackGraph(in []*Node) *Node {
	g := in[0].Graph()
	rows := make([][]float32, together)
	for i := range rows {
		rows[i] = make([]float32, len(e.terms)+2)
	}
	state := append([]*Node{Reshape(Const(g, []int32{0})), Const(g, rows)}, in...)
	fixed := len(state)
	variables := e.trained()
	for _, v := range variables {
		state = append(state, v.NodeValue(g))
	}
	parameters := func(g *Graph) (list []*Node) {
		for i, x := range state {
			list = append(list, Parameter(g, "state"+strconv.Itoa(i), x.Shape()))
		}
		return list
	}
	more := NewClosure(g, func(g *Graph) []*Node {
		now := parameters(g)
		return []*Node{LessThan(now[0], now[2])}
	})
	body := NewClosure(g, func(g *Graph) []*Node {
		now := parameters(g)
		for i, v := range variables {
			v.SetNodeValue(now[fixed+i])
		}
		step, inputs := now[0], now[3:fixed]
		var own []*Node
		for i, x := range inputs {
			x = ofStep(x, step)
			if i < 3 { // one row
				x = Reshape(x, x.Shape().Dimensions[1:]...)
			}
			own = append(own, x)
		}
		row := InsertAxes(e.trainGraph(own), 0)
		next := []*Node{AddScalar(step, int32(1)), DynamicUpdateSlice(now[1], row, startAt(step, 2))}
		next = append(next, now[2:fixed]...)
		for _, v := range variables {
			next = append(next, v.NodeValue(g))
		}
		return next
	})
	results := While(more, body, state...)
	for i, v := range variables {
		v.SetNodeValue(results[fixed+i])
	}
	return results[1]
}

// ofStep is the share of one step of the rows of all.
func ofStep(x, step *Node) *Node {
	dims := slices.Clone(x.Shape().Dimensions)
	dims[0] /= together
	return DynamicSlice(x, startAt(MulScalar(step, int32(dims[0])), x.Rank()), dims)
}

// startAt is where a slice of rows begins.
func startAt(row *Node, rank int) []*Node {
	start := slices.Repeat([]*Node{ScalarZero(row.Graph(), dtypes.Int32)}, rank)
	start[0] = row
	return start
}

// trained are the variables that a step changes.
func (e *engine) trained() (list []*gomlx.Variable) {
	add := func(name string) { list = append(list, e.store.GetVariable("/"+name)) }
	for _, p := range e.store.Params() {
		add(p.Name)
		if !p.Trainable() {
			continue
		}
		for _, name := range optimizerTensors(e.config, p) {
			add(name)
		}
		if e.config.EMA > 0 {
			add(averagePrefix + p.Name)
		}
	}
	return list
}
