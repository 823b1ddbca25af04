package board

import (
	"bytes"
	"iter"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"talbot/internal/testkit/shareddata"
)

// full says that the slow versions of the tests are wanted: every game, every
// count.
var full = os.Getenv("TALBOT_FULL") != ""

// shared returns the content of a file of the shared test data, decompressed,
// and skips the test where the data is not at hand.
func shared(t testing.TB, name string) []byte {
	t.Helper()
	data := shareddata.Read(t, name)
	if strings.HasSuffix(name, ".zst") {
		d, err := zstd.NewReader(nil)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		if data, err = d.DecodeAll(data, nil); err != nil {
			t.Fatal(err)
		}
	}
	return data
}

// sharedLines returns the lines of an EPD file that are not empty. Its lines
// may end in NUL.
func sharedLines(t testing.TB, name string) (lines []string) {
	t.Helper()
	for line := range strings.Lines(string(shared(t, name))) {
		if line = strings.Trim(line, "\x00 \r\n"); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// sharedGames returns the SAN moves of every game of a PGN file that has no
// comments, variations or FEN starts.
func sharedGames(t testing.TB, name string) (games [][][]byte) {
	t.Helper()
	var game [][]byte
	for line := range bytes.Lines(shared(t, name)) {
		if line[0] == '[' {
			continue
		}
		for word := range bytes.FieldsSeq(line) {
			if dot := bytes.LastIndexByte(word, '.'); dot >= 0 {
				word = word[dot+1:]
			}
			switch string(word) {
			case "":
			case "1-0", "0-1", "1/2-1/2", "*":
				games = append(games, game)
				game = nil
			default:
				game = append(game, word)
			}
		}
	}
	return games
}

// golden returns the positions of a file of results, and what stands behind each.
func golden(t testing.TB, name string) iter.Seq2[Position, string] {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return func(yield func(Position, string) bool) {
		for line := range strings.Lines(string(text)) {
			if fen, rest, _ := strings.Cut(line, ";"); !yield(mustParse(t, fen), rest) {
				return
			}
		}
	}
}

// playRandom plays random legal moves, and calls f with the position and its moves before each.
func playRandom(rng *rand.Rand, p Position, plies int, f func(p *Position, moves []Move)) {
	for range plies {
		moves := p.LegalMoves(nil)
		if len(moves) == 0 {
			break
		}
		f(&p, moves)
		p.Play(moves[rng.IntN(len(moves))])
	}
}

func mustMove(t testing.TB, p *Position, uci string) Move {
	t.Helper()
	m, err := p.ParseUCI(uci)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func mustParse(t testing.TB, fen string) Position {
	t.Helper()
	p, err := ParseFEN(fen)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
