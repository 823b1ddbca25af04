package ingest

import (
	"errors"
	"fmt"
	"io"
	"os"

	"talbot/formats/parquet"
	"talbot/formats/rows"
	"talbot/internal/fault"
)

// openParquet returns a reader of what the file holds.
func openParquet(in io.ReaderAt, size int64, stated rows.Stated) (Reader, error) {
	content, err := parquet.Open(in, size, stated)
	switch {
	case err != nil:
		return nil, err
	case content.Actions != nil:
		return content.Actions, nil
	case content.Games != nil:
		return &gameReader{batches: content.Games}, nil
	case content.Puzzles != nil:
		return content.Puzzles, nil
	}
	return content.Evaluations, nil
}

// sharer is a reader that knows how much of an input it has read, 0 to 1, where bytes do not tell.
type sharer interface{ Share() float64 }

// ReadUpTo returns how many bytes were read of an input of that size: as many as given, unless the reader knows better.
func ReadUpTo(r Reader, offset, size int64) int64 {
	s, ok := r.(sharer)
	if text, isGames := r.(*gameReader); isGames {
		s, ok = text.batches.(sharer)
	}
	if !ok {
		return offset
	}
	return int64(s.Share() * float64(max(size, 0)))
}

// ErrSpool: an input that must be read from its end is packed or comes from a pipe, and is too long to be copied.
var ErrSpool = fault.New(fault.ExitFailed, "too long to be read packed or from a pipe",
	"save it as a file that is not compressed")

const (
	// spoolName is a copy of an input in the output folder, of what must be read from its end and is packed or comes
	// from a pipe. It is removed once it is open, or where that cannot be when the input is closed.
	spoolName = "input.part"
	maxSpool  = 8 << 30 // bytes of it
)

// copyInput copies an input, unpacked, to a temporary file, which goes when the input is closed.
func copyInput(in *rows.Input, path string) (file io.ReaderAt, size int64, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, 0, err
	}
	in.OnClose(func() error {
		err := f.Close()
		if removeErr := os.Remove(path); !errors.Is(removeErr, os.ErrNotExist) {
			err = errors.Join(err, removeErr)
		}
		return err
	})
	os.Remove(path) // so that nothing is left of a program that is killed; where it cannot be, it stays until Close
	size, err = io.Copy(f, io.LimitReader(in, maxSpool+1))
	if err == nil && size > maxSpool {
		err = fmt.Errorf("%w: it has more than %d GiB", ErrSpool, maxSpool>>30)
	}
	return f, size, err
}
