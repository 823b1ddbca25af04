package train

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"talbot/internal/durable"
	"talbot/train/tensorboard"
)

// Line is one line of metrics.jsonl. The means of a train line are over the steps since the line before it
// that had a target; without any they are null.
type Line struct {
	Kind string `json:"kind"` // "train" or "val"
	Step int64  `json:"step"` // steps done
	losses
	LR       float64 `json:"lr"` // of a val line 0
	GradNorm float64 `json:"grad_norm,omitempty"`
	Best     bool    `json:"best,omitempty"` // of a val line: the lowest loss so far

	// Wall-clock fields; they differ from run to run.
	Seconds float64 `json:"seconds"` // since this process began to train
	// Of the steps since the train line before, or since this process began; validations and checkpoints do not count.
	PositionsPerSecond float64 `json:"positions_per_second,omitempty"`
	LoaderWait         float64 `json:"loader_wait,omitempty"` // share of the time spent waiting for batches
}

// ReadMetrics returns the lines of a run's metrics.jsonl, without a torn one. Without the file there are none.
func ReadMetrics(dir string) ([]Line, error) {
	text, err := os.ReadFile(filepath.Join(dir, metricsName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var list []Line
	for part := range bytes.Lines(text) {
		var line Line
		if json.Unmarshal(part, &line) == nil {
			list = append(list, line)
		}
	}
	return list, nil
}

// scalars are the line's numbers under the names of their charts.
func (l Line) scalars() []tensorboard.Scalar {
	list := []tensorboard.Scalar{{Tag: "loss/total", Value: l.Loss}}
	for _, mean := range []struct {
		tag   string
		value *float64
	}{{"loss/policy", l.PolicyCE}, {"loss/value", l.ValueMSE}, {"accuracy/top1", l.Top1}} {
		if mean.value != nil {
			list = append(list, tensorboard.Scalar{Tag: mean.tag, Value: *mean.value})
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
	f      *os.File
	dir    string                         // of the event files
	step   int64                          // behind which this process writes
	events map[string]*tensorboard.Writer // by kind, opened by the first line; nil behind an error
	warn   func(error)
}

// openMetrics drops the lines behind a step, a torn last one, and, with a warning, damaged ones from the metrics.jsonl
// of a run folder and opens it for appending. Event files are never rewritten: TensorBoard drops those points itself.
func openMetrics(dir string, step int64, warn func(error)) (*metrics, error) {
	path := filepath.Join(dir, metricsName)
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var kept bytes.Buffer
	for lines := bufio.NewReader(bytes.NewReader(old)); ; {
		text, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		var line Line
		if err := json.Unmarshal(text, &line); err != nil {
			warn(fmt.Errorf("%q: dropping the damaged line %.40q: %w", path, text, err))
		} else if line.Step <= step {
			kept.Write(text)
		}
	}
	if !bytes.Equal(kept.Bytes(), old) {
		if err := durable.WriteFile(path, kept.Bytes()); err != nil {
			return nil, err
		}
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666)
	if err != nil {
		return nil, err
	}
	return &metrics{f: f, dir: filepath.Join(dir, eventsName), step: step, events: map[string]*tensorboard.Writer{},
		warn: warn}, nil
}

// add writes a line with one system call, so that a killed process leaves at most one torn line. TensorBoard's files
// are a copy: they stop with a warning where they cannot be written.
func (m *metrics) add(line Line) error {
	text, err := json.Marshal(line)
	if err != nil {
		return err
	}
	if _, err := m.f.Write(append(text, '\n')); err != nil {
		return fmt.Errorf("writing metrics: %w", err)
	}
	if m.events == nil {
		return nil
	}
	if err := m.addEvent(line, time.Now()); err != nil {
		m.closeEvents() // what is wrong is said
		m.events = nil
		m.warn(fmt.Errorf("no more event files for TensorBoard from step %d on: %w", line.Step, err))
	}
	return nil
}

func (m *metrics) addEvent(line Line, now time.Time) (err error) {
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
