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

// card is what the files of a run say of a network in its folder.
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
	if c.Training, err = e.training(e.Dir, t.Config, t.Step); err != nil {
		return nil, err
	}
	return c, nil
}

// training is what a run did until a step, after what the runs did that it goes on from.
func (e Export) training(dir string, c run.Config, step int64) ([]run.Part, error) {
	p := run.Part{From: c.Begin(), To: step, Batch: c.Batch}
	lines, err := train.ReadMetrics(dir, e.Warn)
	if err != nil {
		return nil, err
	}
	for i, l := range lines {
		if l.Step <= step && (i+1 == len(lines) || lines[i+1].Step > step || lines[i+1].Seconds < l.Seconds) {
			p.Hours += l.Seconds / 3600 // the last line of a process
		}
	}
	id, err := loader.ReadIdentity(dir)
	if err != nil {
		return nil, err
	}
	p.Backend = id.Trained()
	for _, s := range id.Sets {
		p.Data = append(p.Data, e.described(s))
	}
	before, err := e.before(c.From, &p)
	return append(before, p), err
}

// before is the training of the weights that a part began with. Where their run is not there any more the part has
// their checksum.
func (e Export) before(from run.Origin, p *run.Part) ([]run.Part, error) {
	if from == (run.Origin{}) {
		return nil, nil
	}
	w, err := run.ReadWeights(from.Path)
	if err == nil && w.Sum != from.Sum {
		err = fmt.Errorf("%q has changed since", from.Path)
	}
	if err == nil && run.IsRun(runOf(from.Path)) {
		return e.training(runOf(from.Path), w.Config, w.Step)
	}
	if err == nil {
		if d, e := run.Describe(w.File, from.Path); e == nil && d.Card != nil { // a network that was given away
			return d.Card.Training, nil
		}
		err = fmt.Errorf("%q is in no run", from.Path)
	}
	if p.Origin = from.Sum; e.Warn != nil {
		e.Warn(fmt.Errorf("the card does not say how the first weights were trained: %w", err))
	}
	return nil, nil
}

// runOf is the folder of the run whose checkpoint is there.
func runOf(checkpoint string) string { return filepath.Dir(filepath.Dir(checkpoint)) }

// described says of a dataset what its manifest does.
func (e Export) described(s loader.SetIdentity) run.CardData {
	d := run.CardData{Name: filepath.Base(s.Dir), Weight: s.Weight, Manifest: s.Manifest}
	m, err := dataset.ReadManifest(s.Dir)
	if err == nil && m.Hash() != s.Manifest {
		err = fmt.Errorf("%q is another dataset now", s.Dir)
	}
	if err != nil {
		if e.Warn != nil {
			e.Warn(fmt.Errorf("the card does not describe a dataset: %w", err))
		}
		return d
	}
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
	return d
}
