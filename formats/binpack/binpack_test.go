package binpack

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"talbot/board"
	"talbot/internal/testkit/shareddata"
)

// entry is a position as sfbinpack 0.6.5, a reader in Rust, prints it.
func entry(p *board.Position, move, score, ply, result any) string {
	return fmt.Sprintf("%s\t%v\t%v\t%v\t%v", p.FEN(), move, score, ply, result)
}

// entries lists the positions of a chain as sfbinpack does: the en passant square stands only where a capture is legal.
func (c *Chain) entries() (lines []string) {
	p, result := c.Start, c.Result
	for i, score := range c.Scores {
		m := board.NoMove
		if i < len(c.Moves) {
			m = c.Moves[i]
		}
		lines = append(lines, entry(&p, m, score, c.Ply+i, result))
		if m != board.NoMove {
			p.Play(m)
		}
		result = -result
	}
	return lines
}

// TestOutside compares what is read with what an independent reader printed.
func TestOutside(t *testing.T) {
	for _, test := range []struct{ binpack, text string }{
		{"ep1.binpack", "ep1.tsv"}, {"small.binpack", "small.first200.tsv"},
	} {
		want := strings.Split(strings.TrimSpace(string(shareddata.Read(t, "formats/"+test.text))), "\n")
		r, c, got := NewReader(bytes.NewReader(shareddata.Read(t, "formats/"+test.binpack))), Chain{}, []string(nil)
		for len(got) < len(want) {
			if _, err := r.Next(&c); err != nil {
				t.Fatalf("%s: %v after %d positions", test.binpack, err, len(got))
			}
			got = append(got, c.entries()...)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("%s, position %d: %s, want %s", test.binpack, i+1, got[i], want[i])
			}
		}
	}
}

// TestSameBytes reads a real file and writes it again.
func TestSameBytes(t *testing.T) {
	data := shareddata.Read(t, "formats/small.binpack")
	r, c, out, chains, positions := NewReader(bytes.NewReader(data)), Chain{}, bytes.Buffer{}, 0, 0
	w := NewWriter(&out)
	scores := map[int16]int{}
	for {
		_, err := r.Next(&c)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		chains, positions = chains+1, positions+len(c.Scores)
		for _, s := range c.Scores {
			scores[s]++
		}
		if err := w.Write(&c); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil || !bytes.Equal(out.Bytes(), data) {
		t.Errorf("%d bytes, want the %d that were read; %v", out.Len(), len(data), err)
	}
	if chains != 4304 || positions != 434_921 || scores[26624]+scores[-26624] != 8048 || scores[NoScore] != 10_200 {
		t.Errorf("%d chains, %d positions, %d and %d scores of ±26624, %d without", chains, positions, scores[26624],
			scores[-26624], scores[NoScore])
	}
}

// random is a chain of random legal moves and scores.
func random(r *rand.Rand, start board.Position, ply, length int) *Chain {
	c := &Chain{Start: start, Ply: ply, Result: int8(r.IntN(3) - 1), passed: board.NoSquare}
	p := start
	for range length {
		moves := p.LegalMoves(nil)
		if len(moves) == 0 {
			break
		}
		m := moves[r.IntN(len(moves))]
		c.Moves, c.Scores = append(c.Moves, m), append(c.Scores, int16(r.Uint32()))
		p.Play(m)
	}
	if len(c.Scores) == 0 {
		c.Scores = []int16{int16(r.Uint32())}
	}
	return c
}

func equal(a, b *Chain) bool {
	return a.Start == b.Start && a.Ply == b.Ply && a.Result == b.Result && a.passed == b.passed &&
		slices.Equal(a.Moves, b.Moves) && slices.Equal(a.Scores, b.Scores)
}

// starts are positions with what is rare: promotions that capture, an en passant capture, one right to castle, two bare
// kings, a mated side, a position in the middle of castling.
var starts = []string{
	board.StartFEN,
	"r3k2r/1P4P1/8/8/8/8/1p4p1/R3K2R w KQkq - 0 1",
	"r3k2r/8/8/8/8/8/8/R3K2R b Kq - 3 1",
	"4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1",
	"8/8/4k3/8/8/3K4/8/8 w - - 12 1",
	"7k/5KQ1/8/8/8/8/8/8 b - - 0 1",
	"rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1",
	"1n2k3/P7/8/8/8/8/7p/4K1N1 w - - 0 1",
}

// TestRandomChains writes chains of random moves and scores, the difference of which wraps, in chunks of few chains,
// and reads them.
func TestRandomChains(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var out bytes.Buffer
	w := NewWriter(&out)
	w.limit = 500
	var chains []*Chain
	for i := range 2000 {
		start, err := board.ParseFEN(starts[i%len(starts)])
		if err != nil {
			t.Fatal(err)
		}
		ply := r.IntN(MaxPly + 1)
		fen := strings.Fields(start.FEN())
		start, _ = board.ParseFEN(strings.Join(append(fen[:5], fmt.Sprint(ply/2+1)), " "))
		c := random(r, start, ply, r.IntN(200))
		if i%10 == 0 {
			c.Scores = c.Scores[:min(1, len(c.Moves))]
			c.Moves = c.Moves[:len(c.Scores)]
			if len(c.Scores) == 0 {
				c.Scores = []int16{5}
			}
		}
		if err := w.Write(c); err != nil {
			t.Fatal(err)
		}
		chains = append(chains, c)
	}
	w.Flush()
	in := NewReader(iotest.OneByteReader(&out))
	var c Chain
	for i, want := range chains {
		if _, err := in.Next(&c); err != nil || !equal(&c, want) {
			t.Fatalf("chain %d: %v %v, want %v", i, c, err, *want)
		}
	}
	if _, err := in.Next(&c); err != io.EOF {
		t.Error(err)
	}
}

// file makes a small file of several chunks.
func file(t testing.TB) (data []byte, chains []*Chain) {
	r := rand.New(rand.NewPCG(3, 4))
	var out bytes.Buffer
	w := NewWriter(&out)
	w.limit = 300
	for i := range 12 {
		c := random(r, board.StartPosition(), 0, 3*i)
		if err := w.Write(c); err != nil {
			t.Fatal(err)
		}
		chains = append(chains, c)
	}
	w.Flush()
	return out.Bytes(), chains
}

// all reads a file to its end.
func all(t testing.TB, data []byte) (chains []*Chain, damages []*Damage) {
	in := NewReader(bytes.NewReader(data))
	at := int64(-1)
	for {
		c := &Chain{}
		offset, err := in.Next(c)
		if d := (*Damage)(nil); errors.As(err, &d) {
			if d.Offset <= at && d.Lost == 0 || d.Offset > int64(len(data)) {
				t.Fatalf("%v behind %d", d, at)
			}
			damages, at = append(damages, d), d.Offset
			continue
		}
		if err == io.EOF {
			return chains, damages
		}
		if err != nil {
			t.Fatal(err)
		}
		if offset <= at || offset >= int64(len(data)) {
			t.Fatalf("a chain at %d behind %d", offset, at)
		}
		chains, at = append(chains, c), offset
	}
}

// TestCuts cuts a file everywhere: the chains before are read, and the end is a damage unless it is that of a chunk.
func TestCuts(t *testing.T) {
	data, want := file(t)
	ends := map[int]bool{0: true, len(data): true}
	for i := range data {
		if string(data[i:min(i+4, len(data))]) == magic {
			ends[i] = true
		}
	}
	for n := range len(data) + 1 {
		got, damages := all(t, data[:n])
		for i, c := range got {
			if !equal(c, want[i]) {
				t.Fatalf("cut at %d: chain %d differs", n, i)
			}
		}
		if (len(damages) == 0) != ends[n] || len(damages) > 1 {
			t.Fatalf("cut at %d: %v", n, damages)
		}
	}
}

// TestFlips flips each bit of a file. Chunks that are not touched are read, unless a header was damaged, which may cost
// one more; and what cannot be seen is counted: scores, results and moves that are as legal as the true ones.
func TestFlips(t *testing.T) {
	data, want := file(t)
	unseen, most := 0, 0
	for bit := range 8 * len(data) {
		flipped := bytes.Clone(data)
		flipped[bit/8] ^= 1 << (bit % 8)
		got, damages := all(t, flipped)
		whole := 0
		for _, c := range got {
			for _, w := range want {
				if equal(c, w) {
					whole++
					break
				}
			}
		}
		lost := len(want) - whole
		if len(damages) == 0 && lost > 1 {
			t.Errorf("bit %d: %d chains lost without a word", bit, lost)
		}
		if len(damages) == 0 {
			unseen++
		}
		most = max(most, lost)
	}
	t.Logf("%d flips, %d cannot be seen, at most %d of %d chains lost", 8*len(data), unseen, most, len(want))
	if most > 6 {
		t.Errorf("a flip costs %d chains of %d", most, len(want))
	}
}

// TestWrongChains are refused when they are written.
func TestWrongChains(t *testing.T) {
	start := board.StartPosition()
	e4, _ := start.ParseUCI("e2e4")
	for _, c := range []Chain{
		{Start: start},
		{Start: start, Moves: []board.Move{e4}},
		{Start: start, Moves: []board.Move{e4}, Scores: []int16{1, 2}},
		{Start: start, Moves: []board.Move{e4, e4}, Scores: []int16{1, 2}},
		{Start: start, Moves: []board.Move{e4}, Scores: []int16{1}, Ply: MaxPly + 1},
		{Start: start, Moves: []board.Move{e4}, Scores: []int16{1}, Ply: -1},
	} {
		var out bytes.Buffer
		w := NewWriter(&out)
		if err := w.Write(&c); err == nil {
			t.Errorf("%v was written", c)
		}
		if w.Flush(); out.Len() > 0 {
			t.Errorf("%v left %d bytes", c, out.Len())
		}
	}
}

// TestHeaderClaims reads chunks whose headers claim more than there is.
func TestHeaderClaims(t *testing.T) {
	data, want := file(t)
	for _, size := range []string{"\xff\xff\xff\xff", "\x00\x00\x40\x06", "\x00\x00\x30\x06", "\x00\x00\x00\x00"} {
		got, damages := all(t, append([]byte(magic+size), data...))
		if len(got) != len(want) || len(damages) > 1 {
			t.Errorf("size %q: %d of %d chains, %v", size, len(got), len(want), damages)
		}
	}
}

func FuzzReader(f *testing.F) {
	data, _ := file(f)
	f.Add(data)
	f.Add(data[:100])
	f.Fuzz(func(t *testing.T, data []byte) {
		chains, _ := all(t, data)
		var out bytes.Buffer
		w := NewWriter(&out)
		for _, c := range chains {
			if err := w.Write(c); err != nil {
				t.Fatal(err)
			}
		}
		w.Flush()
		again, damages := all(t, out.Bytes())
		if len(again) != len(chains) || len(damages) > 0 {
			t.Fatalf("%d chains, %d again, %v", len(chains), len(again), damages)
		}
		for i := range chains {
			if !equal(chains[i], again[i]) {
				t.Fatalf("chain %d differs", i)
			}
		}
	})
}

func BenchmarkReader(b *testing.B) {
	data := shareddata.Read(b, "formats/small.binpack")
	b.SetBytes(int64(len(data)))
	positions := 0
	for b.Loop() {
		r, c := NewReader(bytes.NewReader(data)), Chain{}
		for {
			if _, err := r.Next(&c); err != nil {
				break
			}
			positions += len(c.Scores)
		}
	}
	b.ReportMetric(float64(positions)/b.Elapsed().Seconds()/1e6, "Mpositions/s")
}

// TestNestedChunks: chunks that claim to hold each other, a damaged chain in each, cost time in proportion to the size
// of the file, not to its square, and no memory for each.
func TestNestedChunks(t *testing.T) {
	data, _ := file(t)
	first := bytes.Clone(data[:headerSize+stemSize])
	copy(first[4:], "\x00\x00\x00\x06") // nearly 100 MiB
	first[len(first)-1] = 1             // a further position, whose move is no move of the start position
	var nested []byte
	for len(nested) < 4<<20 {
		nested = append(nested, first...)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	chains, damages := all(t, nested)
	runtime.ReadMemStats(&after)
	lost := int64(0)
	for _, d := range damages {
		lost += d.Lost
	}
	if len(chains) > 0 || len(damages) < len(nested)/len(first)-1 {
		t.Errorf("%d chains, %d damages", len(chains), len(damages))
	}
	if got := after.TotalAlloc - before.TotalAlloc; got > 400<<20 {
		t.Errorf("%d MiB for a file of %d", got>>20, len(nested)>>20)
	}
}
