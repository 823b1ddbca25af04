package job

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"talbot/dataset"
	"talbot/encode"
	"talbot/shards"
	"talbot/train"
	"talbot/train/loader"
)

// ErrAudit says that a folder holds no audit of the labels that an evaluation compares with.
var ErrAudit = errors.New("no audit of these labels")

// readAudit compares the labels in a folder that `talbot label --audit` wrote.
func readAudit(ctx context.Context, dir string, data *loader.Data) (*train.Noise, error) {
	d, err := shards.OpenDataset(dir, shards.WithColumns(shards.Scores|shards.WDL))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	if err := d.CheckFiles(ctx, data.Options.Workers, nil); err != nil {
		return nil, err
	}
	audited, truth, err := auditColumns(d.Manifest)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", dir, err)
	}
	f := d.Manifest.Fingerprints[audited]
	n := &train.Noise{Audit: dir, Fingerprint: f.ID(), Labels: f.Engine + ", " + f.Limit,
		Truth: d.Manifest.Fingerprints[truth].Limit}
	if !counts(data, n.Fingerprint) {
		return nil, fmt.Errorf("%q: %w: it is of %s (%s), which the evaluation does not compare with", dir, ErrAudit,
			n.Fingerprint, n.Labels)
	}
	e, err := encode.ByName(data.Options.Recipe)
	if err != nil {
		return nil, err
	}
	var sum, squares float64
	var w dataset.Walker
	for line, err := range d.Lines() {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		label, better := column(line, audited), column(line, truth)
		if label == nil || better == nil {
			continue
		}
		for w.Reset(line); w.Next(); {
			k := w.Sample()
			if label[k].Status != dataset.Labelled || better[k].Status != dataset.Labelled {
				continue
			}
			a, ok := encode.Value(e, data.Options.Value, w.Position(), label[k])
			b, both := encode.Value(e, data.Options.Value, w.Position(), better[k])
			if ok && both {
				x := (float64(a) - float64(b)) * (float64(a) - float64(b))
				sum, squares = sum+x, squares+x*x
				n.Compared++
			}
		}
	}
	if n.Compared == 0 {
		return nil, fmt.Errorf("%q: %w: none has a value by the target %s", dir, ErrAudit, data.Options.Value)
	}
	count := float64(n.Compared)
	n.MSE = sum / count
	half := 1.96 * math.Sqrt(max(0, squares/count-n.MSE*n.MSE)/count)
	n.Interval = [2]float64{max(0, n.MSE-half), n.MSE + half}
	return n, nil
}

// auditColumns finds the fingerprints of the labels that were audited and of the better ones, by the flags of the
// audit.
func auditColumns(m *dataset.Manifest) (audited, truth int, err error) {
	flag := func(name string) string {
		if i := slices.IndexFunc(m.Flags, func(t dataset.Tag) bool { return t.Name == name }); i >= 0 {
			return m.Flags[i].Value
		}
		return ""
	}
	audited, truth = -1, -1
	for i, f := range m.Fingerprints {
		switch {
		case f.ID() == flag("audited"):
			audited = i
		case f.Limit == flag("limit"):
			truth = i
		}
	}
	if audited < 0 || truth < 0 {
		return 0, 0, fmt.Errorf("%w: `talbot label --audit` did not write it", ErrAudit)
	}
	return audited, truth, nil
}

// counts reports whether an evaluation may compare with labels of a fingerprint.
func counts(data *loader.Data, print string) bool {
	if data.Options.Label != "" {
		return data.Options.Label == print
	}
	return slices.ContainsFunc(data.Sets, func(s *loader.Set) bool {
		return slices.ContainsFunc(s.Manifest.Fingerprints, func(f dataset.Fingerprint) bool { return f.ID() == print })
	})
}

// column is what a line has of a fingerprint; nil if nothing.
func column(l *dataset.Line, print int) []dataset.Label {
	for _, c := range l.Labels {
		if c.Fingerprint == print {
			return c.Labels
		}
	}
	return nil
}
