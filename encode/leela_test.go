package encode

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"fmt"
	"math/bits"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"talbot/board"
)

// TestLeelaJudge: planes and numbers of moves are those of lc0, which testdata/leela.py asked. TALBOT_LEELA names a
// longer list, compressed by gzip too.
func TestLeelaJudge(t *testing.T) {
	f, err := os.Open(cmp.Or(os.Getenv("TALBOT_LEELA"), "testdata/leela.txt.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int]int{}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		fields := strings.Split(lines.Text(), "\t")
		form, err := strconv.Atoi(fields[0])
		if err != nil {
			t.Fatal(err)
		}
		seen[form]++
		start, err := board.ParseFEN(fields[1])
		if err != nil {
			t.Fatal(err)
		}
		g := board.NewGame(start)
		for _, text := range strings.Fields(fields[2]) {
			m, err := g.Position().ParseUCI(text)
			if err != nil {
				t.Fatal(err)
			}
			g.Push(m)
		}
		v := &View{}
		v.Play(g, 0, 0)
		e := Leela{Input: form}
		packed := make([]uint64, LeelaWords)
		e.Pack(packed, v)
		got := make([]float32, 64*LeelaPlanes)
		e.Unpack(got, packed)
		want := make([]float32, 64*LeelaPlanes)
		for _, plane := range strings.Fields(fields[3]) {
			parts := strings.Split(plane, ":")
			i, _ := strconv.Atoi(parts[0])
			mask, _ := strconv.ParseUint(parts[1], 16, 64)
			value, _ := strconv.ParseFloat(parts[2], 32)
			for ; mask != 0; mask &= mask - 1 {
				want[64*i+bits.TrailingZeros64(mask)] = float32(value)
			}
		}
		if !slices.Equal(got, want) {
			var planes []string
			for i := range LeelaPlanes {
				if a, b := got[64*i:64*i+64], want[64*i:64*i+64]; !slices.Equal(a, b) {
					planes = append(planes, fmt.Sprintf("%d: %v, want %v", i, squaresOf(a), squaresOf(b)))
				}
			}
			t.Errorf("input %d of %s after %s:\n%s", form, fields[1], fields[2],
				strings.Join(planes[:min(3, len(planes))], "\n"))
		}
		if form >= 3 { // the judge's numbers are those before the board is turned
			continue
		}
		for _, text := range strings.Fields(fields[4]) {
			name, number, _ := strings.Cut(text, ":")
			m, err := g.Position().ParseUCI(name)
			if err != nil {
				t.Fatal(err)
			}
			var code [1]int32
			e.EncodeMove(code[:], v, m)
			if fmt.Sprint(code[0]) != number {
				t.Errorf("input %d of %s: %s is %d, want %s", form, g.Position().FEN(), name, code[0], number)
			}
		}
		if t.Failed() && seen[form] > 200 {
			return
		}
	}
	t.Log("positions by input:", seen)
	if err := lines.Err(); err != nil || len(seen) != 5 {
		t.Error(err)
	}
}

func squaresOf(plane []float32) (list []string) {
	for s, x := range plane {
		if x != 0 {
			list = append(list, fmt.Sprintf("%v=%g", board.Square(s), x))
		}
	}
	return list
}
