package cli

import "testing"

// Wrapping changes nothing but where lines end, and leaves lists as they are.
func TestWrapText(t *testing.T) {
	text := "One two\nthree four five.\n\nList:\n\n  a  b\n  c\n\nÄÖÜ äöü x"
	want := "One two\nthree\nfour\nfive.\n\nList:\n\n  a  b\n  c\n\nÄÖÜ äöü\nx"
	if got := WrapText(text, 7); got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
}
