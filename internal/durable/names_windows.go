package durable

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// patience is how long a name that somebody has open is waited for: a file cannot be replaced or removed while a
// reader, a virus scanner or an indexer has it open.
const patience = 2 * time.Second

// waiting repeats what fails because somebody has the file open.
func waiting(do func() error) error {
	began := time.Now()
	for pause := time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		err := do()
		if err == nil || time.Since(began) > patience ||
			!errors.Is(err, windows.ERROR_SHARING_VIOLATION) && !errors.Is(err, windows.ERROR_ACCESS_DENIED) {
			return err
		}
		time.Sleep(pause)
	}
}

func rename(from, to string) error { return waiting(func() error { return os.Rename(from, to) }) }

// syncNames does nothing: a folder that is open for reading cannot be flushed, and the journal of NTFS keeps the order
// of names.
func syncNames(*os.File) error { return nil }
