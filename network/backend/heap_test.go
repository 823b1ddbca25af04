//go:build goexperiment.simd && amd64 && linux

package backend

import (
	"runtime/debug"
	"testing"
	"unsafe"
)

// TestSpareHeap reads a vector at the last number of slices as a growing heap hands them out. Without spareHeap three
// in a thousand of them end where the heap ends.
func TestSpareHeap(t *testing.T) {
	spareHeap()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	const each = 8192
	var kept [][]float32 // they have to stay, or the heap does not grow
	for i := range 8000 {
		s := make([]float32, each)
		kept = append(kept, s)
		if !vectorAt(&s[each-1]) {
			t.Fatalf("slice %d ends with the mapped heap", i)
		}
	}
	if len(kept[0]) == 0 {
		t.Fatal()
	}
}

// vectorAt reports whether eight numbers can be read at p.
func vectorAt(p *float32) (ok bool) {
	defer func() { ok = recover() == nil }()
	var sum float32
	for _, x := range *(*[8]float32)(unsafe.Pointer(p)) {
		sum += x
	}
	return sum > -1
}
