package plain

import (
	"runtime"
	"strings"
)

// Quote returns a command line that a shell splits into args again.
func Quote(args ...string) string {
	quoted := make([]string, len(args))
	for i, a := range args {
		quoted[i] = quoteFor(runtime.GOOS, a)
	}
	return strings.Join(quoted, " ")
}

// quoteFor quotes a word for the shells of a system. Characters that would not show are in $'…', which those of
// Windows do not have.
func quoteFor(goos, word string) string {
	harmless := "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%"
	if goos == "windows" {
		harmless = strings.Replace(harmless, "%", `\`, 1)
	}
	switch {
	case word != "" && strings.Trim(word, harmless) == "":
		return word
	case goos == "windows":
		return `"` + word + `"`
	case Escape(word) != word:
		return "$'" + Escape(strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(word)) + "'"
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
