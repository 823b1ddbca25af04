//go:build goexperiment.simd && linux && amd64

package backend

import (
	"simd"
	"syscall"
	"testing"
	"unsafe"
)

// TestPartialLoads: nothing behind a slice is read. The backend go loads rows of odd lengths everywhere.
func TestPartialLoads(t *testing.T) {
	page := syscall.Getpagesize()
	memory, err := syscall.Mmap(-1, 0, 2*page, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Munmap(memory)
	if err := syscall.Mprotect(memory[page:], syscall.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	for n := 1; n < 20; n++ {
		last := unsafe.Slice((*float32)(unsafe.Pointer(&memory[page-4*n])), n)
		for i := range last {
			last[i] = float32(i + 1)
		}
		v, loaded := simd.LoadFloat32sPart(last)
		got := make([]float32, n)
		if v.StorePart(got); loaded != min(n, v.Len()) || got[loaded-1] != float32(loaded) {
			t.Errorf("%d numbers: %d loaded, %v", n, loaded, got)
		}
	}
}
