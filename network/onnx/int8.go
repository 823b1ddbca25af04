package onnx

import (
	"encoding/binary"
	"math"
	"slices"
)

// Range has the least and the greatest number of a value.
type Range struct{ Min, Max float32 }

// Include widens the range to a number.
func (r *Range) Include(x float32) { r.Min, r.Max = min(r.Min, x), max(r.Max, x) }

// group is a convolution that can be computed in whole numbers of 8 bits, with what follows it: its batch normalisation
// and perhaps a Relu.
type group struct {
	conv, norm, last int // nodes; last is norm or the Relu behind it
}

// groups finds the convolutions of 3×3 and more, which are most of the work, whose output goes nowhere but to a batch
// normalisation.
func (g *Graph) groups() (list []group) {
	readers := map[string][]int{}
	for i := range g.nodes {
		for _, input := range g.nodes[i].inputs {
			readers[input] = append(readers[input], i)
		}
	}
	only := func(i int, op string) (int, bool) {
		to := readers[g.nodes[i].name]
		if len(to) != 1 || g.nodes[to[0]].op != op || slices.Contains(g.tells, g.nodes[i].name) {
			return 0, false
		}
		return to[0], true
	}
	for i := range g.nodes {
		if n := &g.nodes[i]; n.op != "Conv" || g.have[n.inputs[1]][2] < 3 {
			continue
		}
		norm, ok := only(i, "BatchNormalization")
		if !ok {
			continue
		}
		last := norm
		if relu, ok := only(norm, "Relu"); ok {
			last = relu
		}
		list = append(list, group{i, norm, last})
	}
	return list
}

// Watch makes outputs of the values whose ranges [Graph.Int8] needs, and returns them, each once.
func (g *Graph) Watch() (values []Value) {
	shapes := map[string][]int{}
	for i := range g.nodes {
		shapes[g.nodes[i].name] = g.nodes[i].shape
	}
	seen := map[string]bool{}
	for _, group := range g.groups() {
		for _, name := range []string{g.nodes[group.conv].inputs[0], g.nodes[group.last].name} {
			if shape, ok := shapes[name]; ok && !seen[name] {
				seen[name] = true
				values = append(values, Value{name, shape})
				if !slices.Contains(g.tells, name) {
					g.Output(values[len(values)-1], "")
				}
			}
		}
	}
	return values
}

// Int8 has the convolutions of 3×3 and more computed in whole numbers of 8 bits where the ranges of their inputs and
// outputs are given: inputs and outputs as 0 … 255 over their range, weights, into which the batch normalisation is
// multiplied, as −limit … limit for each channel of the output, sums in 32 bits. All else stays float32. The formulas
// are those of [QLinearConv]. limit is 127; without VNNI instructions ONNX Runtime adds products of neighbours in 16
// bits on x86-64, which only weights up to 63 do not overflow.
//
// The planes of an input have steps of their own, the finer the larger the weights are that read them, which are
// divided by as much: otherwise the weights of a few planes would leave too few steps to those of the others.
//
// [QLinearConv]: https://onnx.ai/onnx/operators/onnx__QLinearConv.html
func (g *Graph) Int8(ranges map[string]Range, limit int) {
	if g.err != nil {
		return
	}
	data := map[string][]float32{}
	for _, t := range g.tensors {
		data[t.Name] = t.Data
	}
	at := map[int]group{} // by the last node
	gone := map[int]bool{}
	for _, group := range g.groups() {
		_, in := ranges[g.nodes[group.conv].inputs[0]]
		if _, out := ranges[g.nodes[group.last].name]; in && out {
			at[group.last] = group
			gone[group.conv], gone[group.norm] = true, true
		}
	}
	asFloats := map[string]bool{} // values that something else reads
	for i := range g.nodes {
		if n := &g.nodes[i]; !gone[i] {
			if _, whole := at[i]; !whole {
				for _, input := range n.inputs {
					asFloats[input] = true
				}
			}
		}
	}
	for _, name := range g.tells {
		asFloats[name] = true
	}
	reads := map[string]int{} // how many convolutions read a value
	for _, group := range at {
		reads[g.nodes[group.conv].inputs[0]]++
	}
	old := g.nodes
	g.nodes = nil
	whole := map[string]Value{} // the values that there are as whole numbers
	for i := range old {
		group, ok := at[i]
		switch {
		case !ok && gone[i]:
			continue
		case !ok:
			g.nodes = append(g.nodes, old[i])
			continue
		}
		conv, norm, last := &old[group.conv], &old[group.norm], &old[i]
		from := conv.inputs[0]
		scale, zero := steps(ranges[from])
		weights, bias := folded(conv, norm, data)
		if slices.Contains(g.asks, from) && zero == 0 && reads[from] == 1 {
			whole[from] = g.planes(from, scale, weights, g.have[conv.inputs[1]])
		}
		x, ok := whole[from]
		if !ok {
			x = g.node("QuantizeLinear", from+".int8", nil, nil, from, g.constant(from+".int8.scale", scale),
				g.byte(from+".int8.zero", zero))
			whole[from] = x
		}
		out := len(bias)
		rounded, scales, sums := make([]byte, len(weights)), make([]float32, out), make([]byte, 0, 4*out)
		size := len(weights) / out
		for o := range out {
			most := float32(0)
			for _, w := range weights[o*size : (o+1)*size] {
				most = max(most, max(w, -w))
			}
			if scales[o] = most / float32(limit); most == 0 {
				scales[o] = 1
			}
			for j, w := range weights[o*size : (o+1)*size] {
				rounded[o*size+j] = byte(int8(math.RoundToEven(float64(w / scales[o]))))
			}
			sum := math.RoundToEven(float64(bias[o]) / (float64(scale) * float64(scales[o])))
			sums = binary.LittleEndian.AppendUint32(sums,
				uint32(int32(max(math.MinInt32, min(math.MaxInt32, sum)))))
		}
		outScale, outZero := steps(ranges[last.name])
		name := last.name + ".int8"
		y := g.node("QLinearConv", name, nil, conv.attributes,
			x.Name, from+".int8.scale", from+".int8.zero",
			g.raw(name+".weight", g.have[conv.inputs[1]], typeInt8, rounded), g.scales(name+".weight.scale", scales),
			g.raw(name+".weight.zero", []int{out}, typeInt8, make([]byte, out)),
			g.constant(name+".scale", outScale), g.byte(name+".zero", outZero),
			g.raw(name+".bias", []int{out}, typeInt32, sums))
		whole[last.name] = y
		if asFloats[last.name] {
			g.nodes = append(g.nodes, node{"DequantizeLinear", last.name, last.shape, nil,
				[]string{name, name + ".scale", name + ".zero"}})
		}
	}
}

// planes adds the planes of an input, which are at least 0, in whole numbers of steps of their own, and divides the
// weights that read them accordingly: scale stays the step of what the weights are multiplied with.
func (g *Graph) planes(input string, scale float32, weights []float32, kernel []int) Value {
	out, in := kernel[0], kernel[1]
	square := kernel[2] * kernel[3]
	most := make([]float32, in) // of a plane's weights, as a share of the largest weight of the same output
	for o := range out {
		mine := weights[o*in*square : (o+1)*in*square]
		largest := float32(0)
		for _, w := range mine {
			largest = max(largest, max(w, -w))
		}
		for i, w := range mine {
			if largest > 0 {
				most[i/square] = max(most[i/square], max(w, -w)/largest)
			}
		}
	}
	list := make([]float32, in)
	for p, share := range most {
		whole := max(1, math.RoundToEven(float64(255*share))) // what the greatest number is read as
		list[p] = 255 * scale / float32(whole)
	}
	for i := range weights {
		weights[i] *= list[i/square%in] / scale
	}
	name := input + ".int8"
	g.constant(name+".scale", scale)
	g.byte(name+".zero", 0)
	return g.node("QuantizeLinear", name, nil, map[string]any{"axis": 1}, input,
		g.scales(name+".scales", list), g.raw(name+".zeros", []int{in}, typeUint8, make([]byte, in)))
}

// steps returns scale and zero of 8 bits over a range and 0: the number n stands for (n − zero)·scale.
func steps(r Range) (scale float32, zero byte) {
	r.Include(0)
	if r.Max == r.Min {
		return 1, 0
	}
	scale = (r.Max - r.Min) / 255
	return scale, byte(math.RoundToEven(float64(-r.Min / scale)))
}

// folded returns the weights and the bias of a convolution with its batch normalisation in them.
func folded(conv, norm *node, data map[string][]float32) (weights, bias []float32) {
	gamma, beta := data[norm.inputs[1]], data[norm.inputs[2]]
	mean, variance := data[norm.inputs[3]], data[norm.inputs[4]]
	epsilon := norm.attributes["epsilon"].(float32)
	weights, bias = slices.Clone(data[conv.inputs[1]]), make([]float32, len(gamma))
	if len(conv.inputs) > 2 {
		copy(bias, data[conv.inputs[2]])
	}
	size := len(weights) / len(gamma)
	for o := range gamma {
		factor := gamma[o] / float32(math.Sqrt(float64(variance[o])+float64(epsilon)))
		for j := range size {
			weights[o*size+j] *= factor
		}
		bias[o] = beta[o] + (bias[o]-mean[o])*factor
	}
	return weights, bias
}

// raw adds a constant of any type.
func (g *Graph) raw(name string, shape []int, kind int64, data []byte) string {
	g.constants = append(g.constants, tensor(name, shape, kind, data))
	return name
}

func (g *Graph) byte(name string, b byte) string { return g.raw(name, nil, typeUint8, []byte{b}) }

func (g *Graph) scales(name string, list []float32) string {
	g.constants = append(g.constants, floats(name, []int{len(list)}, list))
	return name
}
