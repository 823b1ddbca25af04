package pipeline_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/output"
	"talbot/internal/progress"
	"talbot/pipeline/endgames"
)

// A folder that is moved away, or has another in its place, ends the command with that reason; nothing is written to
// the other one.
func TestOutputFolderGone(t *testing.T) {
	line := dataset.Line{Start: board.StartPosition()}
	for _, replaced := range []bool{false, true} {
		for name, then := range map[string]func(f *output.Folder) error{
			"a shard ends": (*output.Folder).EndShard,
			"it is marked": (*output.Folder).Mark,
			"it ends":      func(f *output.Folder) error { return f.Finish(nil) },
			"it is looked": (*output.Folder).Check,
		} {
			dir := filepath.Join(t.TempDir(), "out")
			f, err := output.Open(dir, dataset.Manifest{Verb: "ingest", Splits: dataset.DefaultSplits}, nil,
				output.Options{})
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
			if err := then(f); !errors.Is(err, output.ErrGone) {
				t.Errorf("%s, replaced %v: %v", name, replaced, err)
			}
			f.Close()
			if left, _ := os.ReadDir(dir); len(left) > 0 {
				t.Errorf("%s: %v was written to another folder", name, left)
			}
		}
	}
}

// A verb that works for long says so at its next shard.
func TestDrawingIntoNoFolder(t *testing.T) {
	output.SmallShards(t, 50)
	dir := filepath.Join(t.TempDir(), "out")
	moved := false
	_, err := endgames.Request{Count: 20_000, Config: SynthMaterial(t, "KPPvKR"), Out: dir,
		Splits: dataset.DefaultSplits,
		Progress: func(progress.Progress) {
			if !moved {
				moved = os.Rename(dir, dir+"-away") == nil
			}
		}}.Run(t.Context())
	if !moved || !errors.Is(err, output.ErrGone) {
		t.Errorf("moved %v: %v", moved, err)
	}
}
