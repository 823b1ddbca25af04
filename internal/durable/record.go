package durable

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"time"
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

	recordSync = 2 * time.Second // how long a record may be lost to the end of the machine
)

var crcTable = crc32.MakeTable(crc32.Castagnoli)

// AppendRecord appends the record of a payload to b.
func AppendRecord(b, payload []byte) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(len(payload)))
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(payload, crcTable))
	return append(b, payload...)
}

// Record returns the payload of the record that b begins with; false unless it is whole.
func Record(b []byte) (payload []byte, ok bool) {
	if len(b) < RecordHead {
		return nil, false
	}
	n := int64(binary.LittleEndian.Uint32(b))
	if n > int64(len(b)-RecordHead) {
		return nil, false
	}
	payload = b[RecordHead:][:n]
	return payload, crc32.Checksum(payload, crcTable) == binary.LittleEndian.Uint32(b[4:])
}

// RecordAt returns the payload of the record at an offset. It is read into buf, which grows if need be, and is
// io.ErrUnexpectedEOF unless it is whole.
func RecordAt(r io.ReaderAt, at int64, buf []byte) (payload, grown []byte, err error) {
	for size := 512; ; { // most records are shorter, so that one read does
		buf = slices.Grow(buf[:0], size)[:size]
		n, err := r.ReadAt(buf, at)
		if payload, ok := Record(buf[:n]); ok {
			return payload, buf, nil
		}
		if err != nil && err != io.EOF {
			return nil, buf, err
		}
		whole := RecordHead + int64(binary.LittleEndian.Uint32(buf))
		if n < RecordHead || whole <= int64(size) || whole > RecordHead+MaxRecord {
			return nil, buf, io.ErrUnexpectedEOF
		}
		size = int(whole)
	}
}

// RecordWriter appends to a journal. A record survives the end of this process at once, and that of the machine within
// about two seconds, whether or not another one follows. It belongs to one goroutine.
type RecordWriter struct {
	file *File
	buf  []byte

	due    atomic.Bool           // a sync is to come that will see the last record
	failed atomic.Pointer[error] // of a sync
	disk   sync.Mutex            // held during a sync: only the end of the writer waits for it
	closed bool
}

// NewRecordWriter returns a writer that continues after the first end bytes of a file and cuts off the rest. A journal
// that is empty begins with the payload first. The file is the writer's from then on: it is closed if there is an
// error.
func NewRecordWriter(f *File, end int64, first []byte) (*RecordWriter, error) {
	w := &RecordWriter{file: f}
	err := f.Truncate(end)
	if err == nil {
		_, err = f.Seek(end, io.SeekStart)
	}
	if err == nil && end == 0 {
		err = w.Append(first)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return w, nil
}

// Append writes a record.
func (w *RecordWriter) Append(payload []byte) error {
	if len(payload) > MaxRecord {
		return fmt.Errorf("a record of %d bytes, more than %d", len(payload), MaxRecord)
	}
	w.buf = AppendRecord(w.buf[:0], payload)
	if _, err := w.file.Write(w.buf); err != nil {
		return fmt.Errorf("writing the journal: %w", err)
	}
	if !w.due.Swap(true) {
		time.AfterFunc(recordSync, func() { _ = w.Sync() }) // which remembers its error
	}
	return w.failure()
}

// failure returns the error of an earlier sync.
func (w *RecordWriter) failure() error {
	if err := w.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// Sync makes all records durable. After an error it always fails.
func (w *RecordWriter) Sync() error {
	w.disk.Lock()
	defer w.disk.Unlock()
	if w.closed {
		return nil
	}
	w.due.Store(false)
	if err := w.file.Sync(); err != nil {
		err = fmt.Errorf("writing the journal: %w", err)
		w.failed.CompareAndSwap(nil, &err)
	}
	return w.failure()
}

// Close makes all records durable and closes the file.
func (w *RecordWriter) Close() error {
	err := w.Sync()
	w.disk.Lock()
	defer w.disk.Unlock()
	w.closed = true
	return errors.Join(err, w.file.Close())
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

// Next returns the next record that is whole and that good accepts, with its head and valid until the next call, and
// how many bytes before it are not part of a record. At the end the record is nil, and torn says that those bytes are
// the beginning of a record.
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
