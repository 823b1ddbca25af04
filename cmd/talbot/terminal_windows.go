package main

import "golang.org/x/sys/windows"

// obeys has the terminal obey escape sequences, and reports whether it does.
func obeys(fd int) bool {
	var mode uint32
	return windows.GetConsoleMode(windows.Handle(fd), &mode) == nil && windows.SetConsoleMode(windows.Handle(fd),
		mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
