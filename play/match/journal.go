package match

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"time"

	"talbot/board"
	"talbot/internal/durable"
	"talbot/internal/fault"
	"talbot/internal/output"
)

// journal is what was read of a match's journal, which holds the games in the order in which they ended, so that a
// kill loses only the games under way. It is a sequence of records (see [durable.AppendRecord]): the first is
// journalText and a header as JSON, each of the others a [Record] as JSON.
type journal struct {
	header   header
	end      int64      // of the last whole record
	damaged  int        // stretches that are not whole, a record cut short at the end not counted
	outcomes []*outcome // of games by number; nil: not played
	records  []int64    // where they are
	ended    int        // games
}

const journalText = "talbot match journal 1\n"

// header is the first record of a journal.
type header struct {
	Facts   []output.Fact `json:"facts"` // all that decides the games but their number and Files
	Files   Files         `json:"files"`
	Began   time.Time     `json:"began"` // of the match
	Players []string      `json:"players"`
	// For readers while the match is played:
	Limits []Limits `json:"limits,omitempty"`
	Event  string   `json:"event,omitempty"`
	Rules  string   `json:"rules,omitempty"`
}

// Errors on which callers branch.
var (
	// ErrExists: the folder holds a match; it can be continued with Resume.
	ErrExists = fault.New(fault.ExitUsage, "the folder already contains a match",
		"use --resume to continue it, or choose another folder")
	// ErrOther: the folder holds a match of other players, openings, limits or rules.
	ErrOther = fault.New(fault.ExitUsage, "the folder contains a different match",
		"choose another folder, or repeat the command that began it with --resume")
	// ErrOccupied: the folder holds something else.
	ErrOccupied = fault.New(fault.ExitUsage, "the folder is not empty", "choose an empty or a new folder")
	// ErrDamaged: the journal's first record cannot be read.
	ErrDamaged = fault.New(fault.ExitDamaged, "the journal of the match is damaged",
		"the games in games.pgn can still be read; play the match in another folder")
)

// maxRead is the number of games of a match that are read, unless more are asked for.
const maxRead = 1 << 18

// read reads the records from j.end on, of the next most bytes.
func (j *journal) read(f io.ReadSeeker, most int64) error {
	if _, err := f.Seek(j.end, io.SeekStart); err != nil {
		return err
	}
	r, from := durable.NewRecordReader(io.LimitReader(f, most)), j.end
	for header := from == 0; ; header = false {
		var game Record
		record, skipped, torn, err := r.Next(func(payload []byte) bool {
			if header {
				return j.header.read(payload)
			}
			return json.Unmarshal(payload, &game) == nil
		})
		switch {
		case err != nil:
			return err
		case header && (record == nil || skipped > 0):
			return ErrDamaged
		case skipped > 0 && !(record == nil && torn):
			j.damaged++
		}
		if record == nil {
			return nil
		}
		if j.end = from + r.At(); !header && !j.add(&game, j.end-int64(len(record))) {
			j.damaged++
		}
	}
}

// read reads the payload of a journal's first record; false if it is none.
func (h *header) read(payload []byte) bool {
	text, ok := bytes.CutPrefix(payload, []byte(journalText))
	return ok && json.Unmarshal(text, h) == nil && len(h.Players) > 1
}

// add adds a game; false if it cannot be of this match.
func (j *journal) add(g *Record, at int64) bool {
	white, black, players := g.Players[board.White], g.Players[board.Black], len(j.header.Players)
	if g.Number >= max(maxRead, len(j.outcomes)) || max(white, black) >= players || min(white, black) != 0 ||
		g.Fault != nil && (g.Fault.Player < 0 || g.Fault.Player >= players) {
		return false
	}
	j.resize(max(len(j.outcomes), g.Number+1))
	if j.outcomes[g.Number] == nil { // else it is there twice, and the first counts
		j.outcomes[g.Number], j.records[g.Number] = new(outcomeOf(g)), at
		j.ended++
	}
	return true
}

// resize makes room for a number of games, and forgets those above it.
func (j *journal) resize(games int) {
	more := max(0, games-len(j.outcomes))
	j.outcomes = append(j.outcomes, make([]*outcome, more)...)[:games]
	j.records = append(j.records, make([]int64, more)...)[:games]
}

// game reads a game that was read before.
func (j *journal) game(f io.ReaderAt, number int) (*Record, error) {
	payload, _, err := durable.RecordAt(f, j.records[number], nil)
	var r Record
	if err == nil {
		err = json.Unmarshal(payload, &r)
	}
	if err == nil && (r.Number != number || r.Players != j.outcomes[number].players) {
		err = errRecord
	}
	if err != nil {
		return nil, fmt.Errorf("reading game %d of the journal: %w", number+1, err)
	}
	return &r, nil
}

// readJournal reads a journal, of which most bytes count.
func readJournal(path string, most int64, j *journal) error {
	f, err := durable.OpenRegular(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := j.read(f, most); err != nil {
		return fmt.Errorf("%q: %w", path, err)
	}
	return nil
}

// journalWriter is a journal that is continued.
type journalWriter struct {
	journal
	*durable.RecordWriter
	file *durable.File // of the writer
}

// openJournal opens the journal of a match, which begins with a header. One that exists must be of that match. A last
// record that a kill cut short is cut off silently; warn is called where others are damaged.
func openJournal(path string, exists bool, h *header, games int, warn func(error)) (w *journalWriter, err error) {
	w = new(journalWriter)
	w.resize(games)
	if exists {
		if err = readJournal(path, math.MaxInt64, &w.journal); err == nil {
			err = w.header.same(path, h)
		}
		w.resize(games)
	} else {
		w.header = *h
		var text []byte
		if text, err = json.Marshal(h); err == nil {
			record := durable.AppendRecord(nil, append([]byte(journalText), text...))
			w.end, err = int64(len(record)), durable.WriteFile(path, record)
		}
	}
	if err != nil {
		return nil, err
	}
	if w.damaged > 0 {
		warn(fmt.Errorf("the journal %q is damaged (places: %d): the games there are played again", path, w.damaged))
	}
	if w.file, err = durable.Open(path, os.O_RDWR); err != nil {
		return nil, err
	}
	w.RecordWriter, err = durable.NewRecordWriter(w.file, w.end, nil)
	return w, err
}

// same reports a header that is not that of the match that is wanted.
func (h *header) same(path string, want *header) error {
	var b strings.Builder
	for _, d := range h.differences(want) {
		fmt.Fprintf(&b, "\n  %s", d)
	}
	if b.Len() > 0 {
		return fmt.Errorf("%w: %q:%s", ErrOther, path, &b)
	}
	return nil
}

// differences returns in what a match differs from the one that is wanted.
func (h *header) differences(want *header) []output.Difference {
	list := output.Compare(h.Facts, want.Facts)
	if path, changed := h.Files.changed(want.Files); changed {
		list = append(list, output.Difference{Name: "file " + path, Have: h.Files[path], Want: want.Files[path]})
	}
	return list
}

// append writes a game.
func (w *journalWriter) append(r *Record) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := w.Append(text); err != nil {
		return fmt.Errorf("game %d: %w", r.Number+1, err)
	}
	w.add(r, w.end)
	w.end += durable.RecordHead + int64(len(text))
	return nil
}
