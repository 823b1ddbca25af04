package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"talbot/dataset"
	"talbot/play/match"
)

// HumanName is the person's name in PGN.
const HumanName = "Human"

// PGN returns the game so far with the seven tags of the standard, the start where it is not the usual one, and after
// each move but those of its opening the time that it took. A game that is not over has the result "*".
func (s *Session) PGN() string {
	var g match.PGN
	names := [2]string{s.Player.Title(), s.Player.Title()}
	if names[s.Human] = HumanName; s.Partner != nil {
		names[s.Human] = s.Partner.Title()
	}
	began := s.began
	if began.IsZero() {
		began = time.Now()
	}
	result, end := s.Result()
	g.Roster("talbot play", "-", began, names, result)
	g.Tag("Time", began.Format("15:04:05"))
	g.Start(&s.Start)
	g.Tag("PlyCount", strconv.Itoa(len(s.moves)))
	g.Tag("TimeControl", "-")
	if result == dataset.ResultUnknown {
		g.Tag("Termination", "unterminated")
	} else {
		g.Tag("Termination", "normal")
		g.Tag("Ending", string(end))
	}
	g.Body()
	s.pgnMoves(&g, result)
	return g.String()
}

// pgnMoves writes the moves with their times, and the result.
func (s *Session) pgnMoves(g *match.PGN, result dataset.Result) {
	p := s.Start
	timed := false
	for i, m := range s.moves {
		g.Move(&p, m, i == 0 || timed)
		if timed = i >= s.opening && i < len(s.took); timed {
			seconds := int(s.took[i].Round(time.Second) / time.Second)
			g.Word(fmt.Sprintf("{[%%emt %d:%02d:%02d]}", seconds/3600, seconds/60%60, seconds%60))
		}
		p.Play(m)
	}
	g.Word(result.String())
}

// AppendPGN adds the game so far to the end of a file, which is made if missing. A game without moves is not
// written.
func (s *Session) AppendPGN(path string) (err error) {
	if len(s.moves) == 0 {
		return nil
	}
	if err := CheckPGN(path); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	text := s.PGN()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if n := info.Size(); n > 0 { // a game starts on a new line
		last := make([]byte, 1)
		if _, err := f.ReadAt(last, n-1); err != nil {
			return err
		}
		if last[0] != '\n' {
			text = "\n\n" + text
		}
	}
	if _, err := f.WriteString(text); err != nil {
		return err
	}
	return f.Sync()
}

// CheckPGN reports a path that no game can be appended to: an existing file that does not hold PGN.
func CheckPGN(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%q is not a file", path)
	case info.Size() == 0:
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	head := make([]byte, min(info.Size(), 512))
	if _, err := f.ReadAt(head, 0); err != nil {
		return err
	}
	text := strings.TrimLeft(strings.TrimPrefix(string(head), "\ufeff"), " \t\r\n")
	if text != "" && !strings.ContainsAny(text[:1], "[{;%1") {
		return fmt.Errorf("%q does not hold games in PGN", path)
	}
	return nil
}
