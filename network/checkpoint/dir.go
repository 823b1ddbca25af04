package checkpoint

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"talbot/internal/durable"
	"talbot/internal/fault"
)

var (
	// ErrNone reports that a folder holds no checkpoint at all.
	ErrNone = fault.New(fault.ExitFailed, "no checkpoint",
		"the run has no checkpoint yet, or they were removed: wait for the first if it is still training, or "+
			"continue it with `talbot train --run RUN --resume` if it never had one")
	// ErrNotFinite reports that a number is NaN or infinite. The error names its tensor.
	ErrNotFinite = errors.New("not finite")
)

// Best is the name of the best checkpoint in its folder.
const Best = "best" + suffix

const (
	suffix   = ".safetensors"
	prefix   = "step-"
	diverged = ".diverged" // after the name of a checkpoint that was set aside
)

// Dir is a folder of checkpoints, all of finite numbers.
//
// The best checkpoint is another name of a step's file where the file system has hard links, so it takes no space and
// no time, and a disk that damages the one damages the other: what is left then are the other steps that are kept.
type Dir struct {
	path string
}

// NewDir names a folder, which need not exist before Save.
func NewDir(path string) *Dir { return &Dir{path: path} }

// Name is the file name of a step's checkpoint.
func Name(step int64) string { return fmt.Sprintf("%s%012d%s", prefix, step, suffix) }

// Save writes the checkpoint of a step and returns its path. With best it is the best checkpoint too, and is that
// first: no step ever counts as the best while the best file is an older one. Numbers that are not finite are refused
// ([ErrNotFinite]).
//
// Under its final names a checkpoint is always whole and on the disk: it is written to a temporary name, synced,
// renamed, and the folder is synced. When Save fails, what was there before is still there.
func (d *Dir) Save(step int64, f *File, best bool) (path string, err error) {
	if err := f.finite(); err != nil {
		return "", err
	}
	if err := os.MkdirAll(d.path, 0o777); err != nil {
		return "", err
	}
	path = filepath.Join(d.path, Name(step))
	temp := path + durable.TempSuffix
	defer func() {
		if err != nil {
			durable.Remove(temp) // the first error counts
		}
	}()
	if err := d.write(temp, f); err != nil {
		return "", fmt.Errorf("writing checkpoint %q: %w", path, err)
	}
	if best {
		if err := d.setBest(temp, f); err != nil {
			return "", fmt.Errorf("writing best checkpoint: %w", err)
		}
	}
	if err := d.rename(temp, path); err != nil {
		return "", fmt.Errorf("writing checkpoint %q: %w", path, err)
	}
	return path, nil
}

// write makes a new file, on the disk when it returns. A file of that name is removed, not written over: it may be
// another name of the best checkpoint.
func (d *Dir) write(path string, f *File) error {
	if err := durable.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	w, err := durable.Open(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return err
	}
	err = f.Write(w)
	if err == nil {
		err = w.Sync()
	}
	if e := w.Close(); err == nil {
		err = e
	}
	return err
}

func (d *Dir) rename(from, to string) error {
	if err := durable.Rename(from, to); err != nil {
		return err
	}
	return durable.SyncFolder(d.path)
}

// setBest makes best another name of a file of that content, or a copy where the file system has no links.
func (d *Dir) setBest(path string, f *File) error {
	best := filepath.Join(d.path, Best)
	temp := best + durable.TempSuffix
	if err := durable.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if durable.Link(path, temp) != nil {
		if err := d.write(temp, f); err != nil {
			durable.Remove(temp)
			return err
		}
	}
	return d.rename(temp, best)
}

// SetBest makes the checkpoint of a step the best one. The error is [fs.ErrNotExist] if the step has none.
func (d *Dir) SetBest(step int64) error {
	path := filepath.Join(d.path, Name(step))
	f, err := Read(path)
	if err != nil {
		return err
	}
	return d.setBest(path, f)
}

// Prune removes all checkpoints of steps but the newest keep.
func (d *Dir) Prune(keep int) error {
	paths, err := d.steps()
	if err != nil {
		return err
	}
	for _, path := range paths[min(keep, len(paths)):] {
		if err := durable.Remove(path); err != nil {
			return fmt.Errorf("removing old checkpoints: %w", err)
		}
	}
	return nil
}

// SetAside takes the checkpoint of a step out of those that are loaded, without removing it, and returns its new path.
func (d *Dir) SetAside(step int64) (string, error) {
	path := filepath.Join(d.path, Name(step))
	return path + diverged, d.rename(path, path+diverged)
}

// Last returns path and step of the newest checkpoint of a step, whole or not; "" and −1 without any.
func (d *Dir) Last() (path string, step int64) {
	paths, err := d.steps()
	if err != nil || len(paths) == 0 {
		return "", -1
	}
	if _, err := fmt.Sscanf(filepath.Base(paths[0]), prefix+"%d"+suffix, &step); err != nil {
		return "", -1
	}
	return paths[0], step
}

// steps lists the step checkpoints, newest first.
func (d *Dir) steps() ([]string, error) {
	entries, err := os.ReadDir(d.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var paths []string
	for _, e := range slices.Backward(entries) { // sorted by name, which sorts by step
		if strings.HasPrefix(e.Name(), prefix) && strings.HasSuffix(e.Name(), suffix) {
			paths = append(paths, filepath.Join(d.path, e.Name()))
		}
	}
	return paths, nil
}

// Loaded is a checkpoint and where it came from.
type Loaded struct {
	*File
	Path string
	// Damaged holds the errors of checkpoints that come first and could not be used, each naming its file.
	Damaged []error
}

// Newest loads the newest checkpoint of a step that is whole and finite, or else the best one. Those that could not be
// used are named in the result, and stay where they are. It returns [ErrNone] if there are no checkpoints and an
// error wrapping [ErrDamaged] if none is whole.
func (d *Dir) Newest() (*Loaded, error) {
	paths, err := d.steps()
	if err != nil {
		return nil, err
	}
	return firstWhole(append(paths, d.best()...), d.path)
}

// BestOrNewest loads the best checkpoint, or the newest one if there is no whole best one.
func (d *Dir) BestOrNewest() (*Loaded, error) {
	paths, err := d.steps()
	if err != nil {
		return nil, err
	}
	return firstWhole(append(d.best(), paths...), d.path)
}

// At loads the checkpoint of a step.
func (d *Dir) At(step int64) (*Loaded, error) {
	return firstWhole([]string{filepath.Join(d.path, Name(step))}, d.path)
}

// Best loads the best checkpoint.
func (d *Dir) Best() (*Loaded, error) { return firstWhole(d.best(), d.path) }

// best is the path of the best checkpoint, if there is one.
func (d *Dir) best() []string {
	path := filepath.Join(d.path, Best)
	if _, err := os.Stat(path); err != nil {
		return nil
	}
	return []string{path}
}

func firstWhole(paths []string, dir string) (*Loaded, error) {
	var damaged []error
	for _, path := range paths {
		f, err := Read(path)
		if err == nil {
			return &Loaded{f, path, damaged}, nil
		}
		if !errors.Is(err, ErrDamaged) {
			return nil, err
		}
		damaged = append(damaged, err)
	}
	if len(damaged) > 0 {
		return nil, errors.Join(damaged...)
	}
	return nil, fmt.Errorf("%w in %q", ErrNone, dir)
}

// finite returns [ErrNotFinite] if a number is not.
func (f *File) finite() error {
	for _, t := range f.Tensors {
		for _, x := range t.Data {
			if x-x != 0 { // NaN for NaN and the infinities
				return fmt.Errorf("tensor %q is %w: it has the number %g", t.Name, ErrNotFinite, x)
			}
		}
	}
	return nil
}

// Read reads one file. Numbers that are not finite are damage too, and so is what is not a regular file. A file of
// another format is [ErrForeign].
func Read(path string) (*File, error) {
	data, err := readRegular(path)
	if errors.Is(err, durable.ErrNotRegular) {
		err = fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if err != nil {
		return nil, err
	}
	return ReadBytes(path, data)
}

// ReadBytes is [Read] of a file whose bytes have been read; path is for errors.
func ReadBytes(path string, data []byte) (*File, error) {
	f, err := Parse(data)
	if err != nil {
		err = cmp.Or(foreign(path, data), err)
	} else if err = f.finite(); err != nil {
		err = fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if err != nil {
		return nil, fmt.Errorf("%q: %w", path, err)
	}
	return f, nil
}

// readRegular reads a whole file into memory of its size.
func readRegular(path string) ([]byte, error) {
	f, err := durable.OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	data := make([]byte, info.Size())
	n, err := io.ReadFull(f, data)
	if err == io.EOF || err == io.ErrUnexpectedEOF { // it was cut meanwhile
		err = nil
	}
	return data[:n], err
}
