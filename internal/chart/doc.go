// Package chart holds what talbot's pages of HTML share: their look, charts and boards drawn as SVG. The boards of the
// terminal are here too.
//
// [New] parses a page that uses the templates "style" (in its head) and "pieces" (once, before the first board). What
// is to be drawn is laid out first, in numbers: [NewLineChart], [NewBarChart], [NewBarList], [NewCalibrationChart],
// [NewBandChart], [NewBoard]. A page then has it drawn by the function "draw", and a program by [Draw].
//
// A page needs nothing from elsewhere and shows hostile text as text: what comes from files goes through the function
// "plain". The package starts no goroutines.
package chart

import (
	_ "embed"
	"html/template"
	"strings"
	"unicode/utf8"

	"talbot/internal/plain"
)

//go:embed style.html
var shared string

//go:embed charts.html
var charts string

// pictures has the templates of all pictures, for [Draw].
var pictures = parse(template.New("pictures"))

// Style returns the styles that all pages share, as a style sheet.
func Style() (string, error) {
	var b strings.Builder
	err := pictures.ExecuteTemplate(&b, "style", nil)
	text := strings.TrimSuffix(strings.TrimPrefix(b.String(), "<style>"), "</style>")
	return text, err
}

// longest is how many characters of a text from outside a page shows, and longestName of a name beside others.
const longest, longestName = 160, 70

// New parses the text of a page; its functions come beside those that all pages have. It panics on a text that is no
// template.
func New(name, text string, funcs template.FuncMap) *template.Template {
	t := template.New(name).Funcs(template.FuncMap{"draw": Draw})
	return template.Must(parse(t.Funcs(funcs)).Parse(text))
}

func parse(t *template.Template) *template.Template {
	t.Funcs(template.FuncMap{"plain": Plain, "pieces": func() []piece { return pieces }})
	return template.Must(template.Must(t.Parse(shared)).Parse(charts))
}

// Picture is a chart or a board, laid out.
type Picture interface{ template() string }

func (Board) template() string             { return "board" }
func (*LineChart) template() string        { return "linechart" }
func (*BarChart) template() string         { return "barchart" }
func (*BarList) template() string          { return "barlist" }
func (*CalibrationChart) template() string { return "calibration" }
func (*BandChart) template() string        { return "band" }

// Draw draws a picture: a chart with its title, in a card, and of a board the SVG alone. Both need the styles of a
// page, boards its pieces too.
func Draw(p Picture) (template.HTML, error) {
	var b strings.Builder
	err := pictures.ExecuteTemplate(&b, p.template(), p)
	return template.HTML(b.String()), err
}

// Plain returns a text from outside as a page shows it: control characters and marks of the writing direction as
// escapes, and cut where it is very long. HTML's own characters are the template's business.
func Plain(text string) string { return shortened(text, longest) }

// Name is [Plain] for a name that stands beside others, which it leaves room for.
func Name(text string) string { return shortened(text, longestName) }

func shortened(text string, most int) string {
	if len(text) > 4*most {
		text = text[:4*most]
	}
	text = plain.Escape(text)
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most]) + "…"
}
