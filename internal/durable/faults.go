package durable

import "sync/atomic"

// faults is called before every step of writing; nil outside tests.
var faults atomic.Pointer[func(op, path string) error]

// InjectFaults has f called before every step of writing, until the test ends or f is replaced; nil ends it at once. op
// is "open", "write", "sync", "close", "rename", "link", "remove" or "sync folder". An error that f returns is taken
// for the step's own; a write that fails leaves half of its bytes behind, a close still closes. t is the test's
// *testing.T or *testing.B: only tests have one.
func InjectFaults(t interface {
	Helper()
	Cleanup(func())
}, f func(op, path string) error) {
	t.Helper()
	if f == nil {
		faults.Store(nil)
		return
	}
	faults.Store(&f)
	t.Cleanup(func() { faults.Store(nil) })
}

// FaultOf returns the error that a test has injected for a step that another package takes, nil outside tests.
func FaultOf(op, path string) error { return injected(op, path) }

func injected(op, path string) error {
	if f := faults.Load(); f != nil {
		return (*f)(op, path)
	}
	return nil
}
