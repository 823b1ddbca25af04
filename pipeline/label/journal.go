package label

import (
	"encoding/binary"
	"errors"
	"fmt"

	"talbot/dataset"
	"talbot/internal/output"
)

// journal holds the result of every search of an unfinished labelling. The payload of the first record is [journalText]
// and the SHA-256 of what decides the labels ([labeller.journalID]). The others are entries: the key of the search, 16
// bytes; the line that it was made for, uvarint; the worker elsewhere that made it, uvarint, 0 for an engine of this
// machine; the number of labels, u8, one for each fingerprint; and the labels as [dataset.Label.AppendBytes] writes
// them. Where a label of a worker is copied to another line, that line has an entry too: so the journal knows all lines
// that a worker had a part in.
type journal struct {
	*output.Journal
	buf []byte
}

// entry is a record of the journal.
type entry struct {
	key  searchKey
	line lineNumber
	searchResult
}

// lineNumber is the number of a line: its shard and the number of its first sample there.
type lineNumber int64

// shardBits is where the number of the shard begins.
const shardBits = 40

func newLineNumber(shard int, first int64) lineNumber {
	return lineNumber(int64(shard)<<shardBits | first)
}

// ofDataset is in place of a line in entries of labels that were taken from a dataset.
const ofDataset lineNumber = 1 << 62

func (n lineNumber) shard() int { return int(n >> shardBits) }

const (
	journalName = "labels.journal"
	journalText = "talbot label journal 1\n"
	maxWorker   = 1 << 20 // number
)

// openJournal opens or creates the journal of an ID and hands each whole entry to each, with the offset of its record;
// see [output.OpenJournal].
func openJournal(path string, id [32]byte, warn func(error), each func(at int64, e entry)) (*journal, int64, error) {
	j, damaged, err := output.OpenJournal(path, output.JournalKind{First: append([]byte(journalText), id[:]...),
		Again: "it searches the labels of the journal again", Warn: warn},
		func(at int64, payload []byte) bool {
			e, err := decodeEntry(payload)
			if err == nil {
				each(at, e)
			}
			return err == nil
		})
	if err != nil {
		return nil, 0, err
	}
	return &journal{Journal: j}, damaged, nil
}

// append writes an entry and returns the offset of its record.
func (j *journal) append(e entry) (at int64, err error) {
	j.buf = e.appendTo(j.buf[:0])
	if at, err = j.Append(j.buf); err != nil {
		err = fmt.Errorf("label of a sample of line %d of shard %d: %w", e.line&(1<<shardBits-1), e.line.shard(), err)
	}
	return at, err
}

func (e *entry) appendTo(b []byte) []byte {
	b = append(b, e.key[:]...)
	b = binary.AppendUvarint(b, uint64(e.line))
	b = binary.AppendUvarint(b, uint64(e.worker))
	b = append(b, byte(len(e.labels)))
	for i := range e.labels {
		b = e.labels[i].AppendBytes(b)
	}
	return b
}

var errEntry = errors.New("malformed record")

func decodeEntry(payload []byte) (e entry, err error) {
	if len(payload) < len(e.key) {
		return e, errEntry
	}
	rest := payload[copy(e.key[:], payload):]
	line, n := binary.Uvarint(rest)
	if n <= 0 || line > 1<<62 {
		return e, errEntry
	}
	worker, m := binary.Uvarint(rest[n:])
	if m <= 0 || worker > maxWorker || n+m == len(rest) {
		return e, errEntry
	}
	e.line, e.worker = lineNumber(line), int(worker)
	count, rest := rest[n+m], rest[n+m+1:]
	for range count {
		var l dataset.Label
		if l, rest, err = dataset.LabelFromBytes(rest); err != nil {
			return e, fmt.Errorf("%w: %w", errEntry, err)
		}
		e.labels = append(e.labels, l)
	}
	if len(rest) > 0 {
		return e, errEntry
	}
	return e, nil
}
