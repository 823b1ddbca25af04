package pipeline

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"time"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/durable"
)

// A journal holds the labels of the shard that is being labelled, in the order
// in which they were made, so that a kill loses only the searches under way. It
// is a sequence of records:
//
//	u32 length of the payload, u32 CRC-32C of the payload, payload
//
// all little-endian. The payload is the number of the sample within the shard
// (uvarint), how many labels follow (u8, one for each fingerprint that is being
// made), then each label: status u8, best u16, number of searched lines u8, and
// for each of those: score i16, win, draw and loss u16, depth and nodes uvarint,
// length of the PV uvarint, its moves u16. What follows the last whole record
// is cut off when the journal is opened.
type journal struct {
	file    *durable.File
	buf     []byte
	synced  time.Time
	syncing chan error // the sync under way, if there is one: nobody waits for the disk
}

const (
	journalPrefix = "labels-"
	journalSync   = 2 * time.Second
	maxRecord     = 1 << 20
)

func journalName(shard int) string { return fmt.Sprintf("%s%05d.journal", journalPrefix, shard) }

var crcTable = crc32.MakeTable(crc32.Castagnoli)

// openJournal opens or creates the journal and hands its whole records to
// each.
func openJournal(dir string, shard int, each func(sample int64, labels []dataset.Label)) (*journal, error) {
	f, err := durable.Open(filepath.Join(dir, journalName(shard)), os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, fmt.Errorf("opening the label journal: %w", err)
	}
	end, err := readJournal(bufio.NewReader(f), each)
	if err == nil {
		err = f.Truncate(end)
	}
	if err == nil {
		_, err = f.Seek(end, io.SeekStart)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("reading the label journal %q: %w", f.Name(), err)
	}
	return &journal{file: f, synced: time.Now()}, nil
}

// readJournal returns the offset behind the last whole record.
func readJournal(r io.Reader, each func(sample int64, labels []dataset.Label)) (end int64, err error) {
	var head [8]byte
	payload := make([]byte, maxRecord)
	for {
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return end, torn(err)
		}
		n := binary.LittleEndian.Uint32(head[:])
		if n > maxRecord {
			return end, nil
		}
		if _, err := io.ReadFull(r, payload[:n]); err != nil {
			return end, torn(err)
		}
		if crc32.Checksum(payload[:n], crcTable) != binary.LittleEndian.Uint32(head[4:]) {
			return end, nil
		}
		sample, labels, err := decodeRecord(payload[:n])
		if err != nil {
			return end, nil
		}
		each(sample, labels)
		end += int64(len(head)) + int64(n)
	}
}

// torn turns the end of a journal into no error.
func torn(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return nil
	}
	return err
}

// append writes one record. It survives the end of this process at once, and
// that of the machine within about [journalSync].
func (j *journal) append(sample int64, labels []dataset.Label) error {
	b := append(j.buf[:0], make([]byte, 8)...)
	b = encodeRecord(b, sample, labels)
	j.buf = b
	if len(b)-8 > maxRecord {
		return fmt.Errorf("label of sample %d has %d bytes", sample, len(b)-8)
	}
	binary.LittleEndian.PutUint32(b, uint32(len(b)-8))
	binary.LittleEndian.PutUint32(b[4:], crc32.Checksum(b[8:], crcTable))
	if _, err := j.file.Write(b); err != nil {
		return fmt.Errorf("writing the label journal: %w", err)
	}
	if time.Since(j.synced) < journalSync {
		return nil
	}
	j.synced = time.Now()
	if j.syncing != nil {
		select {
		case err := <-j.syncing:
			if j.syncing = nil; err != nil {
				return fmt.Errorf("writing the label journal: %w", err)
			}
		default:
			return nil // a slow disk
		}
	}
	j.syncing = make(chan error, 1)
	go func(done chan<- error) { done <- j.file.Sync() }(j.syncing)
	return nil
}

func (j *journal) close() error {
	var err error
	if j.syncing != nil {
		err = <-j.syncing
	}
	if err = errors.Join(err, j.file.Sync(), j.file.Close()); err != nil {
		return fmt.Errorf("writing the label journal: %w", err)
	}
	return nil
}

func encodeRecord(b []byte, sample int64, labels []dataset.Label) []byte {
	b = binary.AppendUvarint(b, uint64(sample))
	b = append(b, byte(len(labels)))
	for i := range labels {
		b = encodeLabel(b, &labels[i])
	}
	return b
}

func encodeLabel(b []byte, l *dataset.Label) []byte {
	le := binary.LittleEndian
	b = append(b, byte(l.Status))
	b = le.AppendUint16(b, uint16(l.Best))
	b = append(b, byte(len(l.Lines)))
	for i := range l.Lines {
		s := &l.Lines[i]
		for _, v := range [...]uint16{uint16(s.Score), s.WDL.Win, s.WDL.Draw, s.WDL.Loss} {
			b = le.AppendUint16(b, v)
		}
		b = binary.AppendUvarint(b, uint64(s.Depth))
		b = binary.AppendUvarint(b, uint64(s.Nodes))
		b = binary.AppendUvarint(b, uint64(len(s.PV)))
		for _, m := range s.PV {
			b = le.AppendUint16(b, uint16(m))
		}
	}
	return b
}

var errRecord = errors.New("malformed record")

// recordReader takes values off a payload; bad is set once it is too short.
type recordReader struct {
	b   []byte
	bad bool
}

func (r *recordReader) uvarint() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *recordReader) take(n int) uint16 {
	if len(r.b) < n {
		r.bad, r.b = true, nil
		return 0
	}
	v := uint16(r.b[0])
	if n == 2 {
		v |= uint16(r.b[1]) << 8
	}
	r.b = r.b[n:]
	return v
}

func decodeRecord(payload []byte) (sample int64, labels []dataset.Label, err error) {
	r := recordReader{b: payload}
	sample = int64(r.uvarint())
	n := int(r.take(1))
	for i := 0; i < n && !r.bad; i++ {
		labels = append(labels, r.label())
	}
	if r.bad || len(r.b) != 0 {
		return 0, nil, errRecord
	}
	return sample, labels, nil
}

func (r *recordReader) label() (l dataset.Label) {
	l.Status = dataset.LabelStatus(r.take(1))
	l.Best = board.Move(r.take(2))
	n := int(r.take(1))
	for i := 0; i < n && !r.bad; i++ {
		var s dataset.Searched
		s.Score = dataset.Score(r.take(2))
		s.WDL = dataset.WDL{Win: r.take(2), Draw: r.take(2), Loss: r.take(2)}
		s.Depth, s.Nodes = int(r.uvarint()), int64(r.uvarint())
		pv := r.uvarint()
		if pv > uint64(len(r.b)/2) {
			r.bad = true
			return l
		}
		s.PV = make([]board.Move, pv)
		for k := range s.PV {
			s.PV[k] = board.Move(r.take(2))
		}
		l.Lines = append(l.Lines, s)
	}
	return l
}
