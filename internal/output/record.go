package output

import (
	"errors"
	"io/fs"
	"os"
	"strconv"

	"talbot/internal/durable"
)

// recordSuffix is behind the name of a file in the name of its [Record].
const recordSuffix = ".made.json"

// Record says of a single file what it was made from and with. It is written beside the file, only for those who ask
// for outputs to be skipped.
type Record struct {
	Version int    `json:"version"` // 1
	Bytes   int64  `json:"bytes"`   // of the file
	Facts   []Fact `json:"facts"`
}

const (
	recordVersion = 1
	maxRecord     = 1 << 20
)

// forget removes the record of a file that is about to be replaced.
func forget(path string) error {
	if err := durable.Remove(path + recordSuffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Keep writes the record of a file that is whole.
func Keep(path string, facts []Fact) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return durable.WriteSealed(path+recordSuffix, Record{recordVersion, info.Size(), facts})
}

// PlaceFile is [Existing.Resolve] of a single file, which is replaced by a renaming: nil if it is to be made.
func (e Existing) PlaceFile(path string, want []Fact) error {
	if e == Refuse {
		return nil
	}
	is, err := lookAtFile(path, want)
	switch {
	case err != nil:
		return err
	case is.State == Done && is.same():
		return &DoneError{path, nil}
	case is.State == Done && e != Replace:
		return &DifferentError{path, is.State, is.Differences}
	}
	return forget(path)
}

// HasRecord reports whether a file has a record beside it.
func HasRecord(path string) bool {
	_, err := os.Stat(path + recordSuffix)
	return err == nil
}

// lookAtFile is what stands at the path of a file, compared with the facts that are wanted of it.
func lookAtFile(path string, want []Fact) (Found, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Found{}, nil
	}
	if err != nil {
		return Found{}, err
	}
	var r Record
	if err := durable.ReadSealed(path+recordSuffix, maxRecord, recordVersion, &r); err != nil {
		return Found{}, err
	}
	switch {
	case r.Version == 0:
		return Found{State: Done, Differences: []Difference{{"made from", "unknown (no " + recordSuffix +
			" beside the file)", "what is given"}}}, nil
	case r.Bytes != info.Size():
		return Found{State: Done, Differences: []Difference{{"bytes", strconv.FormatInt(info.Size(), 10),
			strconv.FormatInt(r.Bytes, 10)}}}, nil
	}
	return Found{State: Done, Differences: Compare(r.Facts, want)}, nil
}
