package syzygy

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"talbot/internal/cache"
	"talbot/internal/durable"
	"talbot/internal/fault"
	"talbot/internal/ordered"
)

// ErrDamaged: a table is not what its generator wrote. Labelling gives up; playing does without the table.
var ErrDamaged = fault.New(fault.ExitDamaged, "damaged Syzygy table",
	"copy or download the table again, or take it out of the folder")

// Small is the number of pieces up to which tables are read at each start: they are a gigabyte in all.
const Small = 5

// Check says how tables are checked. The zero value reads them all.
type Check struct {
	// Memory is where it is kept which tables were read. Those of more than [Small] pieces that have not been touched
	// since are not read again, unless Again says so. Nil: nothing is kept.
	Memory *cache.Folder
	Reread bool
	// TimeLimit, if not 0, limits the time: what was read before is not read again, however small, and what cannot be
	// read in time is looked at from outside only.
	TimeLimit time.Duration
	// Progress, if not nil, gets the number of bytes read and their total, one call at a time.
	Progress func(done, total int64)
}

// Verdict is what was found out about tables.
type Verdict struct {
	Damaged []*Damage // by path
	Passed  []error   // entries of the path that are no folders
	Unread  []string  // names of tables that look right and were not read for want of time
}

// Err names what is damaged; nil if nothing is.
func (v *Verdict) Err() error {
	switch n := len(v.Damaged); n {
	case 0:
		return nil
	case 1:
		return v.Damaged[0]
	default:
		return fmt.Errorf("%w (and %d more)", v.Damaged[0], n-1)
	}
}

// Notes says what a player is to know of the tables that it plays with.
func (v *Verdict) Notes() (lines []string) {
	for _, err := range v.Passed {
		lines = append(lines, err.Error())
	}
	for _, d := range v.Damaged {
		lines = append(lines, fmt.Sprintf("playing without a table: %v", d))
	}
	switch n := len(v.Unread); n {
	case 0:
	case 1:
		lines = append(lines, "1 table was not checked for want of time: "+v.Unread[0])
	default:
		lines = append(lines, fmt.Sprintf("%d tables were not checked for want of time, such as %s", n, v.Unread[0]))
	}
	return lines
}

// Damage is an [ErrDamaged] of a file.
type Damage struct{ Path, Name, Reason string }

// Error names the file and says what is wrong.
func (d *Damage) Error() string { return fmt.Sprintf("%v: %q: %s", ErrDamaged, d.Path, d.Reason) }

// Unwrap makes it an [ErrDamaged].
func (d *Damage) Unwrap() error { return ErrDamaged }

// Check reads the tables and says which are damaged. An error is one of reading, or the end of ctx.
func (s *Set) Check(ctx context.Context, c Check) (Verdict, error) {
	key, known := s.cached(c.Memory)
	var todo []*Table // smallest first, so that as many as can be are read
	for i := range s.Tables {
		t := &s.Tables[i]
		f, ok := known[absolute(t.Path)]
		switch {
		case t.reason != "":
		case ok && !c.Reread && (c.TimeLimit > 0 || t.Material.Pieces() > Small) && f.Stamp == t.stamp &&
			t.stamp != (durable.Stamp{}):
			t.read, t.reason = true, f.Reason
		default:
			todo = append(todo, t)
		}
	}
	slices.SortStableFunc(todo, func(a, b *Table) int { return cmp.Compare(a.size, b.size) })
	reading := ctx
	if c.TimeLimit > 0 {
		var cancel context.CancelFunc
		reading, cancel = context.WithTimeout(ctx, c.TimeLimit)
		defer cancel()
	}
	news, err := verify(reading, todo, c.Progress)
	maps.Copy(known, news)
	if text, err := json.Marshal(known); err == nil && len(news) > 0 {
		c.Memory.Put(key, text)
	}
	if ctx.Err() != nil {
		return Verdict{}, ctx.Err()
	}
	if err != nil && reading.Err() == nil {
		return Verdict{}, fmt.Errorf("checking Syzygy tables: %w", err)
	}
	return s.verdict(), nil
}

// verify reads tables, several at a time, until ctx ends. It returns what may be kept of what it found, by path.
func verify(ctx context.Context, tables []*Table, progress func(done, total int64)) (map[string]finding, error) {
	total, largest := int64(0), int64(1)
	for _, t := range tables {
		total, largest = total+t.size, max(largest, t.size)
	}
	var mu sync.Mutex
	var sum int64
	news := map[string]finding{}
	done := func(n int64) {
		mu.Lock()
		defer mu.Unlock()
		if sum += n; progress != nil {
			progress(sum, total)
		}
	}
	workers := max(min(runtime.GOMAXPROCS(0), len(tables)), 1)
	chunks := make([][]byte, workers)
	return news, ordered.All(ctx, len(tables), workers, func(worker, i int) error {
		if chunks[worker] == nil {
			chunks[worker] = make([]byte, min(largest, chunkBytes))
		}
		t := tables[i]
		found, settled, err := t.verify(ctx, chunks[worker], done)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		if t.read, t.reason = true, found.Reason; settled {
			news[absolute(t.Path)] = found
		}
		return nil
	})
}

// verdict collects what was found out.
func (s *Set) verdict() (v Verdict) {
	for i := range s.Tables {
		switch t := &s.Tables[i]; {
		case t.reason != "":
			v.Damaged = append(v.Damaged, &Damage{Path: t.Path, Name: t.Name(), Reason: t.reason})
		case !t.read:
			v.Unread = append(v.Unread, t.Name())
		}
	}
	slices.SortFunc(v.Damaged, func(a, b *Damage) int { return strings.Compare(a.Path, b.Path) })
	return v
}

// cached returns the findings of earlier runs about the tables in the same folders, by their paths, and their key.
func (s *Set) cached(in *cache.Folder) (key string, found map[string]finding) {
	parts := []string{"syzygy tables", "2"}
	for _, dir := range s.folders {
		parts = append(parts, absolute(dir))
	}
	key, found = cache.Key(parts...), map[string]finding{}
	if text, ok := in.Get(key); ok && json.Unmarshal(text, &found) != nil {
		found = map[string]finding{}
	}
	return key, found
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}
