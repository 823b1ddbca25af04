package model

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// patches is the convolution of [Im2col]. The kernel is that of flatKernel, of squares side·side.
func patches(x, kernel *Node, side int) *Node {
	n, in, out := x.Shape().Dim(0), x.Shape().Dim(3), kernel.Shape().Dim(1)
	if side == 1 {
		return Reshape(DotProduct(Reshape(x, n*64, in), kernel), n, 8, 8, out)
	}
	half, wide := side/2, 8+side-1
	edge := PadAxis{Start: half, End: half}
	board := Reshape(Pad(x, ScalarZero(x.Graph(), x.DType()), PadAxis{}, edge, edge, PadAxis{}), n*wide*wide*in)
	// A rank of what a square sees is one run of the board.
	starts := make([]int32, 0, n*64*side)
	for sample := range n {
		for square := range 64 {
			for rank := range side {
				starts = append(starts, int32(((sample*wide+square/8+rank)*wide+square%8)*in))
			}
		}
	}
	at := ConstTensor(x.Graph(), tensors.FromFlatDataAndDimensions(starts, n*64*side, 1))
	seen := GatherSlices(board, []int{0}, at, []int{side * in}, false)
	return Reshape(DotProduct(Reshape(seen, n*64, side*side*in), kernel), n, 8, 8, out)
}

// flatKernel turns a kernel [out, in, side, side] into [side·side·in, out].
func flatKernel(kernel *Node) *Node {
	d := kernel.Shape().Dimensions
	return Reshape(TransposeAllAxes(kernel, 2, 3, 1, 0), d[2]*d[3]*d[1], d[0])
}

// bakedKernel is flatKernel of a weight that does not change any more, computed once and not at each run.
func (p *Pass) bakedKernel(g *Graph, name string) (kernel *Node, side int) {
	v := p.variable(name)
	d := v.Shape().Dimensions
	data, err := p.Store.Get(p.Prefix + name)
	if err != nil {
		panic(err)
	}
	out, in, squares := d[0], d[1], d[2]*d[3]
	flat := make([]float32, len(data))
	for o := range out {
		for i := range in {
			for s := range squares {
				flat[(s*in+i)*out+o] = data[(o*in+i)*squares+s]
			}
		}
	}
	return ConstTensor(g, tensors.FromFlatDataAndDimensions(flat, squares*in, out)), d[2]
}
