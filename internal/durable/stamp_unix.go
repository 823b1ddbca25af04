//go:build unix

package durable

import (
	"os"

	"golang.org/x/sys/unix"
)

func stampOf(f *os.File) (Stamp, bool) {
	var s unix.Stat_t
	if unix.Fstat(int(f.Fd()), &s) != nil {
		return Stamp{}, false
	}
	return Stamp{Device: uint64(s.Dev), Inode: s.Ino, Size: s.Size, Modified: s.Mtim.Nano(), Changed: s.Ctim.Nano()},
		true
}
