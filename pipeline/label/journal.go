package label

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"talbot/dataset"
	"talbot/internal/durable"
)

// A journal holds the labels of the shard that is being labelled, in the order in which they were made, so that a kill
// loses only the searches under way. It is a sequence of records (see [durable.AppendRecord]). The payload of the first
// is [identityText] and the SHA-256 of what decides the labels ([labeller.journalIdentity]). That of the others is the
// number of the sample within the shard (uvarint), how many labels follow (u8, one for each fingerprint that is being
// made), then each label: status u8, best u16, number of searched lines u8, and for each of those: score i16, win, draw
// and loss u16, depth and nodes uvarint, length of the PV uvarint, its moves u16; and after them, if a worker
// elsewhere made them, its number (uvarint). Journals of older versions have no identity: they lack the first record.
type journal struct {
	*durable.RecordWriter
	buf []byte
}

// searchResult has the labels of a search, one for each fingerprint, and the worker that searched.
type searchResult struct {
	labels []dataset.Label
	origin origin
}

// failed reports whether the search gave no label.
func (m searchResult) failed() bool {
	return len(m.labels) == 0 || m.labels[0].Status == dataset.Failed
}

const (
	maxWorker     = 1 << 20 // number
	journalPrefix = "labels-"
	identityText  = "talbot label journal 1\n" // as labels it would be cut short
)

func journalName(shard int) string { return fmt.Sprintf("%s%05d.journal", journalPrefix, shard) }

// JournalError says that the journal of an unfinished labelling cannot be continued.
type JournalError struct {
	Path string
	Err  error
}

func (e *JournalError) Error() string { return fmt.Sprintf("the label journal %q: %v", e.Path, e.Err) }

// Unwrap returns what is wrong with it.
func (e *JournalError) Unwrap() error { return e.Err }

// openJournal opens or creates the journal of an identity. Its whole records go to each, which returns false for labels
// that do not belong to this shard. From a journal that is damaged, or has no identity because an older version wrote
// it, the whole records are used: warn gets a warning, and the journal is rewritten with these records alone. An
// incomplete record at the end, as a kill leaves it, is cut off silently. A journal of another identity is
// [dataset.ErrDamaged], and so is one whose first record is damaged.
func openJournal(path string, id [32]byte, each func(sample int64, m searchResult) bool, warn func(error)) (
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
	if err != nil {
		f.Close()
		return nil, &JournalError{Path: path, Err: err}
	}
	w, err := durable.NewRecordWriter(f, held.end, identityPayload(id))
	if err != nil {
		return nil, &JournalError{Path: path, Err: err}
	}
	return &journal{RecordWriter: w}, nil
}

// append writes one record.
func (j *journal) append(sample int64, m searchResult) error {
	j.buf = encodeRecord(j.buf[:0], sample, m)
	if err := j.Append(j.buf); err != nil {
		return fmt.Errorf("label of sample %d: %w", sample, err)
	}
	return nil
}

// identityPayload is that of the first record of a journal.
func identityPayload(id [32]byte) []byte { return append([]byte(identityText), id[:]...) }

func encodeRecord(b []byte, sample int64, m searchResult) []byte {
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

func decodeRecord(payload []byte) (sample int64, m searchResult, err error) {
	number, n := binary.Uvarint(payload)
	if n <= 0 || n == len(payload) {
		return 0, searchResult{}, errRecord
	}
	count, rest := payload[n], payload[n+1:]
	for range count {
		var l dataset.Label
		if l, rest, err = dataset.LabelFromBytes(rest); err != nil {
			return 0, searchResult{}, fmt.Errorf("%w: %w", errRecord, err)
		}
		m.labels = append(m.labels, l)
	}
	m.origin = ownSearch
	if len(rest) > 0 {
		worker, n := binary.Uvarint(rest)
		if n != len(rest) || worker < 1 || worker > maxWorker {
			return 0, searchResult{}, errRecord
		}
		m.origin = originOf(int(worker))
	}
	return int64(number), m, nil
}
