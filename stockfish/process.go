package stockfish

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	maxTail  = 2 << 10         // bytes of stderr kept
	killWait = 5 * time.Second // for a killed process to be gone
)

var errLongLine = bufio.ErrBufferFull

// process is a child in a process group of its own.
//
// The goroutine that starts the child stays on its operating system thread
// until the child has ended: on Linux the child asks the kernel to be killed
// when its parent dies, and "parent" there means the thread that forked it, so
// a thread that came to its end earlier would take a healthy engine with it.
type process struct {
	pid    int
	stdin  *os.File
	stdout *os.File
	lines  *bufio.Reader // of stdout
	stderr *os.File
	tail   tail

	exited  chan struct{} // closed when the child is reaped; exit is set before
	drained chan struct{} // closed when stderr has ended
	exit    string        // "exit status 1", "signal: segmentation fault"

	mu     sync.Mutex
	killed bool // wanted dead
	alive  bool // started and not yet ended: the group is ours to kill
}

// startProcess starts the executable with pipes on its three streams. extra is
// added to the environment. The deadline covers fork and exec.
func startProcess(path string, args, extra []string, deadline time.Time) (*process, error) {
	fail := func(err error) (*process, error) {
		return nil, fmt.Errorf("stockfish: start of %q: %w", path, err)
	}
	var files [6]*os.File // pairs of read end, write end
	closeAll := func(list ...*os.File) {
		for _, f := range list {
			if f != nil {
				_ = f.Close()
			}
		}
	}
	for i := 0; i < len(files); i += 2 {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll(files[:]...)
			return fail(err)
		}
		files[i], files[i+1] = r, w
	}
	p := &process{
		stdin: files[1], stdout: files[2], stderr: files[4],
		lines:   bufio.NewReaderSize(files[2], maxLine),
		exited:  make(chan struct{}),
		drained: make(chan struct{}),
	}
	cmd := exec.Command(path, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = files[0], files[3], files[5]
	cmd.SysProcAttr = groupAttr()
	if len(extra) > 0 {
		cmd.Env = append(os.Environ(), extra...)
	}

	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		closeAll(files[0], files[3], files[5]) // the child's ends
		if err != nil {
			close(p.exited)
			started <- err
			return
		}
		p.mu.Lock()
		p.pid, p.alive = cmd.Process.Pid, true
		if p.killed {
			killGroup(p.pid)
		}
		p.mu.Unlock()
		started <- nil
		p.wait(cmd)
	}()
	timer := time.NewTimer(time.Until(deadline))
	defer timer.Stop()
	select {
	case err := <-started:
		if err != nil {
			closeAll(p.stdin, p.stdout, p.stderr)
			return fail(err)
		}
	case <-timer.C:
		p.kill()
		closeAll(p.stdin, p.stdout, p.stderr)
		return fail(errors.New("did not start in time"))
	}
	go func() {
		defer close(p.drained)
		p.tail.fill(p.stderr)
	}()
	return p, nil
}

// wait reaps the child. Whatever it leaves behind in its group is killed, where
// the system allows it before the number of the group can be taken by others.
func (p *process) wait(cmd *exec.Cmd) {
	err := reap(cmd, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.alive = false
		killGroup(p.pid)
	})
	switch {
	case cmd.ProcessState != nil:
		p.exit = cmd.ProcessState.String()
	case err != nil:
		p.exit = err.Error()
	}
	close(p.exited)
}

// kill sends SIGKILL to the whole group. It does not wait.
func (p *process) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.killed = true
	if p.alive {
		killGroup(p.pid)
	}
}

// waitExit reports how the process ended if it does so within d.
func (p *process) waitExit(d time.Duration) (string, bool) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-p.exited:
		return p.exit, true
	case <-timer.C:
		return "", false
	}
}

// close kills what is left, waits for it and releases the pipes.
func (p *process) close() error {
	p.kill()
	_, gone := p.waitExit(killWait)
	if gone {
		// The group is dead, so stderr ends at once, unless somebody left the
		// group and took it along.
		select {
		case <-p.drained:
		case <-time.After(100 * time.Millisecond):
		}
	}
	for _, f := range []*os.File{p.stdin, p.stdout, p.stderr} {
		_ = f.Close()
	}
	<-p.drained // closing the file ends the read
	if !gone {
		return fmt.Errorf("stockfish: process %d does not end %v after SIGKILL", p.pid, killWait)
	}
	return nil
}

func (p *process) write(s string, deadline time.Time) error {
	if err := p.stdin.SetWriteDeadline(deadline); err != nil {
		return err
	}
	_, err := p.stdin.WriteString(s)
	return err
}

func isBrokenPipe(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, os.ErrClosed)
}

// tail keeps the end of a stream.
type tail struct {
	mu  sync.Mutex
	buf []byte
	cut bool
}

func (t *tail) fill(f *os.File) {
	buf := make([]byte, 4<<10)
	for {
		n, err := f.Read(buf)
		t.mu.Lock()
		t.buf = append(t.buf, buf[:n]...)
		if extra := len(t.buf) - maxTail; extra > 0 {
			t.buf = append(t.buf[:0], t.buf[extra:]...)
			t.cut = true
		}
		t.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := strings.ToValidUTF8(string(bytes.TrimSpace(t.buf)), "\uFFFD")
	if t.cut {
		s = "…" + s
	}
	return s
}
