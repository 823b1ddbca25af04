package job

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"talbot/dataset"
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
	lacks(c.Training, e.warn)
	return c, nil
}

// trainingOf returns the training of a run up to a step, after the training of the runs that it continues.
func trainingOf(dir string, c run.Config, step int64, warn func(error)) ([]run.Part, error) {
	p := run.Part{From: c.Begin(), To: step, Batch: c.Batch}
	lines, err := train.ReadMetrics(dir, warn)
	if err != nil {
		return nil, err
	}
	lines = slices.DeleteFunc(lines, func(l train.MetricsLine) bool { return l.Step > step })
	if hours := train.Hours(lines); len(hours) > 0 {
		p.Hours = hours[len(hours)-1]
	}
	id, err := loader.ReadIdentity(dir)
	if err != nil {
		return nil, err
	}
	h, err := readHistory(dir, c.From, id)
	if err != nil {
		h = newHistory(c.From, id)
		if !errors.Is(err, fs.ErrNotExist) {
			warn(err)
		}
	}
	p.Backend, p.Data = id.Kind, h.Data
	if !h.Known {
		p.Origin = h.Weights
	}
	return append(h.Earlier, p), nil
}

// earlier returns the training of the weights that a run started with; known is false if it cannot be found out.
func earlier(from run.Origin) (parts []run.Part, known bool) {
	if from == (run.Origin{}) {
		return nil, true
	}
	w, err := beganWith(from)
	if err != nil {
		return nil, false
	}
	switch d, err := run.Describe(w.File, from.Path); {
	case err != nil:
		return nil, false
	case d.Card != nil: // a network that was given away
		return d.Card.Training, true
	case d.Exported || !run.IsRun(runOf(from.Path)):
		return nil, false
	case isInitial(w):
		return nil, true
	}
	parts, err = trainingOf(runOf(from.Path), w.Config, w.Step, func(error) {})
	return parts, err == nil
}

// beganWith reads the weights that a run started with.
func beganWith(from run.Origin) (*run.Weights, error) {
	w, err := run.ReadWeights(from.Path)
	if err == nil && w.Sum != from.Sum {
		err = fmt.Errorf("%q has changed since", from.Path)
	}
	return w, err
}

// isInitial reports whether weights were drawn at random, and never trained.
func isInitial(w *run.Weights) bool { return w.Step == 0 && w.Config.From == (run.Origin{}) }

// runOf returns the folder of the run that a checkpoint lies in.
func runOf(checkpoint string) string { return filepath.Dir(filepath.Dir(checkpoint)) }

// described returns the descriptions of a run's datasets; those that are gone have little more than their names.
func described(id loader.Identity) (list []run.CardData) {
	for _, s := range id.Sets {
		d := run.CardData{Name: filepath.Base(s.Dir), Weight: s.Weight, Manifest: s.Manifest}
		if m, err := dataset.ReadManifest(s.Dir); err == nil && m.Hash() == s.Manifest {
			describeAs(&d, m)
		}
		list = append(list, d)
	}
	return list
}

// describeAs adds the contents of a manifest.
func describeAs(d *run.CardData, m *dataset.Manifest) {
	made := []string{m.Verb}
	for _, f := range m.Flags {
		made = append(made, f.Name+"="+f.Value)
	}
	if m.Seed != 0 {
		made = append(made, fmt.Sprintf("seed=%d", m.Seed))
	}
	d.Made, d.Lines, d.Samples = strings.Join(made, " "), m.Counts.GamesKept, m.Counts.Samples
	for _, f := range m.Fingerprints {
		if text := f.Engine + ", " + f.Limit; !slices.Contains(d.Labels, text) {
			d.Labels = append(d.Labels, text)
		}
	}
}
