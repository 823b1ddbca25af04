package match

import (
	"os"
	"testing"
)

func TestSmoke(t *testing.T) {
	m := testMatch(t, 20, fakeEntrant(t, "good:1"), randomEntrant())
	r := runMatch(t, m)
	t.Log(asJSON(r))
	text, _ := os.ReadFile(r.PGN)
	t.Logf("%.3000s", text)
}
