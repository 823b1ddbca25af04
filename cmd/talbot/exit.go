package main

import (
	"errors"

	"talbot/dataset"
	"talbot/internal/cli"
	"talbot/internal/fault"
	"talbot/internal/output"
)

// explain adds to an error the remedies that need the command line or a look at the folder.
func explain(err error) error {
	if interrupted, ok := errors.AsType[*output.InterruptedError](err); ok && hasRemedyOf(err, output.ErrOccupied) {
		switch again := interrupted.ResumeCommand; again {
		case "":
		case cli.Invocation():
			return fault.Hint(err,
				"the input, the engine, its tables or talbot itself have changed since: choose another "+
					"folder, or remove this one")
		default:
			return fault.Hint(err, "continue it with `"+again+"`, or choose another folder")
		}
	}
	if missing, ok := errors.AsType[*dataset.NoDatasetError](err); ok && hasRemedyOf(err, dataset.ErrNoDataset) {
		if meant := cli.NearestPath(missing.Dir); meant != "" {
			return fault.Hint(err, meant)
		}
		switch verb, again, ok := output.Unfinished(missing.Dir); {
		case ok && output.AtWork(missing.Dir):
			return fault.Hint(err, verb+" is at work in this folder: wait until it has finished")
		case ok && again != "":
			return fault.Hint(err, verb+" was interrupted in this folder: finish it with `"+again+"`")
		case ok:
			return fault.Hint(err, verb+" was interrupted in this folder: repeat its command to finish it")
		}
	}
	return err
}

// hasRemedyOf reports whether an error has the remedy of a sentinel: the command has given it none.
func hasRemedyOf(err, sentinel error) bool {
	_, remedy := fault.Of(err)
	_, general := fault.Of(sentinel)
	return remedy == general
}
