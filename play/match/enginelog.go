package match

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"
)

// kept is the number of an engine's last lines that are kept for its log, should it commit a fault.
const kept = 60

// maxKept is the most that is kept of such a line, in bytes.
const maxKept = 1024

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

// dialogue is the log of an engine's input and output. All but [dialogue.Write] belongs to one goroutine.
type dialogue struct {
	log    *EngineLog
	seat   int      // which of the player's engines
	asked  string   // the last commands, as lines of the log
	recent []string // the last answers to them, likewise
}

// format is a line of the log: mark is ">" for the engine's input, "<" for its output, "!" for remarks
// about it.
func (d *dialogue) format(mark, line string) string {
	return fmt.Sprintf("%s %d %s %s\n", time.Now().UTC().Format("15:04:05.000"), d.seat, mark,
		strings.ToValidUTF8(strings.TrimRight(line, "\r\n"), "\uFFFD"))
}

// Sent notes commands.
func (d *dialogue) Sent(commands string) {
	if commands == "stop\n" { // which does not begin anything
		d.remark("told to stop")
		return
	}
	d.asked, d.recent = "", d.recent[:0]
	for line := range strings.Lines(commands) {
		d.asked += d.format(">", line)
	}
	if d.log.all {
		d.log.write(d.asked)
		d.asked = ""
	}
}

// Read notes a line of the engine's.
func (d *dialogue) Read(line []byte) {
	if d.log.all {
		d.log.write(d.format("<", string(line)))
		return
	}
	if len(d.recent) == kept {
		d.recent = slices.Delete(d.recent, 0, 1)
	}
	d.recent = append(d.recent, d.format("<", string(line[:min(len(line), maxKept)])))
}

// remark notes something about the engine.
func (d *dialogue) remark(text string) { d.log.write(d.format("!", text)) }

// fault writes the last commands and answers, and what happened.
func (d *dialogue) fault(err error) {
	if d.log == nil {
		return
	}
	d.log.write(d.asked + strings.Join(d.recent, ""))
	d.asked, d.recent = "", d.recent[:0]
	d.remark(err.Error())
}

// Write notes what the engine writes to stderr. It may be called from any goroutine.
func (d *dialogue) Write(p []byte) (int, error) {
	for line := range strings.Lines(string(p)) {
		d.remark("stderr: " + line)
	}
	return len(p), nil
}
