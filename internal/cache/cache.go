// Package cache keeps what is costly to make again between runs of the program, in a folder that may be deleted at any
// time.
//
// What is kept under a key comes back to the byte or not at all: each file has its checksum, appears whole, and is
// ignored and written again if it is damaged. A folder that cannot be written or read keeps nothing, and says nothing.
// The folder is bounded: the entries that were not used for the longest time go first. Several processes may use it at
// once. The package starts no goroutines; a [Folder] is safe for concurrent use.
package cache

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"talbot/internal/durable"
)

// The limits of a folder of [User] and of one entry, in bytes.
const (
	userBytes = 512 << 20
	mostBytes = userBytes / 2
)

// Names of files in the folder. Files of other names are left alone.
const (
	lockName = "lock"
	suffix   = ".entry"
)

// Folder is a cache. A nil one keeps nothing.
type Folder struct {
	dir  string
	most int64 // bytes in all
}

// User returns talbot's folder in the user's cache: $XDG_CACHE_HOME/talbot, by default ~/.cache/talbot, and elsewhere
// where [os.UserCacheDir] says. It is nil if the user has none.
func User() *Folder {
	dir, err := os.UserCacheDir()
	if err != nil {
		return nil
	}
	return New(filepath.Join(dir, "talbot"), userBytes)
}

// New returns a cache in a folder, which is made when something is kept, of at most the given number of bytes.
func New(dir string, most int64) *Folder { return &Folder{dir, most} }

// Key makes a key of the texts that identify an entry, including its version.
func Key(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		h.Write(hex.AppendEncode(nil, []byte(p)))
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil))
}

func (f *Folder) path(key string) string { return filepath.Join(f.dir, key+suffix) }

// Get returns the content under a [Key]; false if there is none, or it is damaged.
func (f *Folder) Get(key string) ([]byte, bool) {
	if f == nil {
		return nil, false
	}
	data, err := durable.ReadFile(f.path(key), mostBytes)
	if err != nil {
		return nil, false
	}
	content, ok := Open(data)
	if !ok {
		return nil, false
	}
	now := time.Now() // the last use
	_ = os.Chtimes(f.path(key), now, now)
	return content, true
}

// Put stores the content under a [Key], replacing what was there, if it is not too long and can be written. If another
// process is writing, this content is not kept.
func (f *Folder) Put(key string, content []byte) {
	size := int64(len(content)) + sha256.Size
	if f == nil || size > min(f.most, mostBytes) || os.MkdirAll(f.dir, 0o700) != nil {
		return
	}
	lock, err := f.lock()
	if err != nil {
		return
	}
	defer lock.Close()
	f.prune(size, key)
	_ = durable.WriteFile(f.path(key), Seal(content)) // or it is not kept
}

// lock waits a moment for other processes.
func (f *Folder) lock() (lock *durable.HeldLock, err error) {
	for range 20 {
		if lock, err = durable.Lock(filepath.Join(f.dir, lockName)); err == nil {
			return lock, nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return nil, err
}

// prune makes room for an entry: it removes what killed processes left behind, and the entries used least recently. The
// caller holds the lock, so that no temporary file is being written.
func (f *Folder) prune(room int64, key string) {
	files, err := os.ReadDir(f.dir)
	if err != nil {
		return
	}
	var entries []fs.FileInfo
	total := room
	for _, file := range files {
		name := file.Name()
		if strings.HasSuffix(name, suffix+durable.TempSuffix) {
			_ = durable.Remove(filepath.Join(f.dir, name))
			continue
		}
		info, err := file.Info()
		if err != nil || !info.Mode().IsRegular() || !strings.HasSuffix(name, suffix) || name == key+suffix {
			continue
		}
		entries, total = append(entries, info), total+info.Size()
	}
	slices.SortFunc(entries, func(a, b fs.FileInfo) int {
		return cmp.Or(a.ModTime().Compare(b.ModTime()), strings.Compare(a.Name(), b.Name()))
	})
	for _, e := range entries {
		if total <= f.most {
			return
		}
		if durable.Remove(filepath.Join(f.dir, e.Name())) == nil {
			total -= e.Size()
		}
	}
}

// Seal returns the content after its SHA-256.
func Seal(content []byte) []byte {
	sum := sha256.Sum256(content)
	return append(sum[:], content...)
}

// Open returns what [Seal] sealed; false if it is not that to the byte.
func Open(sealed []byte) (content []byte, ok bool) {
	const size = sha256.Size
	if len(sealed) < size || sha256.Sum256(sealed[size:]) != [size]byte(sealed) {
		return nil, false
	}
	return sealed[size:], true
}
