package fault

import (
	"testing"
)

// neighbours are all words one change away from a word, by the definition of the distance.
func neighbours(word string) map[string]bool {
	all := map[string]bool{}
	for i := range len(word) + 1 {
		for _, c := range "abx-" {
			all[word[:i]+string(c)+word[i:]] = true
			if i < len(word) {
				all[word[:i]+string(c)+word[i+1:]] = true
			}
		}
		if i < len(word) {
			all[word[:i]+word[i+1:]] = true
		}
		if i+1 < len(word) {
			all[word[:i]+word[i+1:i+2]+word[i:i+1]+word[i+2:]] = true
		}
	}
	delete(all, word)
	return all
}

func TestDistance(t *testing.T) {
	for _, word := range []string{"label", "ab", "synth-endgames", "a"} {
		for other := range neighbours(word) {
			if d, back := distance(word, other), distance(other, word); d != 1 || back != 1 {
				t.Errorf("%q and %q: %d and %d, want 1", word, other, d, back)
			}
		}
	}
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"kitten", "sitting", 3}, {"ca", "abc", 3}, {"grün", "grun", 1}} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("%q and %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

// A flag is found from each word that is one slip away from it, unless that is nearer to another; what is like nothing
// gives no suggestion.
func TestNearest(t *testing.T) {
	names := []string{"out", "run", "data", "seed", "split", "workers", "nodes", "movetime", "engine", "fraction",
		"force"}
	for _, name := range names {
		for typed := range neighbours(name) {
			if got := Nearest(typed, names); len(name) > 3 && distance(typed, got) > 1 {
				t.Errorf("%q gives %q, want %q", typed, got, name)
			}
		}
	}
	for _, typed := range []string{"", "zzzzzzzz", "qqwwxxzz"} {
		if got := Nearest(typed, names); got != "" {
			t.Errorf("%q gives %q", typed, got)
		}
	}
}
