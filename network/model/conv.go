package model

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// ConvAlgorithm is a way to compute convolutions. All give the same numbers up to rounding.
type ConvAlgorithm uint8

const (
	// Native uses the backend's convolution, activations [sample, rank, file, channel]. For XLA.
	Native ConvAlgorithm = iota
	// ShiftedMatmul writes a 3×3 convolution as nine shifted copies (25 for 5×5) and one matrix product, activations
	// [channel, rank, file, sample]. For the Go backend, whose native convolution is two orders of magnitude slower,
	// where Winograd does not fit.
	//
	// The layout is chosen for that backend: with the samples last a shift by a square moves whole runs of memory,
	// and with the channels first no product of the forward or the backward pass needs a transposed activation.
	ShiftedMatmul
	// Im2col writes a convolution as one gather of what each square sees and one matrix product, activations as in
	// Native: whole runs of channels are moved, however few samples there are. For the Go backend where nothing is
	// trained; there is no fast gradient.
	Im2col
	// Winograd writes the 3×3 convolutions of a trunk as matrix products with a quarter of the
	// multiplications, and others as a product for each square of the kernel, activations [rank, file, sample,
	// channel]: with the squares first, what is done along ranks and files is a product with a small matrix, and
	// nothing is transposed. For training in float32 on a processor. Rounding errors are a few times those of the
	// others.
	Winograd
)

// Inference returns the algorithm for answers alone on a backend that trains with this one. With Im2col the Go backend
// answers one position in about half of the time, and sixteen in less than before; far more than 32 it computes slower.
func (a ConvAlgorithm) Inference() ConvAlgorithm {
	if a == ShiftedMatmul {
		return Im2col
	}
	return a
}

func (a ConvAlgorithm) channelAxis() int {
	if a == ShiftedMatmul {
		return 0
	}
	return 3
}

func (a ConvAlgorithm) batchAxis() int {
	if a == Winograd {
		return 2
	}
	return 3 - a.channelAxis()
}

func (a ConvAlgorithm) otherAxes() []int {
	if a == ShiftedMatmul {
		return []int{1, 2, 3}
	}
	return []int{0, 1, 2}
}

// Spread turns [N, planes] uint64, bit i = square i, into float32 activations of 0 and 1 in the algorithm's layout.
func (a ConvAlgorithm) Spread(bits *Node) *Node {
	g := bits.Graph()
	n, planes := bits.Shape().Dim(0), bits.Shape().Dim(1)
	dims, wide, squares := []int{n, 8, 8, planes}, []int{n, 64, planes}, 1
	switch a {
	case ShiftedMatmul:
		bits = Transpose(bits, 0, 1)
		dims, wide = []int{planes, 8, 8, n}, []int{planes, 64, n}
	case Winograd:
		dims, wide, squares = []int{8, 8, n, planes}, []int{64, n, planes}, 0
	}
	line := []int{1, 1, 1}
	line[squares] = 64
	square := Iota(g, shapes.Make(dtypes.Uint64, line...), squares)
	bits = BroadcastToDims(InsertAxes(bits, squares), wide...)
	bits = BitwiseShiftRightLogical(bits, BroadcastToDims(square, wide...))
	bits = BitwiseAnd(bits, Scalar(g, dtypes.Uint64, uint64(1)))
	return Reshape(ConvertDType(bits, dtypes.Float32), dims...)
}

// Flatten returns activations as [N, channels·64], feature = channel·64 + square.
func (a ConvAlgorithm) Flatten(x *Node) *Node {
	d := x.Shape().Dimensions
	switch a {
	case ShiftedMatmul:
		return Transpose(Reshape(x, d[0]*64, d[3]), 0, 1)
	case Winograd:
		return Reshape(TransposeAllAxes(x, 2, 3, 0, 1), d[2], d[3]*64)
	}
	return Reshape(TransposeAllAxes(x, 0, 3, 1, 2), d[0], d[3]*64)
}

// Means returns the mean of each channel over the squares, [N, channels].
func (a ConvAlgorithm) Means(x *Node) *Node {
	switch a {
	case ShiftedMatmul:
		return Transpose(ReduceMean(x, 1, 2), 0, 1)
	case Winograd:
		return ReduceMean(x, 0, 1)
	}
	return ReduceMean(x, 1, 2)
}

// Convolve is a convolution without bias, stride 1, zero padding that keeps 8×8: x has the algorithm's layout, the
// kernel is [out, in, side, side] with a side of 1, 3 or 5.
//
// With ShiftedMatmul the gradient by x is exact only where out ≤ in or the side is 1; it is zero otherwise. That
// is the case for the first convolution alone, whose input is the board and needs none.
func (a ConvAlgorithm) Convolve(x, kernel *Node) *Node {
	switch a {
	case Im2col:
		return patches(x, flatKernel(kernel), kernel.Shape().Dim(2))
	case Winograd:
		return shifted(x, kernel)
	case Native:
		return ConvGeneral(x, kernel, ConvolveAxesConfig{
			InputBatch: 0, InputSpatial: []int{1, 2}, InputChannels: 3,
			KernelOutputChannels: 0, KernelInputChannels: 1, KernelSpatial: []int{2, 3},
			OutputBatch: 0, OutputSpatial: []int{1, 2}, OutputChannels: 3,
		}, []int{1, 1}, same(kernel), []int{1, 1}, []int{1, 1}, 1, 1)
	}
	in, out := kernel.Shape().Dim(1), kernel.Shape().Dim(0)
	if out > in && kernel.Shape().Dim(2) == 1 {
		return products(x, kernel)
	}
	held := StopGradient(x)
	y := products(held, kernel)
	if out > in {
		return y
	}
	// GoMLX would derive the gradient by x from the shifts and the product, and transpose whole activations for it:
	// a third of the speed. The gradient of a convolution is the convolution of the adjoint with the kernel turned
	// by 180° and its channels swapped. A term that is zero, first channels minus themselves, carries it.
	turned := Reverse(TransposeAllAxes(StopGradient(kernel), 1, 0, 2, 3), 2, 3)
	carrier := IdentityWithCustomGradient(x, func(_, adjoint *Node) *Node {
		return products(first(adjoint, out), turned)
	})
	return Add(y, Sub(first(carrier, out), first(held, out)))
}

// ConvolveDense is Convolve of activations that are not sparse: with Winograd those of 3×3 by Winograd's
// algorithm, turned or not ([Pass].Turn).
func (a ConvAlgorithm) ConvolveDense(x, kernel *Node, turn bool) *Node {
	if a == Winograd && kernel.Shape().Dim(2) == 3 {
		return tiled(x, kernel, turn)
	}
	return a.Convolve(x, kernel)
}

func first(x *Node, channels int) *Node {
	if x.Shape().Dim(0) == channels {
		return x
	}
	return Slice(x, AxisRange(0, channels))
}

func same(kernel *Node) [][2]int {
	half := kernel.Shape().Dim(2) / 2
	return [][2]int{{half, half}, {half, half}}
}

// products is the forward convolution of ShiftedMatmul.
func products(x, kernel *Node) *Node {
	in, n := x.Shape().Dim(0), x.Shape().Dim(3)
	out, taps := kernel.Shape().Dim(0), kernel.Shape().Dim(2)*kernel.Shape().Dim(3)
	w := Reshape(TransposeAllAxes(Reshape(kernel, out, in, taps), 0, 2, 1), out, taps*in)
	columns := Reshape(x, in, 64*n)
	if side := kernel.Shape().Dim(2); side > 1 {
		shifted := make([]*Node, taps)
		for i := range shifted {
			shifted[i] = Reshape(shift(x, i/side-side/2, i%side-side/2), in, 64*n)
		}
		columns = Concatenate(shifted, 0)
	}
	return Reshape(DotProduct(w, columns), out, 8, 8, n)
}

// shift moves activations so that square (r, f) holds what (r+dr, f+df) held, zero from outside the board.
func shift(x *Node, dr, df int) *Node {
	if dr == 0 && df == 0 {
		return x
	}
	return Pad(x, ScalarZero(x.Graph(), x.DType()), PadAxis{}, PadAxis{Start: -dr, End: dr},
		PadAxis{Start: -df, End: df}, PadAxis{})
}
