package match

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// kept is how many lines of the dialogue with an engine are kept for its log, should it commit a fault.
const kept = 60

// EngineLog is the log of one player's engines: what they write to stderr, and the last lines of the dialogue before a
// fault, or all of it. It is safe for concurrent use.
type EngineLog struct {
	mu  sync.Mutex
	w   io.Writer
	all bool
	err error
}

// NewEngineLog returns a log that writes to w, the whole dialogue if all is set. Its first error is kept for
// [EngineLog.Err].
func NewEngineLog(w io.Writer, all bool) *EngineLog { return &EngineLog{w: w, all: all} }

// Err returns the first error of writing.
func (l *EngineLog) Err() error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

func (l *EngineLog) write(text string) {
	if l == nil || text == "" {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		_, l.err = io.WriteString(l.w, text)
	}
}

// dialogue is what was said between us and one engine. All but stderr belongs to one goroutine.
type dialogue struct {
	log  *EngineLog
	seat int // which of the player's engines
	ring [kept]string
	n    int
}

// said notes a line: ">" to the engine, "<" from it, "!" about it.
func (d *dialogue) said(mark string, line string) {
	if d.log == nil {
		return
	}
	text := fmt.Sprintf("%s %d %s %s\n", time.Now().UTC().Format("15:04:05.000"), d.seat, mark,
		strings.ToValidUTF8(strings.TrimRight(line, "\r\n"), "\uFFFD"))
	if d.log.all || mark == "!" {
		d.log.write(text)
		return
	}
	d.ring[d.n%kept] = text
	d.n++
}

// fault writes the last lines of the dialogue and what happened.
func (d *dialogue) fault(err error) {
	if d.log == nil {
		return
	}
	var b strings.Builder
	for i := max(0, d.n-kept); i < d.n; i++ {
		b.WriteString(d.ring[i%kept])
	}
	d.n = 0
	d.log.write(b.String())
	d.said("!", err.Error())
}

// Write notes what the engine writes to stderr.
func (d *dialogue) Write(p []byte) (int, error) {
	for line := range strings.Lines(string(p)) {
		d.said("!", "stderr: "+line)
	}
	return len(p), nil
}
