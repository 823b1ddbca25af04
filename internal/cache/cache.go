// Package cache keeps what is costly to make again between runs of the program, in a folder that may be deleted at any
// time.
//
// What is kept under a key comes back to the byte or not at all: it is a [cache.Cache], as the go command has. A folder
// that cannot be written or read keeps nothing, and says nothing. Several processes may use it at once. The package
// starts no goroutines; a [Folder] is safe for concurrent use.
package cache

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"sync"

	"github.com/rogpeppe/go-internal/cache"
)

// Folder is a cache. A nil one keeps nothing.
type Folder struct {
	open func() *cache.Cache // nil: the folder cannot be used
}

// UserDir returns talbot's folder in the user's cache: $XDG_CACHE_HOME/talbot, by default ~/.cache/talbot, and
// elsewhere where [os.UserCacheDir] says. It is an error if the user has none.
func UserDir() (string, error) {
	dir, err := os.UserCacheDir()
	return filepath.Join(dir, "talbot"), err
}

// User returns the cache in [UserDir], nil if the user has none.
func User() *Folder {
	dir, err := UserDir()
	if err != nil {
		return nil
	}
	return New(dir)
}

// New returns a cache in a folder, which is made when it is first used.
func New(dir string) *Folder {
	return &Folder{sync.OnceValue(func() *cache.Cache {
		if os.MkdirAll(dir, 0o700) != nil {
			return nil
		}
		c, _ := cache.Open(dir) // nil with an error
		return c
	})}
}

// Key makes a key of the texts that identify an entry, including its version.
func Key(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		h.Write(hex.AppendEncode(nil, []byte(p)))
		h.Write([]byte{0})
	}
	return string(h.Sum(nil))
}

// cache returns the cache of the folder, nil for none.
func (f *Folder) cache() *cache.Cache {
	if f == nil {
		return nil
	}
	return f.open()
}

// Get returns the content under a [Key]; false if there is none, or it is damaged.
func (f *Folder) Get(key string) ([]byte, bool) {
	c := f.cache()
	if c == nil {
		return nil, false
	}
	content, _, err := c.GetBytes(cache.ActionID([]byte(key)))
	return content, err == nil
}

// Put stores the content under a [Key], replacing what was there, if it can be written.
func (f *Folder) Put(key string, content []byte) {
	if c := f.cache(); c != nil {
		_ = c.PutBytes(cache.ActionID([]byte(key)), content) // or it is not kept
	}
}
