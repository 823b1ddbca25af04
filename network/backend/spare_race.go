//go:build goexperiment.simd && amd64 && linux && race

package backend

// spare is less where the race detector keeps a shadow of the heap.
const spare = 1 << 30
