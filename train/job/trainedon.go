package job

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"talbot/network/builtin"
	"talbot/network/run"
	"talbot/train/loader"
)

// errEarlier: the data of a run is known, but not all the data that its first weights were trained on.
var errEarlier = errors.New("it began with the weights of another network")

// trainedOn returns the datasets that the weights of a run were trained on and how they are split: first those of the
// run at a path, then those of the runs that its first weights are from. A dataset that has moved is looked for in
// data. With an error, [loader.ErrNoIdentity] among others, the results hold what could be found.
func trainedOn(path, checkpoint string, from run.Origin, data []loader.Spec, warn func(error)) (specs []loader.Spec,
	splits []string, err error) {
	switch {
	case checkpoint == builtin.Name:
		return nil, nil, errors.New("the data of the network that comes with talbot is not here")
	case run.IsFile(path):
		if path = runOf(path); !run.IsRun(path) {
			return nil, nil, fmt.Errorf("%q is in no run", checkpoint)
		}
	}
	id, err := loader.ReadIdentity(path)
	if err != nil {
		return nil, nil, err
	}
	splits = []string{id.Splits}
	specs, missing := id.Locate(data)
	if len(missing) > 0 {
		return specs, splits, fmt.Errorf("its data is no longer in %q", strings.Join(missing, ", "))
	}
	if from.Path == "" {
		return specs, splits, nil
	}
	// The weights before were trained too.
	earlier, err := beganWith(from)
	if err != nil {
		return specs, splits, fmt.Errorf("%w: %w", errEarlier, err)
	}
	if isInitial(earlier) {
		return specs, splits, nil
	}
	more, moreSplits, err := trainedOn(earlier.Path, earlier.Path, earlier.Config.From, data, warn)
	if err != nil {
		err = fmt.Errorf("%w: %w", errEarlier, err)
	}
	for _, s := range moreSplits {
		if !slices.Contains(splits, s) {
			splits = append(splits, s)
		}
	}
	return append(specs, more...), splits, err
}
