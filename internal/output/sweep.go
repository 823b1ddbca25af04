package output

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"talbot/dataset"
	"talbot/internal/durable"
)

const lockName = "progress.lock"

// InUse reports whether a folder holds an interrupted or finished dataset.
func InUse(dir string) bool {
	f := Folder{dir: dir}
	for _, name := range []string{ProgressName, dataset.ManifestName} {
		if _, err := os.Stat(f.Path(name)); err == nil {
			return true
		}
	}
	return false
}

// IsOwnFile reports whether a name is one of the files that talbot makes and reads back in a dataset's folder, finished
// or not.
func IsOwnFile(name string) bool {
	name = durable.WithoutTemp(name)
	for _, suffix := range []string{".talbot.zst", ".journal", ".part"} {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return name == dataset.ManifestName || name == ProgressName || name == lockName || name == partsName
}

// sideFile calls SideFile; without one, no file is the verb's own.
func (f *Folder) sideFile(name string) (own, wanted bool) {
	if f.SideFile == nil {
		return false, false
	}
	return f.SideFile(name, len(f.progress.Manifest.Shards))
}

// removeRemains removes the files left beside a finished dataset whose command was killed after the last step or could
// not remove them.
func (f *Folder) removeRemains() error {
	left, err := f.leftovers()
	if err != nil || len(left) == 0 {
		return err
	}
	lock, err := durable.Lock(f.Path(lockName))
	if err != nil {
		return nil // it is just being finished
	}
	defer lock.Close()
	return f.removeLeftovers(lock)
}

// leftovers returns the files of a dataset's folder that are of no use once it is finished, its lock among them.
func (f *Folder) leftovers() (names []string, err error) {
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		name := e.Name()
		own, _ := f.sideFile(name)
		if name == lockName || name == ProgressName || own || strings.HasSuffix(name, durable.TempSuffix) {
			names = append(names, name)
		}
	}
	return names, nil
}

// removeLeftovers removes them, the lock that is held last.
func (f *Folder) removeLeftovers(lock *durable.HeldLock) error {
	names, err := f.leftovers()
	for _, name := range names {
		if err == nil && name != lockName {
			err = durable.Remove(f.Path(name))
		}
	}
	if err == nil {
		err = lock.Remove()
	}
	if err != nil {
		return fmt.Errorf("the dataset is complete, but: %w", err)
	}
	return nil
}

// checkFolder refuses a folder that holds files that are not of an interrupted run.
func (f *Folder) checkFolder() error {
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		return fmt.Errorf("reading the output folder: %w", err)
	}
	for _, e := range entries {
		name := e.Name()
		own, _ := f.sideFile(name)
		if name != ProgressName && name != lockName && name != partsName && !own &&
			!strings.HasSuffix(name, durable.TempSuffix) &&
			!strings.HasPrefix(name, "shard-") && !strings.HasPrefix(name, "draft-") {
			return fmt.Errorf("%q contains %q: %w", f.dir, name, ErrOccupied)
		}
	}
	return nil
}

// sweep removes files that progress.json does not know, and checks those that it does.
func (f *Folder) sweep() error {
	known := map[string]bool{ProgressName: true, lockName: true}
	for _, s := range f.shards() {
		known[s.File] = true
		info, err := os.Stat(f.Path(s.File))
		if err != nil {
			return fmt.Errorf("%w: %w", dataset.ErrDamaged, err)
		}
		if info.Size() != s.Bytes {
			return fmt.Errorf("%q has %d bytes, not %d: %w", s.File, info.Size(), s.Bytes, dataset.ErrDamaged)
		}
	}
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if _, wanted := f.sideFile(e.Name()); known[e.Name()] || wanted {
			continue
		}
		if err := durable.Remove(f.Path(e.Name())); err != nil {
			return fmt.Errorf("removing the leftovers of an interrupted command: %w", err)
		}
	}
	return nil
}

// CheckApart refuses an output folder that is the input too ([ErrOccupied]).
func CheckApart(in, out string) error {
	a, err := os.Stat(in)
	if err != nil {
		return err
	}
	b, err := os.Stat(out)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("the output folder: %w", err)
	}
	if os.SameFile(a, b) {
		return fmt.Errorf("%q is also the input: %w", out, ErrOccupied)
	}
	return nil
}
