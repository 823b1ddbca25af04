package checkpoint

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ErrNone says that a folder holds no checkpoint at all.
var ErrNone = errors.New("no checkpoint")

// Best is the name of the best checkpoint in its folder.
const Best = "best" + suffix

const (
	suffix = ".safetensors"
	prefix = "step-"
)

// Dir is a folder of checkpoints.
type Dir struct {
	path string
	disk disk
}

// disk is the part of the operating system that writing needs; tests make it fail.
type disk interface {
	Create(path string) (file, error)
	Link(from, to string) error
	Rename(from, to string) error
	Remove(path string) error
	SyncDir(path string) error
}

type file interface {
	io.WriteCloser
	Sync() error
}

type osDisk struct{}

func (osDisk) Create(path string) (file, error) { return os.Create(path) }
func (osDisk) Link(from, to string) error       { return os.Link(from, to) }
func (osDisk) Rename(from, to string) error     { return os.Rename(from, to) }
func (osDisk) Remove(path string) error         { return os.Remove(path) }
func (osDisk) SyncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// NewDir names a folder, which need not exist before Save.
func NewDir(path string) *Dir { return &Dir{path: path, disk: osDisk{}} }

// Name is the file name of a step's checkpoint.
func Name(step int64) string { return fmt.Sprintf("%s%012d%s", prefix, step, suffix) }

// Save writes the checkpoint of a step, then removes all but the newest keep. With best it also becomes the best
// checkpoint. It returns the path of the step's file.
//
// Under its final name a checkpoint is always whole and on the disk: it is written to a temporary name, synced, renamed,
// and the folder is synced. When Save fails, what was there before is still there.
func (d *Dir) Save(step int64, f *File, keep int, best bool) (path string, err error) {
	if err := os.MkdirAll(d.path, 0o777); err != nil {
		return "", err
	}
	path = filepath.Join(d.path, Name(step))
	if err := d.write(path, f); err != nil {
		return "", fmt.Errorf("writing checkpoint %q: %w", path, err)
	}
	if best {
		if err := d.setBest(path, f); err != nil {
			return "", fmt.Errorf("writing best checkpoint: %w", err)
		}
	}
	if err := d.prune(path, keep); err != nil {
		return "", fmt.Errorf("removing old checkpoints: %w", err)
	}
	return path, nil
}

func (d *Dir) write(path string, f *File) (err error) {
	temp := path + ".tmp"
	w, err := d.disk.Create(temp)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			d.disk.Remove(temp) // leave nothing behind; the first error counts
		}
	}()
	err = f.Write(w)
	if err == nil {
		err = w.Sync()
	}
	if e := w.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = d.disk.Rename(temp, path)
	}
	if err == nil {
		err = d.disk.SyncDir(d.path)
	}
	return err
}

// setBest makes best another name of the file, or a copy where the file system has no links.
func (d *Dir) setBest(path string, f *File) error {
	best := filepath.Join(d.path, Best)
	temp := best + ".tmp"
	if err := d.disk.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if d.disk.Link(path, temp) != nil {
		return d.write(best, f)
	}
	if err := d.disk.Rename(temp, best); err != nil {
		return err
	}
	return d.disk.SyncDir(d.path)
}

func (d *Dir) prune(newest string, keep int) error {
	paths, err := d.steps()
	if err != nil {
		return err
	}
	for i, path := range paths {
		if i >= keep && path != newest {
			if err := d.disk.Remove(path); err != nil {
				return err
			}
		}
	}
	return nil
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
	// Damaged holds the errors of newer checkpoints that could not be used, each naming its file.
	Damaged []error
}

// Newest loads the newest checkpoint that is whole. Damaged newer ones are named in the result, and moved aside by
// nobody. It returns [ErrNone] if there are no checkpoints and an error wrapping [ErrDamaged] if none is whole.
func (d *Dir) Newest() (*Loaded, error) {
	paths, err := d.steps()
	if err != nil {
		return nil, err
	}
	return firstWhole(paths, d.path)
}

// BestOrNewest loads the best checkpoint, or the newest one if there is no whole best one.
func (d *Dir) BestOrNewest() (*Loaded, error) {
	paths, err := d.steps()
	if err != nil {
		return nil, err
	}
	best := filepath.Join(d.path, Best)
	if _, err := os.Stat(best); err == nil {
		paths = append([]string{best}, paths...)
	}
	return firstWhole(paths, d.path)
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

// Read reads one file.
func Read(path string) (*File, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", path, err)
	}
	return f, nil
}
