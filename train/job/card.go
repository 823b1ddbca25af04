package job

import (
	"fmt"
	"path/filepath"
	"slices"

	"talbot/network/model"
	"talbot/network/predict"
	"talbot/network/run"
	"talbot/train"
	"talbot/train/loader"
)

// card returns the card of a network, from the files of its run.
func (e Export) card(t *predict.Network) (*run.Card, error) {
	_, state, err := run.Load(e.Dir, e.Choice)
	if err != nil {
		return nil, err
	}
	c := &run.Card{Network: t.Network.String(), Parameters: model.CountTrainable(t.Network.Params()),
		Licence: e.Licence, Weights: weightsOf(t)}
	if state.ValAt == state.Step {
		c.Val = state.Val
	}
	if c.Training, err = trainingOf(e.Dir, t.Config, t.Step, e.warn); err != nil {
		return nil, err
	}
	for _, p := range c.Training {
		if p.Origin != "" {
			e.warn(fmt.Errorf("the card does not say how the weights with the checksum %.16s were trained", p.Origin))
		}
	}
	return c, nil
}

// trainingOf returns the training of a run up to a step, after the training of the runs that it continues.
func trainingOf(dir string, c run.Config, step int64, warn func(error)) ([]run.Part, error) {
	if step == 0 {
		parts, unknown := earlier(c.From)
		if unknown != "" {
			parts = append(parts, run.Part{Origin: unknown})
		}
		return parts, nil
	}
	lines, err := train.ReadMetrics(dir, warn)
	if err != nil {
		return nil, err
	}
	id, err := loader.ReadIdentity(dir)
	if err != nil {
		return nil, err
	}
	p := run.Part{From: c.Begin(), To: step, Batch: c.Batch, Backend: id.Kind, Origin: id.Origin}
	lines = slices.DeleteFunc(lines, func(l train.MetricsLine) bool { return l.Step > step })
	if hours := train.Hours(lines); len(hours) > 0 {
		p.Hours = hours[len(hours)-1]
	}
	for _, s := range id.Sets {
		p.Data = append(p.Data, s.CardData)
	}
	return append(id.Earlier, p), nil
}

// earlier returns the training of the weights that a run starts with, or their checksum if it cannot be found out.
func earlier(from run.Origin) (parts []run.Part, unknown string) {
	if from == (run.Origin{}) {
		return nil, ""
	}
	w, err := beganWith(from)
	if err != nil {
		return nil, from.Sum
	}
	switch d, err := run.Describe(w.File, w.Path); {
	case err != nil:
		return nil, w.Sum
	case d.Card != nil: // a network that was given away
		return d.Card.Training, ""
	case d.Exported || !run.IsRun(runOf(w.Path)):
		return nil, w.Sum
	}
	if parts, err = trainingOf(runOf(w.Path), w.Config, w.Step, func(error) {}); err != nil {
		return nil, w.Sum
	}
	return parts, ""
}

// beganWith reads the weights that a run started with: if those are a run's that was not trained, the weights that it
// started with in turn.
func beganWith(from run.Origin) (*run.Weights, error) {
	w, err := run.ReadWeights(from.Path)
	switch {
	case err == nil && w.Sum != from.Sum:
		return w, fmt.Errorf("%q has changed since", from.Path)
	case err == nil && w.Step == 0 && w.Config.From != (run.Origin{}):
		return beganWith(w.Config.From)
	}
	return w, err
}

// isInitial reports whether weights were drawn at random, and never trained.
func isInitial(w *run.Weights) bool { return w.Step == 0 && w.Config.From == (run.Origin{}) }

// runOf returns the folder of the run that a checkpoint lies in.
func runOf(checkpoint string) string { return filepath.Dir(filepath.Dir(checkpoint)) }
