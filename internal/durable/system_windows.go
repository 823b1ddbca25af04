package durable

import (
	"errors"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

const nonblock = 0

// patience is how long a name that somebody has open is waited for: a file cannot be replaced or removed while a
// reader, a virus scanner or an indexer has it open.
const patience = 2 * time.Second

func rename(from, to string) error {
	began := time.Now()
	for pause := time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		err := os.Rename(from, to)
		if err == nil || time.Since(began) > patience ||
			!errors.Is(err, windows.ERROR_SHARING_VIOLATION) && !errors.Is(err, windows.ERROR_ACCESS_DENIED) {
			return err
		}
		time.Sleep(pause)
	}
}

// syncNames does nothing: a folder that is open for reading cannot be flushed, and the journal of NTFS keeps the order
// of names.
func syncNames(*os.File) error { return nil }

func lock(f *os.File) error { return lockFile(f, windows.LOCKFILE_EXCLUSIVE_LOCK) }

// share takes the lock beside others that share it.
func share(f *os.File) error { return lockFile(f, 0) }

// lockFile locks one byte far past the end: what is locked cannot be read by others here.
func lockFile(f *os.File, how uint32) error {
	at := windows.Overlapped{OffsetHigh: 1 << 30}
	err := windows.LockFileEx(windows.Handle(f.Fd()), how|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return ErrLocked
	}
	return err
}

func removeLock(l *HeldLock) error {
	l.file.Close()
	if err := os.Remove(l.path); !errors.Is(err, windows.ERROR_SHARING_VIOLATION) {
		return err
	}
	return nil
}

// basicInfo is FILE_BASIC_INFO, whose times are in units of 100 ns since 1601.
type basicInfo struct {
	created, accessed, written, changed windows.Filetime
	attributes                          uint32
	_                                   uint32
}

func stampOf(f *os.File) (Stamp, bool) {
	var s windows.ByHandleFileInformation
	var b basicInfo
	h := windows.Handle(f.Fd())
	if windows.GetFileInformationByHandle(h, &s) != nil || windows.GetFileInformationByHandleEx(h,
		windows.FileBasicInfo, (*byte)(unsafe.Pointer(&b)), uint32(unsafe.Sizeof(b))) != nil {
		return Stamp{}, false
	}
	return Stamp{Device: uint64(s.VolumeSerialNumber), Inode: uint64(s.FileIndexHigh)<<32 | uint64(s.FileIndexLow),
		Size:     int64(s.FileSizeHigh)<<32 | int64(s.FileSizeLow),
		Modified: b.written.Nanoseconds(), Changed: b.changed.Nanoseconds()}, true
}
