package model

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// Winograd's minimal filtering of a line of numbers, F(4, 3): four neighbouring outputs of a filter of three taps, of
// six inputs d and the taps g, take six products, y = Aᵀ((G·g) ⊙ (Bᵀ·d)), where the definition takes twelve. Along both
// axes of a board that is 36 products for 4×4 squares instead of 144. (Winograd, Arithmetic Complexity of Computations,
// 1980; Lavin and Gray, Fast Algorithms for Convolutional Neural Networks, 2016.)
//
// The matrices follow from five points and infinity by the construction of Toom and Cook. Usual are the points 0, ±1
// and ±2; with 0, ±5/8 and ±3/2 rounding errors are half as large, a few times those of the definition.
var winogradPoints = [tileSide - 1]float64{0, 5. / 8, -5. / 8, 3. / 2, -3. / 2}

const (
	tileOut  = 4            // outputs of a tile along an axis
	tileSide = tileOut + 2  // its inputs, and its products
	tiles    = 8 / tileOut  // along an axis
	tileRows = tileSide * 2 // products of a line of the board
)

// winograd returns Aᵀ [4, 6], G [6, 3] and Bᵀ [6, 6].
func winograd() (a [tileOut][tileSide]float64, g [tileSide][3]float64, b [tileSide][tileSide]float64) {
	last := tileSide - 1
	for i, p := range winogradPoints {
		power, others := 1.0, 1.0
		for j, q := range winogradPoints {
			if i != j {
				others *= p - q
			}
		}
		for k := range tileOut {
			a[k][i] = power
			if k < 3 {
				g[i][k] = power / others
			}
			power *= p
		}
		b[i] = monic(i)
	}
	a[tileOut-1][last], g[last][2], b[last] = 1, 1, monic(last)
	return a, g, b
}

// monic are the coefficients of the product of (x − p) over all points p but number i, the constant one first.
func monic(i int) (c [tileSide]float64) {
	c[0] = 1
	for j, p := range winogradPoints {
		if j == i {
			continue
		}
		for k := tileSide - 1; k > 0; k-- {
			c[k] = c[k-1] - p*c[k]
		}
		c[0] *= -p
	}
	return c
}

// boardWinograd returns the matrices of a line of eight squares with a zero beyond each end: that of its inputs
// [12, 8], row product·2 + tile, and of its outputs [8, 12]; and that of the kernel [36, 9].
func boardWinograd() (inputs, outputs, kernel []float32) {
	a, g, b := winograd()
	inputs, outputs = make([]float32, tileRows*8), make([]float32, 8*tileRows)
	for i := range tileSide {
		for t := range tiles {
			row := i*tiles + t
			for j := range tileSide {
				if square := t*tileOut + j - 1; square >= 0 && square < 8 {
					inputs[row*8+square] = float32(b[i][j])
				}
			}
			for k := range tileOut {
				outputs[(t*tileOut+k)*tileRows+row] = float32(a[k][i])
			}
		}
	}
	for i := range tileSide {
		for j := range tileSide {
			for tap := range 9 {
				kernel = append(kernel, float32(g[i][tap/3]*g[j][tap%3]))
			}
		}
	}
	return inputs, outputs, kernel
}

// tiled is the convolution of [Winograd] of activations that are not sparse: of sparse ones, such as the board,
// some gradients are exactly zero, and what rounding makes of them here Adam would make a whole step of. The kernel is
// [out, in, 3, 3]. With turn the gradient of the kernel turns what it sums over samples: the backend go would turn both
// of its factors otherwise, element by element.
func tiled(x, kernel *Node, turn bool) *Node {
	n, in, out := x.Shape().Dim(2), kernel.Shape().Dim(1), kernel.Shape().Dim(0)
	matrix := func(data []float32, rows int) *Node {
		m := ConstTensor(x.Graph(), tensors.FromFlatDataAndDimensions(data, rows, len(data)/rows))
		return ConvertDType(m, x.DType())
	}
	inputs, outputs, taps := boardWinograd()
	before, behind := matrix(inputs, tileRows), matrix(outputs, 8)

	// GoMLX would derive gradients that transpose whole activations, at a third of the speed. So the gradients of
	// factors are written here, as those of identities: that of y, which is found first, tells the two others what they
	// are made of, and what GoMLX derives in between is not computed.
	var adjoint, v, w *Node // [product, tile and sample, out], [product, tile and sample, in], [product, in, out]
	x = IdentityWithCustomGradient(x, func(_, _ *Node) *Node {
		return alongBoth(Transpose(before, 0, 1), DotGeneral(adjoint, []int{2}, []int{0}, w, []int{2}, []int{0}), n)
	})
	// There is a product for each of 12 ranks and 6 files: both tiles along the files have the same factor w.
	v = Reshape(alongBoth(before, x, n), tileRows*tileSide, tiles*n, in)
	w = DotProduct(matrix(taps, tileSide*tileSide), Reshape(TransposeAllAxes(kernel, 2, 3, 1, 0), 9, in*out))
	w = BroadcastToDims(Reshape(w, tileSide, 1, tileSide, in, out), tileSide, tiles, tileSide, in, out)
	w = IdentityWithCustomGradient(Reshape(w, tileRows*tileSide, in, out), func(_, _ *Node) *Node {
		if turn { // with an axis of one, as go has a fast way for these four
			turned := TransposeAllAxes(Reshape(v, tileRows*tileSide, tiles*n, in, 1), 0, 2, 1, 3)
			turned = Reshape(turned, tileRows*tileSide, in, tiles*n)
			return DotGeneral(turned, []int{2}, []int{0}, adjoint, []int{1}, []int{0})
		}
		return DotGeneral(v, []int{1}, []int{0}, adjoint, []int{1}, []int{0})
	})
	y := alongBoth(behind, DotGeneral(v, []int{2}, []int{0}, w, []int{1}, []int{0}), n)
	return IdentityWithCustomGradient(y, func(_, dy *Node) *Node {
		adjoint = Reshape(alongBoth(Transpose(behind, 0, 1), dy, n), tileRows*tileSide, tiles*n, out)
		return dy
	})
}

// shifted is the convolution of [Winograd] of anything: a product for each square of the kernel.
func shifted(x, kernel *Node) *Node {
	n, in := x.Shape().Dim(2), x.Shape().Dim(3)
	out, side := kernel.Shape().Dim(0), kernel.Shape().Dim(2)
	edge := PadAxis{Start: side / 2, End: side / 2}
	x = Pad(x, ScalarZero(x.Graph(), x.DType()), edge, edge, PadAxis{}, PadAxis{})
	var sum *Node
	for i := range side * side {
		rank, file := i/side, i%side
		w := Reshape(Slice(kernel, AxisRange(), AxisRange(), AxisElem(rank), AxisElem(file)), out, in)
		seen := Reshape(Slice(x, AxisRange(rank, rank+8), AxisRange(file, file+8)), 64*n, in)
		y := DotGeneral(seen, []int{1}, nil, w, []int{1}, nil)
		if sum == nil {
			sum = y
		} else {
			sum = Add(sum, y)
		}
	}
	return Reshape(sum, 8, 8, n, out)
}

// alongBoth applies a matrix [p, q] along the ranks and along the files: x, of q·q squares and n samples in any shape,
// becomes [p, p, sample, channel].
func alongBoth(matrix, x *Node, n int) *Node {
	p, q := matrix.Shape().Dim(0), matrix.Shape().Dim(1)
	rest := x.Shape().Size() / (q * q)
	x = Reshape(DotProduct(matrix, Reshape(x, q, q*rest)), p, q, rest)
	each := BroadcastToDims(InsertAxes(matrix, 0), p, p, q)
	return Reshape(DotGeneral(each, []int{2}, []int{0}, x, []int{1}, []int{0}), p, p, n, rest/n)
}
