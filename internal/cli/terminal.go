// Package cli is what the commands of a program share on a command line: its two outputs with a line of progress,
// messages, help, suggestions for mistyped words, completion, and what Ctrl-C does.
package cli

import (
	"fmt"
	"io"
	"os"
	"sync"

	"golang.org/x/term"

	"talbot/internal/fault"
	"talbot/internal/plain"
)

// Stdout and Stderr are the outputs of all commands; nothing else writes to [os.Stdout] or [os.Stderr].
var Stdout, Stderr = terminals()

func terminals() (out, err *Terminal) {
	out, err = NewTerminal(os.Stdout, columnsOf(os.Stdout)), NewTerminal(os.Stderr, columnsOf(os.Stderr))
	out.below = err
	return out, err
}

// ErrOutput reports that standard output could not be written. The command has done all else.
var ErrOutput = fault.New(fault.ExitFailed, "cannot write to standard output", "files that the command wrote are "+
	"complete; only its printed output is lost: redirect it to a place with free space")

// Terminal writes text for people to a terminal or file. It makes text plain (see package plain) and remembers the
// first error, so that callers may ignore it. On a terminal it keeps one line of progress below all text. It is safe
// for concurrent use.
type Terminal struct {
	file    io.Writer
	columns func() int // the present width; nil: no terminal
	below   *Terminal  // whose line of progress may be on the same screen, or nil

	mu     sync.Mutex
	text   *plain.Writer
	line   func(columns int) string // the line of progress; nil: none
	drawn  bool                     // it is on the screen, with the cursor at its start
	inLine bool                     // the last text has not ended its line
	err    error                    // the first; it wraps ErrOutput
}

// NewTerminal returns a Terminal that writes to a terminal of the width that columns returns, or to a file if columns
// is nil.
func NewTerminal(file io.Writer, columns func() int) *Terminal {
	t := &Terminal{file: file, columns: columns}
	t.text = plain.NewWriter((*locked)(t))
	return t
}

// columnsOf returns a function that asks for the width of a terminal; nil if the file is no terminal.
func columnsOf(file *os.File) func() int {
	fd := int(file.Fd())
	if !term.IsTerminal(fd) || os.Getenv("TERM") == "dumb" || !takesEscapes(fd) {
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

// IsTerminal reports whether t writes to a terminal.
func (t *Terminal) IsTerminal() bool { return t.columns != nil }

// Columns returns the width of the terminal, 0 if there is none.
func (t *Terminal) Columns() int {
	if t.columns == nil {
		return 0
	}
	return t.columns()
}

// Write writes text for people.
func (t *Terminal) Write(p []byte) (int, error) {
	return t.write(p, func() (int, error) { return t.text.Write(p) })
}

// Exact returns a writer for text that must not be changed, such as JSON.
func (t *Terminal) Exact() io.Writer { return exact{t} }

type exact struct{ t *Terminal }

func (e exact) Write(p []byte) (int, error) {
	return e.t.write(p, func() (int, error) { return (*locked)(e.t).Write(p) })
}

// write calls put, which writes p, with the line of progress out of the way.
func (t *Terminal) write(p []byte, put func() (int, error)) (int, error) {
	if t.below != nil {
		t.below.hideLine()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.hide()
	n, err := put()
	if len(p) > 0 {
		t.inLine = p[len(p)-1] != '\n'
	}
	t.draw()
	return n, err
}

// SetLine draws a line of progress in place of the last one; nil removes it. A file gets none.
func (t *Terminal) SetLine(line func(columns int) string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.line = line; line == nil {
		t.hide()
	}
	t.draw()
}

// NewLine ends the line of a terminal that holds the cursor, unless that is the line of progress.
func (t *Terminal) NewLine() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.columns != nil && !t.drawn {
		io.WriteString((*locked)(t), "\n") // its error is remembered
	}
}

func (t *Terminal) hideLine() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.hide()
}

// clearBelow clears from the cursor to the end of the screen: also the rows into which a terminal that became narrower
// has wrapped the line.
const clearBelow = "\x1b[J"

func (t *Terminal) hide() {
	if t.drawn {
		io.WriteString((*locked)(t), clearBelow) // its error is remembered
		t.drawn = false
	}
}

// draw draws the line of progress for the present width. The cursor stays at its start, which a terminal that wraps the
// line anew takes along.
func (t *Terminal) draw() {
	if t.columns == nil || t.line == nil || t.inLine {
		return
	}
	io.WriteString((*locked)(t), t.line(t.columns())+clearBelow+"\r") // its error is remembered
	t.drawn = true
}

// locked is a Terminal whose lock is held. It writes bytes as they are.
type locked Terminal

func (t *locked) Write(p []byte) (int, error) {
	if t.err != nil {
		return 0, t.err
	}
	n, err := t.file.Write(p)
	if err != nil {
		t.err = fmt.Errorf("%w: %v", ErrOutput, err) // not wrapped: remedies for err are about other files
		return n, t.err
	}
	return n, nil
}

// Flush writes an incomplete character and returns the first error of all.
func (t *Terminal) Flush() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text.Flush() // its error is remembered too
	return t.err
}
