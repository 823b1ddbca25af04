//go:build cgo && !noxla && (linux || darwin)

package main

/*
#include <fcntl.h>

static int closed;

__attribute__((constructor)) static void look(void) { closed = fcntl(1, F_GETFD) == -1; }

static int closed_at_start(void) { return closed; }
*/
import "C"

// closedAtStart reports whether standard output was closed when the process began. Go's runtime opens /dev/null in its
// place before anything of Go runs, so C looks.
func closedAtStart() bool { return C.closed_at_start() != 0 }
