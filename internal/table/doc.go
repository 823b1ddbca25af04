// Package table holds results as data and writes them as text and as HTML.
//
// A result is a [Page]: sections of blocks, which are tables, figures, verdicts, facts, charts and boards. Each block
// writes itself for a terminal and for a page; what only a page can show has no text. A page needs nothing from
// elsewhere and shows hostile text as text. The package starts no goroutines.
package table

import (
	_ "embed"
	"html/template"
	"io"
	"slices"
	"strings"

	"talbot/internal/chart"
)

//go:embed table.html
var text string

var templates = chart.New("table", text, nil)

// Block is a part of a result.
type Block interface {
	HTML() (template.HTML, error)
	WriteText(*strings.Builder) // nothing, if only a page shows it
}

// Page is a whole result.
type Page struct {
	Kind     string // follows the name in the title of the window: "report", "match"
	Title    string // the name of what is shown
	Intro    string
	Lead     []Block // above the contents
	Sections []Section
}

// Section is a part of a page with a heading.
type Section struct {
	Title, Note string
	Layout      Layout
	Blocks      []Block
}

// PageOnly is a block that a text leaves out.
type PageOnly struct{ Block }

// WriteText writes nothing.
func (PageOnly) WriteText(*strings.Builder) {}

// Layout is how the blocks of a section stand on a wide page.
type Layout string

// The layouts.
const (
	Below Layout = ""         // one below the other
	Grid  Layout = "grid"     // side by side
	Two   Layout = "grid two" // the same, two of them
	Small Layout = "small"    // the same, in narrower columns
	Stack Layout = "stack"    // in two columns
)

// ID is the anchor of the section.
func (s *Section) ID() string { return strings.ReplaceAll(strings.ToLower(s.Title), " ", "-") }

// Add appends blocks to the section.
func (s *Section) Add(blocks ...Block) { s.Blocks = append(s.Blocks, blocks...) }

// Draw appends a chart if it has something to show.
func (s *Section) Draw(chart Block, shows bool) {
	if shows {
		s.Blocks = append(s.Blocks, chart)
	}
}

// Add appends a section unless it is empty.
func (p *Page) Add(s Section) {
	if len(s.Blocks) > 0 {
		p.Sections = append(p.Sections, s)
	}
}

// WriteHTML writes a page that needs nothing from elsewhere.
func (p *Page) WriteHTML(w io.Writer) error { return templates.ExecuteTemplate(w, "page", p) }

// WritePart writes what the page has below its introduction, for another page with the style of all pages.
func (p *Page) WritePart(w io.Writer) error { return templates.ExecuteTemplate(w, "part", p) }

// Text returns the page as text.
func (p *Page) Text() string {
	list := slices.Clone(p.Lead)
	for i := range p.Sections {
		list = append(list, p.Sections[i].Blocks...)
	}
	return Text(list...)
}

// Text returns blocks as text, with an empty line between them.
func Text(blocks ...Block) string {
	var all []string
	for _, block := range blocks {
		var b strings.Builder
		if block.WriteText(&b); b.Len() > 0 {
			all = append(all, b.String())
		}
	}
	return strings.Join(all, "\n")
}
