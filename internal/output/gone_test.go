package output

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"talbot/board"
	"talbot/dataset"
)

// A folder that is moved away, or has another in its place, ends the command with that reason; nothing is written to
// the other one.
func TestOutputFolderGone(t *testing.T) {
	line := dataset.Line{Start: board.StartPosition()}
	for _, replaced := range []bool{false, true} {
		for name, then := range map[string]func(f *Folder) error{
			"a shard ends": (*Folder).EndShard,
			"it is marked": (*Folder).Mark,
			"it ends":      func(f *Folder) error { return f.Finish(nil) },
			"it is looked": (*Folder).Check,
		} {
			dir := filepath.Join(t.TempDir(), "out")
			f, err := Open(dataset.Manifest{Verb: "ingest", Splits: dataset.DefaultSplits}, nil,
				Options{Out: dir})
			if err != nil {
				t.Fatal(err)
			}
			if err := f.Write(&line); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(dir, dir+"-away"); err != nil {
				t.Fatal(err)
			}
			if replaced {
				if err := os.Mkdir(dir, 0o777); err != nil {
					t.Fatal(err)
				}
			}
			if err := then(f); !errors.Is(err, ErrGone) {
				t.Errorf("%s, replaced %v: %v", name, replaced, err)
			}
			f.Close()
			if left, _ := os.ReadDir(dir); len(left) > 0 {
				t.Errorf("%s: %v was written to another folder", name, left)
			}
		}
	}
}
