package trial

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"talbot/internal/child"
)

// program is a running program of a step. Its standard error goes to a file of the folder.
type program struct {
	*child.Process
	log  string
	file *os.File
}

// Close kills what is left of the program.
func (p *program) Close() error { return errors.Join(p.Process.Close(), p.file.Close()) }

// start starts a program; name is that of its log.
func (t *Trial) start(name, path string, args ...string) (*program, error) {
	log := filepath.Join(t.Dir, "logs", name+".log")
	if err := os.MkdirAll(filepath.Dir(log), 0o777); err != nil {
		return nil, err
	}
	f, err := os.Create(log)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(f, "$ %s %s\n", path, strings.Join(args, " "))
	p, err := child.Start(child.Config{Path: path, Args: args, Dir: t.Dir, Stderr: f}, time.Now().Add(time.Minute))
	if err != nil {
		f.Close()
		return nil, err
	}
	return &program{p, log, f}, nil
}

// talbot starts talbot.
func (t *Trial) talbot(name string, args ...string) (*program, error) {
	return t.start(name, t.Talbot, args...)
}

// wait returns what a program printed until it ended, and how it ended: "exit status 0". After most, or when ctx ends,
// it is killed.
func (p *program) wait(ctx context.Context, most time.Duration) (text, exit string, err error) {
	deadline := time.Now().Add(most)
	stop := context.AfterFunc(ctx, p.Kill)
	defer stop()
	defer p.Close()
	var b strings.Builder
	for {
		if err := p.ReadBy(deadline); err != nil {
			return b.String(), "", err
		}
		line, err := p.ReadLine()
		b.Write(line)
		if errors.Is(err, child.ErrLongLine) {
			continue
		}
		if err != nil {
			break
		}
	}
	exit, ended := p.WaitExit(time.Until(deadline))
	switch {
	case ctx.Err() != nil:
		return b.String(), exit, ctx.Err()
	case !ended:
		p.Kill()
		return b.String(), "", p.tooLong(most)
	}
	return b.String(), exit, nil
}

// tooLong says which program it was, and where to look.
func (p *program) tooLong(most time.Duration) error {
	name := filepath.Base(p.log)
	return fmt.Errorf("%s took longer than %s; logs/%s has what it said", strings.TrimSuffix(name, ".log"), most, name)
}

const exitOK = "exit status 0"

// output runs a program to its end and returns what it printed; an error has the end of what it said.
func (t *Trial) output(ctx context.Context, most time.Duration, p *program, err error) (string, error) {
	if err != nil {
		return "", err
	}
	text, exit, err := p.wait(ctx, most)
	if err != nil {
		return text, err
	}
	if exit != exitOK {
		return text, fmt.Errorf("%s: %s (%s)", exit, lastLines(p.Stderr(), 3), t.relative(p.log))
	}
	return text, nil
}

func (t *Trial) relative(path string) string {
	if rel, err := filepath.Rel(t.Dir, path); err == nil {
		return rel
	}
	return path
}

// part runs a [Part] of talbot and reads its result.
func (t *Trial) part(ctx context.Context, name string, most time.Duration, p Part, into any) error {
	spec, err := json.Marshal(p)
	if err != nil {
		return err
	}
	running, err := t.talbot(name, "doctor", "--gpu-part", string(spec))
	text, err := t.output(ctx, most, running, err)
	if err != nil {
		return err
	}
	return json.Unmarshal([]byte(text), into)
}

// interrupt is Ctrl-C.
func (p *program) interrupt() error {
	process, err := os.FindProcess(p.PID())
	if err != nil {
		return err
	}
	return process.Signal(syscall.SIGINT)
}

// until waits for something to be, as long as the program runs.
func (p *program) until(ctx context.Context, most time.Duration, is func() bool) error {
	for deadline := time.Now().Add(most); ; {
		switch exit, ended := p.WaitExit(5 * time.Millisecond); {
		case is():
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case ended:
			return fmt.Errorf("%s: %s", exit, lastLines(p.Stderr(), 3))
		case time.Now().After(deadline):
			return p.tooLong(most)
		}
	}
}

// lastLines are the last lines of a text that are not empty, as one.
func lastLines(text string, n int) string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines[max(0, len(lines)-n):], " / ")
}

// ask runs a small program and returns its trimmed output; "" if it is not there, fails or takes minutes.
func ask(ctx context.Context, name string, args ...string) string {
	text, _ := askFor(ctx, 3*time.Minute, name, args...)
	return text
}

// askFor is ask with a limit of time, after which it returns an error.
func askFor(ctx context.Context, most time.Duration, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	out, err := exec.CommandContext(ctx, name, args...).Output()
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("%s took longer than %s", name, most)
	case err != nil:
		return "", nil
	}
	return strings.TrimSpace(string(out)), nil
}
