package job

import (
	"context"
	"fmt"
	"math"
	"slices"

	"talbot/dataset"
	"talbot/encode"
	"talbot/evaluate"
	"talbot/shards"
	"talbot/train/loader"
)

// readAudit compares the labels in a folder that `talbot label --audit` wrote.
func readAudit(ctx context.Context, dir string, data *loader.Data) (*evaluate.Noise, error) {
	d, err := shards.OpenDataset(dir, shards.Scores|shards.WDL)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	if err := d.CheckFiles(ctx, data.Options.Workers, nil); err != nil {
		return nil, err
	}
	audit, err := dataset.AuditOf(d.Manifest)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", dir, err)
	}
	f := d.Manifest.Fingerprints[audit.Labels]
	n := &evaluate.Noise{Audit: dir, Fingerprint: f.ID(), Labels: f.Engine + ", " + f.Limit,
		Truth: d.Manifest.Fingerprints[audit.Truth].Limit}
	if !counts(data, n.Fingerprint) {
		return nil, fmt.Errorf("%q: %w: it audits %s (%s), which is not evaluated here", dir,
			dataset.ErrNoAudit, n.Fingerprint, n.Labels)
	}
	e, target := data.Options.Encoder, data.Options.Targets.Value
	var sum, squares float64
	if err := audit.Each(ctx, d.Lines(), func(w *dataset.Walker, label, truth *dataset.Label) {
		a, ok := encode.Value(e, target, w.Position(), *label)
		b, both := encode.Value(e, target, w.Position(), *truth)
		if ok && both {
			x := (float64(a) - float64(b)) * (float64(a) - float64(b))
			sum, squares = sum+x, squares+x*x
			n.Compared++
		}
	}); err != nil {
		return nil, err
	}
	if n.Compared == 0 {
		return nil, fmt.Errorf("%q: %w: none has a value for --value-target %s", dir, dataset.ErrNoAudit, target)
	}
	count := float64(n.Compared)
	n.MSE = sum / count
	half := 1.96 * math.Sqrt(max(0, squares/count-n.MSE*n.MSE)/count)
	n.Interval = [2]float64{max(0, n.MSE-half), n.MSE + half}
	return n, nil
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
