package label

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"talbot/board"
	"talbot/dataset"
)

func TestJournalTorn(t *testing.T) {
	label := []dataset.Label{{Status: dataset.Terminal}, {
		Status: dataset.Labelled, Best: board.NewMove(12, 28),
		Lines: []dataset.Searched{{Score: dataset.MateIn(-3), WDL: dataset.WDL{Win: 1, Draw: 2, Loss: 997}, Depth: 20,
			Nodes: 1 << 40, PV: []board.Move{board.NewMove(12, 28), board.NewMove(52, 36)}}},
	}}
	path := filepath.Join(t.TempDir(), journalName(0))
	j, err := openJournal(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range int64(3) {
		if err := j.append(i, label); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.close(); err != nil {
		t.Fatal(err)
	}
	whole, _ := os.ReadFile(path)
	record := len(whole) / 3
	for cut := range len(whole) + 1 {
		os.WriteFile(path, whole[:cut], 0o666)
		n := int64(0)
		j, err := openJournal(path, func(sample int64, l []dataset.Label) {
			if sample != n || fmt.Sprint(l) != fmt.Sprint(label) {
				t.Fatalf("cut at %d: sample %d is %v", cut, sample, l)
			}
			n++
		})
		if err != nil || n != int64(cut/record) {
			t.Fatalf("cut at %d: %d records, %v", cut, n, err)
		}
		if info, _ := j.file.Stat(); info.Size() != n*int64(record) {
			t.Fatalf("cut at %d leaves %d bytes", cut, info.Size())
		}
		j.close()
	}
	for at := range whole {
		flipped := bytes.Clone(whole)
		flipped[at] ^= 1
		if _, err := readJournal(bytes.NewReader(flipped), func(sample int64, l []dataset.Label) {
			if fmt.Sprint(l) != fmt.Sprint(label) {
				t.Fatalf("flip at %d goes unnoticed", at)
			}
		}); err != nil {
			t.Fatal(err)
		}
	}
}

func FuzzJournal(f *testing.F) {
	f.Add([]byte{})
	f.Add(encodeRecord(nil, 7, []dataset.Label{{Status: dataset.Labelled,
		Lines: []dataset.Searched{{PV: []board.Move{1}}}}, {Status: dataset.Failed}}))
	f.Fuzz(func(t *testing.T, data []byte) {
		if sample, l, err := decodeRecord(data); err == nil {
			if _, again, err := decodeRecord(encodeRecord(nil, sample, l)); err != nil ||
				fmt.Sprint(again) != fmt.Sprint(l) {
				t.Errorf("%v becomes %v, %v", l, again, err)
			}
		}
	})
}
