//go:build unix && !linux

package child

import (
	"os/exec"
	"syscall"
)

// groupAttr puts the child at the head of a new process group, away from the
// terminal's signals. An engine whose parent dies ends when its stdin does.
func groupAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// reap waits for the child, then runs exited.
func reap(cmd *exec.Cmd, exited func()) error {
	err := cmd.Wait()
	exited()
	return err
}
