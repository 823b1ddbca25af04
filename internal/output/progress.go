package output

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"talbot/dataset"
	"talbot/internal/durable"
)

// Tool is the name and version that datasets are stamped with.
const Tool = "talbot 0.1.0"

// ProgressName is the file of a folder in which a dataset is being made.
const ProgressName = "progress.json"

// maxProgress is the largest progress.json that is read, in bytes.
const maxProgress = 128 << 20

// progress is the content of progress.json: sealed JSON ([durable.Seal]), written at the start and after each shard.
type progress struct {
	Command       string           `json:"command"`         // what decides the content; must be the same to resume
	ResumeCommand string           `json:"again,omitempty"` // the command line, for people
	Manifest      dataset.Manifest `json:"manifest"`        // as far as the work has come
	// Drafts are the shards as they were before the last pass over them, and Final is how many of them have had it;
	// those are gone.
	Drafts []dataset.ShardInfo `json:"drafts,omitempty"`
	Final  int                 `json:"final,omitempty"`
	State  json.RawMessage     `json:"state,omitempty"` // the verb's own
}

// begin reads progress.json or writes the first one, and removes files that an interrupted run wrote after its last
// mark.
func (f *Folder) begin(command string, m dataset.Manifest) error {
	path := f.Path(ProgressName)
	data, err := durable.ReadFile(path, maxProgress)
	switch {
	case errors.Is(err, os.ErrNotExist):
		m.Tool = Tool
		m.Counts.Rejects = map[dataset.Reason]int64{}
		f.progress = progress{Command: command, ResumeCommand: f.ResumeCommand, Manifest: m}
		if shards, _ := filepath.Glob(f.Path("shard-*")); len(shards) > 0 {
			return fmt.Errorf("%q contains shards but no %s: %w", f.dir, ProgressName, ErrOccupied)
		}
		return f.Mark()
	case errors.Is(err, durable.ErrNotRegular), errors.Is(err, durable.ErrTooLong):
		return fmt.Errorf("%w: %w", dataset.ErrDamaged, err)
	case err != nil:
		return fmt.Errorf("reading %q: %w", path, err)
	}
	if err := f.restore(data); err != nil {
		return fmt.Errorf("%q: %w: %w", path, dataset.ErrDamaged, err)
	}
	if f.progress.Command != command {
		m := &f.progress.Manifest
		return &InterruptedError{Dir: f.dir, Verb: m.Verb, ResumeCommand: f.progress.ResumeCommand, Manifest: m}
	}
	if !sameBeginning(&f.progress.Manifest, &m) {
		return fmt.Errorf("%q: %w: its manifest belongs to another command", path, dataset.ErrDamaged)
	}
	f.resumed = true
	if f.progress.Manifest.Counts.Rejects == nil {
		f.progress.Manifest.Counts.Rejects = map[dataset.Reason]int64{}
	}
	return f.sweep()
}

// sameBeginning reports whether a manifest is what it was before the first shard, apart from what grows with the
// shards. Not every progress.json has a checksum that would ensure this.
func sameBeginning(m, first *dataset.Manifest) bool {
	if len(m.Inputs) < len(first.Inputs) || len(m.Fingerprints) < len(first.Fingerprints) ||
		len(m.Networks) < len(first.Networks) {
		return false
	}
	begun := *m
	begun.Tool, begun.Counts, begun.Shards = first.Tool, first.Counts, first.Shards
	begun.Fingerprints, begun.Networks = m.Fingerprints[:len(first.Fingerprints)], m.Networks[:len(first.Networks)]
	begun.Inputs = slices.Clone(first.Inputs)
	for i, input := range m.Inputs[:len(first.Inputs)] { // the figures of an input may come at the end
		begun.Inputs[i].Name, begun.Inputs[i].SHA256 = input.Name, input.SHA256
	}
	return begun.Hash() == first.Hash()
}

// restore reads progress.json.
func (f *Folder) restore(data []byte) error {
	p := &f.progress
	sealed, err := durable.Unseal(data, p)
	if err == nil && !sealed {
		err = errors.New("the checksum is missing")
	}
	if err != nil {
		return err
	}
	if f.State != nil && p.State != nil {
		if err := json.Unmarshal(p.State, f.State); err != nil {
			return err
		}
	}
	if n := len(p.Drafts); p.Final < 0 || p.Final > n {
		return fmt.Errorf("%d of %d drafts are done", p.Final, n)
	}
	return nil
}

func (f *Folder) warn(err error) {
	if f.Warn != nil {
		f.Warn(err)
	}
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
	data, err := durable.Seal(f.progress)
	if err != nil {
		return err
	}
	return durable.WriteFile(f.Path(ProgressName), data)
}
