package label

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"talbot/dataset"
	"talbot/internal/durable"
)

// held is what a journal was found to hold.
type held struct {
	end   int64 // of its last whole record
	old   bool  // it has no identity
	gaps  int   // damaged stretches between whole records
	tail  bool  // behind the last whole record there is another one, damaged
	bytes int64 // of gaps and tail
}

// warning says what is wrong with a journal that is read all the same; nil if nothing is.
func (h held) warning() error {
	var all []error
	if h.old {
		all = append(all, errors.New("it is from an older version without checksums; it is used unchecked"))
	}
	if n := h.gaps; n > 0 || h.tail {
		if h.tail {
			n++
		}
		all = append(all, fmt.Errorf("%d bytes in %d places are damaged: at least %d labels are searched again",
			h.bytes,
			n, n))
	}
	return errors.Join(all...)
}

// recordReader goes through the whole records of a journal. Behind a damaged one it looks for the next, byte by byte.
type recordReader struct {
	r     *bufio.Reader
	at    int64 // offset of what r gives next
	taken int   // bytes of the last record, still in r
}

func newRecordReader(r io.Reader) *recordReader {
	return &recordReader{r: bufio.NewReaderSize(r, recordHead+maxRecord)}
}

// next returns the next record that is whole and that good accepts, valid until the next call, and how many bytes
// before it are none. At the end the record is nil, and torn says that those bytes are the beginning of a record.
func (r *recordReader) next(good func(payload []byte) bool) (record []byte, skipped int64, torn bool, err error) {
	if err := r.skip(r.taken); err != nil {
		return nil, 0, false, err
	}
	r.taken = 0
	for ; ; skipped++ {
		head, err := r.r.Peek(recordHead)
		if len(head) < recordHead {
			if err != io.EOF {
				return nil, skipped, false, err
			}
			rest := int64(len(head))
			r.at += rest
			return nil, skipped + rest, torn || skipped == 0, nil
		}
		n := int(binary.LittleEndian.Uint32(head))
		sum := binary.LittleEndian.Uint32(head[4:])
		if n > 0 && n <= maxRecord {
			record, err := r.r.Peek(recordHead + n)
			switch {
			case err != nil && err != io.EOF:
				return nil, skipped, false, err
			case err != nil:
				torn = torn || skipped == 0
			case crc32.Checksum(record[recordHead:], crcTable) == sum && good(record[recordHead:]):
				r.at += int64(len(record))
				r.taken = len(record)
				return record, skipped, false, nil
			}
		}
		if err := r.skip(1); err != nil {
			return nil, skipped, false, err
		}
		r.at++
	}
}

func (r *recordReader) skip(n int) error {
	_, err := r.r.Discard(n)
	return err
}

// readJournal goes through a journal that should be of that identity. Its errors are [dataset.ErrDamaged] and those of
// reading.
func readJournal(f io.Reader, id [32]byte, each func(sample int64, labels []dataset.Label) bool) (h held, err error) {
	r := newRecordReader(f)
	want := identityRecord(id)
	first := true
	for {
		record, skipped, torn, err := r.next(func(payload []byte) bool {
			if first && bytes.HasPrefix(payload, []byte(identityText)) {
				return true
			}
			sample, labels, err := decodeRecord(payload)
			return err == nil && each(sample, labels)
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
				"again",
				dataset.ErrDamaged)
		case first && bytes.HasPrefix(record[recordHead:], []byte(identityText)):
			if !bytes.Equal(record, want) {
				return h, fmt.Errorf("%w: it belongs to another command, engine or input; without the journal its "+
					"labels are searched again", dataset.ErrDamaged)
			}
		case first:
			h.old = true
		case skipped > 0:
			h.gaps, h.bytes = h.gaps+1, h.bytes+skipped
		}
		first, h.end = false, r.at
	}
}

// rewriteJournal replaces a journal by one of that identity with the whole records of f.
func rewriteJournal(path string, f io.ReadSeeker, id [32]byte, each func(int64, []dataset.Label) bool) error {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	out, err := durable.CreateAtomic(path)
	if err != nil {
		return err
	}
	defer out.Abort()
	if _, err := out.Write(identityRecord(id)); err != nil {
		return err
	}
	r := newRecordReader(f)
	for {
		record, _, _, err := r.next(func(payload []byte) bool {
			sample, labels, err := decodeRecord(payload)
			return err == nil && each(sample, labels)
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
