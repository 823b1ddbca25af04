package pgn

import "testing"

func TestLooksLikeGames(t *testing.T) {
	for text, want := range map[string]bool{
		"[Event \"x\"]\n":                true,
		"\ufeff[Event \"x\"]\n":          true,
		"% made\n\n[Event \"x\"]\n":      true,
		"some header\n\n[Event \"x\"]\n": true,
		"1. e4 e5":                       true,
		"  1.e4":                         true,
		"{ a comment } 1. e4":            true,
		"; a comment\ne4 e5":             true,
		"1-0\n1. e4 e5 1-0":              true,
		"* e4 e5 *":                      true,
		"1-0":                            false,
		"Nf3 d5":                         true,
		"e2e4 e7e5":                      true,
		"":                               false,
		"{\"pgn\": 1}":                   false,
		"{ open":                         false,
		"hello world":                    false,
		"\x00\x01\x02\x03":               false,
		"12 monkeys":                     false,
		"[%clk 0:01] whatever":           false,
	} {
		if got := LooksLikeGames([]byte(text)); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
