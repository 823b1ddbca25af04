package output

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"talbot/dataset"
	"talbot/internal/durable"
	"talbot/internal/plain"
)

// Journal holds results of an unfinished command in the order in which they were made, so that a kill loses only those
// under way. It is a file of records (see [durable.AppendRecord]); the payload of the first says what it is a journal
// of and what decides the results.
type Journal struct {
	*durable.RecordWriter
	file *durable.File
	kind JournalKind
	path string
	end  int64
}

// JournalKind is what a verb brings to its journal.
type JournalKind struct {
	First []byte      // the payload of the first record
	Again string      // what is done again without the journal: "it searches the labels of the journal again"
	Warn  func(error) // is told of damage that was mended; may be nil
}

// JournalError says that a journal cannot be continued.
type JournalError struct {
	Path  string
	Again string // see [JournalKind]
	Err   error
}

func (e *JournalError) Error() string { return fmt.Sprintf("the journal %q: %v", e.Path, e.Err) }

// Unwrap returns what is wrong with it.
func (e *JournalError) Unwrap() error { return e.Err }

// Remedy returns what to do about a damaged journal, and what that costs.
func (e *JournalError) Remedy() string {
	if !errors.Is(e.Err, dataset.ErrDamaged) {
		return ""
	}
	return "`" + plain.Quote("rm", e.Path) + "`, then repeat the command; " + e.Again
}

// OpenJournal opens or creates a journal and hands the payload of each whole record to each, with its offset; false
// counts it as damaged. An incomplete record at the end, as a kill leaves it, is cut off silently. Of a damaged journal
// the whole records are used: damaged counts the bytes between them, and the journal is rewritten without these and
// handed to each again, with the offsets that count then. A journal with another first record, or a damaged one, is a
// [JournalError] with [dataset.ErrDamaged].
func OpenJournal(path string, kind JournalKind, each func(at int64, payload []byte) bool) (j *Journal, damaged int64,
	err error) {
	j = &Journal{path: path, kind: kind}
	if j.file, err = durable.Open(path, os.O_RDWR|os.O_CREATE); err != nil {
		return nil, 0, fmt.Errorf("opening the journal: %w", err)
	}
	damaged, err = j.read(each)
	if err == nil && damaged > 0 {
		if kind.Warn != nil {
			kind.Warn(fmt.Errorf("the journal %q: %d bytes are damaged; %s", path, damaged, kind.Again))
		}
		err = j.rewrite(each)
	}
	if err != nil {
		j.file.Close()
		return nil, 0, j.Error(err)
	}
	if j.RecordWriter, err = durable.NewRecordWriter(j.file, j.end, kind.First); err != nil {
		return nil, 0, j.Error(err)
	}
	if j.end == 0 {
		j.end = int64(durable.RecordHead + len(kind.First))
	}
	return j, damaged, nil
}

// Error returns an error about the journal.
func (j *Journal) Error(err error) error { return &JournalError{j.path, j.kind.Again, err} }

// read goes through the file. It sets where the last whole record ends, and returns how many bytes between and after
// those are damaged.
func (j *Journal) read(each func(at int64, payload []byte) bool) (damaged int64, err error) {
	r := durable.NewRecordReader(j.file)
	for first := true; ; first = false {
		record, skipped, torn, err := r.Next(func(payload []byte) bool { return first || each(r.At(), payload) })
		if err != nil {
			return 0, err
		}
		if record != nil || !torn {
			damaged += skipped
		}
		switch {
		case first && damaged > 0:
			return 0, fmt.Errorf("%w: its first record cannot be read", dataset.ErrDamaged)
		case record == nil:
			return damaged, nil
		case first && !bytes.Equal(record[durable.RecordHead:], j.kind.First):
			return 0, fmt.Errorf("%w: it belongs to another command or input", dataset.ErrDamaged)
		}
		j.end = r.At()
	}
}

// rewrite replaces the file by one with its whole records alone.
func (j *Journal) rewrite(each func(at int64, payload []byte) bool) error {
	if _, err := j.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	out, err := durable.CreateAtomic(j.path)
	if err != nil {
		return err
	}
	defer out.Abort()
	var end int64
	add := func(payload []byte) {
		n, _ := out.Write(durable.AppendRecord(nil, payload)) // Commit returns the errors of writing
		end += int64(n)
	}
	add(j.kind.First)
	if _, err := j.read(func(_ int64, payload []byte) bool {
		if !each(end, payload) {
			return false
		}
		add(payload)
		return true
	}); err != nil {
		return err
	}
	if err := out.Commit(); err != nil {
		return err
	}
	f, err := durable.Open(j.path, os.O_RDWR)
	if err != nil {
		return err
	}
	j.file.Close()
	j.file, j.end = f, end
	return nil
}

// End returns where the next record begins.
func (j *Journal) End() int64 { return j.end }

// Append writes a record and returns its offset.
func (j *Journal) Append(payload []byte) (at int64, err error) {
	if err := j.RecordWriter.Append(payload); err != nil {
		return 0, err
	}
	at = j.end
	j.end += int64(durable.RecordHead + len(payload))
	return at, nil
}

// ReadAt reads what was written of records.
func (j *Journal) ReadAt(b []byte, at int64) (int, error) { return j.file.ReadAt(b, at) }
