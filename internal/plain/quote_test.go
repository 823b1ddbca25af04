package plain

import "testing"

// Words are quoted for the shells of the system.
func TestQuote(t *testing.T) {
	for _, c := range []struct{ goos, word, want string }{
		{"linux", "a/b-1:0.5", "a/b-1:0.5"}, {"linux", "my lines", "'my lines'"}, {"linux", "it's", `'it'\''s'`},
		{"linux", "", "''"}, {"linux", `a\b`, `'a\b'`}, {"linux", "a\nb", `$'a\nb'`},
		{"windows", `C:\chess\talbot.exe`, `C:\chess\talbot.exe`}, {"windows", `C:\my games`, `"C:\my games"`},
		{"windows", "50%", `"50%"`}, {"windows", "", `""`},
	} {
		if got := quoteFor(c.goos, c.word); got != c.want {
			t.Errorf("%s: %q becomes %s, want %s", c.goos, c.word, got, c.want)
		}
	}
}
