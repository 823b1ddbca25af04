package onnx

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"talbot/network/checkpoint"
)

// pair is two convolutions of 3×3, the first with a Relu, on three channels, and their sum with a convolution of 1×1,
// which stays as it is. The second convolution has a bias of its own.
func pair(t *testing.T) (g *Graph, tensors map[string][]float32) {
	t.Helper()
	rng := rand.New(rand.NewPCG(8, 8))
	tensors = map[string][]float32{}
	var list []checkpoint.Tensor
	add := func(name string, least, most float32, shape ...int) {
		data := make([]float32, product(shape))
		for i := range data {
			data[i] = least + (most-least)*rng.Float32()
		}
		tensors[name] = data
		list = append(list, checkpoint.Tensor{Name: name, Shape: shape, Data: data})
	}
	for i, name := range []string{"a", "b", "c"} {
		in, side := 5, 3
		switch i {
		case 0:
			in = 3
		case 2:
			side = 1
		}
		add(name+".weight", -1, 1, 5, in, side, side)
		add(name+"n.weight", -2, 2, 5)
		add(name+"n.bias", -1, 1, 5)
		add(name+"n.running_mean", -1, 1, 5)
		add(name+"n.running_var", 0.1, 3, 5)
	}
	add("b.bias", -1, 1, 5)
	g, err := New("pair", list)
	if err != nil {
		t.Fatal(err)
	}
	a := g.Relu(g.BatchNorm(g.Conv(g.Input("x", "", 3, 8, 8), "a"), "an", 1e-5))
	b := g.BatchNorm(g.Conv(a, "b"), "bn", 1e-5)
	c := g.BatchNorm(g.Conv(a, "c"), "cn", 1e-5)
	g.Output(g.Add(b, c, "sum"), "")
	return g, tensors
}

// eightBits computes a convolution of 3×3 with its batch normalisation as ONNX defines QLinearConv, in whole numbers.
func eightBits(x []float32, tensors map[string][]float32, conv, norm string, in, out Range, limit int) []float32 {
	limits := func(r Range) (scale, zero float64) {
		low, high := min(float64(r.Min), 0), max(float64(r.Max), 0)
		scale = float64(float32(high-low) / 255)
		return scale, math.RoundToEven(-low / scale)
	}
	inScale, inZero := limits(in)
	outScale, outZero := limits(out)
	channels := len(x) / 64
	whole := make([]int, len(x))
	for i, x := range x {
		whole[i] = int(max(0, min(255, math.RoundToEven(float64(x)/inScale)+inZero)) - inZero)
	}
	kernel := tensors[conv+".weight"]
	y := make([]float32, 5*64)
	for o := range 5 {
		factor := float64(tensors[norm+".weight"][o]) / math.Sqrt(float64(tensors[norm+".running_var"][o])+1e-5)
		bias := -float64(tensors[norm+".running_mean"][o])
		if own := tensors[conv+".bias"]; own != nil {
			bias += float64(own[o])
		}
		bias = bias*factor + float64(tensors[norm+".bias"][o])
		most := 0.0
		mine := kernel[o*channels*9 : (o+1)*channels*9]
		for _, w := range mine {
			most = max(most, math.Abs(float64(w)*factor))
		}
		step := most / float64(limit)
		for square := range 64 {
			sum := int(math.RoundToEven(bias / (inScale * step)))
			for c := range channels {
				for i := range 9 {
					rank, file := square/8+i/3-1, square%8+i%3-1
					if rank < 0 || rank > 7 || file < 0 || file > 7 {
						continue
					}
					sum += whole[c*64+rank*8+file] * int(math.RoundToEven(float64(mine[c*9+i])*factor/step))
				}
			}
			n := max(0, min(255, math.RoundToEven(float64(sum)*inScale*step/outScale)+outZero))
			y[o*64+square] = float32((n - outZero) * outScale)
		}
	}
	return y
}

// TestInt8: ONNX Runtime computes convolutions in 8 bits as loops over whole numbers do, up to the last step where a
// sum lies between two, and all else as before.
func TestInt8(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 8))
	x := make([]float32, 3*64)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	g, tensors := pair(t)
	watched := g.Watch()
	if len(watched) != 2 || watched[0].Name != "an.relu" || watched[1].Name != "bn" {
		t.Fatalf("%v are watched", watched)
	}
	exact := inRuntime[float32](t, g, x)
	ranges := map[string]Range{}
	for name, data := range map[string][]float32{"x": x, "an.relu": exact["an.relu"][0], "bn": exact["bn"][0]} {
		var r Range
		for _, x := range data {
			r.Include(x)
		}
		ranges[name] = r
	}
	for _, limit := range []int{127, 63} {
		g, _ := pair(t)
		g.Int8(ranges, limit)
		got := inRuntime[float32](t, g, x)["sum"][0]
		a := eightBits(x, tensors, "a", "an", ranges["x"], ranges["an.relu"], limit)
		b := eightBits(a, tensors, "b", "bn", ranges["an.relu"], ranges["bn"], limit)
		step := float64(ranges["bn"].Max-ranges["bn"].Min) / 255
		equal := 0
		for i := range got {
			o, square := i/64, i%64
			factor := float64(tensors["cn.weight"][o]) / math.Sqrt(float64(tensors["cn.running_var"][o])+1e-5)
			sum := -float64(tensors["cn.running_mean"][o])
			for c := range 5 {
				sum += float64(tensors["c.weight"][o*5+c]) * float64(a[c*64+square])
			}
			want := float64(b[i]) + sum*factor + float64(tensors["cn.bias"][o])
			switch off := math.Abs(float64(got[i]) - want); {
			case off < step/100:
				equal++
			case off > 3*step: // a step of the input, and one of the output
				t.Fatalf("limit %d, number %d: %g, want %g; a step is %g", limit, i, got[i], want, step)
			}
		}
		if equal < 9*len(got)/10 {
			t.Errorf("limit %d: %d of %d are equal", limit, equal, len(got))
		}
		t.Logf("limit %d: %d of %d numbers are equal", limit, equal, len(got))
	}
}

// TestInt8Planes: planes whose weights differ a hundredfold are each read exactly.
func TestInt8Planes(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 8))
	weights := make([]float32, 4*3*9)
	for i := range weights {
		weights[i] = float32(rng.NormFloat64()) * []float32{1, 0.1, 0.01}[i/9%3]
	}
	one := []float32{1, 1, 1, 1}
	zero := make([]float32, 4)
	x := make([]float32, 3*64)
	for i := range x {
		x[i] = float32(rng.IntN(2))
		if i < 64 { // the plane of the large weights has nothing, so that the others count
			x[i] = 0
		}
	}
	build := func() *Graph {
		g, err := New("planes", []checkpoint.Tensor{{Name: "c.weight", Shape: []int{4, 3, 3, 3}, Data: weights},
			{Name: "n.weight", Shape: []int{4}, Data: one}, {Name: "n.bias", Shape: []int{4}, Data: zero},
			{Name: "n.running_mean", Shape: []int{4}, Data: zero}, {Name: "n.running_var", Shape: []int{4}, Data: one}})
		if err != nil {
			t.Fatal(err)
		}
		g.Output(g.BatchNorm(g.Conv(g.Input("x", "", 3, 8, 8), "c"), "n", 0), "")
		return g
	}
	exact := inRuntime[float32](t, build(), x)["n"][0]
	var r Range
	for _, y := range exact {
		r.Include(y)
	}
	g := build()
	g.Int8(map[string]Range{"x": {0, 1}, "n": r}, 127)
	got := inRuntime[float32](t, g, x)["n"][0]
	step := (r.Max - r.Min) / 255
	for i := range got {
		if off := math.Abs(float64(got[i] - exact[i])); off > 2*float64(step) {
			t.Fatalf("number %d: %g, exactly %g; a step is %g", i, got[i], exact[i], step)
		}
	}
}

// TestInt8LeftOut: without ranges nothing changes; a range of zeros, and channels without weights, are no division
// by 0.
func TestInt8LeftOut(t *testing.T) {
	plain, _ := pair(t)
	want, err := plain.Model()
	if err != nil {
		t.Fatal(err)
	}
	g, _ := pair(t)
	g.Int8(map[string]Range{"x": {-1, 1}}, 127)
	if got, err := g.Model(); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%v; without ranges the model is another", err)
	}
	if scale, zero := steps(Range{}); scale != 1 || zero != 0 {
		t.Errorf("steps of %g from %d for zeros", scale, zero)
	}
	g, tensors := pair(t)
	clear(tensors["a.weight"])
	g.Int8(map[string]Range{"x": {}, "an.relu": {0, 3}, "bn": {-2, 2}}, 127)
	if _, err := g.Model(); err != nil {
		t.Error(err)
	}
}
