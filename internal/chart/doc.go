// Package chart holds what talbot's pages of HTML share: their look, charts and boards drawn as SVG. The boards of the
// terminal are here too.
//
// [New] parses a page that uses the templates "style" (in its head) and "pieces" (once, before the first board). What
// is to be drawn is laid out first, in numbers: [NewLineChart], [NewBarChart], [NewBarList], [NewCalibrationChart],
// [NewBoard]. A page then draws it with the function "draw".
//
// A page needs nothing from elsewhere and shows hostile text as text: names from files go through the function "plain",
// sentences through "prose". The package starts no goroutines.
package chart

import (
	_ "embed"
	"fmt"
	"html/template"
	"strings"
	"unicode/utf8"

	"talbot/internal/humanize"
	"talbot/internal/plain"
)

//go:embed style.html
var shared string

//go:embed charts.html
var charts string

// pictures has the templates of all pictures.
var pictures = parse(template.New("pictures"))

// Style returns the styles that all pages share, as a style sheet.
func Style() (string, error) {
	var b strings.Builder
	err := pictures.ExecuteTemplate(&b, "style", nil)
	return strings.TrimSuffix(strings.TrimPrefix(b.String(), "<style>"), "</style>"), err
}

// The numbers of characters of a text that a page shows: of a name beside others, of any name, of a sentence.
const (
	longestName  = 70
	longest      = 160
	longestProse = 2000
)

// New parses the text of a page; its functions come beside those that all pages have. It panics on a text that is no
// template.
func New(name, text string, funcs template.FuncMap) *template.Template {
	return template.Must(parse(template.New(name)).Funcs(funcs).Parse(text))
}

func parse(t *template.Template) *template.Template {
	t.Funcs(template.FuncMap{"plain": Plain, "prose": Prose, "pieces": func() []piece { return pieces },
		"draw":  func(p interface{ HTML() (template.HTML, error) }) (template.HTML, error) { return p.HTML() },
		"n":     humanize.Thousands,
		"width": func(percent float64) template.CSS { return template.CSS(fmt.Sprintf("%.1f%%", percent)) }})
	return template.Must(template.Must(t.Parse(shared)).Parse(charts))
}

// render draws a picture with one of the templates.
func render(name string, picture any) (template.HTML, error) {
	var b strings.Builder
	err := pictures.ExecuteTemplate(&b, name, picture)
	return template.HTML(b.String()), err
}

// A chart is drawn with its title, in a card; of a board, the SVG alone. All need the styles of a page, and boards its
// pieces.

func (b Board) HTML() (template.HTML, error)             { return render("board", b) }
func (c *LineChart) HTML() (template.HTML, error)        { return render("linechart", c) }
func (c *BarChart) HTML() (template.HTML, error)         { return render("barchart", c) }
func (l *BarList) HTML() (template.HTML, error)          { return render("barlist", l) }
func (c *CalibrationChart) HTML() (template.HTML, error) { return render("calibration", c) }

// WriteText writes nothing: only pages show charts with axes.
func (*frame) WriteText(*strings.Builder) {}

// Plain returns a text from outside as a page shows it: control characters and marks of the writing direction as
// escapes, and cut where it is very long. HTML's own characters are the template's business.
func Plain(text string) string { return shortened(text, longest) }

// Name is [Plain] for a name that stands beside others, which it leaves room for.
func Name(text string) string { return shortened(text, longestName) }

// Prose is [Plain] for sentences.
func Prose(text string) string { return shortened(text, longestProse) }

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
