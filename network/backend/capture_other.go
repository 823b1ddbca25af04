//go:build !linux

package backend

// captureErrors captures nothing: CUDA's plugins are for Linux.
func captureErrors() (end func() string, err error) { return func() string { return "" }, nil }
