package output

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"talbot/internal/durable"
)

// file is a file to be made with n=value.
func file(path, value string, e Existing) File {
	return File{Path: path, Existing: e, Facts: []Fact{{"n", value}}}
}

// make makes it: a megabyte of the value.
func (f File) make() error {
	return f.Make(func(w *durable.AtomicFile) error {
		for range 64 {
			if _, err := w.Write([]byte(strings.Repeat(f.Facts[0].Value, 16<<10))); err != nil {
				return err
			}
		}
		return nil
	})
}

// valueOf returns the value that a file was made with: "" without a file, "mixed" if it is not whole.
func valueOf(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return ""
	case err != nil:
		t.Fatal(err)
	case len(text) != 1<<20 || strings.Trim(string(text), string(text[:1])) != "":
		return "mixed"
	}
	return string(text[:1])
}

// Each state of a file and its record, with each policy.
func TestFile(t *testing.T) {
	made := func(value string) func(path string) error {
		return func(path string) error { return file(path, value, Skip).make() }
	}
	plainly := func(path string) error { return file(path, "1", Refuse).make() }
	mine := func(path string) error { return os.WriteFile(path, []byte("mine"), 0o666) }
	broken := func(path string) error {
		text, err := os.ReadFile(path + recordSuffix)
		if err != nil {
			return err
		}
		text[len(text)/2] ^= 1
		return os.WriteFile(path+recordSuffix, text, 0o666)
	}
	forced := func(path string) error { return file(path, "2", Refuse).make() }
	for _, x := range []struct {
		name   string
		before []func(path string) error
		policy Existing
		force  bool
		err    error
		says   string
	}{
		{"absent", nil, Skip, false, nil, ""},
		{"the same", []func(string) error{made("1")}, Skip, false, ErrDone, ""},
		{"the same, to be replaced", []func(string) error{made("1")}, Replace, false, ErrDone, ""},
		{"another", []func(string) error{made("2")}, Skip, false, ErrDifferent, "n: 2, not 1"},
		{"another, replaced", []func(string) error{made("2")}, Replace, false, nil, ""},
		{"without a record", []func(string) error{plainly}, Skip, false, ErrDifferent, "unknown"},
		{"without a record, to be replaced", []func(string) error{mine}, Replace, false, ErrForeign, "unknown"},
		{"without a record, by force", []func(string) error{mine}, Replace, true, nil, ""},
		{"others' bytes", []func(string) error{made("1"), mine}, Skip, false, ErrDifferent, "content: SHA-256"},
		{"others' bytes, to be replaced", []func(string) error{made("1"), mine}, Replace, false, ErrForeign, "content"},
		{"overwritten by force", []func(string) error{made("1"), forced}, Skip, false, ErrDifferent, "unknown"},
		{"a damaged record", []func(string) error{made("1"), broken}, Skip, false, durable.ErrChanged, ""},
		{"a damaged record, by force", []func(string) error{made("2"), broken}, Replace, true, nil, ""},
		{"no policy", []func(string) error{made("2")}, Refuse, false, nil, ""},
	} {
		t.Run(x.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "file")
			for _, do := range x.before {
				if err := do(path); err != nil {
					t.Fatal(err)
				}
			}
			before, _ := os.ReadFile(path)
			f := file(path, "1", x.policy)
			f.Force = x.force
			err := f.make()
			if !errors.Is(err, x.err) || err != nil && !strings.Contains(err.Error(), x.says) {
				t.Fatal(err)
			}
			if err == nil && valueOf(t, path) != "1" {
				t.Errorf("it has %q", valueOf(t, path))
			}
			if after, _ := os.ReadFile(path); err != nil && string(after) != string(before) {
				t.Error("it has changed")
			}
			if again := file(path, "1", Skip).make(); err == nil && x.policy != Refuse && !errors.Is(again, ErrDone) {
				t.Error(again)
			}
		})
	}
}

// What a failed write leaves is nothing, and what a killed one leaves is removed.
func TestFileLeftovers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	failed := errors.New("no result")
	if err := (File{Path: path}).Make(func(*durable.AtomicFile) error { return failed }); !errors.Is(err, failed) {
		t.Error(err)
	}
	killed, err := durable.CreateAtomic(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(path, []byte("1")); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
		t.Error(entries, err)
	}
	if err := killed.Commit(); err == nil {
		t.Error("what was removed was committed")
	}
}
