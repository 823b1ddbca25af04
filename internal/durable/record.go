package durable

import (
	"bufio"
	"encoding/binary"
	"hash/crc32"
	"io"
)

// A journal is a file that is only appended to, in records:
//
//	u32 length of the payload, u32 CRC-32C of the payload, payload
//
// all little-endian. A kill cuts the last record short at most.
const (
	// RecordHead is the number of bytes before a payload.
	RecordHead = 8
	// MaxRecord is the longest payload.
	MaxRecord = 1 << 20
)

var crcTable = crc32.MakeTable(crc32.Castagnoli)

// SealRecord fills in the head of a record, whose payload stands behind [RecordHead] bytes.
func SealRecord(record []byte) {
	payload := record[RecordHead:]
	binary.LittleEndian.PutUint32(record, uint32(len(payload)))
	binary.LittleEndian.PutUint32(record[4:], crc32.Checksum(payload, crcTable))
}

// RecordReader goes through the whole records of a journal. Behind a damaged one it looks for the next, byte by byte.
// It belongs to one goroutine.
type RecordReader struct {
	r     *bufio.Reader
	at    int64 // offset of what r gives next
	taken int   // bytes of the last record, still in r
}

// NewRecordReader returns a reader of the journal in r.
func NewRecordReader(r io.Reader) *RecordReader {
	return &RecordReader{r: bufio.NewReaderSize(r, RecordHead+MaxRecord)}
}

// At returns where the last record ended.
func (r *RecordReader) At() int64 { return r.at }

// Next returns the next record that is whole and that good accepts, with its head and valid until the next
// call, and how many bytes before it are none. At the end the record is nil, and torn says that those bytes are the
// beginning of a record.
func (r *RecordReader) Next(good func(payload []byte) bool) (record []byte, skipped int64, torn bool, err error) {
	if err := r.skip(r.taken); err != nil {
		return nil, 0, false, err
	}
	r.taken = 0
	for ; ; skipped++ {
		head, err := r.r.Peek(RecordHead)
		if len(head) < RecordHead {
			if err != io.EOF {
				return nil, skipped, false, err
			}
			rest := int64(len(head))
			r.at += rest
			return nil, skipped + rest, torn || skipped == 0, nil
		}
		n := int(binary.LittleEndian.Uint32(head))
		sum := binary.LittleEndian.Uint32(head[4:])
		if n > 0 && n <= MaxRecord {
			record, err := r.r.Peek(RecordHead + n)
			switch {
			case err != nil && err != io.EOF:
				return nil, skipped, false, err
			case err != nil:
				torn = torn || skipped == 0
			case crc32.Checksum(record[RecordHead:], crcTable) == sum && good(record[RecordHead:]):
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

func (r *RecordReader) skip(n int) error {
	_, err := r.r.Discard(n)
	return err
}
