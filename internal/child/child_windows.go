package child

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync/atomic"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// killedCode is the exit status of what was killed here.
const killedCode = 0xC000013A // STATUS_CONTROL_C_EXIT, which no program returns by itself

// group is a job: the child and all that it starts. The system kills what is in it when its last handle is closed, so
// also when we die. The job is 0 where the system allows none; then only the child itself is killed.
type group struct {
	job     windows.Handle
	process *os.Process
}

// groupAttr keeps the terminal's Ctrl-C from the child.
func groupAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

func groupOf(p *os.Process) group {
	g := group{process: p}
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return g
	}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{
			LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE}}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if e := p.WithHandle(func(h uintptr) {
		if err == nil {
			err = windows.AssignProcessToJobObject(job, windows.Handle(h))
		}
	}); err != nil || e != nil {
		_ = windows.CloseHandle(job)
		return g
	}
	g.job = job
	return g
}

func (g group) kill() {
	if g.job == 0 || windows.TerminateJobObject(g.job, killedCode) != nil {
		_ = g.process.Kill()
	}
}

// end kills what the child has left behind.
func (g group) end() {
	if g.job != 0 {
		_ = windows.CloseHandle(g.job)
	}
}

// reap waits for the child, then runs exited.
func reap(cmd *exec.Cmd, exited func()) error {
	err := cmd.Wait()
	exited()
	return err
}

var pipes atomic.Int64

// pipe returns a pipe for the child's input or for what it writes. Only a named one can have deadlines, and only our
// end of it may: programs do not expect them of their streams.
func pipe(input bool) (r, w *os.File, err error) {
	name := fmt.Sprintf(`\\.\pipe\talbot-%d-%d`, os.Getpid(), pipes.Add(1))
	wide, err := windows.UTF16PtrFromString(name)
	if err != nil {
		return nil, nil, err
	}
	ours, theirs := uint32(windows.PIPE_ACCESS_INBOUND), uint32(windows.GENERIC_WRITE)
	if input {
		ours, theirs = windows.PIPE_ACCESS_OUTBOUND, windows.GENERIC_READ
	}
	const size = 64 << 10
	server, err := windows.CreateNamedPipe(wide,
		ours|windows.FILE_FLAG_OVERLAPPED|windows.FILE_FLAG_FIRST_PIPE_INSTANCE,
		windows.PIPE_TYPE_BYTE|windows.PIPE_REJECT_REMOTE_CLIENTS, 1, size, size, 0, nil)
	if err != nil {
		return nil, nil, os.NewSyscallError("CreateNamedPipe", err)
	}
	client, err := windows.CreateFile(wide, theirs, 0, nil, windows.OPEN_EXISTING, 0, 0)
	if err != nil {
		_ = windows.CloseHandle(server)
		return nil, nil, os.NewSyscallError("CreateFile", err)
	}
	mine, its := os.NewFile(uintptr(server), name), os.NewFile(uintptr(client), name)
	if input {
		return its, mine, nil
	}
	return mine, its, nil
}

func isBroken(err error) bool {
	return errors.Is(err, windows.ERROR_BROKEN_PIPE) || errors.Is(err, windows.ERROR_NO_DATA) ||
		errors.Is(err, windows.ERROR_PIPE_NOT_CONNECTED)
}

// exitText says of what was killed what other systems say of it.
func exitText(s *os.ProcessState) string {
	if uint32(s.ExitCode()) == killedCode {
		return KilledExit
	}
	return s.String()
}
