package durable

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	first, err := Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Lock(path); !errors.Is(err, ErrLocked) {
		t.Errorf("held: %v", err)
	}
	if !Locked(path) {
		t.Error("nobody holds it")
	}
	first.Close()
	if Locked(path) || Locked(path+"x") {
		t.Error("somebody holds it")
	}
	again, err := Lock(path)
	if err != nil {
		t.Fatalf("freed: %v", err)
	}
	again.Close()
	if _, err := Lock(filepath.Join(path, "below a file")); err == nil {
		t.Error("no error below a file")
	}
}

// Holders that remove the file never let two in.
func TestLockRemovedByItsHolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	var inside sync.Mutex
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 200 {
				l, err := Lock(path)
				if errors.Is(err, ErrLocked) {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				if !inside.TryLock() {
					t.Error("two hold the lock")
					return
				}
				inside.Unlock()
				os.Remove(path)
				l.Close()
			}
		})
	}
	all.Wait()
}
