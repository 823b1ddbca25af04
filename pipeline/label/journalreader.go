package label

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"talbot/dataset"
	"talbot/internal/durable"
)

// journalState says how much of a journal could be read.
type journalState struct {
	end   int64 // of its last whole record
	old   bool  // it has no identity
	gaps  int   // damaged stretches between whole records
	tail  bool  // after the last whole record there is another one, damaged
	bytes int64 // of gaps and tail
}

// warning describes the damage of a journal that is used nevertheless; nil if there is none.
func (h journalState) warning() error {
	var all []error
	if h.old {
		all = append(all, errors.New("it is from an older version without checksums; it is used unchecked"))
	}
	if n := h.gaps; n > 0 || h.tail {
		if h.tail {
			n++
		}
		all = append(all, fmt.Errorf("%d bytes are damaged (places: %d): at least %d labels are searched again",
			h.bytes, n, n))
	}
	return errors.Join(all...)
}

// readJournal goes through a journal that should be of that identity. Its errors are [dataset.ErrDamaged] and those of
// reading.
func readJournal(f io.Reader, id [32]byte, each func(sample int64, m searchResult) bool) (h journalState, err error) {
	r := durable.NewRecordReader(f)
	first := true
	for {
		record, skipped, torn, err := r.Next(func(payload []byte) bool {
			if first && bytes.HasPrefix(payload, []byte(identityText)) {
				return true
			}
			sample, m, err := decodeRecord(payload)
			return err == nil && each(sample, m)
		})
		switch {
		case err != nil:
			return h, err
		case record == nil:
			if skipped > 0 && !torn {
				h.tail, h.bytes = true, h.bytes+skipped
			}
			return h, nil
		case first && skipped > 0:
			return h, fmt.Errorf("%w: its first record cannot be read; without the journal its labels are searched "+
				"again", dataset.ErrDamaged)
		case first && bytes.HasPrefix(record[durable.RecordHead:], []byte(identityText)):
			if !bytes.Equal(record[durable.RecordHead:], identityPayload(id)) {
				return h, fmt.Errorf("%w: it belongs to another command, engine or input; without the journal its "+
					"labels are searched again", dataset.ErrDamaged)
			}
		case first:
			h.old = true
		case skipped > 0:
			h.gaps, h.bytes = h.gaps+1, h.bytes+skipped
		}
		first, h.end = false, r.At()
	}
}

// rewriteJournal replaces a journal by one of that identity with the whole records of f.
func rewriteJournal(path string, f io.ReadSeeker, id [32]byte, each func(int64, searchResult) bool) error {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	out, err := durable.CreateAtomic(path)
	if err != nil {
		return err
	}
	defer out.Abort()
	if _, err := out.Write(durable.AppendRecord(nil, identityPayload(id))); err != nil {
		return err
	}
	r := durable.NewRecordReader(f)
	for {
		record, _, _, err := r.Next(func(payload []byte) bool {
			sample, m, err := decodeRecord(payload)
			return err == nil && each(sample, m)
		})
		if err != nil {
			return err
		}
		if record == nil {
			return out.Commit()
		}
		if _, err := out.Write(record); err != nil {
			return err
		}
	}
}
