package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"golang.org/x/term"

	"talbot/internal/plain"
)

// stdout and stderr are where all commands write for people (see package plain); nothing else in this package writes
// to [os.Stdout] or [os.Stderr] itself.
var stdout, stderr = outlets()

func outlets() (out, err *outlet) {
	out, err = newOutlet(os.Stdout), newOutlet(os.Stderr)
	out.below, err.above = err, out
	return out, err
}

// errOutput says that standard output could not be written. The command has done all else.
var errOutput = errors.New("cannot write to standard output")

// outlet is one of the two. It makes text plain and remembers the first error, which callers may ignore. On a
// terminal it keeps one line below all text, which says how far the work is. It is safe for concurrent use.
type outlet struct {
	file io.Writer
	mu   sync.Mutex
	text *plain.Writer
	// columns returns the width of the terminal as it is now; nil if there is none.
	columns func() int
	rows    func() int               // its height; nil: not known
	line    func(columns int) string // the last line, or several with line feeds between them; nil: none
	drawn   bool                     // it is on the screen, with the cursor at its beginning
	begun   bool                     // the text before ends within a line
	wait    folding                  // text for a narrow terminal
	below   *outlet                  // whose last line may stand on the same terminal, or nil
	above   *outlet                  // the other way round
	// closed says that the caller gave no such file.
	closed bool
	err    error // the first; it wraps errOutput
}

func newOutlet(file *os.File) *outlet {
	o := outletTo(file, columnsOf(file))
	o.closed = file == os.Stdout && closedAtStart()
	if o.columns != nil {
		o.rows = func() int {
			_, rows, err := term.GetSize(int(file.Fd()))
			if err != nil {
				return 0
			}
			return rows
		}
	}
	return o
}

// outletTo returns an outlet to a terminal of as many columns as that function says; nil: to a file.
func outletTo(file io.Writer, columns func() int) *outlet {
	o := &outlet{file: file, columns: columns}
	o.text = plain.NewWriter((*folded)(o))
	return o
}

// height returns the number of rows of the terminal, 0 if it is not known.
func (o *outlet) height() int {
	if o.rows == nil {
		return 0
	}
	return o.rows()
}

// columnsOf returns a function that asks for the width of a terminal; nil if the file is not a terminal.
func columnsOf(file *os.File) func() int {
	fd := int(file.Fd())
	if !term.IsTerminal(fd) || os.Getenv("TERM") == "dumb" || !obeys(fd) {
		return nil
	}
	return func() int {
		columns, _, err := term.GetSize(fd)
		if err != nil || columns < 2 {
			return 80
		}
		return columns
	}
}

// Write writes text for people.
func (o *outlet) Write(p []byte) (int, error) {
	return o.write(p, func() (int, error) { return o.text.Write(p) })
}

// exact returns the outlet for what is written as it is, as JSON.
func (o *outlet) exact() io.Writer { return lockedOutlet{o} }

type lockedOutlet struct{ *outlet }

func (o lockedOutlet) Write(p []byte) (int, error) {
	return o.write(p, func() (int, error) {
		if err := (*folded)(o.outlet).flush(); err != nil {
			return 0, err
		}
		return (*exactOutlet)(o.outlet).Write(p)
	})
}

// write calls put, which writes p, with the last line out of the way.
func (o *outlet) write(p []byte, put func() (int, error)) (int, error) {
	if o.below != nil {
		o.below.hideLine()
	}
	if o.above != nil {
		o.above.release()
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.hide()
	n, err := put()
	if len(p) > 0 {
		o.begun = p[len(p)-1] != '\n' && len(o.wait.line) == 0
	}
	o.draw()
	return n, err
}

// release writes the rows of a table that wait for more, unless something is being written: a terminal that takes
// nothing must not keep the other outlet waiting.
func (o *outlet) release() {
	if !o.mu.TryLock() {
		return
	}
	defer o.mu.Unlock()
	if len(o.wait.rows) > 0 {
		if o.below != nil {
			o.below.hideLine()
		}
		_ = (*folded)(o).release() // the error is remembered
	}
}

// setLine puts the line in the place of the last one, and removes that if it is nil. Nothing is drawn but on a
// terminal.
func (o *outlet) setLine(line func(columns int) string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.line = line; line == nil {
		o.hide()
	}
	o.draw()
}

// newLine ends the line of a terminal that the cursor is in; the last line is cleared instead.
func (o *outlet) newLine() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.columns != nil && !o.drawn {
		io.WriteString((*exactOutlet)(o), "\n") // its error is remembered
	}
}

// hideLine clears the last line until it is drawn again.
func (o *outlet) hideLine() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.hide()
}

// clearBelow clears from the cursor to the end of the screen: also what a terminal that became narrower has wrapped.
const clearBelow = "\x1b[J"

// clearRight clears the rest of a row.
const clearRight = "\x1b[K"

func (o *outlet) hide() {
	if o.drawn {
		io.WriteString((*exactOutlet)(o), clearBelow) // its error is remembered
		o.drawn = false
	}
}

// draw draws the last line, for the width that the terminal has now. The cursor stays at its beginning, where it is
// found again however the terminal has wrapped the line since; so it does with several lines.
func (o *outlet) draw() {
	if o.columns == nil || o.line == nil || o.begun {
		return
	}
	text := o.line(o.columns())
	back := "\r"
	if n := strings.Count(text, "\n"); n > 0 {
		text = strings.ReplaceAll(text, "\n", clearRight+"\n")
		back = fmt.Sprintf("\x1b[%dA\r", n)
	}
	io.WriteString((*exactOutlet)(o), text+clearBelow+back) // its error is remembered
	o.drawn = true
}

// exactOutlet is an outlet whose lock is held.
type exactOutlet outlet

func (o *exactOutlet) Write(p []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	if o.closed {
		o.err = fmt.Errorf("%w: it is closed", errOutput)
		return 0, o.err
	}
	n, err := o.file.Write(p)
	if err != nil {
		// The error itself has hints that are about other files.
		o.err = fmt.Errorf("%w: %v", errOutput, err)
		return n, o.err
	}
	return n, nil
}

// flush writes what waits and returns the first error of all.
func (o *outlet) flush() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.text.Flush() // its error is remembered too
	if _ = (*folded)(o).flush(); len(o.wait.line) > 0 {
		o.begun = true
	}
	return o.err
}

// printf prints text on standard output; the values in it are made plain. Its error is remembered.
func printf(format string, values ...any) { plain.Fprintf(stdout, format, values...) }

// say prints text on standard error; the values in it are made plain.
func say(format string, values ...any) {
	_, _ = io.WriteString(stderr, withProgram(plain.Sprintf(format, values...))) // the error is remembered
}

// sayError prints an error, and each that was joined in a line of its own.
func sayError(err error) {
	for {
		h, ok := err.(hintError)
		if !ok {
			break
		}
		err = h.error
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all []string
		for _, e := range joined.Unwrap() {
			all = append(all, e.Error())
		}
		if err.Error() == strings.Join(all, "\n") {
			for _, e := range joined.Unwrap() {
				sayError(e)
			}
			return
		}
	}
	head, list, _ := strings.Cut(messageOf(err), "\n")
	sayKind("error", "%s", head)
	for line := range strings.SplitSeq(list, "\n") { // a list has a line for each
		if line != "" {
			say("  %v\n", strings.TrimLeft(line, " "))
		}
	}
}

// warn says what does not stop a command.
func warn(err error) { sayKind("warning", "%s", messageOf(err)) }

// colours are the ANSI colours of the kinds of lines.
var colours = map[string]string{"error": "31", "warning": "33", "hint": "36"}

// sayKind prints a line on standard error that begins with what it is: an error, a warning or a hint.
func sayKind(kind, format string, values ...any) {
	sayHead("talbot: "+kind+":", colours[kind], " "+format+"\n", values...)
}

// sayHead prints text after a head, which is in that colour on a terminal.
func sayHead(head, colour, format string, values ...any) {
	text := []byte(plain.Sprintf(format, values...))
	_, _ = stderr.write(text, func() (int, error) { // the error is remembered
		if _, err := io.WriteString((*folded)(stderr), stderr.inColour(colour, head)); err != nil {
			return 0, err
		}
		return stderr.text.Write(text)
	})
}

// inColour returns text in that colour, for [folded.Write]; as it is if this is no terminal, if NO_COLOR is set
// (https://no-color.org) or if CLICOLOR is 0 (https://bixense.com/clicolors).
func (o *outlet) inColour(colour, text string) string {
	if o.columns == nil || os.Getenv("NO_COLOR") != "" || os.Getenv("CLICOLOR") == "0" {
		return text
	}
	return "\x1b[" + colour + "m" + text + endColour
}

// printJSON prints one JSON object on standard output.
//
// Of a step of a loop, the loop keeps it instead.
func printJSON(v any) error {
	if voice.kept != nil {
		return json.NewEncoder(voice.kept).Encode(v)
	}
	return encodeJSON(stdout, v)
}

func encodeJSON(o *outlet, v any) error {
	enc := json.NewEncoder(o.exact())
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
