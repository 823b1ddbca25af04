package cli

import (
	"golang.org/x/sys/windows"
)

// takesEscapes has the terminal act on escape sequences, and reports whether it does.
func takesEscapes(fd int) bool {
	var mode uint32
	return windows.GetConsoleMode(windows.Handle(fd), &mode) == nil && windows.SetConsoleMode(windows.Handle(fd),
		mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
