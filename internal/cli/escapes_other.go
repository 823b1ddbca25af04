//go:build !windows

package cli

// takesEscapes reports whether the terminal acts on escape sequences.
func takesEscapes(int) bool { return true }
