package match

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"talbot/internal/durable"
	"talbot/internal/output"
)

// facts are what decides the games of a match but their number, without the files of players. A sequential test and
// concurrency do not: they may be others when the match is continued.
func (m *Match) facts() []output.Fact {
	var all []output.Fact
	add := func(name, format string, values ...any) {
		all = append(all, output.Fact{Name: name, Value: fmt.Sprintf(format, values...)})
	}
	for _, e := range m.Entrants {
		add("player", "%s: %s, limit %s", e.Name, e.Identity, e.Limits)
	}
	add("seed", "%d", m.Seed)
	add("timemargin", "%v", m.Margin)
	add("rules", "%s", m.Rules.String())
	add("syzygy", "%s", m.Rules.Tables)
	if j := m.Rules.Judge; j != nil {
		add("judge", "%s, limit %s", j.Identity, j.Limits)
	}
	h := sha256.New()
	m.Openings.hash(h)
	add("openings", "%d (SHA-256 %.32s)", len(m.Openings.List), hex.EncodeToString(h.Sum(nil)))
	return all
}

// inspect compares what exists in a folder with the match that is asked for. The number of games and the sequential
// test make no other match: with more or fewer games, or another test, an existing one is continued.
func (m *Match) inspect(dir string) (found output.Found, err error) {
	if found.Foreign, err = foreignFiles(dir); err != nil {
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
		found.Differences = append(found.Differences,
			output.Difference{Name: "file " + path, Have: h.Files[path], Want: files[path]})
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
	return r.Games == m.total() || r.SPRT.Decision != "undecided" && r.Games < m.total()
}

// readHeader reads what a journal begins with.
func readHeader(path string) (h header, err error) {
	f, err := durable.OpenRegular(path)
	if err != nil {
		return h, err
	}
	defer f.Close()
	r := durable.NewRecordReader(io.LimitReader(f, durable.RecordHead+durable.MaxRecord))
	record, skipped, _, err := r.Next(func(payload []byte) bool {
		text, ok := bytes.CutPrefix(payload, []byte(journalText))
		return ok && json.Unmarshal(text, &h) == nil
	})
	if err == nil && (record == nil || skipped > 0) {
		err = fmt.Errorf("%q: %w", path, ErrDamaged)
	}
	return h, err
}

// foreignFiles lists the files in a folder that are not of a match.
func foreignFiles(dir string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	own := []string{PGNFile, JournalFile, ResultFile, PageFile, lockFile, logFolder}
	for _, e := range entries {
		if !slices.Contains(own, durable.WithoutTemp(e.Name())) {
			names = append(names, e.Name())
		}
	}
	return names, nil
}
