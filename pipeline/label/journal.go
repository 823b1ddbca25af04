package label

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"talbot/dataset"
	"talbot/internal/durable"
	"talbot/internal/plain"
)

// journal holds the result of every search of an unfinished labelling, in the order in which they were made, so that a
// kill loses only the searches under way. It is a file of records (see [durable.AppendRecord]). The payload of the
// first is [journalText] and the SHA-256 of what decides the labels ([labeller.journalID]). The others are entries: the
// key of the search, 16 bytes; the line that it was made for, uvarint; the worker elsewhere that made it, uvarint, 0
// for an engine of this machine; the number of labels, u8, one for each fingerprint; and the labels as
// [dataset.Label.AppendBytes] writes them. Where a label of a worker is copied to another line, that line has an entry
// too: so the journal knows all lines that a worker had a part in.
type journal struct {
	*durable.RecordWriter
	end int64 // of the file
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

func (n lineNumber) shard() int { return int(n >> shardBits) }

const (
	journalName = "labels.journal"
	journalText = "talbot label journal 1\n"
	maxWorker   = 1 << 20 // number
)

// JournalError says that the journal of an unfinished labelling cannot be continued.
type JournalError struct {
	Path string
	Err  error
}

func (e *JournalError) Error() string { return fmt.Sprintf("the label journal %q: %v", e.Path, e.Err) }

// Unwrap returns what is wrong with it.
func (e *JournalError) Unwrap() error { return e.Err }

// Remedy returns what to do about a damaged journal, and what that costs.
func (e *JournalError) Remedy() string {
	if !errors.Is(e.Err, dataset.ErrDamaged) {
		return ""
	}
	return "`" + plain.Quote("rm", e.Path) + "`, then repeat the command; it searches the labels of the journal again"
}

// openJournal opens or creates the journal of an ID and hands each whole entry to each, with the offset of its record.
// An incomplete record at the end, as a kill leaves it, is cut off silently. Of a damaged journal the whole records are
// used: damaged counts the bytes between them, and the journal is rewritten without these and handed to each again. A
// journal of another ID is [dataset.ErrDamaged], and so is one whose first record is damaged.
func openJournal(path string, id [32]byte, each func(at int64, e entry)) (j *journal, damaged int64, err error) {
	f, err := durable.Open(path, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, 0, fmt.Errorf("opening the label journal: %w", err)
	}
	read := func(at int64, _ []byte, e entry) { each(at, e) }
	end, damaged, err := readJournal(f, id, read)
	if err == nil && damaged > 0 {
		if err = rewriteJournal(path, f, id); err != nil {
			f.Close()
			return nil, 0, &JournalError{Path: path, Err: err}
		}
		f.Close()
		if f, err = durable.Open(path, os.O_RDWR); err != nil {
			return nil, 0, fmt.Errorf("opening the label journal: %w", err)
		}
		end, _, err = readJournal(f, id, read)
	}
	if err != nil {
		f.Close()
		return nil, 0, &JournalError{Path: path, Err: err}
	}
	first := append([]byte(journalText), id[:]...)
	w, err := durable.NewRecordWriter(f, end, first)
	if err != nil {
		return nil, 0, &JournalError{Path: path, Err: err}
	}
	if end == 0 {
		end = int64(durable.RecordHead + len(first))
	}
	return &journal{RecordWriter: w, end: end}, damaged, nil
}

// readJournal hands each whole entry of a journal to each, with the offset and the bytes of its record. It returns
// where the last one ends and how many bytes between and after them are damaged.
func readJournal(f io.Reader, id [32]byte, each func(at int64, record []byte, e entry)) (end, damaged int64,
	err error) {
	r := durable.NewRecordReader(f)
	var e entry
	for first := true; ; first = false {
		record, skipped, torn, err := r.Next(func(payload []byte) bool {
			if first && bytes.HasPrefix(payload, []byte(journalText)) {
				return true
			}
			var err error
			e, err = decodeEntry(payload)
			return err == nil
		})
		switch {
		case err != nil:
			return end, damaged, err
		case record == nil:
			if !torn {
				damaged += skipped
			}
			return end, damaged, nil
		case first:
			payload := record[durable.RecordHead:]
			if skipped > 0 || !bytes.HasPrefix(payload, []byte(journalText)) {
				return end, damaged, fmt.Errorf("%w: its first record cannot be read; without the journal its labels "+
					"are searched again", dataset.ErrDamaged)
			}
			if !bytes.Equal(payload[len(journalText):], id[:]) {
				return end, damaged, fmt.Errorf("%w: it belongs to another command, engine or input; without the "+
					"journal its labels are searched again", dataset.ErrDamaged)
			}
		default:
			damaged += skipped
			each(r.At()-int64(len(record)), record, e)
		}
		end = r.At()
	}
}

// rewriteJournal replaces a journal by its whole records.
func rewriteJournal(path string, f io.ReadSeeker, id [32]byte) error {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	out, err := durable.CreateAtomic(path)
	if err != nil {
		return err
	}
	defer out.Abort()
	// Commit returns the errors of writing.
	_, _ = out.Write(durable.AppendRecord(nil, append([]byte(journalText), id[:]...)))
	if _, _, err := readJournal(f, id, func(_ int64, record []byte, _ entry) { _, _ = out.Write(record) }); err != nil {
		return err
	}
	return out.Commit()
}

// append writes an entry and returns the offset of its record.
func (j *journal) append(e entry) (at int64, err error) {
	j.buf = e.appendTo(j.buf[:0])
	if err := j.Append(j.buf); err != nil {
		return 0, fmt.Errorf("label of a sample of line %d of shard %d: %w",
			e.line&(1<<shardBits-1), e.line.shard(), err)
	}
	at = j.end
	j.end += int64(durable.RecordHead + len(j.buf))
	return at, nil
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
