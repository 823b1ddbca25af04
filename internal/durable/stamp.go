package durable

import (
	"os"
	"time"
)

// Stamp says which file stands under a name and how it was when it was looked at: another file, one that was written
// to and one whose times were set has another stamp. What a stamp does not show is damage below the file system, and
// what is written by other means than the file system's.
type Stamp struct {
	Device, Inode     uint64
	Size              int64
	Modified, Changed int64 // content, and content or what the file system knows of it; ns since 1970
}

// coarse is the longest time for which a file system may give two changes of a file the same time.
const coarse = 2 * time.Second

// Settled reports whether a change after now would show: times are rounded, so one right after the last may not.
func (s Stamp) Settled(now time.Time) bool {
	return max(s.Modified, s.Changed) < now.Add(-coarse).UnixNano()
}

// StampOf returns the stamp of an open file; false where the system has none.
func StampOf(f *os.File) (Stamp, bool) { return stampOf(f) }
