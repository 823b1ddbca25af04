package label

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/durable"
	"talbot/internal/testkit"
)

// sampleLabels are what the tests write: a terminal position's and a searched one's.
var sampleLabels = []dataset.Label{{Status: dataset.Terminal}, {
	Status: dataset.Labelled, Best: board.NewMove(12, 28),
	Lines: []dataset.Searched{{Score: dataset.MateIn(-3), WDL: dataset.WDL{Win: 1, Draw: 2, Loss: 997}, Depth: 20,
		Nodes: 1 << 40, PV: []board.Move{board.NewMove(12, 28), board.NewMove(52, 36)}}},
}}

// journalRecords is how many labels a test's journal has.
const journalRecords = 5

// writeJournal writes a journal and returns its bytes and how long its first record and one of the others are.
func writeJournal(t *testing.T, path string, id [32]byte) (whole []byte, head, record int) {
	t.Helper()
	j, _, _, err := reopen(t, path, id)
	if err != nil {
		t.Fatal(err)
	}
	head = int(j.End())
	for i := range journalRecords {
		at := testkit.Value(j.append(testEntry(i)))(t)
		record = int(j.End() - at)
	}
	testkit.OK(t, j.Close())
	if whole, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	return whole, head, record
}

// testEntry is the i-th one of a test's journal.
func testEntry(i int) entry {
	return entry{searchKey{byte(i), 7}, newLineNumber(3, int64(i)), searchResult{sampleLabels, 2}}
}

// reopen opens a journal and fails where it gives an entry that was never written. It returns which entries it gives.
func reopen(t *testing.T, path string, id [32]byte) (j *journal, entries []int, damaged int64, err error) {
	t.Helper()
	j, damaged, err = openJournal(path, id, nil, func(at int64, e entry) {
		i := int(e.key[0])
		if i >= journalRecords || fmt.Sprint(e) != fmt.Sprint(testEntry(i)) {
			t.Fatalf("entry %+v", e)
		}
		if !slices.Contains(entries, i) { // what is written anew is read again
			entries = append(entries, i)
		}
	})
	return j, entries, damaged, err
}

// TestJournalTorn cuts a journal short at every byte, as a kill does: all whole records are read, silently.
func TestJournalTorn(t *testing.T) {
	path, id := filepath.Join(t.TempDir(), journalName), [32]byte{1, 2}
	whole, head, record := writeJournal(t, path, id)
	for cut := range len(whole) + 1 {
		os.WriteFile(path, whole[:cut], 0o666)
		j, entries, damaged, err := reopen(t, path, id)
		n := max(cut-head, 0) / record
		if err != nil || len(entries) != n || damaged > 0 || j.End() != int64(head+n*record) {
			t.Fatalf("cut at %d: %v, %d bytes damaged, %v", cut, entries, damaged, err)
		}
		testkit.OK(t, j.Close())
		if got, _ := os.ReadFile(path); !bytes.Equal(got, whole[:head+n*record]) {
			t.Fatalf("cut at %d leaves %d bytes", cut, len(got))
		}
	}
}

// TestJournalFlipped flips a bit of every byte: that costs at most the record it is in, and is reported once. In the
// first record it is damage, and the file is left as it is.
func TestJournalFlipped(t *testing.T) {
	path, id := filepath.Join(t.TempDir(), journalName), [32]byte{1, 2}
	whole, head, record := writeJournal(t, path, id)
	for at := range whole {
		flipped := bytes.Clone(whole)
		flipped[at] ^= 1 << (at % 8)
		os.WriteFile(path, flipped, 0o666)
		j, entries, damaged, err := reopen(t, path, id)
		if at < head {
			if !errors.Is(err, dataset.ErrDamaged) {
				t.Fatalf("byte %d of the first record flipped: %v, %v", at, entries, err)
			}
			if left, _ := os.ReadFile(path); !bytes.Equal(left, flipped) {
				t.Fatalf("byte %d: a damaged journal is changed", at)
			}
			continue
		}
		// A last record whose length has grown is one that was cut short.
		last := at-head >= (journalRecords-1)*record
		if err != nil || len(entries) != journalRecords-1 || damaged == 0 && !last {
			t.Fatalf("byte %d flipped: %v, %d bytes damaged, %v", at, entries, damaged, err)
		}
		j.Close()
		j, again, damaged, err := reopen(t, path, id)
		if err != nil || !slices.Equal(again, entries) || damaged > 0 {
			t.Fatalf("byte %d flipped, opened again: %v, %d bytes damaged, %v", at, again, damaged, err)
		}
		j.Close()
	}
}

// TestJournalOfAnother refuses a journal of another command, engine or input, and leaves it as it is.
func TestJournalOfAnother(t *testing.T) {
	path := filepath.Join(t.TempDir(), journalName)
	whole, _, _ := writeJournal(t, path, [32]byte{1, 2})
	_, entries, _, err := reopen(t, path, [32]byte{1, 3})
	if !errors.Is(err, dataset.ErrDamaged) || len(entries) > 0 {
		t.Errorf("%v, %v", entries, err)
	}
	if left, _ := os.ReadFile(path); !bytes.Equal(left, whole) {
		t.Error("it is changed")
	}
}

// TestKnown finds what is stored of a search, and no other search with the same first bytes.
func TestKnown(t *testing.T) {
	j, _, _, err := reopen(t, filepath.Join(t.TempDir(), journalName), [32]byte{})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	k := known{places: map[uint64]int64{}, journal: j}
	rng := rand.New(rand.NewPCG(4, 0))
	all := map[searchKey]entry{}
	for i := range 1000 {
		e := entry{line: ofDataset, searchResult: searchResult{labels: []dataset.Label{}}}
		for b := range e.key {
			e.key[b] = byte(rng.Uint32())
		}
		for range 1 + rng.IntN(3) {
			l := dataset.Label{Status: dataset.Labelled, Best: board.Move(rng.IntN(1 << 16))}
			for range 1 + rng.IntN(20) {
				l.Lines = append(l.Lines, dataset.Searched{Depth: i, Nodes: rng.Int64N(1 << 40),
					PV: []board.Move{1, 2}})
			}
			e.labels = append(e.labels, l)
		}
		all[e.key] = e
		testkit.OK(t, k.take(e.key, e.labels))
	}
	for key, want := range all {
		if got, _, ok, err := k.find(key); err != nil || !ok || !reflect.DeepEqual(got, want) {
			t.Fatalf("%+v, %v, %v, want %+v", got, ok, err, want)
		}
		key[15]++
		if _, _, ok, err := k.find(key); ok || err != nil {
			t.Fatal("another search with the same first bytes is found", err)
		}
	}
}

func FuzzJournal(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte(journalText))
	e := testEntry(3)
	f.Add(e.appendTo(nil))
	e.labels = []dataset.Label{{Status: dataset.Labelled, Lines: []dataset.Searched{{PV: []board.Move{1}}}},
		{Status: dataset.Failed}}
	f.Add(e.appendTo(nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		if e, err := decodeEntry(data); err == nil {
			if again, err := decodeEntry(e.appendTo(nil)); err != nil || fmt.Sprint(again) != fmt.Sprint(e) {
				t.Errorf("%v becomes %v, %v", e, again, err)
			}
		}
		// Whatever a journal holds, each whole record that follows it is found.
		e := testEntry(3)
		sealed := durable.AppendRecord(nil, e.appendTo(nil))
		n := 0
		r := durable.NewRecordReader(bytes.NewReader(append(bytes.Clone(data), sealed...)))
		for {
			record, _, _, err := r.Next(func([]byte) bool { return true })
			if err != nil {
				t.Fatal(err)
			}
			if record == nil {
				break
			}
			if n++; r.At() > int64(len(data)+len(sealed)) {
				t.Fatalf("record ends at %d", r.At())
			}
		}
		if n == 0 {
			t.Error("the record after the data is not found")
		}
	})
}
