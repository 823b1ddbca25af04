package board

import (
	"math/rand/v2"
	"testing"
)

// checkPlaySAN checks that PlaySAN reads what ParseSAN reads, or leaves the position alone.
func checkPlaySAN(t *testing.T, p *Position, text []byte) (read bool) {
	t.Helper()
	q := *p
	m, n := q.PlaySAN(text)
	if n == 0 {
		if q != *p || m != NoMove {
			t.Fatalf("%s: %q is not read and gives %v, %s", p.FEN(), text, m, q.FEN())
		}
		return false
	}
	if n >= len(text) || text[n] > ' ' {
		t.Fatalf("%s: %q is read in the middle of a word: %d bytes", p.FEN(), text, n)
	}
	want, err := p.ParseSAN(text[:n])
	if err != nil || m != want {
		t.Fatalf("%s: %q gives %v, ParseSAN gives %v, %v", p.FEN(), text[:n], m, want, err)
	}
	if q != p.After(m) || q.Key() != q.computeKey() {
		t.Fatalf("%s: %q leads to %s, want %s", p.FEN(), text[:n], q.FEN(), new(p.After(m)).FEN())
	}
	return true
}

// TestPlaySAN plays random games and reads every legal move at every position, as it is written by SAN and with one
// byte of that changed.
func TestPlaySAN(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const other = "abcdefgh12345678NBRQKOx=+#-! \x00\xff"
	var all, read int
	for _, fen := range startFENs {
		for range 20 {
			playRandom(r, mustParse(t, fen), 60, func(p *Position, moves []Move) {
				for _, m := range moves {
					san := p.SAN(m)
					text := append([]byte(san), " 1-0        "...)
					all++
					if checkPlaySAN(t, p, text) {
						read++
					}
					text[r.IntN(len(san)+1)] = other[r.IntN(len(other))]
					checkPlaySAN(t, p, text)
				}
			})
		}
	}
	t.Logf("%d of %d moves are read", read, all)
	if read < all*9/10 {
		t.Errorf("only %d of %d moves are read", read, all)
	}
	p := StartPosition()
	for _, short := range []string{"", "e4", "e4     "} {
		if m, n := p.PlaySAN([]byte(short)); n != 0 || m != NoMove || p != StartPosition() {
			t.Errorf("%q: the bytes behind the text are read", short)
		}
	}
}

// TestPlaySANGames reads all games of a shared file: nearly all of their moves are plain.
func TestPlaySANGames(t *testing.T) {
	var all, read int
	for _, game := range sharedGames(t, "pgn/gm/carlsen.pgn.zst") {
		p := StartPosition()
		for _, san := range game {
			all++
			if checkPlaySAN(t, &p, append(append([]byte{}, san...), "        "...)) {
				read++
			}
			m, err := p.ParseSAN(san)
			if err != nil {
				t.Fatal(err)
			}
			p.Play(m)
		}
	}
	t.Logf("%d of %d moves are read", read, all)
	if read < all*95/100 {
		t.Errorf("only %d of %d moves are read", read, all)
	}
}
