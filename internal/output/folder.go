package output

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"talbot/dataset"
	"talbot/internal/durable"
	"talbot/internal/fault"
	"talbot/internal/progress"
	"talbot/shards"
)

// ShardPositions is how many positions a shard holds before the next begins: about 3 MB without labels.
const ShardPositions = 1 << 20

// shardPositions is the number in use; see [SmallShards].
var shardPositions int64 = ShardPositions

// SmallShards sets how many positions a shard has until the test t ends.
func SmallShards(t interface{ Cleanup(func()) }, positions int64) {
	old := shardPositions
	shardPositions = positions
	t.Cleanup(func() { shardPositions = old })
}

// Errors on which callers branch.
var (
	// ErrFinished: the output folder holds a finished dataset, which is never changed.
	ErrFinished = fault.New(fault.ExitUsage, "the folder already contains a dataset",
		"a finished dataset never changes: choose another folder, or remove this one")
	// ErrUnfinished: the remains of an interrupted command are damaged; comes with [dataset.ErrDamaged].
	ErrUnfinished = fault.New(fault.ExitDamaged, "the leftovers of an interrupted command",
		"remove the folder and start again; --reuse takes labels from other datasets")
	// ErrOccupied: the output folder holds something else, or an interrupted command with other inputs or flags
	// ([InterruptedError]).
	ErrOccupied = fault.New(fault.ExitUsage, "the folder is not empty", "choose an empty or a new folder")
	// ErrGone: the output folder is not where it was when the command began.
	ErrGone = fault.New(fault.ExitFailed, "the output folder was removed or replaced while the command was at work",
		"what it had written there is gone with the folder; do not move the folder while the command is at work")
)

// InterruptedError says that the output folder holds an interrupted command with other inputs or flags. It wraps
// [ErrOccupied].
type InterruptedError struct {
	Dir, Verb     string
	ResumeCommand string            // the command line that continues it; "" if it is not known
	Manifest      *dataset.Manifest // as far as it has come
}

func (e *InterruptedError) Error() string {
	return fmt.Sprintf("%q contains an interrupted %s with other inputs or flags", e.Dir, e.Verb)
}

// Unwrap returns [ErrOccupied].
func (e *InterruptedError) Unwrap() error { return ErrOccupied }

// Unfinished reports whether a command that makes a dataset was interrupted in a folder or is running there: its verb,
// and the command line that continues it, "" if that is not known. It changes nothing.
func Unfinished(dir string) (verb, again string, ok bool) {
	f := Folder{dir: dir}
	ok, err := f.restore()
	if err != nil {
		return "", "", false
	}
	return f.progress.Manifest.Verb, f.progress.ResumeCommand, ok
}

// AtWork reports whether a command is making a dataset in a folder now, for messages.
func AtWork(dir string) bool { return durable.Locked(filepath.Join(dir, lockName)) }

// Job is what every verb that makes a dataset is asked for.
type Job struct {
	Out      string   // folder
	Existing Existing // what to do with an output that exists; see [Existing.Resolve]
	// ResumeCommand is the command line that continues an interrupted run, for messages.
	ResumeCommand string
	Progress      func(progress.Progress) // may be nil
	Warn          func(error)             // gets errors that do not stop the work; may be nil
}

// Report tells how far the work has come.
func (j *Job) Report(p progress.Progress) {
	if j.Progress != nil {
		j.Progress(p)
	}
}

// Warning reports an error that does not stop the work.
func (j *Job) Warning(err error) {
	if j.Warn != nil {
		j.Warn(err)
	}
}

// Options are what a verb brings to its folder. All but Job.Out may be zero.
type Options struct {
	Job
	// Workers compress shards at a time; 0 is one.
	Workers int
	// State, if not nil, points to the verb's state, which goes into progress.json with each mark and is read back when
	// the command is repeated. Its JSON names must differ from those of progress.json itself.
	State any
	// SideFile reports whether a file beside the shards was made by the verb (then the folder may hold it, and it is
	// removed when the dataset is finished), and whether it is still wanted, after State was restored, with this many
	// shards finished. Nil: there are no such files.
	SideFile func(name string, shards int) (own, wanted bool)
	// Sync, if not nil, makes the files durable to which State refers, before State is written.
	Sync func() error
	// Drafting has the shards written as drafts, for [Folder.FinishDrafts].
	Drafting bool
	// Compare, if not nil, says in what a finished dataset differs beyond its manifest before the first shard.
	Compare func(dir string, m *dataset.Manifest) ([]Difference, error)
	// Parts are the hashes of datasets that are put together and that the manifest does not name: see [sameParts].
	Parts []string
}

// Folder is a dataset's folder being made. It cuts the lines that it is given into shards and remembers after each one
// how far the work has come. It belongs to one goroutine; the caller of [Open] closes it.
type Folder struct {
	Options
	dir      string
	lock     *durable.HeldLock
	lockInfo os.FileInfo // the lock's file
	writer   *shards.Writer
	progress progressFile
	resumed  bool
}

// Open creates the folder, or resumes an interrupted run of the same command there. m has what is known beforehand, its
// flags in any order; identity is all else that decides the content. The errors: [ErrFinished], [ErrOccupied],
// [durable.ErrLocked] and [dataset.ErrDamaged], and with a existing those of [Existing.Resolve].
func Open(m dataset.Manifest, identity any, o Options) (*Folder, error) {
	m.Flags = slices.SortedStableFunc(slices.Values(m.Flags),
		func(a, b dataset.Tag) int { return strings.Compare(a.Name, b.Name) })
	command, err := json.Marshal(struct {
		Verb     string
		Flags    []dataset.Tag
		Seed     uint64
		Splits   dataset.Splits
		Identity any
	}{m.Verb, m.Flags, m.Seed, m.Splits, identity})
	if err != nil {
		return nil, err
	}
	t := target{Options: o, manifest: m, command: string(command)}
	if len(o.Parts) > 0 {
		t.Compare = sameParts(o.Parts)
	}
	at, err := o.Existing.Resolve(o.Out, t.inspect)
	if errors.Is(err, ErrDone) { // a kill may have left what is of no use now
		done := &Folder{Options: o, dir: o.Out}
		return nil, errors.Join(err, done.removeRemains())
	}
	if err != nil {
		return nil, err
	}
	f := &Folder{Options: o, dir: at}
	f.Workers = max(f.Workers, 1)
	if _, err := os.Stat(f.Path(dataset.ManifestName)); err == nil {
		return nil, errors.Join(fmt.Errorf("%q: %w", f.dir, ErrFinished), f.removeRemains())
	}
	if err := os.MkdirAll(f.dir, 0o777); err != nil {
		return nil, fmt.Errorf("the output folder: %w", err)
	}
	if err := f.checkFolder(); err != nil {
		return nil, err
	}
	if f.lock, err = durable.Lock(f.Path(lockName)); err != nil {
		return nil, fmt.Errorf("%q: %w", f.dir, err)
	}
	if f.lockInfo, err = os.Stat(f.Path(lockName)); err != nil {
		f.Close()
		return nil, err
	}
	if err := f.begin(string(command), m); err != nil {
		f.Close()
		if errors.Is(err, dataset.ErrDamaged) {
			err = fmt.Errorf("%w: %w", ErrUnfinished, err)
		}
		return nil, err
	}
	return f, nil
}

// Path returns the path of a file in the folder.
func (f *Folder) Path(name string) string { return filepath.Join(f.dir, name) }

// Check returns [ErrGone] if the folder is no longer the one that was opened. Without it the verb's own files would be
// written and lost.
func (f *Folder) Check() error {
	if now, err := os.Stat(f.Path(lockName)); f.lockInfo != nil && (err != nil || !os.SameFile(f.lockInfo, now)) {
		return fmt.Errorf("%q: %w", f.dir, ErrGone)
	}
	return nil
}

// Explain returns [ErrGone] in place of an error that it explains.
func (f *Folder) Explain(err error) error {
	if err != nil && !errors.Is(err, ErrGone) && f.Check() != nil {
		return f.Check()
	}
	return err
}

// Committed reports whether any shard is written.
func (f *Folder) Committed() bool { return len(f.progress.Manifest.Shards)+len(f.progress.Drafts) > 0 }

// Resumed reports whether the folder held an interrupted run of the same command.
func (f *Folder) Resumed() bool { return f.resumed }

// Command is what decides the content: verb, flags, seed, splits and identity, as text that is the same when the
// command is repeated.
func (f *Folder) Command() string { return f.progress.Command }

// Manifest returns the manifest as far as the work has come; the verb counts in it.
func (f *Folder) Manifest() *dataset.Manifest { return &f.progress.Manifest }

// Write appends a line to the present shard and counts it as read and kept.
func (f *Folder) Write(l *dataset.Line) error {
	if f.writer == nil {
		w, err := f.create()
		if err != nil {
			return f.Explain(err)
		}
		f.writer = w
	}
	if err := f.writer.Write(l); err != nil {
		return err
	}
	c := &f.progress.Manifest.Counts
	c.GamesRead++
	c.AddLine(l)
	return nil
}

// create begins the next shard.
func (f *Folder) create() (*shards.Writer, error) {
	if f.Drafting {
		return shards.CreateDraft(f.dir, len(f.progress.Drafts))
	}
	return shards.Create(f.dir, len(f.progress.Manifest.Shards), f.Workers)
}

// Full reports whether the present shard should be ended.
func (f *Folder) Full() bool { return f.writer != nil && f.writer.Positions() >= shardPositions }

// Empty reports whether the present shard has no line yet.
func (f *Folder) Empty() bool { return f.writer == nil }

// EndShard commits the present shard, if there is one, and marks how far the work has come.
func (f *Folder) EndShard() error {
	if f.writer != nil {
		info, err := f.writer.Commit()
		f.writer = nil
		if err != nil {
			return f.Explain(err)
		}
		if f.Drafting {
			f.progress.Drafts = append(f.progress.Drafts, info)
		} else {
			f.progress.Manifest.Shards = append(f.progress.Manifest.Shards, info)
		}
	}
	return f.Mark()
}

// Truncate removes the finished shards from number n on and the present one, so that they can be written again, and
// counts the others again.
func (f *Folder) Truncate(n int) error {
	f.abort()
	m := &f.progress.Manifest
	gone := slices.Clone(m.Shards[n:])
	m.Shards = m.Shards[:n]
	m.Counts = dataset.Counts{Rejects: map[dataset.Reason]int64{}}
	for _, s := range m.Shards {
		if err := f.recount(s.File); err != nil {
			return err
		}
	}
	if err := f.Mark(); err != nil {
		return err
	}
	for _, s := range gone {
		if err := durable.Remove(f.Path(s.File)); err != nil {
			return fmt.Errorf("removing a shard that is made again: %w", err)
		}
	}
	return nil
}

// recount counts the lines of a shard.
func (f *Folder) recount(file string) error {
	r, err := shards.Open(f.Path(file), shards.AllLabels)
	if err != nil {
		return err
	}
	defer r.Close()
	c := &f.progress.Manifest.Counts
	for line, err := range r.Lines() {
		if err != nil {
			return err
		}
		c.GamesRead++
		c.AddLine(line)
	}
	return nil
}

// Finish ends the last shard, calls publish, if it is not nil, and writes the manifest, after which the dataset is
// whole.
func (f *Folder) Finish(publish func() error) error {
	if err := f.finish(publish); err != nil {
		return f.Explain(err)
	}
	if err := f.removeLeftovers(f.lock); err != nil || f.Existing == Refuse {
		return err
	}
	return Swap(f.dir)
}

func (f *Folder) finish(publish func() error) error {
	if err := f.EndShard(); err != nil {
		return err
	}
	if publish != nil {
		if err := publish(); err != nil {
			return err
		}
	}
	if f.Existing != Refuse && len(f.Parts) > 0 {
		if err := durable.WriteSealed(f.Path(partsName), parts{partsVersion, f.Parts}); err != nil {
			return err
		}
	}
	return dataset.WriteManifest(f.dir, &f.progress.Manifest)
}

// Discard removes all that the command has written, and the folder if nothing else is in it, for a command that turns
// out to have no result. Nothing but Close may follow.
func (f *Folder) Discard() error {
	written := f.shards()
	f.progress = progressFile{}
	f.abort()
	for _, s := range written {
		if err := durable.Remove(f.Path(s.File)); err != nil {
			return err
		}
	}
	if err := f.removeLeftovers(f.lock); err != nil {
		return err
	}
	f.Close()
	os.Remove(f.dir) // there may be files of others
	return nil
}

// Close drops an unfinished shard and unlocks the folder.
func (f *Folder) Close() {
	f.abort()
	if f.lock != nil {
		f.lock.Close()
		f.lock = nil
	}
}

// abort drops the present shard, if there is one.
func (f *Folder) abort() {
	if f.writer != nil {
		f.writer.Abort()
		f.writer = nil
	}
}

// Bytes returns the size of the shards.
func (f *Folder) Bytes() (n int64) {
	for _, s := range f.progress.Manifest.Shards {
		n += s.Bytes
	}
	return n
}

// shards returns the shards, including drafts that wait for their last pass.
func (f *Folder) shards() []dataset.ShardInfo {
	return slices.Concat(f.progress.Manifest.Shards, f.progress.Drafts[f.progress.Final:])
}
