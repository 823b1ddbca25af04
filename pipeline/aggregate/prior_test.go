package aggregate_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"testing"

	"talbot/dataset"
	"talbot/encode"
	"talbot/pipeline/aggregate"
)

// priorSample is what the recipe prior makes of an aggregated position.
type priorSample struct {
	Words   [encode.PriorWords]uint64
	Planes  [encode.PriorPlanes - 1]uint64
	Rating  float32
	numbers []uint16
	shares  []float32
}

// priorSamples encodes an aggregated dataset, at most n samples with either side to move, and writes what
// encode/testdata/prior_oracle.py asks for.
func priorSamples(t *testing.T, dir string, n int, ask io.Writer) (list []priorSample) {
	var e encode.Prior
	var v encode.View
	var w dataset.Walker
	var target encode.Target
	layout, left := e.Layout(), [2]int{n, n}
	numbers := make([]float32, layout.Numbers())
	eachLine(t, dir, func(l *dataset.Line, _ int) {
		if left[l.Start.Turn()]--; left[l.Start.Turn()] < 0 {
			return
		}
		w.Reset(l)
		w.Next()
		v.Visit(&w, dataset.Counted{})
		var s priorSample
		e.Pack(s.Words[:], &v)
		e.Unpack(numbers, s.Words[:])
		for i, x := range numbers[:64*len(s.Planes)] {
			s.Planes[i/64] |= uint64(x) << (i % 64)
		}
		s.Rating = numbers[64*len(s.Planes)]
		target.Reset(&layout)
		if !e.Target(&target, &v, encode.Targets{}) {
			t.Fatalf("nothing is learnt of %q", l.Start.FEN())
		}
		shares := map[uint16]float32{}
		for _, m := range target.Moves {
			shares[uint16(v.EncodeMove(e, 1, m.Move)[0])] = m.Weight
		}
		for _, number := range slices.Sorted(maps.Keys(shares)) {
			s.numbers, s.shares = append(s.numbers, number), append(s.shares, shares[number])
		}
		list = append(list, s)
		fmt.Fprintf(ask, "%s;%d;", l.Start.FEN(), l.MoverElo())
		for _, m := range l.Policies[0] {
			fmt.Fprintf(ask, " %s:%g", m.Move, m.Weight)
		}
		fmt.Fprintln(ask)
	})
	return list
}

// TestPriorOracle compares planes, moves and distributions of aggregated samples of rated games with python-chess, with
// as many of either colour to move. TALBOT_FULL=1 takes 10,000 of each.
func TestPriorOracle(t *testing.T) {
	if out, err := exec.Command("python3", "-c", "import chess").CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: python3 with the package chess is missing: %v %s", err, out)
	}
	n, games := 500, 200
	if os.Getenv("TALBOT_FULL") != "" {
		n, games = 5000, 1000
	}
	var ask bytes.Buffer
	var list []priorSample
	for _, name := range []string{"mixed.pgn.zst", "openings20.pgn.zst"} { // whole games, and what recurs
		r := aggregate.Request{Bands: aggregate.DefaultBands, MinCount: 1, MinBand: 1}
		list = append(list, priorSamples(t, aggregated(t, r, firstGames(t, rated+name, games)), n, &ask)...)
	}
	if len(list) != 4*n {
		t.Fatalf("%d samples", len(list))
	}
	cmd := exec.CommandContext(t.Context(), "python3", "../../encode/testdata/prior_oracle.py", "-")
	cmd.Stdin, cmd.Stderr = &ask, os.Stderr
	answers, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(bytes.NewReader(answers))
	read := func(into any) {
		if err := binary.Read(in, binary.LittleEndian, into); err != nil {
			t.Fatal(err)
		}
	}
	several, passed := 0, 0
	for i, got := range list {
		var want priorSample
		var moves uint16
		for _, part := range []any{&want.Words, &want.Planes, &want.Rating, &moves} {
			read(part)
		}
		for range moves {
			var number uint16
			var share float32
			read(&number)
			read(&share)
			want.numbers, want.shares = append(want.numbers, number), append(want.shares, share)
		}
		if got.Words != want.Words || got.Planes != want.Planes || got.Rating != want.Rating ||
			!slices.Equal(got.numbers, want.numbers) || !slices.Equal(got.shares, want.shares) {
			t.Fatalf("sample %d: %+v, want %+v", i, got, want)
		}
		if moves > 1 {
			several++
		}
		if got.Planes[16] != 0 {
			passed++
		}
	}
	t.Logf("%d samples, %d with several moves, %d with an en passant square", len(list), several, passed)
	if several < 20 {
		t.Errorf("%d samples with several moves", several)
	}
	if _, err := in.ReadByte(); err != io.EOF {
		t.Error("more answers than samples")
	}
}

// TestPriorBands: the recipe's bands are those of aggregate.
func TestPriorBands(t *testing.T) {
	got := aggregate.Bands{}
	for _, b := range encode.PriorBands[1:] {
		got = append(got, b.From)
	}
	if !slices.Equal(got, aggregate.DefaultBands) {
		t.Errorf("%v, want %v", got, aggregate.DefaultBands)
	}
	for elo, want := range map[int]int{1: 0, 1499: 0, 1500: 1, 1999: 1, 2000: 2, 2499: 2, 2500: 3, 9999: 3} {
		if got := dataset.BandOf(encode.PriorBands, elo); got != want {
			t.Errorf("%d is in band %d", elo, got)
		}
	}
}
