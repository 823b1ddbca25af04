package output

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"talbot/dataset"
	"talbot/internal/durable"
)

// Tool is the name and version that datasets are stamped with.
const Tool = "talbot 0.1.0"

// ProgressName is the file of a folder in which a dataset is being made.
const ProgressName = "progress.json"

// maxProgress is the largest progress.json that is read, in bytes.
const maxProgress = 128 << 20

// progressFile is the content of progress.json, which is written at the start and after each shard.
type progressFile struct {
	Version       int              `json:"version"`         // 1
	Command       string           `json:"command"`         // what decides the content; must be the same to resume
	ResumeCommand string           `json:"again,omitempty"` // the command line, for people
	Manifest      dataset.Manifest `json:"manifest"`        // as far as the work has come
	// Drafts are the shards as they were before the last pass over them, and Final is how many of them have had it;
	// those are gone.
	Drafts []dataset.ShardInfo `json:"drafts,omitempty"`
	Final  int                 `json:"final,omitempty"`
	State  json.RawMessage     `json:"state,omitempty"` // of the verb
}

const progressVersion = 1

// begin reads progress.json or writes the first one, and removes files that an interrupted run wrote after its last
// mark.
func (f *Folder) begin(command string, m dataset.Manifest) error {
	begun, err := f.restore()
	switch {
	case err != nil:
		return err
	case !begun:
		m.Tool = Tool
		m.Counts.Rejects = map[dataset.Reason]int64{}
		f.progress = progressFile{Version: progressVersion, Command: command, ResumeCommand: f.ResumeCommand,
			Manifest: m}
		if shards, _ := filepath.Glob(f.Path("shard-*")); len(shards) > 0 {
			return fmt.Errorf("%q contains shards but no %s: %w", f.dir, ProgressName, ErrOccupied)
		}
		return f.Mark()
	case f.progress.Command != command:
		m := &f.progress.Manifest
		return &InterruptedError{Dir: f.dir, Verb: m.Verb, ResumeCommand: f.progress.ResumeCommand, Manifest: m}
	}
	f.resumed = true
	if f.progress.Manifest.Counts.Rejects == nil {
		f.progress.Manifest.Counts.Rejects = map[dataset.Reason]int64{}
	}
	return f.sweep()
}

// restore reads progress.json and the verb's state in it; false if there is none. A damaged one is
// [dataset.ErrDamaged].
func (f *Folder) restore() (begun bool, err error) {
	p, path := &f.progress, f.Path(ProgressName)
	switch err := durable.ReadSealed(path, maxProgress, progressVersion, p); {
	case errors.Is(err, durable.ErrVersion):
		return false, fmt.Errorf("%q: %w: %w", path, dataset.ErrVersion, err)
	case errors.Is(err, durable.ErrChanged), errors.Is(err, durable.ErrNotRegular), errors.Is(err, durable.ErrTooLong):
		return false, fmt.Errorf("%q: %w: %w", path, dataset.ErrDamaged, err)
	case err != nil:
		return false, err
	}
	if f.State != nil && p.State != nil {
		if err := json.Unmarshal(p.State, f.State); err != nil {
			return false, fmt.Errorf("%q: %w: %w", path, dataset.ErrDamaged, err)
		}
	}
	if n := len(p.Drafts); p.Final < 0 || p.Final > n {
		return false, fmt.Errorf("%q: %w: %d of %d drafts are done", path, dataset.ErrDamaged, p.Final, n)
	}
	return p.Version > 0, nil
}

// Mark stores how far the work has come, including the verb's state.
func (f *Folder) Mark() error {
	if err := f.Check(); err != nil {
		return err
	}
	if f.Sync != nil {
		if err := f.Sync(); err != nil {
			return err
		}
	}
	if f.State != nil {
		state, err := json.Marshal(f.State)
		if err != nil {
			return err
		}
		f.progress.State = state
	}
	return durable.WriteSealed(f.Path(ProgressName), f.progress)
}
