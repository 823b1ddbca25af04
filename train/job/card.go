package job

import (
	"fmt"
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
	p.Backend = id.Kind
	was := readHistory(dir, c.From, id, warn)
	p.Data = described(id, was.Data, warn)
	if was.Known {
		lacks(was.Earlier, warn)
		return append(was.Earlier, p), nil
	}
	before, origin, err := earlier(c.From, warn)
	p.Origin = origin
	return append(before, p), err
}

// earlier returns the training of the weights that a run started with. If their run no longer exists, origin is their
// checksum.
func earlier(from run.Origin, warn func(error)) (before []run.Part, origin string, _ error) {
	if from == (run.Origin{}) {
		return nil, "", nil
	}
	w, err := run.ReadWeights(from.Path)
	if err == nil && w.Sum != from.Sum {
		err = fmt.Errorf("%q has changed since", from.Path)
	}
	var d run.Description
	if err == nil {
		d, err = run.Describe(w.File, from.Path)
	}
	switch {
	case err != nil:
	case d.Card != nil: // a network that was given away
		return d.Card.Training, "", nil
	case d.Exported || !run.IsRun(runOf(from.Path)):
		err = fmt.Errorf("%q is in no run", from.Path)
	case w.Step == 0 && w.Config.From == (run.Origin{}): // drawn at random, and never trained
		return nil, "", nil
	default:
		before, err := trainingOf(runOf(from.Path), w.Config, w.Step, warn)
		return before, "", err
	}
	warn(fmt.Errorf("the card does not say how the first weights were trained: %w", err))
	return nil, from.Sum, nil
}

// runOf returns the folder of the run that a checkpoint lies in.
func runOf(checkpoint string) string { return filepath.Dir(filepath.Dir(checkpoint)) }

// described returns the descriptions of a run's datasets from their manifests. known are earlier descriptions of the
// same datasets, or empty.
func described(id loader.Identity, known []run.CardData, warn func(error)) (list []run.CardData) {
	for i, s := range id.Sets {
		if i < len(known) && known[i].Made != "" {
			list = append(list, known[i])
			continue
		}
		d := run.CardData{Name: filepath.Base(s.Dir), Weight: s.Weight, Manifest: s.Manifest}
		m, err := dataset.ReadManifest(s.Dir)
		if err == nil && m.Hash() != s.Manifest {
			err = fmt.Errorf("%q is another dataset now", s.Dir)
		}
		if err != nil {
			warn(fmt.Errorf("the card does not describe a dataset: %w", err))
		} else {
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
