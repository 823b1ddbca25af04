// Package syzygy tells whether the files of Syzygy endgame tables are intact.
//
// A program that reads a damaged table gives wrong results without an error, so tables are checked before they are
// read. [Find] lists the tables in the folders of a path, and [Set.Check] tells which of them are damaged. Each file
// ends in a checksum of 16 bytes over all the others, which the generator of the tables wrote. It protects against
// accidents, not against somebody who writes a table with a matching checksum.
//
// The package reads no positions from tables; that is left to an engine. The goroutines that it starts end before it
// returns.
package syzygy

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"talbot/board"
	"talbot/internal/durable"
	"talbot/internal/fault"
)

// ErrNone: there are no tables.
var ErrNone = fault.New(fault.ExitFailed, "no Syzygy tables",
	"give a folder with the .rtbw and .rtbz files of Syzygy tables, and an --engine that reads them, such as Stockfish")

// Suffixes of the files: results, and distances to the next capture or pawn move.
const (
	resultSuffix   = ".rtbw"
	distanceSuffix = ".rtbz"
)

// Table is a file of tables.
type Table struct {
	Path     string
	Material board.Material
	size     int64
	stamp    durable.Stamp // of the file as it was found; the zero value where the system has none
	checksum string        // that is stored in it, 32 hex digits
	reason   string        // why it is damaged; empty: it is not, as far as it was read
	read     bool
}

// Name is that of the file: "KRvK.rtbw".
func (t *Table) Name() string { return filepath.Base(t.Path) }

// results reports whether the table holds results, without which nothing of its material is known.
func (t *Table) results() bool { return filepath.Ext(t.Path) == resultSuffix }

// Set is all tables that an engine finds on a path.
type Set struct {
	Tables  []Table // by name
	folders []string
	links   string  // a folder of our own, or ""
	bad     []error // entries of the path that are no folders
}

// Find returns the tables in the folders of a path, which are separated as in PATH. Of several of a name the first
// counts, as it does for engines. Entries that are no folders are passed over, and [OpenIntact] names them. No table of
// results is [ErrNone].
func Find(path string) (*Set, error) {
	if strings.ContainsAny(path, "\r\n") { // it would end the engine's command
		return nil, fmt.Errorf("%q: %w: the path contains a line break", path, ErrNone)
	}
	s := &Set{}
	found := map[string]bool{}
	for i, dir := range filepath.SplitList(path) {
		entries, err := os.ReadDir(dir)
		if dir == "" {
			err = fmt.Errorf("entry %d of %q is empty", i+1, path)
		}
		if err != nil {
			s.bad = append(s.bad, fmt.Errorf("reading Syzygy tables: %w", err))
			continue
		}
		s.folders = append(s.folders, dir)
		for _, e := range entries {
			suffix := filepath.Ext(e.Name())
			m, err := board.ParseMaterial(strings.TrimSuffix(e.Name(), suffix))
			if suffix != resultSuffix && suffix != distanceSuffix || err != nil || found[e.Name()] {
				continue
			}
			t := Table{Path: filepath.Join(dir, e.Name()), Material: m}
			if err := t.look(); err != nil {
				return nil, fmt.Errorf("reading Syzygy tables: %w", err)
			}
			found[e.Name()] = true
			s.Tables = append(s.Tables, t)
		}
	}
	switch {
	case s.folders == nil && s.bad != nil:
		return nil, errors.Join(s.bad...)
	case s.Pieces() == 0:
		return nil, errors.Join(append(s.bad, fmt.Errorf("%q: %w: no files such as KRvK.rtbw", s.folders, ErrNone))...)
	}
	slices.SortFunc(s.Tables, func(a, b Table) int { return cmp.Compare(a.Name(), b.Name()) })
	return s, nil
}

// Pieces is the number of pieces, kings included, of the largest table of results; 0: there is none.
func (s *Set) Pieces() (most int) {
	for i := range s.Tables {
		if t := &s.Tables[i]; t.results() {
			most = max(most, t.Material.Pieces())
		}
	}
	return most
}

// Identity is the first 16 hex digits of the SHA-256 over the lines "NAME CHECKSUM" of all tables, by name. It stands
// for their content if they are intact.
func (s *Set) Identity() string {
	h := sha256.New()
	for i := range s.Tables {
		fmt.Fprintf(h, "%s %s\n", s.Tables[i].Name(), s.Tables[i].checksum)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// Changed reports whether the files are not those that were found, as far as their names, sizes and times show it.
func (s *Set) Changed() (bool, error) {
	now, err := Find(s.Path())
	if err != nil {
		return false, err
	}
	return !slices.EqualFunc(s.Tables, now.Tables, func(a, b Table) bool {
		return a.Path == b.Path && a.size == b.size && a.stamp == b.stamp
	}), nil
}

// Open finds the tables on a path and checks them. The first that is damaged is the error, or an entry of the path that
// is no folder.
func Open(ctx context.Context, path string, c Check) (*Set, error) {
	s, err := Find(path)
	if err == nil {
		err = errors.Join(s.bad...)
	}
	if err != nil {
		return nil, err
	}
	v, err := s.Check(ctx, c)
	if err == nil {
		err = v.Err()
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// OpenIntact is Open for callers that can do without damaged tables: the set has the others, and the verdict says which
// are missing. The caller closes the set.
func OpenIntact(ctx context.Context, path string, c Check) (*Set, Verdict, error) {
	s, err := Find(path)
	if err != nil {
		return nil, Verdict{}, err
	}
	v, err := s.Check(ctx, c)
	v.Passed = s.bad
	if err == nil && len(v.Damaged) > 0 {
		s, err = s.without(v.Damaged)
	}
	return s, v, err
}

// without returns the set without some tables, as links to the others in a temporary folder.
func (s *Set) without(damaged []*Damage) (rest *Set, err error) {
	rest = &Set{}
	for _, t := range s.Tables {
		if !slices.ContainsFunc(damaged, func(d *Damage) bool { return d.Path == t.Path }) {
			rest.Tables = append(rest.Tables, t)
		}
	}
	if rest.Pieces() == 0 {
		return nil, fmt.Errorf("%q: %w: all are damaged", s.folders, ErrNone)
	}
	if rest.links, err = os.MkdirTemp("", "talbot-tables-"); err != nil {
		return nil, fmt.Errorf("leaving out damaged tables: %w", err)
	}
	rest.folders = []string{rest.links}
	for i := range rest.Tables {
		t := &rest.Tables[i]
		from := absolute(t.Path)
		t.Path = filepath.Join(rest.links, t.Name())
		if err := os.Symlink(from, t.Path); err != nil {
			return nil, errors.Join(fmt.Errorf("leaving out damaged tables: %w", err), rest.Close())
		}
	}
	return rest, nil
}

// Path is where an engine finds the tables: their folders, separated as in PATH.
func (s *Set) Path() string { return strings.Join(s.folders, string(filepath.ListSeparator)) }

// Close removes what was made to leave out damaged tables. No engine may be reading the set any more.
func (s *Set) Close() error {
	if s.links == "" {
		return nil
	}
	return os.RemoveAll(s.links)
}
