package match

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/durable"
)

// Watched is a match as its folder has it, for watching it while it is played and afterwards. It reads and never
// locks or writes. It belongs to one goroutine.
type Watched struct {
	dir     string
	journal             // as far as it was read
	found   os.FileInfo // the journal that was read
	stop    int         // games that count
	result  *Result
}

// Watch returns the match of a folder. Nothing is read before [Watched.Look].
func Watch(dir string) *Watched { return &Watched{dir: dir} }

// Began is when the match did.
func (w *Watched) Began() time.Time { return w.header.Began }

// Players are the names; the first one's view is that of all figures.
func (w *Watched) Players() []string { return w.header.Players }

// Damaged is the number of places of the journal that are not whole.
func (w *Watched) Damaged() int { return w.damaged }

// Look reads what has happened since the last look. Errors: [ErrDamaged], those of files ([fs.ErrNotExist] where
// there is no journal, as before the first game).
func (w *Watched) Look() error {
	f, err := durable.OpenRegular(filepath.Join(w.dir, JournalFile))
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if w.found == nil || !os.SameFile(w.found, info) || info.Size() < w.end {
		*w = Watched{dir: w.dir}
	}
	if w.end == 0 || w.end < info.Size() {
		if err := w.read(f, info.Size()-w.end); err != nil {
			return fmt.Errorf("%q: %w", f.Name(), err)
		}
	}
	w.found, w.result, w.stop = info, nil, len(w.outcomes)
	x, err := ReadResult(w.dir)
	if err == nil && x.Games+x.AfterStop == w.ended && len(x.Players) == len(w.Players()) {
		w.result = x
		if x.AfterStop > 0 {
			w.stop = min(x.Games, len(w.outcomes))
		}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Over reports whether the match has been played to its end.
func (w *Watched) Over() bool { return w.result != nil }

// entrants are the players as far as the folder names them.
func (w *Watched) entrants() []Entrant {
	all := make([]Entrant, len(w.Players()))
	for i := range all {
		all[i].Name = w.Players()[i]
		if i < len(w.header.Limits) {
			all[i].Limits = w.header.Limits[i]
		}
	}
	return all
}

// WriteFigures writes tables and charts of the games that have ended, as the page of the match has them, as a part of a
// page of HTML. playing says that more games are under way.
func (w *Watched) WriteFigures(out io.Writer, playing bool) error {
	x, _ := resultOf(w.entrants(), w.outcomes[:w.stop], len(w.Players()) > 2)
	played := "not finished"
	switch {
	case w.result != nil:
		played = "all played"
		x.SPRT, x.LLR = w.result.SPRT, w.result.LLR
		if x.SPRT != nil && x.LLR == nil {
			x.LLR = new(Number(math.NaN()))
		}
		if len(w.result.Ratings) == len(w.Players()) {
			x.Ratings = w.result.Ratings
		}
		for i, p := range w.result.Players {
			x.Players[i].Limit = p.Limit
		}
	case playing:
		played = "so far"
	}
	return x.page(w.outcomes[:w.stop], played).WritePart(out)
}

// Ended is a game that has ended, in a line.
type Ended struct {
	Number       int // from 0
	White, Black string
	Result       dataset.Result
	Points       int    // of the first player, in half points
	End          string // in words
	Fault        bool
	Plies        int
	Opening      string // what openings are grouped by
}

// Moves is the length of the game in moves.
func (e Ended) Moves() int { return (e.Plies + 1) / 2 }

// Games returns the games that have ended, in their order.
func (w *Watched) Games() []Ended {
	all, names := make([]Ended, 0, w.ended), w.Players()
	for _, o := range w.outcomes {
		if o == nil {
			continue
		}
		e := Ended{Number: o.number, White: names[o.players[board.White]], Black: names[o.players[board.Black]],
			Result: o.result, Points: o.points, End: endWords(o.end), Plies: o.plies, Opening: o.opening}
		if o.fault != nil {
			e.Fault, e.End = true, names[o.fault.Player]+": "+o.fault.Kind.Words()
		}
		all = append(all, e)
	}
	return all
}

func endWords(end End) string { return strings.ReplaceAll(string(end), "_", " ") }

// Game reads a game that has ended; [fs.ErrNotExist] if there is none of that number.
func (w *Watched) Game(number int) (*Record, error) {
	if number < 0 || number >= len(w.outcomes) || w.outcomes[number] == nil {
		return nil, fmt.Errorf("game %d: %w", number+1, fs.ErrNotExist)
	}
	f, err := durable.OpenRegular(filepath.Join(w.dir, JournalFile))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return w.game(f, number)
}

// WritePGN writes games that have ended as the match's PGN has them.
func (w *Watched) WritePGN(out io.Writer, games ...*Record) error {
	p := pgnWriter{entrants: w.entrants(), event: w.header.Event, date: w.Began(), rules: w.header.Rules}
	for _, g := range games {
		if err := p.write(out, g); err != nil {
			return err
		}
	}
	return nil
}
