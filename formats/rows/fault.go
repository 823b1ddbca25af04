package rows

import (
	"errors"

	"talbot/internal/fault"
)

// What can be wrong with an input; callers branch on them. The errors of this package that wrap one of these, or
// [ErrUnit], [ErrMixedUnits] or [dataset.ErrView], are about one input: others can still be read.
var (
	ErrArchive = fault.New(fault.ExitFailed, "not supported: unpack it first",
		"unpack it, or compress it with zstd or gzip")
	ErrUTF16 = fault.New(fault.ExitFailed, "not supported: convert it to UTF-8 first (iconv -f UTF-16 -t UTF-8)",
		"convert it: iconv -f UTF-16 -t UTF-8 FILE > NEW")
	ErrFolder = errors.New("is a folder")
	ErrPacked = fault.New(fault.ExitFailed, "compressed data is truncated or damaged", "download the file again")
	ErrRead   = errors.New("cannot be read")
)

// inputError is an error that also is one of the above, without repeating its text.
type inputError struct {
	error
	kind error
}

func (e inputError) Unwrap() []error { return []error{e.kind, e.error} }

// isUTF16 reports whether a text begins with a byte order mark of UTF-16, or as such text does without one: with
// characters below 256 in two bytes each.
func isUTF16(head []byte) bool {
	if len(head) >= 2 && (head[0] == 0xff && head[1] == 0xfe || head[0] == 0xfe && head[1] == 0xff) {
		return true
	}
	n := min(len(head), 64) &^ 1
	if n < 8 {
		return false
	}
	zeros := [2]int{}
	for i, c := range head[:n] {
		if c == 0 {
			zeros[i&1]++
		}
	}
	return zeros[0] == n/2 && zeros[1] == 0 || zeros[1] == n/2 && zeros[0] == 0
}
