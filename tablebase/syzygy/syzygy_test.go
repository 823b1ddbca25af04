package syzygy_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"talbot/internal/cache"
	"talbot/internal/testkit"
	"talbot/internal/testkit/shareddata"
	"talbot/tablebase/syzygy"
)

// found returns the set in a folder.
func found(t *testing.T, dir string) *syzygy.Set {
	t.Helper()
	s := testkit.Value(syzygy.Find(dir))(t)
	return s
}

// verdict checks the tables in a folder.
func verdict(t *testing.T, dir string, c syzygy.Check) (syzygy.Verdict, *syzygy.Set) {
	t.Helper()
	s := found(t, dir)
	v := testkit.Value(s.Check(t.Context(), c))(t)
	return v, s
}

// TestReal: all tables of 3 and 4 pieces are intact.
func TestReal(t *testing.T) {
	shared := shareddata.Path(t, "syzygy")
	v, s := verdict(t, shared, syzygy.Check{})
	if len(v.Damaged)+len(v.Unread) > 0 || len(s.Tables) != 70 || s.Pieces() != 4 {
		t.Errorf("%+v, %d tables of up to %d pieces", v, len(s.Tables), s.Pieces())
	}
	// None is read.
	v, _ = verdict(t, shared, syzygy.Check{TimeLimit: 1})
	if len(v.Damaged) > 0 || len(v.Unread) != 70 {
		t.Errorf("from outside: %+v", v)
	}
}

// TestFlips: a bit that is flipped anywhere in a table is found; so is a file cut, longer or of another name.
func TestFlips(t *testing.T) {
	shared := shareddata.Path(t, "syzygy")
	files := found(t, shared).Tables
	dir := t.TempDir()
	r := rand.New(rand.NewPCG(1, 2))
	tries := 0
	try := func(what, name string, text []byte) {
		t.Helper()
		path := filepath.Join(dir, name)
		syzygy.Write(t, dir, "KQRBvKQ.rtbw") // so that there is a table
		testkit.OK(t, os.WriteFile(path, text, 0o666))
		tries++
		if v, _ := verdict(t, dir, syzygy.Check{}); len(v.Damaged) != 1 || v.Damaged[0].Name != name ||
			!errors.Is(v.Err(), syzygy.ErrDamaged) || !strings.Contains(v.Err().Error(), path) {
			t.Errorf("%s, %s: %+v", name, what, v)
		}
		testkit.OK(t, os.Remove(path))
	}
	for i := range files {
		text := testkit.Value(os.ReadFile(files[i].Path))(t)
		name := files[i].Name()
		for _, at := range []int{r.IntN(len(text)), r.IntN(len(text)), r.IntN(16), r.IntN(len(text)),
			len(text) - 1 - r.IntN(16)} {
			bad := bytes.Clone(text)
			bad[at] ^= 1 << r.IntN(8)
			try("a flipped bit", name, bad)
		}
		try("cut by a block", name, text[:len(text)-64])
		try("cut", name, text[:r.IntN(len(text))])
		try("longer", name, append(bytes.Clone(text), make([]byte, 64)...))
		try("zeros", name, make([]byte, len(text)))
		other := files[(i+2)%len(files)].Name()
		try("under another name", other, text)
	}
	t.Log(tries, "damaged files")
}

// large are names of tables of more pieces than are read at each start.
var large = []string{"KQRBvKR.rtbw", "KQRBvKR.rtbz", "KQRPvKRP.rtbw"}

// flip flips a bit of a file and gives it its times again, as damage below the file system would leave it.
func flip(t *testing.T, path string, at int) {
	t.Helper()
	info := testkit.Value(os.Stat(path))(t)
	f := testkit.Value(os.OpenFile(path, os.O_RDWR, 0))(t)
	var b [1]byte
	if _, err := f.ReadAt(b[:], int64(at)); err != nil {
		t.Fatal(err)
	}
	b[0] ^= 4
	if _, err := f.WriteAt(b[:], int64(at)); err != nil {
		t.Fatal(err)
	}
	testkit.OK(t, f.Close())
	testkit.OK(t, os.Chtimes(path, info.ModTime(), info.ModTime()))
}

// reads counts the bytes that a check reads.
func reads(t *testing.T, dir string, c syzygy.Check) (int64, syzygy.Verdict, string) {
	t.Helper()
	var last int64
	c.Progress = func(done, total int64) { last = max(last, total) }
	v, s := verdict(t, dir, c)
	return last, v, s.Identity()
}

// TestRemembered: larger tables are read once, and again when they were touched or that is asked for; small ones are
// always read. A damaged table stays known as one. Damage of a remembered file is not invisible for a full check.
func TestRemembered(t *testing.T) {
	dir := t.TempDir()
	memory := cache.New(t.TempDir())
	small := []string{"KQRvKR.rtbw", "KRvK.rtbw"}
	syzygy.Write(t, dir, append(large, small...)...)
	old := filepath.Join(dir, large[1])
	flip(t, old, 100)
	settle()
	const each = 3*64 + 16
	quick := syzygy.Check{Memory: memory, TimeLimit: time.Minute}
	usual := syzygy.Check{Memory: memory}
	for i, c := range []struct {
		check syzygy.Check
		files int64
	}{{usual, 5}, {usual, 2}, {quick, 0}, {syzygy.Check{Memory: memory, Reread: true}, 5}, {usual, 2},
		{syzygy.Check{}, 5}} {
		n, v, _ := reads(t, dir, c.check)
		if n != c.files*each || len(v.Damaged) != 1 || v.Damaged[0].Path != old {
			t.Errorf("check %d: %d bytes, %+v", i, n, v)
		}
	}
	testkit.OK(t, os.WriteFile(old, syzygy.Content(t, large[1]), 0o666))
	if n, v, _ := reads(t, dir, usual); n != 3*each || len(v.Damaged) != 0 {
		t.Errorf("made whole: %d bytes, %+v", n, v)
	}
	flip(t, filepath.Join(dir, large[0]), 100)
	if n, v, _ := reads(t, dir, usual); n < 3*each || len(v.Damaged) != 1 {
		t.Errorf("damaged again: %d bytes, %+v", n, v)
	}
}

// settle waits until changes of files that were just written would show in their times.
func settle() { time.Sleep(2100 * time.Millisecond) }

// TestIdentity: the identity is that of the content, not of the folders.
func TestIdentity(t *testing.T) {
	a, b, c := t.TempDir(), t.TempDir(), t.TempDir()
	syzygy.Write(t, a, "KRvK.rtbw", "KQvK.rtbw", "KQRBvKR.rtbw")
	syzygy.Write(t, b, "KRvK.rtbw")
	syzygy.Write(t, c, "KQRBvKR.rtbw", "KQvK.rtbw", "KRvK.rtbw")
	if err := os.WriteFile(filepath.Join(c, "KRvK.rtbw"), nil, 0o666); err != nil { // the second of its name
		t.Fatal(err)
	}
	_, one, first := reads(t, a, syzygy.Check{})
	_, two, second := reads(t, b+string(os.PathListSeparator)+c, syzygy.Check{})
	if len(one.Damaged)+len(two.Damaged) > 0 || first != second {
		t.Errorf("%+v %s, %+v %s", one, first, two, second)
	}
	other := bytes.Clone(syzygy.Content(t, "KRvK.rtbw"))
	other = other[:len(other)-16]
	other[60]++
	testkit.OK(t, os.WriteFile(filepath.Join(b, "KRvK.rtbw"), syzygy.Seal(other), 0o666))
	if _, v, third := reads(t, b+string(os.PathListSeparator)+c, syzygy.Check{}); len(v.Damaged) > 0 ||
		third == second {
		t.Errorf("another table of the same name and size: %+v %s", v, third)
	}
}

// TestHurry: in a hurry, what cannot be read is looked at from outside.
func TestHurry(t *testing.T) {
	dir := t.TempDir()
	syzygy.Write(t, dir, append(large, "KRvK.rtbw")...)
	testkit.OK(t, os.Truncate(filepath.Join(dir, "KRvK.rtbw"), 100))
	v, _ := verdict(t, dir, syzygy.Check{TimeLimit: 1})
	if len(v.Damaged) != 1 || v.Damaged[0].Name != "KRvK.rtbw" || !slices.Equal(v.Unread, large) {
		t.Errorf("%+v", v)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := found(t, dir).Check(ctx, syzygy.Check{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestIntact: what is damaged is not there any more, and the others are.
func TestIntact(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", t.TempDir())
	syzygy.Write(t, dir, append(large, "KRvK.rtbw")...)
	flip(t, filepath.Join(dir, large[0]), 70)
	if _, err := syzygy.Open(t.Context(), dir, syzygy.Check{}); !errors.Is(err, syzygy.ErrDamaged) {
		t.Error(err)
	}
	flip(t, filepath.Join(dir, large[2]), 70)
	s, v, err := syzygy.OpenIntact(t.Context(), dir, syzygy.Check{})
	if err != nil {
		t.Fatal(err)
	}
	again := found(t, s.Path())
	if len(v.Damaged) != 2 || len(again.Tables) != 2 || again.Pieces() != 3 || s.Pieces() != 3 {
		t.Errorf("%+v, %+v", v, again.Tables)
	}
	if changed, err := s.Changed(); err != nil || changed {
		t.Errorf("%v, %v", changed, err)
	}
	flip(t, filepath.Join(dir, "KRvK.rtbw"), 70)
	if changed, err := s.Changed(); err != nil || !changed {
		t.Errorf("%v, %v", changed, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
	if _, _, err := syzygy.OpenIntact(t.Context(), dir, syzygy.Check{}); !errors.Is(err, syzygy.ErrNone) {
		t.Error(err)
	}
}

// TestPath: entries of a path that are no folders cost the others nothing, and each is named.
func TestPath(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	none, file := filepath.Join(dir, "none"), filepath.Join(dir, "f")
	for _, d := range []string{a, b} {
		testkit.OK(t, os.Mkdir(d, 0o777))
	}
	syzygy.Write(t, a, large...)
	syzygy.Write(t, b, "KRvK.rtbw")
	testkit.OK(t, os.WriteFile(file, nil, 0o666))
	for _, c := range []struct {
		path   []string
		tables int
		named  []string
	}{
		{[]string{a, b}, len(large) + 1, nil},
		{[]string{a, ""}, len(large), []string{"entry 2"}},
		{[]string{"", a}, len(large), []string{"entry 1"}},
		{[]string{a, "", b}, len(large) + 1, []string{"entry 2"}},
		{[]string{"", a, "", b, ""}, len(large) + 1, []string{"entry 1", "entry 3", "entry 5"}},
		{[]string{none, b}, 1, []string{none}},
		{[]string{b, none, file, a}, len(large) + 1, []string{none, file}},
		{[]string{none, ""}, 0, []string{none, "entry 2"}},
		{[]string{none}, 0, []string{none}},
	} {
		path := strings.Join(c.path, string(filepath.ListSeparator))
		s, v, err := syzygy.OpenIntact(t.Context(), path, syzygy.Check{})
		said := fmt.Sprint(err)
		if (err == nil) != (c.tables > 0) || err == nil && len(s.Tables) != c.tables {
			t.Errorf("%q: %v", path, err)
		}
		if err == nil {
			notes := v.Notes()
			if said = strings.Join(notes, "\n"); len(notes) != len(c.named) {
				t.Errorf("%q: %q", path, notes)
			}
			if changed, err := s.Changed(); changed || err != nil {
				t.Errorf("%q: %v, %v", path, changed, err)
			}
		}
		_, strict := syzygy.Open(t.Context(), path, syzygy.Check{})
		if (strict == nil) != (c.named == nil) {
			t.Errorf("%q: %v", path, strict)
		}
		for _, name := range c.named {
			if !strings.Contains(said, name) || !strings.Contains(strict.Error(), name) {
				t.Errorf("%q: nothing names %q: %q, %v", path, name, said, strict)
			}
		}
	}
}
