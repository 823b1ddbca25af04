// Package page holds what talbot's pages of HTML share: their colours and cards, and boards drawn as SVG.
//
// [New] parses a page that uses the templates "style" (in its head), "pieces" (once, before the first board) and
// "board" (of a [Board]). A page needs nothing from elsewhere and shows hostile text as text: what comes from files
// goes through the function "plain". The package starts no goroutines.
package page

import (
	_ "embed"
	"html/template"
	"unicode/utf8"

	"talbot/internal/plain"
)

//go:embed page.html
var shared string

// longest is how many characters of a text from outside a page shows.
const longest = 160

// New parses the text of a page; its functions come beside those that all pages have. It panics on a text that is no
// template.
func New(name, text string, funcs template.FuncMap) *template.Template {
	t := template.New(name).Funcs(template.FuncMap{"plain": Plain, "pieces": func() []piece { return pieces }})
	return template.Must(template.Must(t.Funcs(funcs).Parse(shared)).Parse(text))
}

// Plain returns a text from outside as a page shows it: control characters and marks of the writing direction as
// escapes, and cut where it is very long. HTML's own characters are the template's business.
func Plain(text string) string {
	if len(text) > 4*longest {
		text = text[:4*longest]
	}
	text = plain.Escape(text)
	if utf8.RuneCountInString(text) <= longest {
		return text
	}
	return string([]rune(text)[:longest]) + "…"
}
