package ort

import (
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"runtime"
)

// CheckLibrary reports why a shared library must not be loaded: it is not a regular file, or it is shorter than its ELF
// header promises. Loading such a file waits for ever or ends the process. Libraries of other systems than Linux are
// regular files and no more is checked.
func CheckLibrary(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errors.New("it is not a regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	magic := make([]byte, len(elf.ELFMAG))
	if _, err := f.ReadAt(magic, 0); err != nil || string(magic) != elf.ELFMAG {
		if runtime.GOOS == "linux" {
			return errors.New("it is not a shared library of Linux")
		}
		return nil
	}
	library, err := elf.NewFile(f)
	if err != nil {
		return fmt.Errorf("it is damaged or cut off: %w", err)
	}
	for _, p := range library.Progs {
		if end := p.Off + p.Filesz; end < p.Off || end > uint64(info.Size()) {
			return fmt.Errorf("it is cut off: it has %d bytes and needs %d", info.Size(), end)
		}
	}
	return nil
}
