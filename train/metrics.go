package train

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"talbot/dataset"
)

// Line is one line of metrics.jsonl. The means of a train line are over the steps since the line before it
// that had a target; without any they are null.
type Line struct {
	Kind string `json:"kind"` // "train" or "val"
	Step int64  `json:"step"` // steps done
	losses
	LR       float64 `json:"lr,omitempty"`
	GradNorm float64 `json:"grad_norm,omitempty"`
	Best     bool    `json:"best,omitempty"` // of a val line: the lowest loss so far

	// Wall-clock fields; they differ from run to run.
	Seconds            float64 `json:"seconds"` // since this process began to train
	PositionsPerSecond float64 `json:"positions_per_second,omitempty"`
	LoaderWait         float64 `json:"loader_wait"` // share of the time spent waiting for batches
}

// metrics is the open metrics.jsonl.
type metrics struct{ f *os.File }

// openMetrics drops the lines behind a step, and a torn last one, and opens the file for appending.
func openMetrics(path string, step int64) (*metrics, error) {
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
		if json.Unmarshal(text, &line) == nil && line.Step <= step {
			kept.Write(text)
		}
	}
	if !bytes.Equal(kept.Bytes(), old) {
		if err := dataset.WriteFileAtomic(path, kept.Bytes()); err != nil {
			return nil, err
		}
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666)
	if err != nil {
		return nil, err
	}
	return &metrics{f}, nil
}

// add writes a line with one system call, so that a killed process leaves at most one torn line.
func (m *metrics) add(line Line) error {
	text, err := json.Marshal(line)
	if err != nil {
		return err
	}
	if _, err := m.f.Write(append(text, '\n')); err != nil {
		return fmt.Errorf("writing metrics: %w", err)
	}
	return nil
}

func (m *metrics) close() error { return errors.Join(m.f.Sync(), m.f.Close()) }
