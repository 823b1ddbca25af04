//go:build !(goexperiment.simd && amd64 && linux)

package backend

// spareHeap has nothing to do: see heap.go.
func spareHeap() {}
