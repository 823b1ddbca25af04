package main

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/rivo/uniseg"
)

// Help and most text is laid out for terminals of 80 columns. What does not fit is laid out again line by line, by what
// it looks like: prose is broken between words, a list beside its names, a table between its columns, and the bars of a
// chart become shorter. Nothing else knows how wide a terminal is, so no command can forget to ask.

// leastProse is the fewest columns that prose beside a name may have.
const leastProse = 18

// leastName is the fewest columns that the names of a table's rows are cut to.
const leastName = 12

var (
	// gap is what stands between two columns of a table or list.
	gap = regexp.MustCompile(`\S {2,}`)
	// commandLine begins a line that is copied into a shell.
	commandLine = regexp.MustCompile(`^(?:next:| ) (?:\S*/)?talbot `)
	coloured    = regexp.MustCompile(`\x1b\[[0-9;]*m`)
)

// endColour ends a colour.
const endColour = "\x1b[m"

// widthOf is how many columns a text takes.
func widthOf(text string) int { return uniseg.StringWidth(coloured.ReplaceAllString(text, "")) }

// isRow reports whether a line is laid out in columns.
func isRow(line string) bool {
	return strings.Contains(line, "█") || gap.MatchString(strings.TrimRight(line, " "))
}

// anyWider reports whether one of the lines does not fit.
func anyWider(lines []string, columns int) bool {
	for _, line := range lines {
		if widthOf(line) > columns {
			return true
		}
	}
	return false
}

// foldLine lays out a line that stands for itself.
func foldLine(line string, columns int) []string {
	if widthOf(line) <= columns {
		return []string{line}
	}
	indent := len(line) - len(strings.TrimLeft(line, " "))
	if commandLine.MatchString(coloured.ReplaceAllString(line, "")) && !strings.HasSuffix(line, " [flags]") {
		return wrapWords(line, columns, indent+4, ` \`)
	}
	return wrapWords(line, columns, indent+2, "")
}

// foldRows lays out lines that follow each other and have columns, one of which is too wide.
func foldRows(rows []string, columns int) []string {
	if strings.Contains(strings.Join(rows, ""), "█") {
		rows = shortenBars(rows, columns)
	} else if table, ok := splitTable(rows, columns); ok {
		return table
	}
	var all []string
	for _, row := range rows {
		all = append(all, foldLine(row, columns)...)
	}
	return all
}

// shortenBars shortens the bars of a chart by the same share, so that its longest row fits. The longest bar is as wide
// as the room for bars.
func shortenBars(rows []string, columns int) []string {
	grid := make([][]string, len(rows))
	start, room, widest := -1, 0, 0
	for i, row := range rows {
		grid[i] = cellsOf(row)
		widest = max(widest, len(grid[i]))
		for first, cell := range grid[i] {
			if cell == "█" {
				n := 0
				for first+n < len(grid[i]) && grid[i][first+n] == "█" {
					n++
				}
				start, room = first, max(room, n)
				break
			}
		}
	}
	less := max(1, room-(widest-columns))
	all := make([]string, len(rows))
	for i, cells := range grid {
		n := 0
		for start+n < len(cells) && cells[start+n] == "█" {
			n++
		}
		length := (n*less + room/2) / room
		if n > 0 {
			length = max(length, 1)
		}
		all[i] = textOf(cells, 0, start) + strings.Repeat("█", length) + strings.Repeat(" ", less-length) +
			strings.TrimRight(textOf(cells, start+room, len(cells)), " ")
	}
	return all
}

// splitTable lays out a table or a list. Of a table, the space between its columns becomes as narrow as it can, and the
// columns that do not fit follow below, beside the names of the rows again. It reports whether it could.
func splitTable(rows []string, columns int) ([]string, bool) {
	grid := make([][]string, len(rows))
	for i, row := range rows {
		grid[i] = cellsOf(strings.TrimRight(row, " "))
	}
	parts := partsOf(grid)
	if len(parts) < 2 {
		return nil, false
	}
	if last := parts[len(parts)-1][0]; isList(grid, last) && columns-last >= leastProse {
		return wrapList(rows, grid, last, columns), true
	}
	name, widest := parts[0], 0
	for _, p := range parts[1:] {
		widest = max(widest, p[1]-p[0])
	}
	width := name[1] - name[0]
	indent := max(0, min(name[0], 2, columns-width-2-widest))
	width = min(width, columns-indent-2-widest)
	if width < leastName && width < name[1]-name[0] {
		return nil, false
	}
	var all []string
	for next := 1; next < len(parts); {
		first, taken := next, indent+width
		for next < len(parts) && taken+2+parts[next][1]-parts[next][0] <= columns {
			taken += 2 + parts[next][1] - parts[next][0]
			next++
		}
		if first > 1 {
			all = append(all, "")
		}
		for _, cells := range grid {
			figures := ""
			for _, p := range parts[first:next] {
				figures += "  " + textOf(cells, p[0], p[1])
			}
			for _, part := range fitName(textOf(cells, name[0], name[1]), width) {
				all = append(all, strings.TrimRight(strings.Repeat(" ", indent)+part+figures, " "))
				figures = ""
			}
		}
	}
	return all, true
}

// fitName returns the name of a row, broken into lines of that width. Only a word that is wider than that is cut.
func fitName(name string, columns int) []string {
	if widthOf(name) <= columns {
		return []string{name}
	}
	lines := wrapWords(strings.TrimSpace(name), columns, 2, "")
	for i, line := range lines {
		lines[i] = padded(line, columns)
	}
	return lines
}

// partsOf returns where the columns of a table begin and end: between them, two characters or more are empty in all
// rows.
func partsOf(grid [][]string) [][2]int {
	width := 0
	for _, cells := range grid {
		width = max(width, len(cells))
	}
	var parts [][2]int
	empty := 2
	for x := range width {
		used := false
		for _, cells := range grid {
			used = used || x < len(cells) && cells[x] != " "
		}
		switch {
		case !used:
			empty++
			continue
		case empty >= 2:
			parts = append(parts, [2]int{x, x})
		}
		parts[len(parts)-1][1] = x + 1
		empty = 0
	}
	return parts
}

// isList reports whether the last column is text beside names: unlike figures, it does not end at the same place in
// most rows.
func isList(grid [][]string, start int) bool {
	end, ends, rows := 0, 0, 0
	for _, cells := range grid {
		if len(cells) <= start {
			continue
		}
		rows++
		switch {
		case len(cells) > end:
			end, ends = len(cells), 1
		case len(cells) == end:
			ends++
		}
	}
	return rows == 1 || 2*ends <= rows
}

// wrapList breaks each row of a list beside its name.
func wrapList(rows []string, grid [][]string, start, columns int) []string {
	var all []string
	for i, row := range rows {
		if len(grid[i]) <= columns {
			all = append(all, row)
			continue
		}
		all = append(all, wrapWords(row, columns, start, "")...)
	}
	return all
}

// wrapWords breaks a line between words; what follows is indented, by less if a word would not fit otherwise. A word
// that is wider than the terminal is left to the terminal, so it can be copied; a command in backquotes stays whole
// if it can. more stands at the end of each line but the last.
func wrapWords(line string, columns, indent int, more string) []string {
	const least = 2
	words := wordsOf(line, columns-least)
	if more != "" {
		words = withValues(words, columns-least-len(more))
	}
	room := columns - len(more)
	for _, w := range words {
		if spare := room - widthOf(w.text); spare >= least && spare < indent {
			indent = least
		}
	}
	var all []string
	now, at := "", 0
	for _, w := range words {
		width := widthOf(w.text)
		if at > 0 && at+w.before+width > room && width <= room {
			all = append(all, now+more)
			now, at, w.before = "", 0, indent
		}
		if at == 0 {
			w.before = min(w.before, max(0, room-width))
		}
		now += strings.Repeat(" ", w.before) + w.text
		if at += w.before + width; width > room {
			at = 1 + (at-1)%columns
		}
	}
	return append(all, now)
}

// word is a word of a line with the number of spaces before it.
type word struct {
	before int
	text   string
}

// wordsOf splits a line at spaces, but not those of a command in backquotes that fits in the width.
func wordsOf(line string, columns int) []word {
	var all []word
	before := 0
	for line != "" {
		if line[0] == ' ' {
			line = line[1:]
			before++
			continue
		}
		n := wordLength(line, columns)
		all = append(all, word{before, line[:n]})
		line, before = line[n:], 0
	}
	return all
}

// withValues joins a flag with the value after it, if both fit in that many columns.
func withValues(words []word, columns int) []word {
	var all []word
	for _, w := range words {
		if n := len(all); n > 0 && strings.HasPrefix(all[n-1].text, "--") && !strings.HasPrefix(w.text, "-") &&
			widthOf(all[n-1].text+" "+w.text) <= columns {
			all[n-1].text += " " + w.text
			continue
		}
		all = append(all, w)
	}
	return all
}

// wordLength is how many bytes the first word has.
func wordLength(line string, columns int) int {
	n := strings.IndexByte(line+" ", ' ')
	quote := strings.IndexByte(line[:n], '`')
	if quote < 0 || strings.Count(line[:n], "`") != 1 {
		return n
	}
	closing := strings.IndexByte(line[quote+1:], '`')
	if closing < 0 {
		return n
	}
	whole := quote + 1 + closing + 1
	whole += strings.IndexByte(line[whole:]+" ", ' ')
	if widthOf(line[:whole]) > columns {
		return n
	}
	return whole
}

// cellsOf returns a line by the columns of a terminal; what takes two columns is followed by an empty one. A colour
// begins in the cell after it, and ends in the one before.
func cellsOf(line string) []string {
	var cells []string
	colour := ""
	for line != "" {
		text, code := line, ""
		if at := coloured.FindStringIndex(line); at != nil {
			text, code = line[:at[0]], line[at[0]:at[1]]
		}
		line = line[len(text)+len(code):]
		for g := uniseg.NewGraphemes(text); g.Next(); {
			if g.Width() == 0 && len(cells) > 0 {
				cells[len(cells)-1] += g.Str()
				continue
			}
			cells = append(cells, colour+g.Str())
			colour = ""
			for range g.Width() - 1 {
				cells = append(cells, "")
			}
		}
		if code == endColour && len(cells) > 0 {
			cells[len(cells)-1] += code
		} else {
			colour += code
		}
	}
	return cells
}

// textOf is the text between two columns, with spaces at its end for those that the line does not have.
func textOf(cells []string, from, to int) string {
	text := strings.Join(cells[min(from, len(cells)):min(to, len(cells))], "")
	return text + strings.Repeat(" ", max(0, to-max(from, len(cells))))
}

// folded is an outlet whose lock is held and that takes text already made plain. For a terminal it lays out again what
// does not fit; until it knows how, a line that has not ended waits, and so do the rows of a table that does not fit.
type folded outlet

// folding is what waits.
type folding struct {
	rows  []string // whole lines of a table, or of what may be one
	line  []byte   // the beginning of a line
	shown string   // as much of it as is on the screen
}

// mostRows is how many rows wait at most.
const mostRows = 1000

func (f *folded) Write(p []byte) (int, error) {
	columns := f.width()
	if columns == 0 {
		if err := f.flush(); err != nil {
			return 0, err
		}
		f.wait = folding{}
		return (*exactOutlet)(f).Write(p)
	}
	f.wait.line = append(f.wait.line, p...)
	for {
		line, rest, found := bytes.Cut(f.wait.line, []byte("\n"))
		if !found {
			break
		}
		f.wait.line = rest
		if err := f.add(string(line), columns); err != nil {
			return 0, err
		}
	}
	if !anyWider(f.wait.rows, columns) || len(f.wait.rows) > mostRows {
		if err := f.release(); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// width returns the width of the terminal, 0 if there is none.
func (f *folded) width() int {
	if f.columns == nil {
		return 0
	}
	return f.columns()
}

// add takes a whole line.
func (f *folded) add(line string, columns int) error {
	if f.wait.shown == "" && isRow(line) {
		f.wait.rows = append(f.wait.rows, line)
		return nil
	}
	if err := f.release(); err != nil {
		return err
	}
	return f.put(foldLine(line, columns), "\n")
}

// put writes lines without what is on the screen of the first.
func (f *folded) put(lines []string, end string) error {
	text := strings.Join(lines, "\n")
	if rest, ok := strings.CutPrefix(text, f.wait.shown); ok {
		text = rest
	}
	f.wait.shown = ""
	_, err := (*exactOutlet)(f).Write([]byte(text + end))
	return err
}

// release writes the rows that wait.
func (f *folded) release() error {
	rows, columns := f.wait.rows, f.width()
	if len(rows) == 0 {
		return nil
	}
	f.wait.rows = nil
	if columns > 0 && anyWider(rows, columns) {
		rows = foldRows(rows, columns)
	}
	return f.put(rows, "\n")
}

// flush writes all that waits.
func (f *folded) flush() error {
	if err := f.release(); err != nil || len(f.wait.line) == 0 {
		return err
	}
	lines := []string{string(f.wait.line)}
	if columns := f.width(); columns > 0 {
		lines = foldLine(lines[0], columns)
	}
	shown := strings.Join(lines, "\n")
	if len(shown) == len(f.wait.shown) {
		return nil
	}
	err := f.put(lines, "")
	f.wait.shown = shown
	return err
}

// prompting is the outlet for a dialogue: what is asked is seen before it is answered.
type prompting struct{ *outlet }

func (p prompting) Write(text []byte) (int, error) {
	n, err := p.outlet.Write(text)
	if err == nil {
		err = p.flush()
	}
	return n, err
}
