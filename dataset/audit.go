package dataset

import (
	"context"
	"fmt"
	"iter"

	"talbot/internal/fault"
)

// ErrNoAudit says that a dataset is not one that `talbot label --audit` wrote.
var ErrNoAudit = fault.New(fault.ExitUsage, "not an audit of labels",
	"make one with `talbot label DIR --audit 1% --out AUDIT`")

// Audit is a dataset in which a share of the labels of an engine was made again, better: [Audit.Labels] and
// [Audit.Truth] are the two fingerprints' places in the manifest.
type Audit struct{ Labels, Truth int }

// The names of the flags in the manifest of an audit.
const (
	AuditShareFlag = "audit"   // of the labels
	AuditedFlag    = "audited" // ID of their fingerprint
)

// AuditOf finds the two fingerprints of an audit by the flags in its manifest. The error is [ErrNoAudit].
func AuditOf(m *Manifest) (Audit, error) {
	flags := map[string]string{}
	for _, f := range m.Flags {
		flags[f.Name] = f.Value
	}
	a := Audit{-1, -1}
	for i, f := range m.Fingerprints {
		switch {
		case f.ID() == flags[AuditedFlag]:
			a.Labels = i
		case f.Limit == flags["limit"]:
			a.Truth = i
		}
	}
	if flags[AuditedFlag] == "" || a.Labels < 0 || a.Truth < 0 {
		return a, fmt.Errorf("%w: `talbot label --audit` did not write it", ErrNoAudit)
	}
	return a, nil
}

// Each calls f with every sample that has both labels, at its position. It ends with the first error of lines, or that
// of ctx.
func (a Audit) Each(ctx context.Context, lines iter.Seq2[*Line, error], f func(w *Walker, label, truth *Label)) error {
	var w Walker
	for line, err := range lines {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		columns := line.Columns([]int{a.Labels, a.Truth})
		if columns == nil {
			continue
		}
		for w.Reset(line); w.Next(); {
			label, truth := &columns[0][w.Sample()], &columns[1][w.Sample()]
			if label.Status == Labelled && truth.Status == Labelled {
				f(&w, label, truth)
			}
		}
	}
	return nil
}
