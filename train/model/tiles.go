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
// The matrices follow from five points and infinity by the construction of Toom and Cook. Usual are the points 0, ±1 and
// ±2; with 0, ±5/8 and ±3/2 rounding errors are half as large, about twice those of the definition.
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

// boardWinograd returns the matrices of a line of eight squares with a zero beyond each end: that of its inputs [12, 8],
// row product·2 + tile, and of its outputs [8, 12]; and that of the kernel [36, 9].
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

// tiled is the convolution of the form [Tiles].
func tiled(x, kernel *Node) *Node {
	g, n := x.Graph(), x.Shape().Dim(2)
	out, in, side := kernel.Shape().Dim(0), kernel.Shape().Dim(1), kernel.Shape().Dim(2)
	if side == 1 {
		w := Transpose(Reshape(kernel, out, in), 0, 1)
		return Reshape(DotProduct(Reshape(x, 64*n, in), w), 8, 8, n, out)
	}
	inputs, outputs, taps := boardWinograd()
	matrix := func(data []float32, rows int) *Node {
		return ConstTensor(g, tensors.FromFlatDataAndDimensions(data, rows, len(data)/rows))
	}
	// A product of each of 12 ranks and 6 files: both tiles of the files share a factor.
	w := DotProduct(matrix(taps, tileSide*tileSide), Reshape(TransposeAllAxes(kernel, 2, 3, 1, 0), 9, in*out))
	w = InsertAxes(Reshape(w, tileSide, tileSide, in, out), 1)
	w = Reshape(BroadcastToDims(w, tileSide, tiles, tileSide, in, out), tileRows*tileSide, in, out)
	v := Reshape(alongBoth(matrix(inputs, tileRows), x), tileRows*tileSide, tiles*n, in)
	y := DotGeneral(v, []int{2}, []int{0}, w, []int{1}, []int{0})
	return alongBoth(matrix(outputs, 8), Reshape(y, tileRows, tileRows, n, out))
}

// alongBoth applies a matrix [p, q] along the ranks and along the files: x [q, q, sample, channel] becomes [p, p, …].
func alongBoth(matrix, x *Node) *Node {
	p, q := matrix.Shape().Dim(0), matrix.Shape().Dim(1)
	n, channels := x.Shape().Dim(2), x.Shape().Dim(3)
	x = Reshape(DotProduct(matrix, Reshape(x, q, q*n*channels)), p, q, n*channels)
	each := BroadcastToDims(InsertAxes(matrix, 0), p, p, q)
	return Reshape(DotGeneral(each, []int{2}, []int{0}, x, []int{1}, []int{0}), p, p, n, channels)
}
