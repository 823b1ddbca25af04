package predict

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/durable"
	"talbot/internal/output"
)

// A journal holds the predictions of the shard that is being made. The payload of its first record is [identityText]
// and the SHA-256 of what decides the answers; that of each other record is a unit: its number in the shard and how
// many of its samples have no rating that the network would look at (uvarints), and its predictions: status u8, and of
// a predicted sample its value i16, the number of its moves (uvarint), and for each move u16 and its prior u16.
type journal struct {
	*output.Journal
	known map[int]int64 // units of an earlier run, by number: where their records begin
	next  int           // the number of the next block's first unit
}

const (
	journalPrefix = "predictions-"
	identityText  = "talbot predict journal 1\n"
)

func journalName(shard int) string { return fmt.Sprintf("%s%05d.journal", journalPrefix, shard) }

// openJournal opens or creates the journal of an identity; see [output.OpenJournal].
func openJournal(path string, id [32]byte, warn func(error)) (*journal, error) {
	j := &journal{known: map[int]int64{}}
	var err error
	j.Journal, _, err = output.OpenJournal(path, output.JournalKind{First: append([]byte(identityText), id[:]...),
		Again: "it asks the network about the samples of the journal again", Warn: warn},
		func(at int64, payload []byte) bool {
			u, err := decodeUnit(payload)
			if err == nil {
				j.known[u.number] = at
			}
			return err == nil
		})
	if err != nil {
		return nil, err
	}
	return j, nil
}

// unit returns a unit of so many samples that is in the journal; nil if it is not.
func (j *journal) unit(number, samples int) (*unit, error) {
	at, ok := j.known[number]
	if !ok {
		return nil, nil
	}
	payload, _, err := durable.RecordAt(j, at, nil)
	if err != nil {
		return nil, j.Error(err)
	}
	u, err := decodeUnit(payload)
	if err == nil && len(u.predictions) != samples {
		err = fmt.Errorf("%d predictions of %d samples", len(u.predictions), samples)
	}
	if err != nil {
		return nil, j.Error(fmt.Errorf("%w: %w", err, dataset.ErrDamaged))
	}
	u.known = true
	return u, nil
}

func (u *unit) encode() []byte {
	le := binary.LittleEndian
	b := binary.AppendUvarint(nil, uint64(u.number))
	b = binary.AppendUvarint(b, uint64(u.unrated))
	for i := range u.predictions {
		p := &u.predictions[i]
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

// decodeUnit reads what encode wrote. It is of the right form, but not checked to make sense.
func decodeUnit(b []byte) (*unit, error) {
	le := binary.LittleEndian
	number, n := binary.Uvarint(b)
	unrated, m := binary.Uvarint(b[max(n, 0):])
	if n <= 0 || m <= 0 || number > math.MaxInt32 || unrated > unitSamples {
		return nil, errUnit
	}
	u := &unit{number: int(number), unrated: int64(unrated)}
	for b = b[n+m:]; len(b) > 0; {
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
		u.predictions = append(u.predictions, p)
	}
	return u, nil
}
