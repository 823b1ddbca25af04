package match

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"talbot/internal/durable"
	"talbot/internal/fault"
	"talbot/internal/output"
)

// A journal holds the games of a match in the order in which they ended, so that a kill loses only the games under way.
// It is a sequence of records (see [durable.AppendRecord]): the first is journalText and a header as JSON, each of the
// others a [Record] as JSON.
type journal struct {
	*durable.RecordWriter
	file  *durable.File // of the writer
	end   int64
	games map[int]span // by number
}

// span is the place of a record.
type span struct {
	at     int64
	length int
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

// createJournal begins a journal.
func createJournal(path string, h header) (*journal, error) {
	text, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	record := durable.AppendRecord(nil, append([]byte(journalText), text...))
	if err := durable.WriteFile(path, record); err != nil {
		return nil, err
	}
	return appendTo(path, int64(len(record)))
}

// appendTo opens a journal that ends after size bytes.
func appendTo(path string, end int64) (*journal, error) {
	f, err := durable.Open(path, os.O_RDWR)
	if err != nil {
		return nil, err
	}
	w, err := durable.NewRecordWriter(f, end, nil)
	if err != nil {
		return nil, err
	}
	return &journal{RecordWriter: w, file: f, end: end, games: map[int]span{}}, nil
}

// sameMatch compares the header of a journal with that of the match that is wanted.
func sameMatch(path string, have *header, want header) error {
	var b strings.Builder
	for _, d := range output.Compare(have.Facts, want.Facts) {
		fmt.Fprintf(&b, "\n  %s", d)
	}
	if b.Len() > 0 {
		return fmt.Errorf("%w: %q:%s", ErrOther, path, &b)
	}
	if file, changed := have.Files.changed(want.Files); changed {
		return fmt.Errorf("%w: %q", ErrChanged, file)
	}
	return nil
}

// resumeJournal opens the journal of a match that was interrupted, and hands its games to each in the order in which
// they ended, each once. A damaged journal is rewritten with what is whole, and warn is called. A last record that a
// kill cut short is cut off silently. The journal must be of the match that is wanted.
func resumeJournal(path string, want header, each func(*Record), warn func(error)) (h header, j *journal, err error) {
	if h, err = readHeader(path); err != nil {
		return h, nil, err
	}
	if err := sameMatch(path, &h, want); err != nil {
		return h, nil, err
	}
	f, err := durable.OpenRegular(path)
	if err != nil {
		return h, nil, err
	}
	defer f.Close()
	var found scanned
	games := map[int]span{}
	if err := found.scan(f, func(s span, game *Record) {
		if _, again := games[game.Number]; !again {
			games[game.Number] = s
			each(game)
		}
	}); err != nil {
		return h, nil, fmt.Errorf("%q: %w", path, err)
	}
	if found.damaged > 0 {
		warn(fmt.Errorf("the journal %q is damaged (places: %d): the games there are played again", path,
			found.damaged))
		if found.end, err = rewriteJournal(path, f, found.first, games); err != nil {
			return h, nil, err
		}
	}
	if j, err = appendTo(path, found.end); err == nil {
		j.games = games
	}
	return h, j, err
}

// rewriteJournal replaces a journal by one with its whole records alone: the header, which ends where the games begin,
// and the games, whose places it updates. It returns the new length.
func rewriteJournal(path string, from io.ReaderAt, first int64, games map[int]span) (end int64, err error) {
	out, err := durable.CreateAtomic(path)
	if err != nil {
		return 0, err
	}
	defer out.Abort()
	if end, err = io.Copy(out, io.NewSectionReader(from, 0, first)); err != nil {
		return 0, err
	}
	for _, number := range slices.SortedFunc(maps.Keys(games), func(a, b int) int {
		return cmp.Compare(games[a].at, games[b].at)
	}) {
		s := games[number]
		if _, err := io.Copy(out, io.NewSectionReader(from, s.at, int64(s.length))); err != nil {
			return 0, err
		}
		games[number] = span{end, s.length}
		end += int64(s.length)
	}
	return end, out.Commit()
}

// scanned is the result of a scan of a journal.
type scanned struct {
	header  header
	first   int64 // where the records of games begin
	end     int64 // of the last whole record
	damaged int   // stretches that are not whole, a record cut short at the end not counted
}

// scan goes through a journal from s.end, where f is; visit is called with each game and the place of its record.
func (s *scanned) scan(f io.Reader, visit func(span, *Record)) error {
	r, from := durable.NewRecordReader(f), s.end
	for header := s.end == 0; ; header = false {
		var game Record
		record, skipped, torn, err := r.Next(func(payload []byte) bool {
			if header {
				return s.header.read(payload)
			}
			return json.Unmarshal(payload, &game) == nil
		})
		switch {
		case err != nil:
			return err
		case header && (record == nil || skipped > 0):
			return ErrDamaged
		case skipped > 0 && !(record == nil && torn):
			s.damaged++
		}
		if record == nil {
			return nil
		}
		if s.end = from + r.At(); header {
			s.first = s.end
		} else {
			visit(span{s.end - int64(len(record)), len(record)}, &game)
		}
	}
}

// read reads the payload of a journal's first record; false if it is none.
func (h *header) read(payload []byte) bool {
	text, ok := bytes.CutPrefix(payload, []byte(journalText))
	return ok && json.Unmarshal(text, h) == nil
}

// game reads a game that is in the journal.
func (j *journal) game(number int) (*Record, error) {
	r, err := j.games[number].read(j.file)
	if err != nil {
		return nil, fmt.Errorf("reading game %d of the journal: %w", number+1, err)
	}
	return r, nil
}

// read reads the game of a record.
func (s span) read(f io.ReaderAt) (*Record, error) {
	payload := make([]byte, s.length-durable.RecordHead)
	if _, err := f.ReadAt(payload, s.at+durable.RecordHead); err != nil {
		return nil, err
	}
	var r Record
	return &r, json.Unmarshal(payload, &r)
}

// append writes a game.
func (j *journal) append(r *Record) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := j.Append(text); err != nil {
		return fmt.Errorf("game %d: %w", r.Number+1, err)
	}
	length := durable.RecordHead + len(text)
	j.games[r.Number] = span{j.end, length}
	j.end += int64(length)
	return nil
}
