package output

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"talbot/internal/cache"
	"talbot/internal/durable"
)

// File is a single file that a command makes at a path of the user's choice.
type File struct {
	Path     string
	Existing Existing
	Facts    []Fact // what it is made from and with, for Skip and Replace
	Force    bool   // Replace also replaces a file that talbot did not make
}

// Make makes the file: write writes its content, which gets its name when it is whole and durable. One process at a
// time makes a file ([durable.ErrLocked]), and what killed ones left is removed. Errors with Skip and Replace:
// [DoneError], [DifferentError] without Replace, and [ErrForeign] for a file that talbot did not make; then it has a
// [record] beside it. Killed at any moment, it leaves the old file or the new one, and can be repeated.
func (f File) Make(write func(w *durable.AtomicFile) error) error {
	lock, lockErr := durable.Lock(f.Path + lockSuffix)
	switch {
	case errors.Is(lockErr, durable.ErrLocked):
		return fmt.Errorf("%q: %w", f.Path, lockErr)
	case lockErr == nil:
		defer release(lock)
		if err := removeIfThere(f.Path + durable.TempSuffix); err != nil {
			return err
		}
	}
	replaced := ""
	if f.Existing != Refuse {
		var err error
		if replaced, err = f.inspect(); err != nil {
			return err // also from a folder where nobody may write
		}
	}
	if lockErr != nil {
		return lockErr
	}
	w, err := durable.CreateAtomic(f.Path)
	if err != nil {
		return err
	}
	defer w.Abort() // does nothing once it is committed
	if err := write(w); err != nil {
		return err
	}
	if f.Existing == Refuse {
		if err := w.Commit(); err != nil {
			return err
		}
		return removeIfThere(f.Path + recordSuffix) // it is of another file
	}
	sum, err := sumOf(w.Temp())
	if err != nil {
		return err
	}
	// The record comes first: it knows both the file that is here and the one that comes.
	if err := durable.WriteSealed(f.Path+recordSuffix, record{recordVersion, sum, replaced, f.Facts}); err != nil {
		return err
	}
	return w.Commit()
}

// patience is how long [WriteFile] waits for others that write the same file.
const patience = 10 * time.Second

// WritePage writes a page as [WriteFile] does.
func WritePage(path string, page interface{ WriteHTML(io.Writer) error }) error {
	var text bytes.Buffer
	if err := page.WriteHTML(&text); err != nil {
		return err
	}
	return WriteFile(path, text.Bytes())
}

// WriteFile writes a whole file as [File.Make] does. It waits a while for another process.
func WriteFile(path string, data []byte) error {
	for began := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		err := File{Path: path}.Make(func(w *durable.AtomicFile) error {
			_, err := w.Write(data)
			return err
		})
		if !errors.Is(err, durable.ErrLocked) || time.Since(began) > patience {
			return err
		}
	}
}

// recordSuffix ends the name of the [record] of a file.
const recordSuffix = ".made.json"

// record keeps what a single file was made from and with. It stands beside the file, for those who ask for outputs to
// be skipped or replaced.
type record struct {
	Version  int    `json:"version"`            // 1
	SHA256   string `json:"sha256"`             // of the file
	Replaced string `json:"replaced,omitempty"` // SHA-256 of the file that had the name before
	Facts    []Fact `json:"facts"`
}

const (
	recordVersion = 1
	maxRecord     = 1 << 20
)

// inspect returns the SHA-256 of the file that is to be replaced, "" for none, or why nothing is to be made.
func (f File) inspect() (sum string, err error) {
	if sum, err = sumOf(f.Path); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	var r record
	if err := durable.ReadSealed(f.Path+recordSuffix, maxRecord, recordVersion, &r); err != nil && !f.Force {
		return "", err
	}
	differences := Compare(r.Facts, f.Facts)
	made := sum == r.SHA256 || sum == r.Replaced
	switch {
	case r.Version == 0:
		differences = []Difference{{"made from", "unknown (no " + recordSuffix + " beside the file)", "what is given"}}
	case sum == r.SHA256 && len(differences) == 0:
		return "", &DoneError{f.Path, nil}
	case sum != r.SHA256:
		differences = []Difference{{"content", fmt.Sprintf("SHA-256 %.16s", sum), fmt.Sprintf("%.16s", r.SHA256)}}
	}
	switch {
	case f.Existing == Skip:
		return "", &DifferentError{f.Path, Done, differences}
	case !made && !f.Force:
		return "", fmt.Errorf("%q: %w: %s", f.Path, ErrForeign, differences[0])
	}
	return sum, nil
}

// sumOf returns the SHA-256 of a file, in hex.
func sumOf(path string) (string, error) {
	var forgetful *cache.Folder
	_, sum, err := forgetful.FileSum(path)
	return sum, err
}

// removeIfThere removes a file that may not exist.
func removeIfThere(path string) error {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return durable.Remove(path)
}
