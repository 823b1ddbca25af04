package pgn

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"talbot/formats/rows"
)

// carlsen returns the text of a shared file of master games, or a made-up one when it is absent.
func carlsen(b *testing.B) []byte {
	b.Helper()
	if in, err := rows.Open(sharedData + "/pgn/gm/carlsen.pgn.zst"); err == nil {
		defer in.Close()
		text, err := io.ReadAll(in)
		if err != nil {
			b.Fatal(err)
		}
		return text
	}
	b.Log("the shared test data are not here: made-up games")
	var text bytes.Buffer
	for i := range 4000 {
		fmt.Fprintf(&text, "[Event \"made up\"]\n[Site \"here\"]\n[Round \"%d\"]\n[White \"White, W\"]\n[Black "+
			"\"Black, B\"]\n"+
			"[Result \"1-0\"]\n[WhiteElo \"2500\"]\n\n", i)
		text.WriteString("1. e4 e5 2. Nf3 d6 3. d4 Bg4 4. dxe5 Bxf3 5. Qxf3 dxe5 6. Bc4 Nf6 7. Qb3 Qe7\n8. Nc3 c6 " +
			"9. Bg5 b5 " +
			"10. Nxb5 cxb5 11. Bxb5+ Nbd7 12. O-O-O Rd8 13. Rxd7 Rxd7\n14. Rd1 Qe6 15. Bxd7+ Nxd7 16. Qb8+ Nxb8 17. " +
			"Rd8# 1-0\n\n")
	}
	return text.Bytes()
}

// BenchmarkSplit finds the games of a text in memory.
func BenchmarkSplit(b *testing.B) {
	text := carlsen(b)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		s := NewSplitter(bytes.NewReader(text))
		for {
			batch, err := s.Next()
			if err != nil {
				break
			}
			batch.Release()
		}
	}
}

// BenchmarkParse resolves the moves of games that are split already, on one core.
func BenchmarkParse(b *testing.B) {
	text := carlsen(b)
	games := splitText(b, text)
	p, plies := new(Parser), 0
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		for _, g := range games {
			line, reject := p.Parse(g)
			if reject != nil {
				b.Fatal(reject)
			}
			plies += len(line.Moves)
		}
	}
	b.ReportMetric(float64(plies)/b.Elapsed().Seconds(), "plies/s")
	b.ReportMetric(float64(len(games)*b.N)/b.Elapsed().Seconds(), "games/s")
}

// BenchmarkRead splits text and resolves every move, on one core.
func BenchmarkRead(b *testing.B) {
	text := carlsen(b)
	plies := 0
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		plies += readPlies(b, bytes.NewReader(text))
	}
	b.ReportMetric(float64(plies)/b.Elapsed().Seconds()/1e6, "Mplies/s")
}

// BenchmarkInput reads a zstd file: decompression and SHA-256.
func BenchmarkInput(b *testing.B) {
	path := sharedData + "/pgn/gm/gnuchess-book-g00001-30000.pgn.zst"
	for b.Loop() {
		in, err := rows.Open(path)
		if err != nil {
			b.Skipf("SKIPPED: the shared test data are not here: %v", err)
		}
		n, err := io.Copy(io.Discard, in)
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(n)
		in.Close()
	}
}
