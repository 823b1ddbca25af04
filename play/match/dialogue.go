package match

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// kept is how many of an engine's last lines are kept for its log, should it commit a fault.
const kept = 60

// EngineLog is the log of one player's engines: what they write to stderr, and the last commands and answers before a
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
	log   *EngineLog
	seat  int          // which of the player's engines
	asked []string     // the last commands
	ring  [kept]string // what was answered since
	n     int
}

// said notes a line: "<" from the engine, "!" about it.
func (d *dialogue) said(mark string, line string) {
	if d.log == nil {
		return
	}
	text := d.line(mark, line)
	if d.log.all || mark == "!" {
		d.log.write(text)
		return
	}
	d.ring[d.n%kept] = text
	d.n++
}

// sent notes commands.
func (d *dialogue) sent(commands string) {
	if d.log == nil {
		return
	}
	d.asked, d.n = d.asked[:0], 0
	for line := range strings.Lines(commands) {
		if text := d.line(">", line); d.log.all {
			d.log.write(text)
		} else {
			d.asked = append(d.asked, text)
		}
	}
}

func (d *dialogue) line(mark, line string) string {
	return fmt.Sprintf("%s %d %s %s\n", time.Now().UTC().Format("15:04:05.000"), d.seat, mark,
		strings.ToValidUTF8(strings.TrimRight(line, "\r\n"), "\uFFFD"))
}

// fault writes the last lines of the dialogue and what happened.
func (d *dialogue) fault(err error) {
	if d.log == nil {
		return
	}
	var b strings.Builder
	for _, line := range d.asked {
		b.WriteString(line)
	}
	for i := max(0, d.n-kept); i < d.n; i++ {
		b.WriteString(d.ring[i%kept])
	}
	d.asked, d.n = d.asked[:0], 0
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
