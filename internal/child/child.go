// Package child runs another program and talks with it line by line, without trusting it: every read and write has a
// deadline, every line a length limit, and what is killed is its whole process group, on Windows its job.
//
// A [Process] belongs to one goroutine at a time; only Kill may be called from any. While it lives it has two
// goroutines of its own: one starts the program and waits for its end, one reads its stderr. Both end with Close.
package child

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"
)

const (
	// MaxLine is the longest line that is read, in bytes.
	MaxLine = 64 << 10
	// MaxTail is how much of the end of stderr is kept, in bytes.
	MaxTail  = 2 << 10
	killWait = 5 * time.Second // for a killed process to be gone
)

// ErrLongLine: a line has more than [MaxLine] bytes.
var ErrLongLine = bufio.ErrBufferFull

// KilledExit describes the end of a killed process.
const KilledExit = "signal: killed"

// Config is what a program is started with.
type Config struct {
	Path string
	Args []string
	Dir  string   // its working folder; empty: ours
	Env  []string // added to our environment
	// Stderr, if set, gets all that the program writes there, besides the end of it that is kept. Its errors are
	// ignored.
	Stderr io.Writer
}

// Process is a program in a process group of its own.
//
// The goroutine that starts the child stays on its operating system thread until the child has ended: on Linux the
// child asks the kernel to be killed when its parent dies, and "parent" there means the thread that forked it, so a
// thread that came to its end earlier would take a healthy engine with it.
type Process struct {
	pid    int
	group  group
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

// Start starts a program with pipes on its three streams. The deadline covers fork and exec. The caller closes it.
func Start(cfg Config, deadline time.Time) (*Process, error) {
	fail := func(err error) (*Process, error) {
		return nil, fmt.Errorf("starting %q: %w", cfg.Path, err)
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
		r, w, err := pipe(i == 0)
		if err != nil {
			closeAll(files[:]...)
			return fail(err)
		}
		files[i], files[i+1] = r, w
	}
	p := &Process{
		stdin: files[1], stdout: files[2], stderr: files[4],
		lines:   bufio.NewReaderSize(files[2], MaxLine),
		exited:  make(chan struct{}),
		drained: make(chan struct{}),
	}
	cmd := exec.Command(cfg.Path, cfg.Args...)
	cmd.Dir = cfg.Dir
	cmd.Stdin, cmd.Stdout, cmd.Stderr = files[0], files[3], files[5]
	cmd.SysProcAttr = groupAttr()
	if len(cfg.Env) > 0 {
		cmd.Env = append(os.Environ(), cfg.Env...)
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
		p.pid, p.group, p.alive = cmd.Process.Pid, groupOf(cmd.Process), true
		if p.killed {
			p.group.kill()
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
		p.Kill()
		closeAll(p.stdin, p.stdout, p.stderr)
		return fail(errors.New("did not start in time"))
	}
	go func() {
		defer close(p.drained)
		p.tail.fill(p.stderr, cfg.Stderr)
	}()
	return p, nil
}

// wait reaps the child. Whatever it leaves behind in its group is killed, where
// the system allows it before the number of the group can be taken by others.
func (p *Process) wait(cmd *exec.Cmd) {
	err := reap(cmd, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.alive = false
		p.group.end()
	})
	switch {
	case cmd.ProcessState != nil:
		p.exit = exitText(cmd.ProcessState)
	case err != nil:
		p.exit = err.Error()
	}
	close(p.exited)
}

// Kill kills the whole group. It does not wait and may be called at any time.
func (p *Process) Kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.killed = true
	if p.alive {
		p.group.kill()
	}
}

// WaitExit reports how the process ended if it does so within d.
func (p *Process) WaitExit(d time.Duration) (string, bool) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-p.exited:
		return p.exit, true
	case <-timer.C:
		return "", false
	}
}

// Close kills what is left, waits for it and releases the pipes.
func (p *Process) Close() error {
	p.Kill()
	_, gone := p.WaitExit(killWait)
	if gone {
		// The group is dead, so stderr ends at once, unless a process left the group and took it along.
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
		return fmt.Errorf("process %d does not end %v after SIGKILL", p.pid, killWait)
	}
	return nil
}

// PID returns the number of the process.
func (p *Process) PID() int { return p.pid }

// Stderr returns the end of what the program has written to stderr, trimmed, as valid UTF-8.
func (p *Process) Stderr() string { return p.tail.text() }

// ReadBy sets the deadline of [Process.ReadLine].
func (p *Process) ReadBy(deadline time.Time) error { return p.stdout.SetReadDeadline(deadline) }

// ReadLine returns the next line of the program's output, with its line end, valid until the next call. After an error
// it is what there was of the line. Errors: [os.ErrDeadlineExceeded], [ErrLongLine], io.EOF and those of reading.
func (p *Process) ReadLine() ([]byte, error) { return p.lines.ReadSlice('\n') }

// Write writes to the program's input. A program that has gone is an error for which [IsGone] holds.
func (p *Process) Write(s string, deadline time.Time) error {
	if err := p.stdin.SetWriteDeadline(deadline); err != nil {
		return err
	}
	_, err := p.stdin.WriteString(s)
	return err
}

// IsGone reports whether an error of writing or reading says that the program has ended or closed its side.
func IsGone(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, os.ErrClosed) || isBroken(err)
}

// tail keeps the end of a stream.
type tail struct {
	mu  sync.Mutex
	buf []byte
	cut bool
}

func (t *tail) fill(f *os.File, also io.Writer) {
	buf := make([]byte, 4<<10)
	for {
		n, err := f.Read(buf)
		t.mu.Lock()
		t.buf = append(t.buf, buf[:n]...)
		if extra := len(t.buf) - MaxTail; extra > 0 {
			t.buf = append(t.buf[:0], t.buf[extra:]...)
			t.cut = true
		}
		t.mu.Unlock()
		if also != nil && n > 0 {
			_, _ = also.Write(buf[:n])
		}
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
