package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"

	"talbot/dataset"
	"talbot/internal/cli"
	"talbot/internal/fault"
	"talbot/internal/output"
	"talbot/network/run"
	"talbot/pipeline/loop"
	"talbot/play/match"
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
		switch verb, again, ok := output.Unfinished(missing.Dir); {
		case ok && output.AtWork(missing.Dir):
			return fault.Hint(err, verb+" is at work in this folder: wait until it has finished")
		case ok && again != "":
			return fault.Hint(err, verb+" was interrupted in this folder: finish it with `"+again+"`")
		case ok:
			return fault.Hint(err, verb+" was interrupted in this folder: repeat its command to finish it")
		}
		return fault.Hint(err, instead(missing.Dir))
	}
	if missing, ok := errors.AsType[*run.NoRunError](err); ok && hasRemedyOf(err, run.ErrNoRun) {
		return fault.Hint(err, instead(missing.Dir))
	}
	return err
}

// instead says what a path holds in place of what a command needs, and what that is good for; "" if it is not known.
func instead(path string) string {
	entries, _ := os.ReadDir(path) // a file has none
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	switch {
	case isDataset(path):
		return "that is a dataset: `talbot train --data " + path + " --run run1` makes a run of it"
	case run.IsRun(path):
		return "that is a run: `talbot inspect " + path + "` describes its network"
	case match.IsMatch(names):
		return "that is a match: `talbot ingest " + path + " --out games` makes a dataset of its games"
	case slices.Contains(names, loop.ConfigName):
		return "that is the folder of a loop: give a folder in " + filepath.Join(path, "gen-001") + " or a later one"
	case run.IsFile(path):
		return "that is a file: `talbot ingest " + path + " --out games` makes a dataset, a folder, of games"
	}
	return cli.NearestPath(path)
}

// hasRemedyOf reports whether an error has the remedy of a sentinel: the command has given it none.
func hasRemedyOf(err, sentinel error) bool {
	_, remedy := fault.Of(err)
	_, general := fault.Of(sentinel)
	return remedy == general
}
