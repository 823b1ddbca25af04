package pgn

import (
	"math/rand/v2"
	"testing"
)

// TestCommentScanner follows comments at once and byte by byte, which never takes the short way, through random text.
func TestCommentScanner(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, alphabet := range []string{"a{}", "a {}\n", "a{};%\n\r", "aaaaaaaa{}\n\r%", "aaaaaaaaaaaa{} ;"} {
		for range 20_000 {
			text := make([]byte, r.IntN(40))
			for i := range text {
				text[i] = alphabet[r.IntN(len(alphabet))]
			}
			var at, by commentScanner
			at.reset(0, true)
			by.reset(0, true)
			at.advance(text, r.IntN(len(text)+1))
			at.advance(text, len(text))
			for i := range text {
				by.advance(text, i+1)
			}
			if at != by {
				t.Fatalf("%q: %+v at once, %+v byte by byte", text, at, by)
			}
		}
	}
}
