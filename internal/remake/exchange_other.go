//go:build !linux && !darwin

package remake

// exchange gives path the content of at and old its own.
func exchange(at, path, old string) error { return moveTwice(at, path, old) }
