package aggregate

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/durable"
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
				move: board.Move(rng.IntN(4)), band: uint8(rng.IntN(4)), count: 1 + rng.Uint64N(3)})
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
		if all, err = c.read(all, r, part); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// TestRun: what is read is what was written, and any flipped or missing byte that changes it is damage.
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
		if got, err := readRun(t, path); !errors.Is(err, dataset.ErrDamaged) && !reflect.DeepEqual(got, want) {
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
		"run-000001.part" + durable.TempSuffix: -1, "run--00001.part": -1, "shard-00000.talbot.zst": -1,
		"run-000001.partx": -1} {
		if got := runNumber(name); got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
	if !isOwnFile("run-000001.part"+durable.TempSuffix) || isOwnFile("x.tmp") {
		t.Error("temporary names")
	}
}

// randomGame calls f with the positions of a game of random moves from a position.
func randomGame(rng *rand.Rand, p board.Position, plies int, f func(p *board.Position)) {
	for range plies {
		f(&p)
		moves := p.LegalMoves(nil)
		if len(moves) == 0 {
			return
		}
		p.Play(moves[rng.IntN(len(moves))])
	}
}

// TestPack: positions are packed without loss but for their counters, and equal exactly where their EPD is.
func TestPack(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	seen := map[position]string{}
	passed, rights := 0, map[uint16]bool{}
	starts := []string{board.StartFEN, "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 3 9",
		"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
		"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", "7k/8/8/8/8/8/8/K7 b - - 0 1"}
	for i := range 400 {
		start, err := board.ParseFEN(starts[i%len(starts)])
		if err != nil {
			t.Fatal(err)
		}
		randomGame(rng, start, 120, func(p *board.Position) {
			q := pack(p)
			if epd, ok := seen[q]; ok && epd != p.EPD() {
				t.Fatalf("%s and %s are packed alike", epd, p.EPD())
			}
			seen[q] = p.EPD()
			back, err := q.unpack()
			if err != nil || back.EPD() != p.EPD() || back.HalfmoveClock() != 0 || back.FullmoveNumber() != 1 {
				t.Fatalf("%s: unpacked %s, %v", p.FEN(), back.FEN(), err)
			}
			if q.compare(&q) != 0 {
				t.Fatal("a position differs from itself")
			}
			if p.EnPassant() != board.NoSquare {
				passed++
			}
			rights[q.state>>1&15] = true
		})
	}
	epds := map[string]bool{}
	for _, epd := range seen {
		epds[epd] = true
	}
	if len(epds) != len(seen) || passed < 20 || len(rights) < 10 {
		t.Errorf("%d packed positions, %d EPDs; %d en passant, %d sets of rights", len(seen), len(epds), passed,
			len(rights))
	}
}

// TestPackMirror: a position and its mirror image are two.
func TestPackMirror(t *testing.T) {
	p := board.StartPosition()
	m := p.Mirror()
	if a, b := pack(&p), pack(&m); a == b || a.compare(&b) != -b.compare(&a) {
		t.Errorf("%+v and %+v", a, b)
	}
}

// FuzzUnpack: no bytes make a position that is not one, or a panic, and a record has the bytes that it was read from.
func FuzzUnpack(f *testing.F) {
	p := board.StartPosition()
	r := record{position: pack(&p)}
	f.Add(r.append(nil))
	r.state |= 8 << passedShift
	f.Add(r.append(nil))
	r.state |= 15 << passedShift
	f.Add(r.append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) != recordSize {
			return
		}
		r := readRecord(b, 7)
		if !bytes.Equal(r.append(nil), b) {
			t.Fatalf("%+v has other bytes", r)
		}
		p, err := r.unpack()
		if err != nil {
			return
		}
		if _, err := board.ParseFEN(p.FEN()); err != nil || pack(&p) != r.position {
			t.Fatalf("%+v is unpacked as %s: %v", r, p.FEN(), err)
		}
	})
}
