package model

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// ConvAlgorithm is a way to compute convolutions. All give the same numbers up to rounding.
type ConvAlgorithm uint8

const (
	// Native uses the backend's convolution, activations [sample, rank, file, channel]. For XLA: that of the Go backend
	// is two orders of magnitude slower than the others.
	Native ConvAlgorithm = iota
	// Im2col writes a convolution as one gather of what each square sees and one matrix product, activations as in
	// Native: whole runs of channels are moved, however few samples there are. For the Go backend where nothing is
	// trained; there is no fast gradient.
	Im2col
	// Winograd writes the 3×3 convolutions of dense activations as matrix products with a quarter of the
	// multiplications, and others as a product for each square of the kernel, activations [rank, file, sample,
	// channel]: with the squares first, what is done along ranks and files is a product with a small matrix, and
	// nothing is transposed. For training in float32 on a processor. Rounding errors are a few times those of the
	// others.
	Winograd
)

// Inference returns the algorithm for answers alone on a backend that trains with this one. With Im2col the Go backend
// answers one position in about half of the time, and sixteen in less than before; far more than 32 it computes slower.
func (a ConvAlgorithm) Inference() ConvAlgorithm {
	if a == Winograd {
		return Im2col
	}
	return a
}

// channelAxis is the axis of the channels in activations, whatever the algorithm.
const channelAxis = 3

func (a ConvAlgorithm) batchAxis() int {
	if a == Winograd {
		return 2
	}
	return 0
}

// perSample shapes numbers of samples and channels [n, channels] so that they fit activations; either may be 1.
func (a ConvAlgorithm) perSample(x *Node) *Node {
	dims := []int{1, 1, 1, 1}
	dims[a.batchAxis()], dims[channelAxis] = x.Shape().Dim(0), x.Shape().Dim(1)
	return Reshape(x, dims...)
}

// Spread turns [N, planes] uint64, bit i = square i, into float32 activations of 0 and 1 in the algorithm's layout.
func (a ConvAlgorithm) Spread(bits *Node) *Node {
	g := bits.Graph()
	n, planes := bits.Shape().Dim(0), bits.Shape().Dim(1)
	dims, wide, squares := []int{n, 8, 8, planes}, []int{n, 64, planes}, 1
	if a == Winograd {
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
	if a == Winograd {
		return Reshape(TransposeAllAxes(x, 2, 3, 0, 1), d[2], d[3]*64)
	}
	return Reshape(TransposeAllAxes(x, 0, 3, 1, 2), d[0], d[3]*64)
}

// rows returns activations as rows of squares, [N·64, channels].
func (a ConvAlgorithm) rows(x *Node) *Node {
	d := x.Shape().Dimensions
	if a == Winograd {
		return Reshape(TransposeAllAxes(x, 2, 0, 1, 3), d[2]*64, d[3])
	}
	return Reshape(x, d[0]*64, d[3])
}

// Means returns the mean of each channel over the squares, [N, channels].
func (a ConvAlgorithm) Means(x *Node) *Node {
	if a == Winograd {
		return ReduceMean(x, 0, 1)
	}
	return ReduceMean(x, 1, 2)
}

// Convolve is a convolution without bias, stride 1, zero padding that keeps 8×8: x has the algorithm's layout, the
// kernel is [out, in, side, side] with a side of 1, 3 or 5.
func (a ConvAlgorithm) Convolve(x, kernel *Node) *Node {
	switch a {
	case Im2col:
		return patches(x, flatKernel(kernel), kernel.Shape().Dim(2))
	case Winograd:
		return shifted(x, kernel)
	}
	half := kernel.Shape().Dim(2) / 2
	return ConvGeneral(x, kernel, ConvolveAxesConfig{
		InputBatch: 0, InputSpatial: []int{1, 2}, InputChannels: 3,
		KernelOutputChannels: 0, KernelInputChannels: 1, KernelSpatial: []int{2, 3},
		OutputBatch: 0, OutputSpatial: []int{1, 2}, OutputChannels: 3,
	}, []int{1, 1}, [][2]int{{half, half}, {half, half}}, []int{1, 1}, []int{1, 1}, 1, 1)
}

// ConvolveDense is Convolve of activations that are not sparse: with Winograd those of 3×3 by Winograd's algorithm,
// turned or not ([Pass].Turn).
func (a ConvAlgorithm) ConvolveDense(x, kernel *Node, turn bool) *Node {
	if a == Winograd && kernel.Shape().Dim(2) == 3 {
		return tiled(x, kernel, turn)
	}
	return a.Convolve(x, kernel)
}
