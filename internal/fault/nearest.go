package fault

import "strings"

// Nearest returns the candidate that a mistyped word was probably meant to be, "" if there is none.
func Nearest(word string, candidates []string) string {
	best, least := "", len(word)/3+1
	for _, c := range candidates {
		d := distance(strings.ToLower(word), strings.ToLower(c))
		if len(word) >= 3 && strings.HasPrefix(strings.ToLower(c), strings.ToLower(word)) {
			d = min(d, 2)
		}
		if c != word && d <= min(least, 3) && (best == "" || d < least) {
			best, least = c, d
		}
	}
	return best
}

// distance returns the optimal string alignment distance of a and b.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	var before []int
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(x); i++ {
		now := make([]int, len(y)+1)
		now[0] = i
		for j := 1; j <= len(y); j++ {
			change := row[j-1]
			if x[i-1] != y[j-1] {
				change++
			}
			now[j] = min(change, row[j]+1, now[j-1]+1)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				now[j] = min(now[j], before[j-2]+1)
			}
		}
		before, row = row, now
	}
	return row[len(y)]
}

// DidYouMean puts a suggestion before a remedy, if there is a word to suggest.
func DidYouMean(remedy, word, before string) string {
	if word == "" {
		return remedy
	}
	text := "did you mean `" + before + word + "`?"
	if remedy != "" {
		text += " " + remedy
	}
	return text
}
