package match

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"talbot/internal/durable"
	"talbot/internal/output"
	"talbot/play/match/stats"
)

// The files of a match's folder.
const (
	PGNFile     = "games.pgn"     // all games in order
	JournalFile = "games.journal" // all games in the order in which they ended; what the PGN is made of
	ResultFile  = "result.json"
	PageFile    = "report.html" // the match as a page
	lockFile    = "match.lock"
	logFolder   = "logs" // of engines, a file for each player
)

// maxResult is the largest result.json that is read, in bytes.
const maxResult = 16 << 20

// IsMatch reports whether a folder holds a match, or what is left of one, by the names in it.
func IsMatch(names []string) bool {
	return slices.Contains(names, JournalFile) || slices.Contains(names, ResultFile) && slices.Contains(names, PGNFile)
}

// ReadResult reads the result of a match that is over; [fs.ErrNotExist] while it is played.
func ReadResult(dir string) (*Result, error) {
	path := filepath.Join(dir, ResultFile)
	text, err := durable.ReadFile(path, maxResult)
	if err != nil {
		return nil, err
	}
	var r Result
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("%q: %w", path, err)
	}
	return &r, nil
}

// AtWork reports whether a match is being played in a folder now, for messages.
func AtWork(dir string) bool { return durable.Locked(filepath.Join(dir, lockFile)) }

// folder is the folder of a match being played.
type folder struct {
	dir     string
	lock    *durable.HeldLock
	journal *journalWriter
	pgn     *durable.File
	logs    []*os.File
}

// openFolder makes the folder of a match, or takes it up again with the games that it has.
func openFolder(m *Match) (*folder, error) {
	if err := os.MkdirAll(m.Out, 0o777); err != nil {
		return nil, err
	}
	f := &folder{dir: m.Out}
	var err error
	if f.lock, err = durable.Lock(f.path(lockFile)); err != nil {
		return nil, fmt.Errorf("%q: %w", m.Out, err)
	}
	if err := f.open(m); err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

// open opens the journal and the PGN of a folder that is locked.
func (f *folder) open(m *Match) error {
	found, err := f.survey()
	if err != nil {
		return err
	}
	if found && !m.Resume {
		return fmt.Errorf("%q: %w", m.Out, ErrExists)
	}
	h, err := m.header()
	if err != nil {
		return err
	}
	if f.journal, err = openJournal(f.path(JournalFile), found, &h, m.total(), m.Warn); err != nil {
		return err
	}
	f.pgn, err = durable.Open(f.path(PGNFile), os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	return err
}

func (f *folder) path(name string) string { return filepath.Join(f.dir, name) }

// survey reports whether the folder has a journal; without one it must hold nothing of somebody else's.
func (f *folder) survey() (journal bool, err error) {
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		return false, err
	}
	other := ""
	for _, e := range entries {
		switch name := e.Name(); {
		case name == JournalFile:
			journal = true
		case name == lockFile || strings.HasSuffix(name, durable.TempSuffix):
		default:
			other = name
		}
	}
	if !journal && other != "" {
		return false, fmt.Errorf("%q contains %q: %w", f.dir, other, ErrOccupied)
	}
	return journal, nil
}

// log opens the log of a player.
func (f *folder) log(name string, all bool) (*EngineLog, error) {
	if err := os.MkdirAll(f.path(logFolder), 0o777); err != nil {
		return nil, err
	}
	safe := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("-_.#", c) {
			return c
		}
		return '_'
	}, name)
	safe = strings.TrimLeft(safe, ".")
	for base, n := safe, 2; slices.ContainsFunc(f.logs, func(other *os.File) bool {
		return filepath.Base(other.Name()) == safe+".log"
	}); n++ { // of another name, some letters of which no file has
		safe = fmt.Sprintf("%s-%d", base, n)
	}
	file, err := os.OpenFile(filepath.Join(f.path(logFolder), safe+".log"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return nil, err
	}
	f.logs = append(f.logs, file)
	return NewEngineLog(file, all), nil
}

// outdate removes the result of fewer games.
func (f *folder) outdate() error {
	if err := os.Remove(f.path(ResultFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// finish makes all that was written durable.
func (f *folder) finish() error {
	err := f.journal.Close()
	if syncErr := f.pgn.Sync(); syncErr != nil {
		err = errors.Join(err, fmt.Errorf("syncing %q: %w", f.path(PGNFile), syncErr))
	}
	return err
}

// close releases everything.
func (f *folder) close() {
	if f.journal != nil {
		_ = f.journal.Close()
	}
	if f.pgn != nil {
		_ = f.pgn.Close()
	}
	for _, l := range f.logs {
		_ = l.Close()
	}
	_ = os.Remove(f.path(lockFile))
	_ = f.lock.Close()
}

// header is what the journal of the match begins with.
func (m *Match) header() (h header, err error) {
	h = header{Facts: m.facts(), Began: time.Now().UTC().Truncate(time.Second), Event: m.Event, Rules: m.Rules.String()}
	for _, e := range m.Entrants {
		h.Players, h.Limits = append(h.Players, e.Name), append(h.Limits, e.Limits)
	}
	h.Files, err = m.files()
	return h, err
}

// facts are what decides the games of a match but their number and the files of its players, which may grow. A
// sequential test and concurrency are none: they may be others when the match is continued.
func (m *Match) facts() (all output.Facts) {
	for _, e := range m.Entrants {
		all.Add("player", "%s: %s, limit %s", e.Name, e.Identity, e.Limits)
	}
	all.Add("seed", "%d", m.Seed)
	all.Add("timemargin", "%v", m.Margin)
	all.Add("rules", "%s", m.Rules.String())
	all.Add("syzygy", "%s", m.Rules.Tables)
	if j := m.Rules.Judge; j != nil {
		all.Add("judge", "%s, limit %s", j.Identity, j.Limits)
	}
	h := sha256.New()
	m.Openings.hash(h)
	all.Add("openings", "%d (SHA-256 %x)", len(m.Openings.List), h.Sum(nil)[:16])
	return all
}

// inspect reports what exists in a folder, compared with the match that is asked for. The number of games and the
// sequential test make no other match: with more or fewer games, or another test, the existing one is taken up again.
func (m *Match) inspect(dir string) (found output.Found, err error) {
	own := []string{PGNFile, JournalFile, ResultFile, PageFile, lockFile, logFolder}
	if found.Foreign, err = output.ForeignFiles(dir, func(name string) bool {
		return slices.Contains(own, name)
	}); err != nil {
		return found, err
	}
	var j journal
	err = readJournal(filepath.Join(dir, JournalFile), durable.RecordHead+durable.MaxRecord, &j)
	if errors.Is(err, fs.ErrNotExist) {
		return found, nil
	}
	if err != nil {
		return found, err
	}
	want, err := m.header()
	if err != nil {
		return found, err
	}
	found.State, found.Busy = output.Interrupted, AtWork(dir)
	found.Differences = j.header.differences(&want)
	result, err := ReadResult(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return found, nil
	}
	if err != nil {
		return found, err
	}
	if _, err := os.Stat(filepath.Join(dir, PGNFile)); err == nil && m.over(result) {
		found.State, found.Result = output.Done, result
	}
	return found, nil
}

// over reports whether a result is that of all the games that are asked for.
func (m *Match) over(r *Result) bool {
	switch {
	case m.SPRT == nil:
		return r.SPRT == nil && r.Games == m.total()
	case r.SPRT == nil || r.SPRT.Model != m.SPRT.Model.String() || r.SPRT.Alpha != m.SPRT.Alpha ||
		r.SPRT.Beta != m.SPRT.Beta || r.SPRT.Bounds != [2]float64{m.SPRT.Low, m.SPRT.High}:
		return false
	}
	return r.Games == m.total() || r.SPRT.Decision != stats.Undecided && r.Games < m.total()
}
