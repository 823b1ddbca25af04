package label

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/durable"
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
	j, _, err := reopen(t, path, id)
	if err != nil {
		t.Fatal(err)
	}
	for i := range int64(journalRecords) {
		if err := j.append(i, searchResult{sampleLabels, ownSearch}); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if whole, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	head = len(durable.AppendRecord(nil, identityPayload(id)))
	return whole, head, (len(whole) - head) / journalRecords
}

// openedJournal is what opening a journal gave.
type openedJournal struct {
	samples []int64
	warned  []error
}

// reopen opens a journal and fails where it gives labels that were never written.
func reopen(t *testing.T, path string, id [32]byte) (j *journal, o openedJournal, err error) {
	t.Helper()
	seen := map[int64]bool{}
	j, err = openJournal(path, id, func(sample int64, m searchResult) bool {
		l := m.labels
		if fmt.Sprint(l) != fmt.Sprint(sampleLabels) || sample >= journalRecords {
			t.Fatalf("sample %d is %v", sample, l)
		}
		if !seen[sample] { // what is written anew is read again
			o.samples = append(o.samples, sample)
		}
		seen[sample] = true
		return true
	}, func(err error) { o.warned = append(o.warned, err) })
	return j, o, err
}

// TestJournalTorn: of a journal that a kill cut short, all whole records are read, and no word is said.
func TestJournalTorn(t *testing.T) {
	path, id := filepath.Join(t.TempDir(), journalName(0)), [32]byte{1, 2}
	whole, head, record := writeJournal(t, path, id)
	for cut := range len(whole) + 1 {
		os.WriteFile(path, whole[:cut], 0o666)
		j, o, err := reopen(t, path, id)
		n := max(cut-head, 0) / record
		if err != nil || len(o.samples) != n || len(o.warned) > 0 {
			t.Fatalf("cut at %d: %+v, %v", cut, o, err)
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		if got, _ := os.ReadFile(path); !bytes.Equal(got, whole[:head+n*record]) {
			t.Fatalf("cut at %d leaves %d bytes", cut, len(got))
		}
	}
}

// TestJournalFlipped: a flip in any byte costs at most the record it is in, which is said; what the journal is left as
// gives the same and says no more. In the first record it is damage.
func TestJournalFlipped(t *testing.T) {
	path, id := filepath.Join(t.TempDir(), journalName(0)), [32]byte{1, 2}
	whole, head, record := writeJournal(t, path, id)
	for at := range whole {
		bit := 8*at + at%8
		flipped := bytes.Clone(whole)
		flipped[bit/8] ^= 1 << (bit % 8)
		os.WriteFile(path, flipped, 0o666)
		j, o, err := reopen(t, path, id)
		if bit/8 < head {
			if !errors.Is(err, dataset.ErrDamaged) {
				t.Fatalf("bit %d of the identity flipped: %+v, %v", bit, o, err)
			}
			if left, _ := os.ReadFile(path); !bytes.Equal(left, flipped) {
				t.Fatalf("bit %d: a damaged journal is changed", bit)
			}
			continue
		}
		// A last record whose length has grown is one that was cut short.
		last := bit/8-head >= (journalRecords-1)*record
		if err != nil || len(o.samples) != journalRecords-1 || len(o.warned) != 1 && !last {
			t.Fatalf("bit %d flipped: %+v, %v", bit, o, err)
		}
		j.Close()
		again, p, err := reopen(t, path, id)
		if err != nil || fmt.Sprint(p.samples) != fmt.Sprint(o.samples) || len(p.warned) > 0 {
			t.Fatalf("bit %d flipped, opened again: %+v, %v", bit, p, err)
		}
		again.Close()
	}
}

// TestJournalOfAnother: a journal of another command, engine or input is refused and left as it is.
func TestJournalOfAnother(t *testing.T) {
	path := filepath.Join(t.TempDir(), journalName(0))
	whole, _, _ := writeJournal(t, path, [32]byte{1, 2})
	_, o, err := reopen(t, path, [32]byte{1, 3})
	if !errors.Is(err, dataset.ErrDamaged) || len(o.samples) > 0 {
		t.Errorf("%+v, %v", o, err)
	}
	if left, _ := os.ReadFile(path); !bytes.Equal(left, whole) {
		t.Error("it is changed")
	}
}

// TestJournalWithoutIdentity: a journal of before there were identities is read, with a warning, and has one then.
func TestJournalWithoutIdentity(t *testing.T) {
	path, id := filepath.Join(t.TempDir(), journalName(0)), [32]byte{1, 2}
	whole, head, record := writeJournal(t, path, id)
	for _, cut := range []int{0, 1, record - 1} { // torn
		os.WriteFile(path, whole[head:len(whole)-cut], 0o666)
		j, o, err := reopen(t, path, id)
		n := journalRecords - min(cut, 1)
		if err != nil || len(o.samples) != n || len(o.warned) != 1 {
			t.Fatalf("%+v, %v", o, err)
		}
		j.Close()
		if got, _ := os.ReadFile(path); !bytes.Equal(got, whole[:head+n*record]) {
			t.Errorf("%d bytes are left", len(got))
		}
	}
	broken := bytes.Clone(whole[head:])
	broken[2*record+20] ^= 1
	os.WriteFile(path, broken, 0o666)
	j, o, err := reopen(t, path, id)
	if err != nil || len(o.samples) != journalRecords-1 || len(o.warned) != 1 {
		t.Errorf("%+v, %v", o, err)
	}
	j.Close()
}

func FuzzJournal(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte(identityText))
	f.Add(encodeRecord(nil, 8, searchResult{sampleLabels, originOf(3)}))
	f.Add(encodeRecord(nil, 7, searchResult{labels: []dataset.Label{{Status: dataset.Labelled,
		Lines: []dataset.Searched{{PV: []board.Move{1}}}}, {Status: dataset.Failed}}}))
	f.Fuzz(func(t *testing.T, data []byte) {
		if sample, l, err := decodeRecord(data); err == nil {
			if _, again, err := decodeRecord(encodeRecord(nil, sample, l)); err != nil ||
				fmt.Sprint(again) != fmt.Sprint(l) {
				t.Errorf("%v becomes %v, %v", l, again, err)
			}
		}
		// Whatever stands in a journal, each whole record that follows it is found.
		sealed := durable.AppendRecord(nil, encodeRecord(nil, 3, searchResult{sampleLabels, originOf(5)}))
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
			t.Error("the record behind is not found")
		}
	})
}
