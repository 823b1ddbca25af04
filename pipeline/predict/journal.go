package predict

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/durable"
	"talbot/internal/plain"
)

// A journal holds the predictions of the shard that is being made, unit by unit in order. It is a sequence of records
// (see [durable.AppendRecord]). The payload of the first is [identityText] and the SHA-256 of what decides the answers;
// that of each other record is the predictions of a unit: status u8, and of a predicted sample its value i16, the
// number of its moves (uvarint), and for each move u16 and its prior u16.
type journal struct {
	*durable.RecordWriter
	path   string
	unread int                   // units of an earlier run that were not read yet
	reader *durable.RecordReader // of these
	buf    []byte
}

const (
	journalPrefix = "predictions-"
	identityText  = "talbot predict journal 1\n"
)

func journalName(shard int) string { return fmt.Sprintf("%s%05d.journal", journalPrefix, shard) }

// JournalError says that the journal of an unfinished prediction cannot be continued.
type JournalError struct {
	Path string
	Err  error
}

func (e *JournalError) Error() string { return fmt.Sprintf("the journal %q: %v", e.Path, e.Err) }

// Unwrap returns what is wrong with it.
func (e *JournalError) Unwrap() error { return e.Err }

// Remedy returns what to do about a damaged journal, and what that costs.
func (e *JournalError) Remedy() string {
	if !errors.Is(e.Err, dataset.ErrDamaged) {
		return ""
	}
	return "`" + plain.Quote("rm", e.Path) + "`, then repeat the command; " +
		"it asks the network about the samples of the journal again"
}

// openJournal opens or creates the journal of an identity. It is used up to the first record that is not whole; the
// rest is predicted again, with a warning unless it is what a kill leaves. The journal of another identity is
// [dataset.ErrDamaged].
func openJournal(path string, id [32]byte, warn func(error)) (*journal, error) {
	f, err := durable.Open(path, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, fmt.Errorf("opening the journal: %w", err)
	}
	j := &journal{path: path}
	end, err := j.read(f, id, warn)
	if err != nil {
		f.Close()
		return nil, &JournalError{path, err}
	}
	if j.RecordWriter, err = durable.NewRecordWriter(f, end, append([]byte(identityText), id[:]...)); err != nil {
		return nil, &JournalError{path, err}
	}
	if j.unread == 0 {
		return j, nil
	}
	j.reader = durable.NewRecordReader(io.NewSectionReader(f, 0, end))
	if _, err := j.next(); err != nil { // the identity
		f.Close()
		return nil, &JournalError{path, err}
	}
	return j, nil
}

// read counts the units that are there, and returns where they end.
func (j *journal) read(f io.Reader, id [32]byte, warn func(error)) (end int64, err error) {
	r := durable.NewRecordReader(f)
	first := true
	for {
		record, skipped, torn, err := r.Next(func(payload []byte) bool {
			if first {
				return true
			}
			_, err := decodeUnit(payload)
			return err == nil
		})
		switch {
		case err != nil:
			return 0, err
		case first && record == nil && (torn || skipped == 0):
			return 0, nil // killed while it was begun
		case first && (skipped > 0 || record == nil ||
			string(record[durable.RecordHead:]) != identityText+string(id[:])):
			return 0, fmt.Errorf("%w: it belongs to another command or input", dataset.ErrDamaged)
		case skipped > 0 && !(record == nil && torn):
			warn(fmt.Errorf("the journal %q is damaged at byte %d: what follows is computed again", j.path, end))
			return end, nil
		case record == nil:
			return end, nil
		}
		if !first {
			j.unread++
		}
		first, end = false, r.At()
	}
}

// nextUnits returns the stored predictions of the next units, at most that many. The others stay on disk.
func (j *journal) nextUnits(units int) (held [][]dataset.Prediction, err error) {
	for ; len(held) < units && j.unread > 0; j.unread-- {
		payload, err := j.next()
		if err != nil {
			return nil, &JournalError{j.path, err}
		}
		list, err := decodeUnit(payload)
		if err != nil {
			return nil, &JournalError{j.path, fmt.Errorf("%w: %w", err, dataset.ErrDamaged)}
		}
		held = append(held, list)
	}
	return held, nil
}

// next returns the payload of the next record that read has seen.
func (j *journal) next() ([]byte, error) {
	record, _, _, err := j.reader.Next(func([]byte) bool { return true })
	if err == nil && record == nil {
		err = fmt.Errorf("it has become shorter: %w", dataset.ErrDamaged)
	}
	if err != nil {
		return nil, err
	}
	return record[durable.RecordHead:], nil
}

// append writes a unit.
func (j *journal) append(list []dataset.Prediction) error {
	j.buf = encodeUnit(j.buf[:0], list)
	return j.Append(j.buf)
}

func encodeUnit(b []byte, list []dataset.Prediction) []byte {
	le := binary.LittleEndian
	for i := range list {
		p := &list[i]
		b = append(b, byte(p.Status))
		if p.Status != dataset.Predicted {
			continue
		}
		b = le.AppendUint16(b, uint16(p.Value))
		b = binary.AppendUvarint(b, uint64(len(p.Moves)))
		for _, m := range p.Moves {
			b = le.AppendUint16(b, uint16(m.Move))
			b = le.AppendUint16(b, uint16(m.Prior))
		}
	}
	return b
}

var errUnit = errors.New("malformed predictions")

// decodeUnit reads what encodeUnit wrote. It is of the right form, but not checked to make sense.
func decodeUnit(b []byte) (list []dataset.Prediction, err error) {
	le := binary.LittleEndian
	for len(b) > 0 {
		p := dataset.Prediction{Status: dataset.PredictionStatus(b[0])}
		b = b[1:]
		if p.Status == dataset.Predicted {
			if len(b) < 2 {
				return nil, errUnit
			}
			p.Value = dataset.QuantizedValue(le.Uint16(b))
			n, size := binary.Uvarint(b[2:])
			if size <= 0 || n > uint64(len(b)-2-size)/4 {
				return nil, errUnit
			}
			b = b[2+size:]
			if n > 0 {
				p.Moves = make([]dataset.PriorMove, n)
			}
			for i := range p.Moves {
				p.Moves[i] = dataset.PriorMove{Move: board.Move(le.Uint16(b)),
					Prior: dataset.QuantizedPrior(le.Uint16(b[2:]))}
				b = b[4:]
			}
		}
		list = append(list, p)
	}
	return list, nil
}
