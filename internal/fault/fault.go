// Package fault gives errors a remedy, which says what to do about them, and an exit status.
package fault

import (
	"context"
	"errors"
	"io/fs"
	"syscall"
)

// The exit statuses of every command.
const (
	ExitDone        = 0
	ExitFailed      = 1
	ExitUsage       = 2
	ExitSkipped     = 3 // only with --strict
	ExitNoDataset   = 10
	ExitLocked      = 11
	ExitDamaged     = 12
	ExitInterrupted = 130
)

// fault is an error with a remedy or an exit status; "" and 0 leave those of the errors that it wraps.
type fault struct {
	error
	exit   int
	remedy string
}

func (f *fault) Unwrap() error   { return f.error }
func (f *fault) ExitStatus() int { return f.exit }
func (f *fault) Remedy() string  { return f.remedy }

// New returns an error to compare with, as [errors.New] does.
func New(exit int, text, remedy string) error { return &fault{errors.New(text), exit, remedy} }

// With adds an exit status and a remedy to an error; 0 and "" leave what it has. Of nil it returns nil.
func With(err error, exit int, remedy string) error {
	if err == nil {
		return nil
	}
	return &fault{err, exit, remedy}
}

// Hint adds a remedy to an error.
func Hint(err error, remedy string) error { return With(err, 0, remedy) }

// Usage marks an error of the command line.
func Usage(err error, remedy string) error { return With(err, ExitUsage, remedy) }

// system are the errors of the system that have a remedy or a status.
var system = []fault{
	{context.Canceled, ExitInterrupted, ""},
	{syscall.ENOSPC, ExitFailed, "free some disk space and repeat the command"},
	{syscall.EROFS, ExitFailed, "choose a folder on a writable disk"},
	{fs.ErrPermission, ExitFailed, "check the permissions of the folder and its files"},
	{syscall.ENOTDIR, ExitFailed, "a file has this name, and a folder is needed"},
	{syscall.EISDIR, ExitFailed, "a folder has this name, and a file is needed"},
	{fs.ErrNotExist, ExitFailed, CheckPath},
}

// CheckPath is the remedy for a path that leads nowhere.
const CheckPath = "check the path"

// Of returns the exit status and the remedy of an error. The outermost count, and of several errors wrapped by one the
// first. A type of error may have methods ExitStatus() int and Remedy() string of its own.
func Of(err error) (exit int, remedy string) {
	Each(err, func(e error) {
		if x, ok := e.(interface{ ExitStatus() int }); ok && exit == 0 {
			exit = x.ExitStatus()
		}
		if x, ok := e.(interface{ Remedy() string }); ok && remedy == "" {
			remedy = x.Remedy()
		}
	})
	for _, s := range system {
		if errors.Is(err, s.error) {
			if exit == 0 {
				exit = s.exit
			}
			if remedy == "" {
				remedy = s.remedy
			}
			break
		}
	}
	if exit == 0 {
		exit = ExitFailed
	}
	return exit, remedy
}

// Each calls f with an error and all that it wraps, from the outermost on.
func Each(err error, f func(error)) {
	if err == nil {
		return
	}
	f(err)
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		Each(e.Unwrap(), f)
	case interface{ Unwrap() []error }:
		for _, each := range e.Unwrap() {
			Each(each, f)
		}
	}
}
