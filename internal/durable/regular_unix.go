//go:build unix

package durable

import "syscall"

// nonblock lets a pipe be opened without a writer at its other end.
const nonblock = syscall.O_NONBLOCK
