package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"talbot/internal/plain"
)

// stdout and stderr are where all commands write for people (see package plain); nothing else in this package writes
// to [os.Stdout] or [os.Stderr] itself.
var stdout, stderr = newOutlet(os.Stdout), newOutlet(os.Stderr)

// errOutput says that standard output could not be written. The command has done all else.
var errOutput = errors.New("standard output cannot be written")

// outlet is one of the two. It makes text plain and remembers the first error, for those who do not look. It is safe
// for concurrent use.
type outlet struct {
	file *os.File
	mu   sync.Mutex
	text *plain.Writer
	// closed says that the caller gave no such file.
	closed bool
	err    error // the first; it wraps errOutput
}

func newOutlet(file *os.File) *outlet {
	o := &outlet{file: file, closed: file == os.Stdout && closedAtStart()}
	o.text = plain.NewWriter((*exactOutlet)(o))
	return o
}

// Write writes text for people.
func (o *outlet) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

// exact returns the outlet for what is written as it is: JSON, and what moves the cursor on purpose.
func (o *outlet) exact() io.Writer { return lockedOutlet{o} }

type lockedOutlet struct{ *outlet }

func (o lockedOutlet) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return (*exactOutlet)(o.outlet).Write(p)
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
	return o.err
}

// printf prints text on standard output; the values in it are made plain. Its error is remembered.
func printf(format string, values ...any) { plain.Fprintf(stdout, format, values...) }

// say prints text on standard error; the values in it are made plain.
func say(format string, values ...any) { plain.Fprintf(stderr, format, values...) }

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
	for i, line := range strings.Split(err.Error(), "\n") { // a list has a line for each
		if i == 0 {
			say("talbot: error: %v\n", line)
		} else {
			say("  %v\n", strings.TrimLeft(line, " "))
		}
	}
}

// warn says what does not stop a command.
func warn(err error) { say("talbot: warning: %v\n", err) }

// printJSON prints one JSON object on standard output.
func printJSON(v any) error {
	enc := json.NewEncoder(stdout.exact())
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
