//go:build goexperiment.simd && amd64 && linux && !race

package backend

// spare is how much of the heap spareHeap wants mapped.
const spare = 8 << 30
