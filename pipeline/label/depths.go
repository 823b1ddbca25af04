package label

import (
	"errors"
	"fmt"

	"talbot/dataset"
	"talbot/internal/output"
)

// ErrMixedDepths says that a labelling of several moves was begun by a version that mixed depths (see
// [dataset.LinesRule]): its labels cannot be combined with others.
var ErrMixedDepths = errors.New("an earlier version, which mixed depths, began this labelling")

// mixingDepths returns [ErrMixedDepths] if the output holds the same searches from before [dataset.LinesRule], else the
// error of opening it.
func mixingDepths(err error, prints []dataset.Fingerprint) error {
	var held *output.InterruptedError
	if !errors.As(err, &held) || held.Manifest.Verb != "label" {
		return err
	}
	before := beforeLinesRule(prints)
	had := held.Manifest.Fingerprints
	if columnsOf(had, prints) != nil || columnsOf(had, before) == nil {
		return err
	}
	return fmt.Errorf("%q: %w: its labels depend on how busy the machine was", held.Dir, ErrMixedDepths)
}

// beforeLinesRule are fingerprints as they were before [dataset.LinesRule].
func beforeLinesRule(prints []dataset.Fingerprint) []dataset.Fingerprint {
	before := make([]dataset.Fingerprint, len(prints))
	for i, f := range prints {
		before[i] = f.WithoutLinesRule()
	}
	return before
}
