package match

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"talbot/internal/durable"
	"talbot/internal/output"
	"talbot/play/match/stats"
)

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
	h, err := readHeader(filepath.Join(dir, JournalFile))
	if errors.Is(err, fs.ErrNotExist) {
		return found, nil
	}
	if err != nil {
		return found, err
	}
	files, err := m.files()
	if err != nil {
		return found, err
	}
	found.State, found.Busy = output.Interrupted, AtWork(dir)
	found.Differences = output.Compare(h.Facts, m.facts())
	if path, changed := h.Files.changed(files); changed {
		found.Differences = append(found.Differences, output.Difference{Name: "file " + path, Have: h.Files[path],
			Want: files[path]})
	}
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

// readHeader reads what a journal begins with.
func readHeader(path string) (h header, err error) {
	f, err := durable.OpenRegular(path)
	if err != nil {
		return h, err
	}
	defer f.Close()
	r := durable.NewRecordReader(io.LimitReader(f, durable.RecordHead+durable.MaxRecord))
	record, skipped, _, err := r.Next(h.read)
	if err == nil && (record == nil || skipped > 0) {
		err = fmt.Errorf("%q: %w", path, ErrDamaged)
	}
	return h, err
}
