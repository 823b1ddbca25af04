package label

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"time"

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
func openJournal(path string, each func(sample int64, labels []dataset.Label)) (*journal, error) {
	f, err := durable.Open(path, os.O_RDWR|os.O_CREATE)
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
		b = labels[i].AppendBytes(b)
	}
	return b
}

var errRecord = errors.New("malformed record")

func decodeRecord(payload []byte) (sample int64, labels []dataset.Label, err error) {
	number, n := binary.Uvarint(payload)
	if n <= 0 || n == len(payload) {
		return 0, nil, errRecord
	}
	count, rest := payload[n], payload[n+1:]
	for range count {
		var l dataset.Label
		if l, rest, err = dataset.LabelFromBytes(rest); err != nil {
			return 0, nil, fmt.Errorf("%w: %w", errRecord, err)
		}
		labels = append(labels, l)
	}
	if len(rest) != 0 {
		return 0, nil, errRecord
	}
	return int64(number), labels, nil
}
