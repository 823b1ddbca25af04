package aggregate

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"talbot/board"
	"talbot/dataset"
)

// someRecords are sorted records, spread over the partitions.
func someRecords(n int) []record {
	rng := rand.New(rand.NewPCG(3, 4))
	var all []record
	for len(all) < n {
		randomGame(rng, board.StartPosition(), 60, func(p *board.Position) {
			if rng.IntN(3) > 0 {
				return
			}
			all = append(all, record{position: pack(p), part: uint16(p.Key() >> partitionShift),
				move: board.Move(rng.IntN(4)), band: uint8(rng.IntN(4)), count: 1 + rng.Uint32N(3)})
		})
	}
	sortRecords(all)
	return mergeEqual(all)
}

func readRun(t *testing.T, path string) ([]record, error) {
	t.Helper()
	c, err := newCoder()
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	r, err := openRun(path)
	if err != nil {
		return nil, err
	}
	var all []record
	for part := range partitions {
		if all, err = c.read(all, r, part, 4); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// TestRun: what is read is what was written, and any flipped or missing byte is damage.
func TestRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), runName(0))
	c, err := newCoder()
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	want := someRecords(400)
	size, err := c.write(path, want)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := readRun(t, path); err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("%d records, want %d: %v", len(got), len(want), err)
	}
	data, err := os.ReadFile(path)
	if err != nil || int64(len(data)) != size {
		t.Fatalf("%d bytes, want %d: %v", len(data), size, err)
	}
	rng := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		bad := append([]byte{}, data...)
		if i := rng.IntN(len(bad)); rng.IntN(4) > 0 {
			bad[i] ^= 1 << rng.IntN(8)
		} else {
			bad = bad[:i]
		}
		if err := os.WriteFile(path, bad, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := readRun(t, path); !errors.Is(err, dataset.ErrDamaged) {
			t.Fatalf("not noticed: %v", err)
		}
	}
}

// TestFold adds up equal neighbours only.
func TestFold(t *testing.T) {
	all := someRecords(200)
	twice := append(append([]record{}, all...), all...)
	sortRecords(twice)
	twice = mergeEqual(twice)
	if len(twice) != len(all) {
		t.Fatalf("%d records, want %d", len(twice), len(all))
	}
	for i := range twice {
		if twice[i].count != 2*all[i].count || twice[i].compare(&all[i]) != 0 {
			t.Errorf("record %d: %+v, want twice %+v", i, twice[i], all[i])
		}
	}
}

func TestRunNames(t *testing.T) {
	for name, want := range map[string]int{"run-000000.part": 0, "run-1234567.part": 1234567, "run-1.part": -1,
		"run-000001.part.tmp": -1, "run--00001.part": -1, "shard-00000.talbot.zst": -1, "run-000001.partx": -1} {
		if got := runNumber(name); got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
	if !isOwnFile("run-000001.part.tmp") || isOwnFile("x.tmp") {
		t.Error("temporary names")
	}
}

// FuzzSection: no bytes make the reader panic, and what it reads is written again as the same records.
func FuzzSection(f *testing.F) {
	f.Add(encodeSection(nil, someRecords(8)))
	f.Add([]byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 1, 2, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := decodeSection(nil, b, 7, 4)
		if err != nil {
			return
		}
		again, err := decodeSection(nil, encodeSection(nil, got), 7, 4)
		if err != nil || !reflect.DeepEqual(mergeEqual(got), mergeEqual(again)) {
			t.Fatalf("%+v and %+v: %v", got, again, err)
		}
	})
}
