//go:build !unix

package child

import (
	"os"
	"os/exec"
	"syscall"
)

// groupAttr asks for nothing: here only the engine itself is killed, not what
// it may have started.
func groupAttr() *syscall.SysProcAttr { return nil }

// reap waits for the child, then runs exited.
func reap(cmd *exec.Cmd, exited func()) error {
	err := cmd.Wait()
	exited()
	return err
}

func killGroup(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
	}
}
