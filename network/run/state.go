package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"talbot/network/checkpoint"
	"talbot/network/schedule"
)

// State is what a run carries from step to step beside the tensors. It is a checkpoint's metadata.
type State struct {
	Config Config          `json:"config"`
	Step   int64           `json:"step"`             // steps done
	Source json.RawMessage `json:"source,omitempty"` // state of the source after the last batch
	Best   *Best           `json:"best,omitempty"`
	Val    *Means          `json:"val,omitempty"` // the last validation
	ValAt  int64           `json:"val_at"`        // its step
	Window Window          `json:"window"`
	// Plateau is that of a schedule that looks at validations. Stopped reports that it has ended the run at this step.
	Plateau schedule.PlateauState `json:"plateau,omitzero"`
	Stopped bool                  `json:"stopped,omitempty"`
}

// Best is the lowest validation loss so far.
type Best struct {
	Step int64   `json:"step"`
	Loss float64 `json:"loss"`
}

// Window sums up the steps since the last train line.
type Window struct {
	Steps    int64        `json:"steps"`
	Loss     float64      `json:"loss"`
	GradNorm float64      `json:"grad_norm"`
	Terms    []WindowTerm `json:"terms,omitempty"`
}

// WindowTerm is a term summed up over the steps that had it.
type WindowTerm struct {
	Name  string  `json:"name"`
	Sum   float64 `json:"sum"`
	Steps int64   `json:"steps"`
}

// Add adds a step.
func (w *Window) Add(m Means, norm float64) {
	w.Steps++
	w.Loss += m.Loss
	w.GradNorm += norm
	for i, term := range m.Terms {
		if i == len(w.Terms) {
			w.Terms = append(w.Terms, WindowTerm{Name: term.Name})
		}
		if term.Mean != nil {
			w.Terms[i].Sum += *term.Mean
			w.Terms[i].Steps++
		}
	}
}

// Means are over the steps that had a target.
func (w *Window) Means() Means {
	m := Means{Loss: w.Loss / float64(w.Steps)}
	for _, term := range w.Terms {
		m.Terms = append(m.Terms, Mean{term.Name, Ratio(term.Sum, float64(term.Steps))})
	}
	return m
}

// StateOf returns the state that a checkpoint holds.
func StateOf(f *checkpoint.File) (State, error) {
	var s State
	d := json.NewDecoder(bytes.NewReader(f.Meta))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return s, fmt.Errorf("checkpoint metadata: %w", err)
	}
	if err := s.Config.Validate(); err != nil {
		return s, fmt.Errorf("checkpoint metadata: %w", err)
	}
	if s.Step < 0 {
		return s, errors.New("checkpoint metadata: negative step")
	}
	return s, nil
}
