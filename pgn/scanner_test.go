package pgn

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestScannerSteps moves the scanner through files in steps of any number of lines, with and without skipping ahead: it
// finds the same games.
func TestScannerSteps(t *testing.T) {
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 3))
		f := newFile(r)
		if seed%2 == 0 {
			f.damage()
		}
		text := append(f.text, '\n')
		games := func(suspect bool, step int) (found []int) {
			var c scanner
			c.reset(0, true)
			c.tagged, c.suspect = true, suspect
			for to := 0; to < len(text); {
				for range step {
					// the splitter looks at each line before the scanner
					line := text[min(skipSpace(text, to), len(text)-1):]
					c.suspect = c.suspect || line[0] == '%' || isFirstMove(line)
					if n := indexLineEnd(text[min(to, len(text)-1):]); n >= 0 {
						to = min(to+n+1, len(text))
					}
				}
				if to < len(text) && text[to-1] == '\r' && text[to] == '\n' {
					to++
				}
				for c.pos < to || c.nextStart >= 0 {
					if e, at := c.next(text, to); e != noEvent {
						found = append(found, at)
					}
				}
			}
			return found
		}
		want := games(true, 1)
		for _, suspect := range []bool{true, false} {
			for _, step := range []int{1, 2, 7, 1000} {
				if got := games(suspect, step); !slices.Equal(got, want) {
					t.Fatalf("seed %d, %v, steps of %d lines: %v, want %v:\n%s", seed, suspect, step, got, want, text)
				}
			}
		}
	}
}
