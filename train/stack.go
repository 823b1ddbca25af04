package train

import (
	"encoding/json"
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
// activations and for the new weights is not allocated again for each. Which steps of the stack are computed is an
// input, so one step alone is computed by the same program, and bits do not depend on how steps are put together. The
// prefetcher fills stacks and copies them to the device while it computes.

// together is the most steps that one execution takes.
const together = 32

// room returns how many steps one execution may compute, which a stack has room for: [together] or 1. The backend go
// has no DynamicSlice and nothing to hand over; several devices and micro-batches have their own graphs. On a processor
// XLA computes its own convolutions fifty times slower inside a loop than outside.
func (e *engine) room() int {
	if strings.HasPrefix(e.backend.Kind, "xla") && e.config.Devices == 1 && e.config.Accumulate == 1 &&
		!(e.backend.Kind == "xla:cpu" && e.conv == model.Native && convolves(e.network)) {
		return together
	}
	return 1
}

// convolves reports whether a network has convolutions: kernels of four axes.
func convolves(n model.Network) bool {
	return slices.ContainsFunc(n.Params(), func(p model.Param) bool { return len(p.Shape) == 4 })
}

// stack holds the batches of steps that follow each other, all with lists of moves of one length.
type stack struct {
	Batch                    // a row of samples for each step there is room for
	room   int               // in steps
	states []json.RawMessage // the source's after each batch
	over   [][]float64       // what the sums of each batch's terms are over
	totals []float32         // see [engine.totals]
	inputs []any             // the samples, on the device
	done   int               // steps trained
	err    error             // of the source, after these batches
}

// left returns how many steps are not trained yet.
func (s *stack) left() int { return len(s.states) - s.done }

// clear empties the stack, whose memory on the host is used again. That of the device is not the garbage collector's to
// find in time; a device that does not free it fails to compute.
func (s *stack) clear() {
	for _, t := range s.inputs {
		_ = t.(*tensors.Tensor).FinalizeAll()
	}
	*s = stack{Batch: s.Batch, room: s.room}
}

// add copies a batch into a stack, and reports whether it fits.
func (e *engine) add(s *stack, b *Batch) bool {
	n := len(s.states)
	if n == 0 {
		s.Resize(s.room*b.N, b.Moves(), &e.layout)
	} else if n == s.room || s.N != s.room*b.N || s.Moves() != b.Moves() {
		return false
	}
	row := s.part(n, s.room)
	copy(row.Packed, b.Packed)
	copy(row.Codes, b.Codes)
	copy(row.Weights, b.Weights)
	copy(row.Floats, b.Floats)
	copy(row.Known, b.Known)
	over, totals := e.totals(b)
	s.over, s.totals = append(s.over, over), append(s.totals, totals...)
	s.states = append(s.states, slices.Clone(b.State))
	return true
}

// upload copies a stack of several steps to the device, once all its batches are there. What fails here is left to the
// execution, which tries it again and tells why.
func (e *engine) upload(s *stack) {
	if s.room == 1 || len(s.states) == 0 {
		return
	}
	s.inputs = e.inputs(&s.Batch)
	for _, t := range s.inputs {
		_ = t.(*tensors.Tensor).ToDevice(e.backend.Backend, 0)
	}
}

// steps trains on the next batches of a stack, one for each learning rate; the first step counts from 0.
func (e *engine) steps(s *stack, step int64, rates []float64) (list []stepResult, err error) {
	first := s.done
	s.done += len(rates)
	if s.room == 1 {
		alone, err := e.stepAlone(s, step, rates[0])
		return []stepResult{alone}, err
	}
	var keys []uint32
	var numbers []float32
	for i := range together {
		k := min(max(i-first, 0), len(rates)-1) // rows of other steps are not computed
		keys = append(keys, dropoutKey(e.config.Seed, step+int64(k))...)
		numbers = append(numbers, hyper(e.config, step+int64(k), rates[k])...)
	}
	each := len(s.totals) / len(s.states)
	totals := append(make([]float32, 0, together*each), s.totals...)[:together*each]
	out, err := e.run(&e.train, "training", []any{
		tensors.FromScalar(int32(first)),
		tensors.FromScalar(int32(s.done)),
		tensors.FromFlatDataAndDimensions(keys, together, len(keys)/together),
		tensors.FromFlatDataAndDimensions(totals, together, each),
		tensors.FromFlatDataAndDimensions(numbers, together, len(numbers)/together),
	}, e.stackGraph, s.inputs...)
	if err != nil {
		return nil, err
	}
	width := len(e.terms) + 2
	for i := first; i < s.done; i++ {
		sums := make([]float64, width) // loss, those of the terms, norm
		for j := range sums {
			sums[j] = float64(out[0][i*width+j])
		}
		list = append(list, stepResult{Means: e.means(sums[0], sums[1:], s.over[i]), norm: sums[width-1]})
	}
	return list, nil
}

// stackGraph is some steps of a stack. The inputs are the first of them, the one behind the last, those of
// [engine.trainGraph] with a row for each step, and the samples of all steps; the output has a row for each step.
//
// All state goes through the parameters of the loop, since go-xla's operations do not take operands of several
// functions. For the same reason no scalar is made outside the loop's body: GoMLX makes each once for a graph.
func (e *engine) stackGraph(in []*Node) *Node {
	g := in[0].Graph()
	rows := make([][]float32, together)
	for i := range rows {
		rows[i] = make([]float32, len(e.terms)+2)
	}
	state := append([]*Node{in[0], Const(g, rows)}, in[1:]...)
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
