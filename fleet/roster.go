package fleet

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	"github.com/nats-io/nkeys"

	"talbot/dataset"
	"talbot/internal/durable"
	"talbot/internal/fault"
)

// Files of a coordinator in its folder. All names begin with [FilePrefix].
const (
	FilePrefix = "fleet-"
	// StoreFolder is the only folder; a process that opens the folder without a coordinator may remove it.
	StoreFolder = FilePrefix + "store"
	keyFile     = FilePrefix + "key"
	rosterFile  = FilePrefix + "workers.json"
	maxRoster   = 1 << 16 // workers
	maxBuilds   = 1024
)

// roster are the workers that ever joined, and the builds of the engine that they had besides the pool's own, in a
// sealed JSON file. A worker's number is its place, from 1.
type roster struct {
	mu     sync.Mutex
	path   string
	list   rosterList
	number map[string]int
}

type rosterList struct {
	Version int           `json:"version"`
	Workers []rosterEntry `json:"workers"`
	Builds  []string      `json:"builds"`
}

type rosterEntry struct {
	Key    string `json:"key"`
	Name   string `json:"name"`   // that it gave itself at first
	Banned string `json:"banned"` // why; "" if it is not
}

// openRoster reads the file of that path, which need not be there.
func openRoster(path string) (*roster, error) {
	r := &roster{path: path, number: map[string]int{},
		list: rosterList{Version: 1, Workers: []rosterEntry{}, Builds: []string{}}}
	err := durable.ReadSealed(path, 64<<20, 1, &r.list)
	for i, e := range r.list.Workers {
		if err == nil && (!nkeys.IsValidPublicUserKey(e.Key) || r.number[e.Key] != 0) {
			err = fmt.Errorf("worker %d has no key of its own: %w", i+1, durable.ErrChanged)
		}
		r.number[e.Key] = i + 1
	}
	if err != nil {
		return nil, fileError("list of workers", path, fromBackup, err)
	}
	return r, nil
}

// BannedIn returns which workers of the coordinator of a folder, which need not run, are banned.
func BannedIn(dir string) (map[int]bool, error) {
	r, err := openRoster(filepath.Join(dir, rosterFile))
	if err != nil {
		return nil, err
	}
	return r.allBanned(), nil
}

// of returns the number of a key and enters it if it is new. A number that was returned is on the disk.
func (r *roster) of(key, name string) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := r.number[key]; n > 0 {
		return n, nil
	}
	if len(r.list.Workers) >= maxRoster {
		return 0, fmt.Errorf("more than %d workers have joined", maxRoster)
	}
	r.list.Workers = append(r.list.Workers, rosterEntry{Key: key, Name: name})
	if err := r.write(); err != nil {
		r.list.Workers = r.list.Workers[:len(r.list.Workers)-1]
		return 0, err
	}
	r.number[key] = len(r.list.Workers)
	return len(r.list.Workers), nil
}

// ban enters why a worker's answers do not count any more.
func (r *roster) ban(number int, reason string) (key string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if number < 1 || number > len(r.list.Workers) {
		return "", fmt.Errorf("there is no worker %d", number)
	}
	e := &r.list.Workers[number-1]
	if e.Banned == "" {
		e.Banned = clip(reason, maxReason)
		err = r.write()
	}
	return e.Key, err
}

// addBuild enters a build of the engine. It is on the disk when addBuild returns.
func (r *roster) addBuild(build string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	at, known := slices.BinarySearch(r.list.Builds, build)
	switch {
	case known:
		return nil
	case len(r.list.Builds) >= maxBuilds:
		return fmt.Errorf("more than %d builds of the engine", maxBuilds)
	}
	r.list.Builds = slices.Insert(r.list.Builds, at, build)
	return r.write()
}

// builds returns the builds of the engine, sorted.
func (r *roster) builds() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.list.Builds)
}

func (r *roster) write() error { return durable.WriteSealed(r.path, r.list) }

// banned returns why a key is banned; "" if it is not.
func (r *roster) banned(key string) string {
	r.mu.Lock()
	number := r.number[key]
	r.mu.Unlock()
	return r.bannedNumber(number)
}

// bannedNumber returns why a worker is banned; "" if it is not, or if there is none of that number.
func (r *roster) bannedNumber(number int) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if number < 1 || number > len(r.list.Workers) {
		return ""
	}
	return r.list.Workers[number-1].Banned
}

// allBanned returns the numbers of the banned workers.
func (r *roster) allBanned() map[int]bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	banned := map[int]bool{}
	for i, e := range r.list.Workers {
		if e.Banned != "" {
			banned[i+1] = true
		}
	}
	return banned
}

// Remedies for damaged files.
const (
	newKey     = "remove it and repeat the command, which makes another key; workers then need the new join file"
	fromBackup = "restore it from a backup, or remove the output folder and label again"
)

// fileError returns the error of reading a file. Damage of any kind is [dataset.ErrDamaged] and has the remedy.
func fileError(what, path, remedy string, err error) error {
	for _, damage := range []error{durable.ErrChanged, durable.ErrNotRegular, durable.ErrTooLong} {
		if errors.Is(err, damage) {
			err = fault.Hint(fmt.Errorf("%w: %w", dataset.ErrDamaged, err), remedy)
			break
		}
	}
	return fmt.Errorf("the %s %q: %w", what, path, err)
}
