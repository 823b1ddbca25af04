//go:build unix

package child

import (
	"errors"
	"os"
	"syscall"
)

// group is the number of a process group.
type group int

func groupOf(p *os.Process) group { return group(p.Pid) }

func (g group) kill() { _ = syscall.Kill(-int(g), syscall.SIGKILL) }

// end kills what the leader of the group has left behind.
func (g group) end() { g.kill() }

// pipe returns a pipe for the child's input or for what it writes.
func pipe(bool) (r, w *os.File, err error) { return os.Pipe() }

func isBroken(err error) bool { return errors.Is(err, syscall.EPIPE) }

func exitText(s *os.ProcessState) string { return s.String() }
