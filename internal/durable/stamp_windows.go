package durable

import (
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

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
