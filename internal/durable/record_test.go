package durable

import (
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"
)

// countSyncs counts the syncs of files until the test ends; from the n-th on they fail, for n above 0.
func countSyncs(t *testing.T, n int64) *atomic.Int64 {
	var syncs atomic.Int64
	InjectFaults(t, func(op, _ string) error {
		if op == "sync" && syncs.Add(1) >= n && n > 0 {
			return errors.New("no disk")
		}
		return nil
	})
	return &syncs
}

func newJournal(t *testing.T) *RecordWriter {
	t.Helper()
	f, err := Open(filepath.Join(t.TempDir(), "journal"), os.O_RDWR|os.O_CREATE)
	if err != nil {
		t.Fatal(err)
	}
	w, err := NewRecordWriter(f, 0, []byte("first"))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestRecordsOfABurst: all records of a burst are durable after about two seconds, also if no other follows, with one
// sync for all of them.
func TestRecordsOfABurst(t *testing.T) {
	syncs := countSyncs(t, 0)
	w := newJournal(t)
	for range 100 {
		if err := w.Append([]byte("record")); err != nil {
			t.Fatal(err)
		}
	}
	for begun := time.Now(); syncs.Load() == 0; time.Sleep(10 * time.Millisecond) {
		if time.Since(begun) > 2*recordSync {
			t.Fatal("no sync")
		}
	}
	for range 100 { // the next burst
		if err := w.Append([]byte("record")); err != nil {
			t.Fatal(err)
		}
	}
	if n := syncs.Load(); n != 1 {
		t.Errorf("%d syncs within two seconds", n)
	}
	time.Sleep(recordSync + recordSync/2)
	if n := syncs.Load(); n != 2 {
		t.Errorf("%d syncs for two bursts", n)
	}
	if err := w.Close(); err != nil || syncs.Load() != 3 {
		t.Errorf("%d syncs in all, %v", syncs.Load(), err)
	}
}

// TestSyncFails: who writes the next record, or else closes the journal, is told that a sync in the background failed.
func TestSyncFails(t *testing.T) {
	syncs := countSyncs(t, 1)
	w := newJournal(t)
	for begun := time.Now(); syncs.Load() == 0 && time.Since(begun) < 2*recordSync; time.Sleep(10 * time.Millisecond) {
	}
	time.Sleep(50 * time.Millisecond)
	if err := w.Append([]byte("record")); err == nil {
		t.Error("the next record is written as if nothing had happened")
	}
	InjectFaults(t, nil)
	if err := w.Close(); err == nil {
		t.Error("the journal is closed as if nothing had happened")
	}
}
