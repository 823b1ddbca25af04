package child

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"
)

// fake names the environment variable with which the test program is a child.
const fake = "TALBOT_CHILD_TEST"

func TestMain(m *testing.M) {
	switch os.Getenv(fake) {
	case "":
		os.Exit(m.Run())
	case "echo":
		line := make([]byte, 100)
		n, _ := os.Stdin.Read(line)
		os.Stdout.Write(line[:n])
		os.Stderr.WriteString("bye\n")
		os.Exit(3)
	case "parent": // starts one who outlives it, if it may
		p, err := os.StartProcess(os.Args[0], os.Args, &os.ProcAttr{Env: append(os.Environ(), fake+"=sleep"),
			Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}})
		if err != nil {
			panic(err)
		}
		os.Stdout.WriteString("started\n")
		_, _ = p.Wait()
	case "sleep":
		time.Sleep(time.Hour)
	}
}

func start(t *testing.T, what string) *Process {
	t.Helper()
	p, err := Start(Config{Path: os.Args[0], Env: []string{fake + "=" + what}}, time.Now().Add(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

// TestTalk: lines come and go, and the end of a program is seen.
func TestTalk(t *testing.T) {
	p := start(t, "echo")
	by := time.Now().Add(time.Minute)
	if err := errors.Join(p.Write("hello\n", by), p.ReadBy(by)); err != nil {
		t.Fatal(err)
	}
	if line, err := p.ReadLine(); err != nil || string(line) != "hello\n" {
		t.Errorf("%q, %v", line, err)
	}
	if _, err := p.ReadLine(); !IsGone(err) {
		t.Errorf("at the end: %v", err)
	}
	if exit, ok := p.WaitExit(time.Minute); !ok || exit != "exit status 3" {
		t.Errorf("%q, %v", exit, ok)
	}
	if err := p.Write(strings.Repeat("x", 1<<20), time.Now().Add(time.Minute)); !IsGone(err) {
		t.Errorf("writing to one who has gone: %v", err)
	}
	if err := p.Close(); err != nil || p.Stderr() != "bye" {
		t.Errorf("%v, %q", err, p.Stderr())
	}
}

// TestBounds: neither silence nor one who does not listen is waited for.
func TestBounds(t *testing.T) {
	p := start(t, "sleep")
	if err := p.ReadBy(time.Now().Add(100 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if _, err := p.ReadLine(); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("reading: %v", err)
	}
	err := p.Write(strings.Repeat("x", 1<<20), time.Now().Add(100*time.Millisecond))
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("writing: %v", err)
	}
}

// TestKillGroup: what the program has started goes with it.
func TestKillGroup(t *testing.T) {
	p := start(t, "parent")
	_ = p.ReadBy(time.Now().Add(time.Minute))
	if line, err := p.ReadLine(); string(line) != "started\n" {
		t.Fatalf("%q, %v", line, err)
	}
	p.Kill()
	if _, err := p.ReadLine(); !IsGone(err) { // the other sleeper has our pipes open
		t.Errorf("after the end of all: %v", err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if exit, ok := p.WaitExit(time.Second); !ok || exit != KilledExit {
		t.Errorf("%q, %v", exit, ok)
	}
}
