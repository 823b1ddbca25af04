package train

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"talbot/evaluate"
	"talbot/internal/durable"
	"talbot/internal/fault"
	"talbot/network/run"
	"talbot/train/tensorboard"
)

// MetricsLine is one line of metrics.jsonl. There it has a last member "crc" (see [MetricsLine.encode]). The means of a
// train line are over the steps since the line before it that had a target; without any they are null.
type MetricsLine struct {
	Kind string // "train" or "val"
	Step int64  // steps done
	run.Means
	MetricsRest
}

// MetricsRest is what a line says beside the losses.
type MetricsRest struct {
	LR       float64 `json:"lr"` // of a val line 0
	GradNorm float64 `json:"grad_norm,omitempty"`
	Best     bool    `json:"best,omitempty"` // of a val line: the lowest loss so far

	// Wall-clock fields; they differ from run to run.
	Seconds float64 `json:"seconds"` // since this process began to train
	// Of the steps since the train line before, or since this process began; validations and checkpoints do not count.
	PositionsPerSecond float64 `json:"positions_per_second,omitempty"`
	LoaderWait         float64 `json:"loader_wait,omitempty"` // share of the time spent waiting for batches
}

// MarshalJSON returns one object: {"kind", "step", "loss", the terms, the rest}.
func (l MetricsLine) MarshalJSON() ([]byte, error) {
	return evaluate.Members(struct {
		Kind string `json:"kind"`
		Step int64  `json:"step"`
	}{l.Kind, l.Step}, l.Means, l.MetricsRest)
}

// UnmarshalJSON reads such an object; a number that is not known is a term.
func (l *MetricsLine) UnmarshalJSON(text []byte) error {
	known := struct {
		Kind string `json:"kind"`
		Step int64  `json:"step"`
		MetricsRest
	}{}
	if err := json.Unmarshal(text, &known); err != nil {
		return err
	}
	*l = MetricsLine{Kind: known.Kind, Step: known.Step, MetricsRest: known.MetricsRest}
	return l.Means.Read(text, "kind", "step", "lr", "grad_norm", "best", "seconds", "positions_per_second",
		"loader_wait")
}

const (
	crcStart = `,"crc":"`
	crcEnd   = "\"}\n"
	crcSize  = 8
)

// encode returns the line with its end. Its last member is "crc", the CRC-32 (IEEE) of the line up to the comma before
// that member, as eight hex digits.
func (l MetricsLine) encode() ([]byte, error) {
	text, err := json.Marshal(l)
	if err != nil {
		return nil, err
	}
	text = text[:len(text)-len("}")]
	return fmt.Appendf(text, "%s%08x%s", crcStart, crc32.ChecksumIEEE(text), crcEnd), nil
}

// decodeLine reads a line with its end.
func decodeLine(text []byte) (l MetricsLine, err error) {
	at := len(text) - len(crcEnd) - crcSize - len(crcStart)
	if at <= 0 || !bytes.HasSuffix(text, []byte(crcEnd)) || !bytes.HasPrefix(text[at:], []byte(crcStart)) {
		return l, durable.ErrChanged
	}
	body := text[:at:at]
	if got := text[at+len(crcStart):][:crcSize]; string(got) != fmt.Sprintf("%08x", crc32.ChecksumIEEE(body)) {
		return l, durable.ErrChanged
	}
	d := json.NewDecoder(bytes.NewReader(append(body, '}')))
	d.DisallowUnknownFields()
	if err = d.Decode(&l); err == nil {
		if _, e := d.Token(); e != io.EOF {
			err = errors.New("text after the line's object")
		}
	}
	return l, err
}

// maxMetrics is the longest metrics.jsonl that is read, in bytes.
const maxMetrics = 4 << 30

// readLines reads a metrics.jsonl, without a torn last line, and calls keep with each line that is whole and warn for
// those that are not. Without the file there are none.
func readLines(path string, warn func(error), keep func(text []byte, l MetricsLine)) error {
	text, err := durable.ReadFile(path, maxMetrics)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return run.Unreadable(err)
	}
	for part := range bytes.Lines(text) {
		if end := bytes.IndexByte(part, '}'); !bytes.HasSuffix(part, []byte("\n")) && (end < 0 || end == len(part)-1) {
			break // torn; a whole line with another end is damaged
		}
		l, err := decodeLine(part)
		if err != nil {
			warn(fmt.Errorf("%q: dropping the damaged line %.40q: %w", path, part, err))
			continue
		}
		keep(part, l)
	}
	return nil
}

// ReadMetrics returns the lines of a run's metrics.jsonl, without a torn last one. Without the file there are none.
// warn, if not nil, is called for damaged lines, which are left out. A file of another kind is [run.ErrDamaged].
func ReadMetrics(dir string, warn func(error)) (list []MetricsLine, err error) {
	if warn == nil {
		warn = func(error) {}
	}
	err = readLines(filepath.Join(dir, run.MetricsName), warn,
		func(_ []byte, l MetricsLine) { list = append(list, l) })
	return list, err
}

// Hours returns for each line of a run's metrics how long the run had been trained, over all processes; the clock of
// each begins at 0.
func Hours(lines []MetricsLine) []float64 {
	list := make([]float64, len(lines))
	before, last := 0.0, 0.0
	for i := range lines {
		now := lines[i].Seconds
		if now < last {
			before += last
		}
		last = now
		list[i] = (before + now) / 3600
	}
	return list
}

// scalars are the line's numbers under the names of their charts.
func (l MetricsLine) scalars() []tensorboard.Scalar {
	list := []tensorboard.Scalar{{Tag: "loss/total", Value: l.Loss}}
	for _, term := range l.Terms {
		if term.Mean != nil {
			list = append(list, tensorboard.Scalar{Tag: run.Text(term.Name).Chart, Value: *term.Mean})
		}
	}
	if l.Kind == "train" {
		list = append(list, tensorboard.Scalar{Tag: "optimiser/learning_rate", Value: l.LR},
			tensorboard.Scalar{Tag: "optimiser/gradient_norm", Value: l.GradNorm},
			tensorboard.Scalar{Tag: "speed/positions_per_second", Value: l.PositionsPerSecond},
			tensorboard.Scalar{Tag: "speed/loader_wait", Value: l.LoaderWait})
	}
	return list
}

// metrics is the open metrics.jsonl, and beside it the folder of TensorBoard's event files, one run for each kind of
// line.
type metrics struct {
	f      *durable.File
	dir    string                         // of the event files
	step   int64                          // after which this process writes
	events map[string]*tensorboard.Writer // by kind, opened by the first line; nil after an error
	warn   func(error)
}

// openMetrics drops the lines after a step, a torn last one, and, with a warning, damaged ones from the metrics.jsonl
// of a run folder, and opens it for appending. Event files are never rewritten: TensorBoard drops those points itself.
func openMetrics(dir string, step int64, warn func(error)) (*metrics, error) {
	path := filepath.Join(dir, run.MetricsName)
	var kept bytes.Buffer
	if err := readLines(path, warn, func(text []byte, l MetricsLine) {
		if l.Step <= step {
			kept.Write(text)
		}
	}); err != nil {
		return nil, err
	}
	if info, err := os.Stat(path); err == nil && info.Size() != int64(kept.Len()) {
		if err := durable.WriteFile(path, kept.Bytes()); err != nil {
			return nil, err
		}
	}
	f, err := durable.Open(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND)
	if err != nil {
		return nil, err
	}
	return &metrics{f: f, dir: filepath.Join(dir, run.EventsName), step: step, events: map[string]*tensorboard.Writer{},
		warn: warn}, nil
}

// ErrGone reports that the folder of a run, or what it writes there, was removed or replaced while it trained.
var ErrGone = fault.New(fault.ExitFailed, "the run folder was removed or replaced during training",
	"the steps since the last checkpoint are lost; do not move the folder while the run is active")

// there returns [ErrGone] unless the file being written is still what its name leads to.
func (m *metrics) there() error {
	open, err := m.f.Stat()
	if err != nil {
		return err
	}
	named, err := os.Stat(m.f.Name())
	if err == nil && os.SameFile(open, named) {
		return nil
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return fmt.Errorf("%w: %q was replaced or removed", ErrGone, m.f.Name())
	}
	return err
}

// add writes a line with one system call, so that a killed process leaves at most one torn line. TensorBoard's files
// are a copy: they stop with a warning where they cannot be written.
func (m *metrics) add(line MetricsLine) error {
	text, err := line.encode()
	if err != nil {
		return err
	}
	if err := m.there(); err != nil {
		return fmt.Errorf("writing metrics: %w", err)
	}
	if _, err := m.f.Write(text); err != nil {
		return fmt.Errorf("writing metrics: %w", err)
	}
	if m.events == nil {
		return nil
	}
	if err := m.addEvent(line, time.Now()); err != nil {
		m.closeEvents() // what is wrong is said
		m.events = nil
		m.warn(fmt.Errorf("cannot write TensorBoard files after step %d: %w", line.Step, err))
	}
	return nil
}

func (m *metrics) addEvent(line MetricsLine, now time.Time) (err error) {
	w := m.events[line.Kind]
	if w == nil {
		if w, err = tensorboard.Create(filepath.Join(m.dir, line.Kind), m.step+1, now); err != nil {
			return err
		}
		m.events[line.Kind] = w
	}
	return w.Add(line.Step, now, line.scalars())
}

func (m *metrics) close() error {
	if err := m.closeEvents(); err != nil {
		m.warn(fmt.Errorf("event files for TensorBoard: %w", err))
	}
	return errors.Join(m.f.Sync(), m.f.Close())
}

func (m *metrics) closeEvents() (err error) {
	for _, w := range m.events {
		err = errors.Join(err, w.Close())
	}
	return err
}
