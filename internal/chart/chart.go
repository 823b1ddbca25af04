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
	"math"
	"strings"
	"unicode/utf8"

	"talbot/internal/humanize"
	"talbot/internal/plain"
)

// frame is what all charts with axes have: their size, the area of the plot within it, in the units of the viewBox, and
// the marks of the axes.
type frame struct {
	Title, Note   string
	Width, Height int
	Left, Right   float64
	Top, Base     float64
	X, Y          []tick
}

// newFrame is a frame of that size with the usual margins.
func newFrame(title, note string, width, height int) frame {
	return frame{Title: title, Note: note, Width: width, Height: height, Left: marginLeft,
		Right: float64(width - marginRight), Top: marginTop, Base: float64(height - marginBottom)}
}

type tick struct {
	At   float64
	Text string
}

// Edge is where the texts of the vertical axis end, Depth the height of the plot.
func (f *frame) Edge() float64  { return f.Left - 6 }
func (f *frame) Depth() float64 { return f.Base - f.Top }

// ticks returns round numbers from at most low to at least high, about n of them and not closer than least.
func ticks(low, high float64, n int, least float64) []float64 {
	step := math.Pow(10, math.Floor(math.Log10((high-low)/float64(n))))
	for _, f := range []float64{1, 2, 5, 10} {
		if (high-low)/(f*step) <= float64(n) {
			step *= f
			break
		}
	}
	step = max(step, least)
	var list []float64
	for i := math.Floor(low/step + 1e-9); ; i++ {
		list = append(list, i*step)
		if i*step >= high-1e-9*step {
			return list
		}
	}
}

func round(x float64) float64 { return math.Round(10*x) / 10 }

// Short writes a count for an axis, from 1,000 on in thousands.
func Short(v float64) string { return short(v, 1e3) }

// short writes a number with four digits, thousands as "k" from a number on.
func short(v, thousand float64) string {
	switch a := math.Abs(v); {
	case a >= 1e9:
		return fmt.Sprintf("%.4g G", v/1e9)
	case a >= 1e6:
		return fmt.Sprintf("%.4g M", v/1e6)
	case a >= thousand:
		return fmt.Sprintf("%.4g k", v/1e3)
	case a < 1e-12:
		return "0"
	}
	return fmt.Sprintf("%.4g", v)
}

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

// Render executes one of the templates of a page.
func Render(t *template.Template, name string, data any) (template.HTML, error) {
	var b strings.Builder
	err := t.ExecuteTemplate(&b, name, data)
	return template.HTML(b.String()), err
}

// A chart is drawn with its title, in a card; of a board, the SVG alone. All need the styles of a page, and boards its
// pieces.

func (b Board) HTML() (template.HTML, error)             { return Render(pictures, "board", b) }
func (c *LineChart) HTML() (template.HTML, error)        { return Render(pictures, "linechart", c) }
func (c *BarChart) HTML() (template.HTML, error)         { return Render(pictures, "barchart", c) }
func (l *BarList) HTML() (template.HTML, error)          { return Render(pictures, "barlist", l) }
func (c *CalibrationChart) HTML() (template.HTML, error) { return Render(pictures, "calibration", c) }

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
