package board

import (
	"bytes"
	"testing"
)

// benchmarkGames returns 500 games and their plies.
func benchmarkGames(b *testing.B) (games [][][]byte, plies int) {
	games = sharedGames(b, "pgn/gm/carlsen.pgn.zst")[:500]
	for _, game := range games {
		plies += len(game)
	}
	return games, plies
}

func reportPlies(b *testing.B, plies int) {
	b.ReportMetric(float64(plies)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mplies/s")
}

// BenchmarkSAN resolves and plays the moves of whole games, what reading PGN
// comes down to.
func BenchmarkSAN(b *testing.B) {
	games, plies := benchmarkGames(b)
	b.ReportAllocs()
	for b.Loop() {
		for _, game := range games {
			p := StartPosition()
			for _, san := range game {
				m, err := p.ParseSAN(san)
				if err != nil {
					b.Fatal(err)
				}
				p.Play(m)
			}
		}
	}
	reportPlies(b, plies)
}

// BenchmarkPlaySAN does the same where text stands as in a file, falling back as the PGN reader does.
func BenchmarkPlaySAN(b *testing.B) {
	games, plies := benchmarkGames(b)
	texts := make([][]byte, len(games))
	for i, game := range games {
		texts[i] = append(bytes.Join(game, []byte(" ")), "         "...)
	}
	for b.Loop() {
		for _, text := range texts {
			p := StartPosition()
			for len(text) > 9 {
				_, n := p.PlaySAN(text)
				if n == 0 {
					n = bytes.IndexByte(text, ' ')
					m, err := p.ParseSAN(text[:n])
					if err != nil {
						b.Fatal(err)
					}
					p.Play(m)
				}
				text = text[n+1:]
			}
		}
	}
	reportPlies(b, plies)
}

// benchmarkMoves calls f with every position and move of the games.
func benchmarkMoves(b *testing.B, f func(p *Position, m Move)) {
	games, plies := benchmarkGames(b)
	lines := make([][]Move, len(games))
	for i, game := range games {
		p := StartPosition()
		for _, san := range game {
			m, err := p.ParseSAN(san)
			if err != nil {
				b.Fatal(err)
			}
			lines[i] = append(lines[i], m)
			p.Play(m)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, line := range lines {
			p := StartPosition()
			for _, m := range line {
				f(&p, m)
				p.Play(m)
			}
		}
	}
	reportPlies(b, plies)
}

func BenchmarkPlay(b *testing.B) { benchmarkMoves(b, func(*Position, Move) {}) }

func BenchmarkLegalMovesAndPlay(b *testing.B) {
	var buf [MaxMoves]Move
	benchmarkMoves(b, func(p *Position, _ Move) { p.LegalMoves(buf[:0]) })
}

func BenchmarkIsLegalAndPlay(b *testing.B) {
	benchmarkMoves(b, func(p *Position, m Move) {
		if !p.IsLegal(m) {
			b.Fatalf("%v is illegal", m)
		}
	})
}
