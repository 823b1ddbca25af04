package table

import (
	"html/template"
	"slices"
	"strings"

	"github.com/rivo/uniseg"

	"talbot/internal/chart"
	"talbot/internal/plain"
)

// Table is a table with its title. The first cell of a row is its name.
type Table struct {
	Title, Note string
	Columns     []Column
	Rows        [][]Cell
	Foot        []string // sentences below it
	Class       string   // of the page's style
}

// Column is the head of a column.
type Column struct {
	Title string
	Wide  bool // left out where a page is narrow
	Drawn bool // has [Cell.Marks] alone, which a text leaves out
}

// Cell is a figure, or the name of a row.
type Cell struct {
	Text   string
	Small  string  // stands beside it: an interval, a number of samples
	Hover  string  // shown by pointing
	Link   string  // where the text leads on a page; "" = nowhere
	Class  string  // [Better], [Worse] or [Unsure]: its colour
	Word   string  // the verdict, after the figure
	Strong bool    // bold
	Tint   float64 // of the ground in per cent, negative for what is bad
	Marks  []Mark
}

// The classes of figures and verdicts, each with a colour.
const (
	Better = "better"
	Worse  = "worse"
	Unsure = "unsure"
)

// Mark is a part of a drawn cell, in per cent of its width.
type Mark struct {
	Class       string // "pale", "sure", "at", "zero" or "point"; the last three have no width
	Left, Width float64
}

// Bar returns a strong bar and a longer pale one, as shares.
func Bar(strong, pale float64) Cell {
	return Cell{Marks: []Mark{{Class: "pale", Width: 100 * pale}, {Class: "sure", Width: 100 * strong}}}
}

// Columns returns columns by their titles.
func Columns(titles ...string) (list []Column) {
	for _, title := range titles {
		list = append(list, Column{Title: title})
	}
	return list
}

// Row returns cells of text.
func Row(texts ...string) (cells []Cell) {
	for _, text := range texts {
		cells = append(cells, Cell{Text: text})
	}
	return cells
}

// Add appends a row.
func (t *Table) Add(cells ...Cell) { t.Rows = append(t.Rows, cells) }

// Titled reports whether the columns have titles.
func (t *Table) Titled() bool {
	return slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Title != "" })
}

// HTML returns the table in a card.
func (t *Table) HTML() (template.HTML, error) { return chart.Render(templates, "table", t) }

// laid is a cell in its column, for the template.
type laid struct {
	Cell
	Column
	First bool
}

// Classes are those of the cell's style.
func (c laid) Classes() string {
	class := c.Class
	if c.First {
		class = "name"
	}
	if c.Strong {
		class += " strong"
	}
	return class
}

// Bad is the tint of what is bad.
func (c laid) Bad() float64 { return -c.Tint }

// Laid returns the cells of a row in their columns.
func (t *Table) Laid(row []Cell) (list []laid) {
	for i, c := range row {
		one := laid{Cell: c, First: i == 0}
		if i < len(t.Columns) {
			one.Column = t.Columns[i]
		}
		list = append(list, one)
	}
	return list
}

// WriteText writes the table with its columns aligned: names on the left, figures on the right.
func (t *Table) WriteText(b *strings.Builder) {
	var rows [][]string
	if t.Titled() {
		var head []string
		for _, c := range t.Columns {
			if !c.Drawn {
				head = append(head, c.Title)
			}
		}
		rows = append(rows, head)
	}
	for _, cells := range t.Rows {
		var row []string
		for _, c := range t.Laid(cells) {
			if !c.Drawn {
				row = append(row, c.text())
			}
		}
		rows = append(rows, row)
	}
	if len(t.Rows)+len(t.Foot) == 0 {
		return
	}
	writeTitle(b, t.Title, t.Note)
	if len(t.Rows) > 0 {
		b.WriteString(Align(rows, -1))
	}
	for _, line := range t.Foot {
		b.WriteString(plain.Escape(line) + "\n")
	}
}

// text is the cell as a terminal shows it.
func (c *Cell) text() string {
	text := c.Text
	if c.Small != "" {
		text += " (" + c.Small + ")"
	}
	return strings.TrimSuffix(text+" "+c.Word, " ")
}

// Align returns rows of text in columns. The first one is on the left, those up to the given number, or all for -1, are
// on the right, and the others are on the left.
func Align(rows [][]string, right int) string {
	var widths []int
	for _, row := range rows {
		for i := range row {
			row[i] = plain.Escape(row[i])
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], uniseg.StringWidth(row[i]))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			space := strings.Repeat(" ", widths[i]-uniseg.StringWidth(cell))
			switch {
			case i == 0:
				line += cell + space
			case right < 0 || i <= right:
				line += "  " + space + cell
			default:
				line += "  " + cell + space
			}
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}
