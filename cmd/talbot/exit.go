package main

import (
	"context"
	"errors"
	"os"
	"strings"
	"syscall"

	"talbot/dataset"
	"talbot/internal/durable"
	"talbot/pipeline/ingest"
	"talbot/pipeline/label"
	"talbot/pipeline/output"
	"talbot/pipeline/tactics"
	"talbot/pipeline/verify"
	"talbot/rows"
	"talbot/stockfish"
	"talbot/train"
	"talbot/train/checkpoint"
	"talbot/train/job"
	"talbot/train/loader"
)

// The exit statuses of every command.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitSkipped     = 3 // only with --strict
	exitNoDataset   = 10
	exitLocked      = 11
	exitDamaged     = 12
	exitInterrupted = 130
)

const exitStatuses = `Exit status: 0 success, 1 failure, 2 wrong usage, 3 some input was skipped (only
with --strict), 10 no dataset found, 11 folder locked, 12 data damaged,
130 interrupted.`

// hintError is an error with a remedy for the person at the terminal, and
// perhaps an exit status of its own.
type hintError struct {
	error
	hint   string
	status int
}

func (e hintError) Unwrap() error { return e.error }

// hint adds what to try to an error; the exit status stays that of err.
func hint(err error, text string) error {
	if err == nil {
		return nil
	}
	return hintError{error: err, hint: text}
}

// usage marks an error of the command line.
func usage(err error, text string) error {
	return hintError{error: err, hint: text, status: exitUsage}
}

// errInterrupted ends a command that saved its work at the first Ctrl-C.
var errInterrupted = errors.New("interrupted")

// errSkipped ends a --strict command that left something out.
var errSkipped = errors.New("some input was skipped")

// statuses maps the sentinel errors of the packages to exit statuses and
// default hints; the first that fits counts.
var statuses = []struct {
	err    error
	status int
	hint   string
}{
	{errOutput, exitFailed,
		"what the command wrote elsewhere is whole; only what it prints is lost: lead that to where there is room"},
	{context.Canceled, exitInterrupted, ""},
	{errSkipped, exitSkipped, "without --strict, skipped input is only counted"},
	{dataset.ErrNoDataset, exitNoDataset,
		"name a folder that `talbot ingest`, `talbot synth-endgames` or `talbot label` has finished"},
	{output.ErrUnfinished, exitDamaged,
		"remove the folder and begin again; labels that are in other datasets are taken from them with --reuse"},
	{dataset.ErrDamaged, exitDamaged, "`talbot verify DIR` lists the damage; make the dataset again from its inputs"},
	{dataset.ErrVersion, exitFailed, "a newer talbot wrote it: use that one"},
	{stockfish.ErrNoTables, exitFailed,
		"name a folder with the .rtbw and .rtbz files of Syzygy tables, and an --engine that reads them, as " +
			"Stockfish does"},
	{output.ErrFinished, exitUsage, "a finished dataset is never changed: name another folder, or remove this one"},
	{output.ErrOccupied, exitUsage, "name an empty folder, or one that is not there yet"},
	{durable.ErrLocked, exitLocked, "wait for the other process, or end it"},
	{rows.ErrUnit, exitUsage,
		"say --eval-unit centipawns or --eval-unit pawns: the error names the median that either would make"},
	{rows.ErrMixedUnits, exitFailed,
		"correct the row; or say --eval-unit, and decimals among centipawns are left out row by row; or " +
			"--skip-bad-files leaves the table out whole"},
	{rows.ErrArchive, exitFailed, "unpack it, or pack it as .zst, .gz or .bz2"},
	{rows.ErrUTF16, exitFailed, "iconv -f UTF-16 -t UTF-8 FILE > NEW"},
	{rows.ErrPacked, exitFailed, "fetch the file again; --skip-bad-files leaves such files out whole"},
	{ingest.ErrNothingKept, exitFailed, "--rejects FILE lists what is left out, and why"},
	{ingest.ErrNoGames, exitFailed,
		"inputs are PGN games, puzzle CSVs, EPD or tables of evaluations, plain or compressed as .zst, .gz or .bz2"},
	{ingest.ErrNoInputs, exitFailed,
		"of a folder, files named .pgn, .csv, .tsv, .epd or .fen are read, also as .zst, .gz or .bz2"},
	{verify.ErrBothSides, exitFailed,
		"make all datasets with the same --split; `talbot verify DIR... --json` names such games"},
	{verify.ErrOverlap, exitFailed,
		"give a higher --max-overlap: openings recur, and `talbot eval` reports unseen positions apart"},
	{dataset.ErrNoLabels, exitFailed,
		"`talbot stats DIR` lists the labels there are; tactics need those of `talbot label --multipv 2`"},
	{tactics.ErrNoTactics, exitFailed, "lower --advantage and --gap, raise --second, or label more games"},
	{label.ErrParts, exitUsage, "name all the parts of one `talbot label --part 1/n … n/n`, each once"},
	{stockfish.ErrNotFound, exitFailed, "`talbot doctor` shows what is found"},
	{stockfish.ErrAborted, exitInterrupted, "repeat the same command to resume"},
	{train.ErrExists, exitUsage, "continue it with --resume, or name another folder"},
	{train.ErrOccupied, exitUsage,
		"name a folder that is empty or not there yet; a run that lost its run.json is continued once a copy of it " +
			"is back"},
	{train.ErrNoRun, exitFailed, "name the folder of a run, as `talbot train --run` made it"},
	{loader.ErrNoIdentity, exitDamaged, "name the data again with `talbot train --run RUN --resume --data DIR`"},
	{train.ErrDamaged, exitDamaged,
		"take run.json from a copy of the run, and checkpoints/ if that is lost, or train again in another folder"},
	{train.ErrGone, exitFailed,
		"what was trained since its last checkpoint is lost; leave the folder where it is until the run has ended"},
	{durable.ErrVersion, exitFailed, "a newer talbot wrote it: use that one"},
	{job.ErrConfig, exitUsage, "see --help"},
	{dataset.ErrNoAudit, exitUsage, "make one of the labelled dataset with `talbot label DIR --audit 1% --out AUDIT`"},
	{loader.ErrNoSamples, exitFailed,
		"`talbot stats DIR` counts the samples of each split; endgames need `talbot label` first"},
	{loader.ErrSplits, exitFailed, "make all datasets of a run with the same --split"},
	{checkpoint.ErrDamaged, exitDamaged, "no whole checkpoint is left: train again"},
	{checkpoint.ErrNone, exitFailed,
		"the run has saved nothing yet, or its checkpoints are gone: `talbot train --run RUN --resume` goes on, or " +
			"says which"},
	{syscall.ENOSPC, exitFailed, "free space on the disk, then repeat the command: it goes on where it stopped"},
	{syscall.EROFS, exitFailed, "name a folder on a disk that can be written"},
	{os.ErrPermission, exitFailed, "name a folder and files that you may read and write"},
	{syscall.ENOTDIR, exitFailed, "name a folder; there is a file of that name"},
	{os.ErrNotExist, exitFailed, "check the path"},
}

// folderHint returns the hint of an error that names a folder or file with which something can be done; "" for others.
func folderHint(err error) string {
	var interrupted *output.InterruptedError
	var missing *dataset.NoDatasetError
	var journal *label.JournalError
	switch {
	case errors.As(err, &interrupted) && interrupted.Again != "":
		return "continue it with `" + interrupted.Again + "`, or name another folder"
	case errors.As(err, &missing):
		switch verb, again, ok := output.Unfinished(missing.Dir); {
		case ok && again != "":
			return verb + " was interrupted there: finish it with `" + again + "`"
		case ok:
			return verb + " was interrupted there: finish it by repeating its command"
		}
	case errors.As(err, &journal) && errors.Is(err, dataset.ErrDamaged):
		return "`" + shellQuote([]string{"rm", journal.Path}) +
			"`, then repeat the command: the labels that were in the " +
			"journal are searched again"
	}
	return ""
}

// classify returns the exit status and the hint of an error.
func classify(err error) (status int, text string) {
	status = exitFailed
	if strings.HasPrefix(err.Error(), "unknown command") {
		status, text = exitUsage, "see `talbot --help`"
	}
	for _, s := range statuses {
		if errors.Is(err, s.err) {
			status, text = s.status, s.hint
			break
		}
	}
	if named := folderHint(err); named != "" {
		text = named
	}
	var h hintError
	if errors.As(err, &h) {
		if h.status != 0 {
			status = h.status
		}
		if h.hint != "" {
			text = h.hint
		}
	}
	return status, text
}
