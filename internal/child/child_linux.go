package child

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// groupAttr puts the child at the head of a new process group, away from the
// terminal's signals, and has the kernel kill it when our thread dies.
func groupAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// reap waits for the child. exited runs when the child has ended but still holds its number, so that killing its group
// cannot hit another process.
func reap(cmd *exec.Cmd, exited func()) error {
	for {
		err := unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			break
		}
	}
	exited()
	return cmd.Wait()
}
