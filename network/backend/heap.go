//go:build goexperiment.simd && amd64 && linux

package backend

import (
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
)

// spareHeap maps more of Go's heap than the process will use, once.
//
// Go 1.27 reads the last numbers of a slice as a whole vector (simd.LoadFloat32sPart and others): up to 28 bytes after
// the slice's end, 60 with AVX-512, which it then clears. If the slice ends where the mapped heap ends, that ends the
// process. Go takes the lowest free address first, so a block that was mapped and given back stays behind everything
// that is in use. It takes addresses and page tables, but no memory. A heap that outgrows it is where it was without.
var spareHeap = sync.OnceFunc(func() {
	for size := spare; size >= 64<<20; size /= 2 {
		// Go's heap ends the process when it gets no memory: the system is asked first.
		m, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
		if err != nil {
			continue
		}
		syscall.Munmap(m)
		var block strings.Builder // which does not write zeros to its memory
		block.Grow(size)
		runtime.KeepAlive(&block)
		debug.FreeOSMemory()
		return
	}
})
