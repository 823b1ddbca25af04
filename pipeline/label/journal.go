package label

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"talbot/dataset"
	"talbot/internal/durable"
)

// A journal holds the labels of the shard that is being labelled, in the order
// in which they were made, so that a kill loses only the searches under way. It
// is a sequence of records (see [durable.SealRecord]). The payload of the first is [identityText] and the SHA-256
// of what decides the labels ([labeller.journalIdentity]). That of the others is
// the number of the sample within the shard (uvarint), how many labels follow
// (u8, one for each fingerprint that is being made), then each label: status u8,
// best u16, number of searched lines u8, and for each of those: score i16, win,
// draw and loss u16, depth and nodes uvarint, length of the PV uvarint, its moves
// u16; and behind them, if a worker elsewhere made them, its number (uvarint). Journals of before there were identities
// lack the first record.
type journal struct {
	file    *durable.File
	buf     []byte
	synced  time.Time
	syncing chan error // the sync under way, if there is one: nobody waits for the disk
}

// made is what a search gave: a label for each fingerprint, and who searched.
type made struct {
	labels []dataset.Label
	origin origin
}

// failed reports whether the search gave no label.
func (m made) failed() bool { return len(m.labels) == 0 || m.labels[0].Status == dataset.Failed }

const (
	maxWorker     = 1 << 20 // number
	journalPrefix = "labels-"
	journalSync   = 2 * time.Second
	identityText  = "talbot label journal 1\n" // as labels it would be cut short
)

func journalName(shard int) string { return fmt.Sprintf("%s%05d.journal", journalPrefix, shard) }

// JournalError says that the journal of an unfinished labelling cannot be gone on with.
type JournalError struct {
	Path string
	Err  error
}

func (e *JournalError) Error() string { return fmt.Sprintf("the label journal %q: %v", e.Path, e.Err) }

// Unwrap returns what is wrong with it.
func (e *JournalError) Unwrap() error { return e.Err }

// openJournal opens or creates the journal of an identity. Its whole records go to each, which returns false for
// labels that are none of this shard. A journal that was damaged, or is from before there were identities, is believed
// as far as its records are whole, which warn is told, and written anew with them alone; an incomplete record at the
// end, as a kill leaves it, is cut off without a word. A journal of another identity is [dataset.ErrDamaged], and so is
// one whose first record is damaged.
func openJournal(path string, id [32]byte, each func(sample int64, m made) bool, warn func(error)) (
	*journal, error) {
	f, err := durable.Open(path, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, fmt.Errorf("opening the label journal: %w", err)
	}
	held, err := readJournal(f, id, each)
	if err == nil && held.warning() != nil {
		warn(fmt.Errorf("the label journal %q: %w", path, held.warning()))
	}
	if err == nil && (held.old || held.gaps > 0) {
		if err = rewriteJournal(path, f, id, each); err == nil {
			f.Close()
			if f, err = durable.Open(path, os.O_RDWR); err != nil {
				return nil, fmt.Errorf("opening the label journal: %w", err)
			}
			held.end, err = f.Seek(0, io.SeekEnd)
		}
	}
	if err == nil {
		err = f.Truncate(held.end)
	}
	if err == nil {
		_, err = f.Seek(held.end, io.SeekStart)
	}
	if err == nil && held.end == 0 {
		_, err = f.Write(identityRecord(id))
	}
	if err != nil {
		f.Close()
		return nil, &JournalError{Path: path, Err: err}
	}
	return &journal{file: f, synced: time.Now()}, nil
}

// append writes one record. It survives the end of this process at once, and
// that of the machine within about [journalSync].
func (j *journal) append(sample int64, m made) error {
	b := append(j.buf[:0], make([]byte, durable.RecordHead)...)
	b = encodeRecord(b, sample, m)
	j.buf = b
	if len(b)-durable.RecordHead > durable.MaxRecord {
		return fmt.Errorf("label of sample %d has %d bytes", sample, len(b)-durable.RecordHead)
	}
	durable.SealRecord(b)
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

// remove ends the journal of a shard that is finished.
func (j *journal) remove() error {
	if j.syncing != nil {
		<-j.syncing
	}
	if err := j.file.Close(); err != nil {
		return fmt.Errorf("closing the label journal: %w", err)
	}
	return durable.Remove(j.file.Name())
}

// identityRecord is the first record of a journal.
func identityRecord(id [32]byte) []byte {
	b := append(make([]byte, durable.RecordHead), identityText...)
	b = append(b, id[:]...)
	durable.SealRecord(b)
	return b
}

func encodeRecord(b []byte, sample int64, m made) []byte {
	b = binary.AppendUvarint(b, uint64(sample))
	b = append(b, byte(len(m.labels)))
	for i := range m.labels {
		b = m.labels[i].AppendBytes(b)
	}
	if w := m.origin.worker(); w > 0 {
		b = binary.AppendUvarint(b, uint64(w))
	}
	return b
}

var errRecord = errors.New("malformed record")

func decodeRecord(payload []byte) (sample int64, m made, err error) {
	number, n := binary.Uvarint(payload)
	if n <= 0 || n == len(payload) {
		return 0, made{}, errRecord
	}
	count, rest := payload[n], payload[n+1:]
	for range count {
		var l dataset.Label
		if l, rest, err = dataset.LabelFromBytes(rest); err != nil {
			return 0, made{}, fmt.Errorf("%w: %w", errRecord, err)
		}
		m.labels = append(m.labels, l)
	}
	m.origin = ownSearch
	if len(rest) > 0 {
		worker, n := binary.Uvarint(rest)
		if n != len(rest) || worker < 1 || worker > maxWorker {
			return 0, made{}, errRecord
		}
		m.origin = originOf(int(worker))
	}
	return int64(number), m, nil
}
