package run

import (
	"fmt"
	"os"
	"path/filepath"

	"talbot/internal/fault"
	"talbot/network/builtin"
	"talbot/network/checkpoint"
	"talbot/network/leela"
)

var (
	// ErrExists: the folder holds a run and resuming was not asked for.
	ErrExists = fault.New(fault.ExitUsage, "the run already exists",
		"use --resume to continue it, or choose another folder")
	// ErrNoRun: the folder holds no run.
	ErrNoRun = fault.New(fault.ExitFailed, "no run found", "give the folder of a run, made by `talbot train --run`")
)

// NoRunError is [ErrNoRun] of a folder.
type NoRunError struct{ Dir string }

func (e *NoRunError) Error() string { return fmt.Sprintf("%q: %v", e.Dir, ErrNoRun) }

// Unwrap returns [ErrNoRun].
func (e *NoRunError) Unwrap() error { return ErrNoRun }

// Choice says which checkpoint of a run to load, and which of its networks: NewestCheckpoint|RawWeights.
type Choice uint8

// The choices. Without NewestCheckpoint it is the best, or the newest where no best one is whole; without RawWeights
// the network that was validated, which is that of the averaged weights if the run keeps an average.
const (
	BestCheckpoint   Choice = 0
	NewestCheckpoint Choice = 1
	RawWeights       Choice = 2 // those that are trained
)

// Checkpoints returns the checkpoints of the run in a folder.
func Checkpoints(dir string) *checkpoint.Dir {
	return checkpoint.NewDir(filepath.Join(dir, CheckpointsName))
}

// Load loads a checkpoint of the run in a folder, and its state. What the checkpoint says decides, and run.json must
// say the same. Errors: [ErrNoRun], [ErrDamaged] also where run.json and the checkpoint disagree, [checkpoint.ErrNone],
// [checkpoint.ErrDamaged].
func Load(dir string, choice Choice) (*checkpoint.Loaded, State, error) {
	choose := bestOf
	if choice&NewestCheckpoint != 0 {
		choose = (*checkpoint.Dir).Newest
	}
	c, err := ReadConfig(dir)
	if err != nil {
		return nil, State{}, err
	}
	loaded, err := choose(Checkpoints(dir))
	if err != nil {
		return nil, State{}, err
	}
	s, err := StateOf(loaded.File)
	if err != nil {
		return nil, State{}, fmt.Errorf("%q: %w", loaded.Path, err)
	}
	return loaded, s, SameSettings(dir, c, loaded, s)
}

// bestOf loads the best checkpoint. Where that is not whole it is that of the same step, or else the newest, and the
// result's Damaged tells.
func bestOf(d *checkpoint.Dir) (*checkpoint.Loaded, error) {
	loaded, err := d.BestOrNewest()
	if err != nil {
		return nil, err
	}
	s, err := StateOf(loaded.File)
	if err != nil || s.Best == nil || s.Best.Step == s.Step {
		return loaded, nil // what is wrong with it is the caller's to say
	}
	if best, err := d.At(s.Best.Step); err == nil {
		best.Damaged = append(loaded.Damaged, fmt.Errorf("%q: the best checkpoint is that of step %d", loaded.Path,
			s.Best.Step))
		return best, nil
	}
	loaded.Damaged = append(loaded.Damaged, fmt.Errorf("the best checkpoint, that of step %d, is gone", s.Best.Step))
	return loaded, nil
}

// IsFile reports whether a name stands for one file of weights: [builtin.Name], a checkpoint or an exported network.
// Any other is that of a run's folder, or of nothing.
func IsFile(name string) bool {
	if name == builtin.Name {
		return true
	}
	info, err := os.Stat(name)
	return err == nil && !info.IsDir()
}

// ReadFile reads the file of weights that a name stands for. Errors are those of [checkpoint.Read].
func ReadFile(name string) (*checkpoint.File, error) {
	if name == builtin.Name {
		return builtin.Read()
	}
	if leela.IsFile(name) {
		return readLeela(name)
	}
	return checkpoint.Read(name)
}
