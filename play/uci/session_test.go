package uci

import (
	"bufio"
	"io"
	"strings"
	"testing"
	"time"

	"talbot/internal/testkit/fakenet"
	"talbot/play/engine"
)

// session talks with an engine through its streams.
type session struct {
	t     *testing.T
	in    *io.PipeWriter
	lines chan string
	ended chan error
	all   []string
}

// talk starts an engine on a fake network.
func talk(t *testing.T, n *fakenet.Network, change ...func(*Engine)) *session {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	s := &session{t: t, in: inW, lines: make(chan string, 10_000), ended: make(chan error, 1)}
	e := &Engine{Name: "fake", Author: "nobody", Searcher: engine.AutoSearcher,
		Network: Network{Player: engine.NewPlayer(n.Open)}}
	for _, c := range change {
		c(e)
	}
	go func() {
		s.ended <- e.Run(inR, outW)
		outW.Close()
	}()
	go func() {
		defer close(s.lines)
		scanner := bufio.NewScanner(outR)
		scanner.Buffer(nil, 2<<20)
		for scanner.Scan() {
			s.lines <- scanner.Text()
		}
	}()
	t.Cleanup(func() { inW.Close() })
	return s
}

// ready starts an engine and waits until it is ready.
func ready(t *testing.T, n *fakenet.Network, change ...func(*Engine)) *session {
	t.Helper()
	s := talk(t, n, change...)
	s.say("isready")
	s.wait("readyok")
	return s
}

// say sends lines.
func (s *session) say(lines ...string) {
	s.t.Helper()
	for _, l := range lines {
		if _, err := io.WriteString(s.in, l+"\n"); err != nil {
			s.t.Fatalf("%q: %v", l, err)
		}
	}
}

// wait returns the lines up to the first that begins so.
func (s *session) wait(prefix string) (lines []string) {
	s.t.Helper()
	timeout := time.After(20 * time.Second)
	for {
		select {
		case l, open := <-s.lines:
			if !open {
				s.t.Fatalf("the engine ended before %q; it said:\n%s", prefix, strings.Join(s.all, "\n"))
			}
			s.all = append(s.all, l)
			lines = append(lines, l)
			if strings.HasPrefix(l, prefix) {
				return lines
			}
		case <-timeout:
			s.t.Fatalf("no %q came; the engine said:\n%s", prefix, strings.Join(s.all, "\n"))
		}
	}
}

// silent fails if a line with that prefix comes soon.
func (s *session) silent(prefix string) {
	s.t.Helper()
	timeout := time.After(60 * time.Millisecond)
	for {
		select {
		case l := <-s.lines:
			s.all = append(s.all, l)
			if strings.HasPrefix(l, prefix) {
				s.t.Fatalf("%q came too early", l)
			}
		case <-timeout:
			return
		}
	}
}

// finish waits for the engine's end and returns the rest of what it says.
func (s *session) finish() (rest []string, err error) {
	s.t.Helper()
	select {
	case err = <-s.ended:
	case <-time.After(20 * time.Second):
		s.t.Fatal("the engine does not end")
	}
	for l := range s.lines {
		rest = append(rest, l)
	}
	return rest, err
}

// quit ends the session; nothing may be wrong.
func (s *session) quit() {
	s.t.Helper()
	s.say("quit")
	if rest, err := s.finish(); err != nil || count(rest, "bestmove") > 0 {
		s.t.Fatalf("at the end: %q, %v", rest, err)
	}
}

func count(lines []string, prefix string) (n int) {
	for _, l := range lines {
		if strings.HasPrefix(l, prefix) {
			n++
		}
	}
	return n
}

// having returns the first line with a text.
func having(lines []string, text string) string {
	for _, l := range lines {
		if strings.Contains(l, text) {
			return l
		}
	}
	return ""
}
