package table

import (
	"html/template"
	"slices"
	"strings"

	"talbot/internal/chart"
	"talbot/internal/plain"
)

// Tile is a figure in large type: its name, interval and baselines, and what it means.
type Tile struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	Note  string `json:"note,omitempty"`
	Class string `json:"class,omitempty"` // how it compares with its baseline; "" without one
	Words string `json:"words,omitempty"` // the same in words
	Help  string `json:"help"`
}

// Tiles are the figures that a result begins with.
type Tiles []Tile

// HTML returns the tiles side by side.
func (t Tiles) HTML() (template.HTML, error) { return chart.Render(templates, "tiles", t) }

// WriteText writes a line for each tile that has a figure.
func (t Tiles) WriteText(b *strings.Builder) {
	var rows [][]string
	for _, one := range t {
		if one.Value != "–" {
			rows = append(rows, []string{one.Name, one.Value, one.Words, one.Note})
		}
	}
	b.WriteString(Align(rows, 1))
}

// Verdict says in a sentence how good something is.
type Verdict struct {
	Class string    `json:"class"` // [Better], [Worse] or [Unsure]
	Head  string    `json:"head"`  // what is judged
	Title string    `json:"title"`
	Text  string    `json:"text"`
	Aside string    `json:"aside,omitempty"`
	Parts []Verdict `json:"-"` // the same on parts, in Class, Head and Text
}

// Verdicts are those that a result begins with.
type Verdicts []Verdict

// HTML returns cards, each in the colour of its verdict.
func (v Verdicts) HTML() (template.HTML, error) { return chart.Render(templates, "verdicts", v) }

// WriteText writes a paragraph for each verdict.
func (v Verdicts) WriteText(b *strings.Builder) {
	for _, one := range v {
		b.WriteString(plain.Escape(strings.TrimPrefix(one.Head+": "+one.Title, ": ")) + "\n")
		for _, part := range one.Parts {
			b.WriteString("  " + plain.Escape(part.Head+": "+part.Text) + "\n")
		}
		for _, text := range []string{one.Text, one.Aside} {
			if text != "" {
				b.WriteString("  " + plain.Escape(text) + "\n")
			}
		}
	}
}

// Fact is a named line. A line without a name continues the one before.
type Fact struct{ Name, Text string }

// Facts are named lines in a card, above a block or none.
type Facts struct {
	Title, Note string
	List        []Fact
	Below       Block
}

// HTML returns the card.
func (f *Facts) HTML() (template.HTML, error) { return chart.Render(templates, "facts", f) }

// WriteText writes a line for each fact.
func (f *Facts) WriteText(b *strings.Builder) {
	writeTitle(b, f.Title, f.Note)
	var rows [][]string
	for _, one := range f.List {
		rows = append(rows, []string{"  " + one.Name, one.Text})
	}
	b.WriteString(Align(rows, 0))
	if f.Below != nil {
		b.WriteByte('\n')
		f.Below.WriteText(b)
	}
}

// Prose is a card with paragraphs.
type Prose struct {
	Title string
	Class string // [Unsure] for what is to be kept in mind
	Lines []string
	Exact bool // the lines of a file
}

// HTML returns the card.
func (p *Prose) HTML() (template.HTML, error) { return chart.Render(templates, "prose", p) }

// WriteText writes a line for each paragraph.
func (p *Prose) WriteText(b *strings.Builder) {
	writeTitle(b, p.Title, "")
	for _, line := range p.Lines {
		if p.Title != "" {
			line = "  " + line
		}
		b.WriteString(plain.Escape(line) + "\n")
	}
}

func writeTitle(b *strings.Builder, title, note string) {
	if note != "" {
		title += ": " + note
	}
	if title != "" {
		b.WriteString(plain.Escape(title) + "\n")
	}
}

// Position is a board with what is known of its position.
type Position struct {
	chart.Board
	Head, Aside   string // below the board, on the left and on the right
	Class         string // of the head
	Where         []string
	Link          string // where the first of these lines leads; "" = nowhere
	Below         *Table // or nil
	Source, Phase string // that a filter of boards chooses by
}

// Boards are positions, which a text leaves out.
type Boards struct {
	List   []Position
	Shown  int  // how many are shown at once; the others unfold. 0: all
	Filter bool // a form chooses among them
}

// HTML returns the boards.
func (p *Boards) HTML() (template.HTML, error) { return chart.Render(templates, "boards", p) }

// WriteText writes nothing.
func (*Boards) WriteText(*strings.Builder) {}

// First and Rest are the boards shown at once, and the others.
func (p *Boards) First() []Position {
	if p.Shown == 0 {
		return p.List
	}
	return p.List[:min(len(p.List), p.Shown)]
}

// Rest are the boards that unfold.
func (p *Boards) Rest() []Position { return p.List[len(p.First()):] }

// Sources and Phases are the choices of the form.
func (p *Boards) Sources() []string {
	return p.different(func(one *Position) string { return one.Source })
}
func (p *Boards) Phases() []string {
	return p.different(func(one *Position) string { return one.Phase })
}

func (p *Boards) different(of func(*Position) string) (list []string) {
	for i := range p.List {
		list = append(list, of(&p.List[i]))
	}
	slices.Sort(list)
	return slices.Compact(list)
}
