package main

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"talbot/dataset"
	"talbot/evaluate"
	"talbot/fleet"
	"talbot/formats/binpack"
	"talbot/formats/parquet"
	"talbot/formats/rows"
	"talbot/inspect/verify"
	"talbot/internal/durable"
	"talbot/internal/output"
	"talbot/network/builtin"
	"talbot/network/checkpoint"
	"talbot/network/run"
	"talbot/pipeline/aggregate"
	"talbot/pipeline/ingest"
	"talbot/pipeline/label"
	"talbot/pipeline/loop"
	pipelinepredict "talbot/pipeline/predict"
	"talbot/pipeline/selfplay"
	"talbot/pipeline/tactics"
	"talbot/play/engine"
	"talbot/play/match"
	"talbot/stockfish"
	"talbot/tablebase/syzygy"
	"talbot/train"
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

const downloadAgain = "download the file again"

const exitStatuses = `Exit status: 0 success, 1 failure, 2 wrong usage or existing output, 3 some
input was skipped (only with --strict), 10 no dataset found, 11 folder locked,
12 data damaged, 130 interrupted.`

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
		"files that the command wrote are complete; only its printed output is lost: redirect it to a place with " +
			"free space"},
	{context.Canceled, exitInterrupted, ""},
	{errSkipped, exitSkipped, "without --strict, skipped input is only counted"},
	{dataset.ErrNoDataset, exitNoDataset,
		"give a folder that `talbot ingest`, `talbot synth-endgames` or `talbot label` has finished"},
	{output.ErrUnfinished, exitDamaged,
		"remove the folder and start again; --reuse takes labels from other datasets"},
	{dataset.ErrDamaged, exitDamaged, "`talbot verify DIR` lists the damage; make the dataset again from its inputs"},
	{dataset.ErrVersion, exitFailed, "update talbot, or make the file again with this one"},
	{syzygy.ErrDamaged, exitDamaged, "copy or download the table again, or take it out of the folder"},
	{stockfish.ErrNoTables, exitFailed,
		"give a folder with the .rtbw and .rtbz files of Syzygy tables, and an --engine that reads them, such as " +
			"Stockfish"},
	{output.ErrDifferent, exitUsage, ""},
	{aggregate.ErrTwice, exitUsage, "give each dataset once"},
	{aggregate.ErrSplits, exitUsage, "give --split the percentages of the games, as `talbot stats` has them; " +
		"otherwise moves of games that are to be held out would count"},
	{output.ErrFinished, exitUsage, "a finished dataset never changes: choose another folder, or remove this one"},
	{output.ErrOccupied, exitUsage, "choose an empty or a new folder"},
	{durable.ErrLocked, exitLocked, "wait for the other process, or stop it"},
	{ingest.ErrUnrepeatable, exitUsage, "give the file by its name, or leave out --skip-done and --replace"},
	{rows.ErrUnit, exitUsage,
		"use --eval-unit centipawns or --eval-unit pawns; the message gives the median for each"},
	{parquet.ErrDamaged, exitFailed, downloadAgain},
	{parquet.ErrUnsupported, exitFailed,
		"write it again with plain columns, compressed with zstd: polars.read_parquet(FILE).write_parquet(NEW)"},
	{parquet.ErrColumns, exitFailed, "rename the columns; docs/19-other-formats.md lists what is read"},
	{ingest.ErrSpool, exitFailed, "save it as a file that is not compressed"},
	{dataset.ErrView, exitUsage,
		"state whose view they are from, --eval-view white (as bullet and Lichess have it) or --eval-view mover; " +
			"where the message gives few agreements it is the other one"},
	{binpack.ErrUnit, exitUsage,
		"state what the scores are, --unit leela, internal or centipawns, and who made them, " +
			"such as --origin \"Stockfish 14\""},
	{rows.ErrMixedUnits, exitFailed,
		"correct the row, or use --eval-unit (then decimals among centipawns are skipped row by row), or " +
			"--skip-bad-files to skip the table"},
	{rows.ErrArchive, exitFailed, "unpack it, or compress it as " + packedSuffixes()},
	{rows.ErrUTF16, exitFailed, "convert it: iconv -f UTF-16 -t UTF-8 FILE > NEW"},
	{rows.ErrPacked, exitFailed, downloadAgain},
	{ingest.ErrNothingKept, exitFailed, "use --rejects FILE to list what was left out and why"},
	{ingest.ErrNoGames, exitFailed,
		"talbot reads " + inputKinds() + ", plain or compressed as " + packedSuffixes()},
	{ingest.ErrNoInputs, exitFailed,
		"in a folder, talbot reads files named " + inputSuffixes() + ", also compressed as " + packedSuffixes()},
	{verify.ErrBothSides, exitFailed,
		"make all datasets with the same --split; `talbot verify DIR... --json` lists such games"},
	{verify.ErrOverlap, exitFailed,
		"use a higher --max-overlap; openings recur, and `talbot eval` reports unseen positions separately"},
	{dataset.ErrNoCandidates, exitFailed, "use `talbot predict`, then `talbot label --candidates 20`"},
	{dataset.ErrNoLabels, exitFailed,
		"`talbot stats DIR` lists the labels of a dataset; `talbot label` makes them, with --multipv 2 for tactics"},
	{tactics.ErrNoTactics, exitFailed, "lower --advantage and --gap, raise --second, or label more games"},
	{fleet.ErrJoin, exitUsage, "copy the file that `talbot label --listen ... --join-file FILE` wrote"},
	{fleet.ErrReadable, exitFailed,
		"whoever reads it can take part in your name: `chmod 600 FILE`, or begin with a new key if somebody may have"},
	{fleet.ErrPin, exitFailed,
		"another labelling, or another program, answers at this address; copy the file of --join-file again"},
	{fleet.ErrToken, exitFailed,
		"copy the file of --join-file again; a worker that was banned stays banned"},
	{fleet.ErrInUse, exitFailed, "wait for it, or use another account"},
	{fleet.ErrNotLoopback, exitUsage, "for example --status-listen 127.0.0.1:9090"},
	{label.ErrParts, exitUsage, "give all parts of one `talbot label --part 1/n … n/n`, each once"},
	{loop.ErrOther, exitUsage, "choose another --out, or use the settings in its loop.yaml"},
	{selfplay.ErrParts, exitUsage, "give all parts of one `talbot selfplay --part 1/n … n/n`, each once"},
	{stockfish.ErrNotFound, exitFailed, "run `talbot doctor` to see what was found"},
	{stockfish.ErrAborted, exitInterrupted, "repeat the same command to resume"},
	{output.ErrForeign, exitUsage, "move it elsewhere, choose another place, or for a single file use --force"},
	{match.ErrExists, exitUsage, "use --resume to continue it, or choose another folder"},
	{checkpoint.ErrForeign, exitFailed,
		"give the folder of a run, a checkpoint, or a file that `talbot export --format safetensors` wrote"},
	{match.ErrNoLimit, exitUsage, limitHint},
	{match.ErrChanged, exitUsage, "put the file back as it was, or begin a new match in another folder"},
	{match.ErrOther, exitUsage, "choose another folder, or repeat the command that began it with --resume"},
	{match.ErrSetting, exitUsage, "docs/11-matches.md and docs/12-play.md list the settings of players"},
	{match.ErrOccupied, exitUsage, "choose an empty or a new folder"},
	{match.ErrDamaged, exitDamaged, "the games in games.pgn can still be read; play the match in another folder"},
	{engine.ErrSearcher, exitFailed, "leave out the searcher to play with what fits the network"},
	{run.ErrExists, exitUsage, "use --resume to continue it, or choose another folder"},
	{run.ErrOccupied, exitUsage,
		"choose an empty or a new folder; to continue a run that lost its run.json, restore that file first"},
	{run.ErrNoRun, exitFailed, "give the folder of a run, made by `talbot train --run`"},
	{loader.ErrNoIdentity, exitDamaged, "give the data again: `talbot train --run RUN --resume --data DIR`"},
	{run.ErrDamaged, exitDamaged,
		"restore run.json (and checkpoints/ if lost) from a backup, or train again in another folder"},
	{output.ErrGone, exitFailed,
		"what it had written there is gone with the folder; do not move the folder while the command is at work"},
	{train.ErrGone, exitFailed,
		"the steps since the last checkpoint are lost; do not move the folder while the run is active"},
	{durable.ErrVersion, exitFailed, "update talbot, or make the file again with this one"},
	{job.ErrConfig, exitUsage, "see --help"},
	{dataset.ErrNoAudit, exitUsage, "make one with `talbot label DIR --audit 1% --out AUDIT`"},
	{evaluate.ErrNoHistory, exitUsage, "leave out --no-history"},
	{evaluate.ErrNoPolicy, exitFailed, "leave out --puzzles: only a network with a policy chooses moves"},
	{loader.ErrNoSamples, exitFailed,
		"`talbot stats DIR` counts the samples of each split; endgames need `talbot label` first"},
	{loader.ErrSplits, exitFailed, "make all datasets of a run with the same --split"},
	{builtin.ErrDamaged, exitDamaged,
		"build talbot again with network/builtin/net.safetensors as `talbot export --format net` wrote it"},
	{checkpoint.ErrDamaged, exitDamaged,
		"no intact checkpoint is left: train again; an ONNX file cannot be read, only safetensors"},
	{checkpoint.ErrNone, exitFailed,
		"the run has no checkpoint yet, or they were removed: wait for the first if it is still training, or " +
			"continue " +
			"it with `talbot train --run RUN --resume` if it never had one"},
	{syscall.ENOSPC, exitFailed, "free some disk space and repeat the command; it continues where it stopped"},
	{syscall.EROFS, exitFailed, "choose a folder on a writable disk"},
	{os.ErrPermission, exitFailed, "check the permissions of the folder and its files"},
	{syscall.ENOTDIR, exitFailed, "a file has this name, and a folder is needed"},
	{os.ErrNotExist, exitFailed, "check the path"},
}

// folderHint returns the hint of an error that names a folder or file with which something can be done; "" for others.
func folderHint(err error) string {
	var interrupted *output.InterruptedError
	var missing *dataset.NoDatasetError
	var journal *label.JournalError
	var file *fleet.FileError
	var predictions *pipelinepredict.JournalError
	var ofLoop *loop.FileError
	var different *output.DifferentError
	switch {
	case errors.As(err, &different) && different.State == output.Interrupted:
		return "finish it with the command that began it, make it again with --replace, or choose another place"
	case errors.As(err, &different):
		return "make it again with --replace, or choose another place"
	case errors.As(err, &interrupted) && interrupted.ResumeCommand == invocation():
		return "the input, the engine, its tables or talbot itself have changed since: choose another folder, or " +
			"remove this one"
	case errors.As(err, &interrupted) && interrupted.ResumeCommand != "":
		return "continue it with `" + interrupted.ResumeCommand + "`, or choose another folder"
	case errors.As(err, &missing):
		if meant := meantPath(missing.Dir); meant != "" {
			return meant
		}
		switch verb, again, ok := output.Unfinished(missing.Dir); {
		case ok && output.AtWork(missing.Dir):
			return verb + " is at work in this folder: wait until it has finished"
		case ok && again != "":
			return verb + " was interrupted in this folder: finish it with `" + again + "`"
		case ok:
			return verb + " was interrupted in this folder: repeat its command to finish it"
		}
	case errors.As(err, &ofLoop):
		return ofLoop.Remedy
	case errors.As(err, &file) && errors.Is(err, dataset.ErrDamaged):
		return file.Remedy
	case errors.As(err, &journal) && errors.Is(err, dataset.ErrDamaged):
		return "`" + shellQuote([]string{"rm", journal.Path}) +
			"`, then repeat the command; it searches the labels of the journal again"
	case errors.As(err, &predictions) && errors.Is(err, dataset.ErrDamaged):
		return "`" + shellQuote([]string{"rm", predictions.Path}) +
			"`, then repeat the command; it asks the network about the samples of the journal again"
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
			if path, ok := errors.AsType[*fs.PathError](err); ok && s.err == os.ErrNotExist {
				text = cmp.Or(meantPath(path.Path), text)
			}
			break
		}
	}
	if named := folderHint(err); named != "" {
		text = named
	}
	if h, ok := errors.AsType[hintError](err); ok {
		if h.status != 0 {
			status = h.status
		}
		if h.hint != "" {
			text = h.hint
		}
	}
	return status, withProgram(text)
}
