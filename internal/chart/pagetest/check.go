// Package pagetest checks pages in tests.
package pagetest

import (
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"

	"talbot/internal/plain"
)

// Hostile is a name that would break a page that does not escape it: it ends elements and attributes, runs a script,
// turns the writing direction and is very long.
var Hostile = "</title></p>\"'><script>alert(1)</script><img src=x onerror=alert(2)>\u202egnp.exe\u2066\x1b[2J\x00" +
	strings.Repeat("Wolfeschlegelsteinhausenbergerdorff", 3000)

var script = regexp.MustCompile(`(?s)<script>.*?</script>`)

// Check fails a test unless a page is well formed (as XML is: every element ends where it should), loads nothing, has
// no script but its own, leads nowhere but to itself and Lichess, and holds no control characters or marks of the
// writing direction. own is how many scripts it may have.
func Check(t *testing.T, text string, own int) {
	t.Helper()
	scripts := script.FindAllString(text, -1)
	if len(scripts) > own {
		t.Errorf("%d scripts, want at most %d", len(scripts), own)
	}
	for _, s := range scripts {
		if strings.Contains(s, "alert") {
			t.Errorf("a script from outside: %.80q", s)
		}
	}
	text = script.ReplaceAllString(text, "")
	for _, never := range []string{"http:", "@import", "ZgotmplZ", "NaN", "%!", "<no value>"} {
		if strings.Contains(text, never) {
			t.Errorf("the page has %q", never)
		}
	}
	d := xml.NewDecoder(strings.NewReader(text))
	d.Entity = xml.HTMLEntity
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			at := int(d.InputOffset())
			t.Fatalf("%v, behind %q", err, text[max(at-200, 0):at])
		}
		switch token := token.(type) {
		case xml.StartElement:
			checkElement(t, token)
		case xml.CharData:
			for line := range strings.FieldsFuncSeq(string(token),
				func(r rune) bool { return r == '\n' || r == '\t' }) {
				checkText(t, line)
			}
		}
	}
}

// checkElement looks at an element's name and attributes.
func checkElement(t *testing.T, e xml.StartElement) {
	t.Helper()
	switch e.Name.Local {
	case "script", "img", "link", "iframe", "object", "embed", "image", "base", "audio", "video":
		t.Errorf("the page has an element %s", e.Name.Local)
	}
	for _, a := range e.Attr {
		checkText(t, a.Value)
		name := a.Name.Local
		switch {
		case name == "src" || strings.HasPrefix(name, "on"):
			t.Errorf("%s has an attribute %s", e.Name.Local, name)
		case name == "href" && !strings.HasPrefix(a.Value, "#") && !strings.HasPrefix(a.Value, "https://lichess.org/"):
			t.Errorf("%s leads to %q", e.Name.Local, a.Value)
		case name == "style" && strings.Contains(a.Value, "url("):
			t.Errorf("%s has the style %q", e.Name.Local, a.Value)
		}
	}
}

// checkText looks for what a page never holds as it is.
func checkText(t *testing.T, s string) {
	t.Helper()
	if plain.Escape(s) != s {
		t.Errorf("a text with control characters: %.120q", plain.Escape(s))
	}
	for word := range strings.FieldsSeq(s) {
		if len(word) > 2000 && strings.Contains(word, "Wolfe") {
			t.Errorf("a word of %d bytes: %.80q", len(word), word)
		}
	}
}
