package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// messageOf returns the text of an error with what Go's own errors say of system calls and functions put in words:
// "stat x: no such file" is "x": no such file.
func messageOf(err error) string {
	text := err.Error()
	eachError(err, func(e error) {
		if said := words(e); said != "" {
			text = strings.ReplaceAll(text, e.Error(), said)
		}
	})
	return withProgram(text)
}

// eachError calls f with an error and all that it wraps.
func eachError(err error, f func(error)) {
	if err == nil {
		return
	}
	f(err)
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		eachError(e.Unwrap(), f)
	case interface{ Unwrap() []error }:
		for _, each := range e.Unwrap() {
			eachError(each, f)
		}
	}
}

// doing are the operations of [fs.PathError] that a message names; the others are how Go looks at a file.
var doing = map[string]string{
	"read": "reading ", "write": "writing ", "mkdir": "creating ", "remove": "removing ", "unlinkat": "removing ",
	"sync": "writing ", "truncate": "writing ", "readdirent": "reading ", "fork/exec": "starting ",
}

// words returns what to say in place of an error of Go's own, "" for any other.
func words(err error) string {
	switch e := err.(type) {
	case *fs.PathError:
		what, why := strconv.Quote(e.Path), e.Err.Error()
		if strings.HasPrefix(e.Path, "|") {
			what = "a pipe to another process" // the name that Go gives a pipe
		}
		if errors.Is(e.Err, os.ErrDeadlineExceeded) {
			why = "timed out"
		}
		return doing[e.Op] + what + ": " + why
	case *os.LinkError:
		return fmt.Sprintf("renaming %q to %q: %v", e.Old, e.New, e.Err)
	case *os.SyscallError:
		return e.Err.Error()
	case *strconv.NumError:
		if errors.Is(e.Err, strconv.ErrRange) {
			return strconv.Quote(e.Num) + " is too large or too small"
		}
		return strconv.Quote(e.Num) + " is not a number"
	}
	return ""
}
