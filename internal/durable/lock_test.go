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

// TestLockRemoved: the file goes, the lock is free, and what cannot be removed is still locked.
func TestLockRemoved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	l, err := Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	InjectFaults(t, func(string, string) error { return errInjected })
	if err := l.Remove(); !errors.Is(err, errInjected) || !Locked(path) {
		t.Errorf("%v, locked: %v", err, Locked(path))
	}
	InjectFaults(t, nil)
	if err := l.Remove(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file: %v", err)
	}
	l.Close()
	if l, err = Lock(path); err != nil {
		t.Fatal(err)
	}
	l.Close()
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
				if err := l.Remove(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}
