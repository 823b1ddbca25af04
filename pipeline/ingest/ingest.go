// Package ingest reads games, tactics and evaluated positions into a dataset.
//
// [Request] reads files or standard input, writes the dataset's folder and returns a [Summary]. Every game or row is
// kept, or counted under the reason why it was left out. The workers end before Run returns.
package ingest

import (
	"context"
	"errors"
	"runtime"
	"strconv"
	"time"

	"talbot/dataset"
	"talbot/formats/rows"
	"talbot/internal/cache"
	"talbot/internal/output"
	"talbot/synth"
)

// Request reads games and puzzles into a dataset.
type Request struct {
	output.Job
	Inputs  []string // files, "-" = standard input
	Seed    uint64   // of the sampling; recorded
	Splits  dataset.Splits
	Workers int // 0 = all cores
	// KeepDuplicates keeps every copy of a game, and games that are the beginning of another.
	KeepDuplicates bool
	// LastPositions makes the position after a game's last move a sample too.
	LastPositions bool
	Filters       Filters
	// ImportEvals makes labels of the evaluations in the comments of games. Those of tables always become labels. Whose
	// view scores such as {0.31/12} are from is stated by Stated, or found for each input.
	ImportEvals bool
	// Results says which result a game gets whose tag, movetext and final position contradict each other.
	Results dataset.ResultRule
	// KeepMoveConflicts keeps games whose text contradicts their moves, counted (see [pgn.Parser]).
	KeepMoveConflicts bool
	// Stated says how the inputs write their evaluations; what is not stated is found (see [rows.NewTableReader]).
	Stated rows.Stated
	// History is how many plies of legal history are reconstructed in front of lines that are no games; 0: none.
	History int
	// SkipBadFiles leaves out, and counts, each input that cannot be opened, is of no known kind, or turns out to be
	// damaged; without it such an input ends the run.
	SkipBadFiles bool
	// Rejects is the path of a list of all rejects to make; empty: none.
	Rejects string
	// Beginning ends each input once so many bytes of its text were read, those of its last game not counted; 0: at its
	// end. Such a dataset has no sums of its inputs.
	Beginning int64
	Cache     *cache.Folder                 // of the sums of files; nil = none
	Rejected  func(string, *dataset.Reject) // gets each game left out, with its file; may be nil
}

// Summary is what ingest reports.
type Summary struct {
	output.Summary
	totals
	// ResultConflicts counts games whose tag, movetext and final position disagree about the result.
	ResultConflicts dataset.ResultConflicts `json:"result_conflicts"`
	// MoveConflicts counts games that were not left out though their text contradicts their moves.
	MoveConflicts int64 `json:"move_conflicts"`

	Tables   []TableRead   `json:"tables"`    // the tables of evaluations among the inputs
	BadFiles []SkippedFile `json:"bad_files"` // inputs that were left out whole

	wantsEvals bool // evaluations in comments were asked for
}

// TableRead is how the evaluations of a table were read.
type TableRead struct {
	File string `json:"file"` // base name
	dataset.Table
}

// ingester is an ingest under way. Everything but the parsing of games happens
// in one goroutine, in the order of the inputs, so the output does not depend
// on the number of workers.
type ingester struct {
	Request
	filtering   bool // lines or samples may be left out by Filters
	out         *output.Folder
	state       state
	rejects     *rejectsFile                  // nil: none is asked for
	seen        *dataset.GameSet              // of kept lines
	bytes       struct{ before, total int64 } // of the inputs, as stored
	bytesBefore int64                         // bytes of the inputs done before this process
	keptBefore  int64                         // before this process
	input       *rows.Input
	reader      Reader               // of input; nil: none yet
	prints      map[string]int       // fingerprints of imported evaluations, by name
	past        *synth.Reconstructor // nil: none was needed yet

	evaluations  evaluationReader // of the present input; nil: it has none of positions
	comments     commentScores    // of the present input
	outputFailed bool             // the error is not in the input but in writing its lines
}

// evaluationReader is a [Reader] that reports how it read evaluations.
type evaluationReader interface{ Table() dataset.Table }

// state is what progress.json keeps of an ingest.
type state struct {
	Input  int   `json:"input"`  // lines of this input …
	Number int64 `json:"number"` // … up to this number are done

	Read     int64          `json:"read"`               // games or rows of this input that are done
	Comments *dataset.Table `json:"comments,omitempty"` // how the scores in its comments are read, once it is known
	Rejects  int64          `json:"rejects,omitempty"`  // bytes of the list of rejects; 0 if there is none
	totals

	Before  *inputStart   `json:"before,omitempty"`   // what was counted when this input began
	LeftOut []SkippedFile `json:"left_out,omitempty"` // inputs that are left out whole, in their order
	Listed  bool          `json:"listed,omitempty"`   // they are in the list of rejects
}

// totals count what the manifest does not, over the inputs.
type totals struct {
	Evals      Evals `json:"evaluations"`           // that the inputs carried
	LeftRights int64 `json:"left_rights,omitempty"` // lines whose FEN had castling rights that cannot be
	LeftPast   int64 `json:"left_past,omitempty"`   // games of which the boards before their start were left out
	NoHistory  int64 `json:"no_history,omitempty"`  // lines in front of which no history could be reconstructed
	*Scores          // of training data that others publish; nil if no input is
}

// Run reads the inputs in order. A game that cannot be used is counted by
// reason and left out; an input that cannot be read to its end, or holds no
// game, ends the run. Repeated after an interruption it continues after the
// last finished shard; the result is the same to the byte.
func (in Request) Run(ctx context.Context) (sum Summary, err error) {
	start := time.Now()
	if in.Workers <= 0 {
		in.Workers = runtime.GOMAXPROCS(0)
	}
	if len(in.Inputs) == 0 {
		return Summary{}, errors.New("no inputs")
	}
	in.Filters.Seed = in.Seed
	if err := in.Filters.Check(); err != nil {
		return Summary{}, err
	}
	g := &ingester{Request: in, seen: &dataset.GameSet{}, prints: map[string]int{},
		filtering: in.Filters.active()}
	identity, err := Survey(in.Inputs, in.Stated, in.SkipBadFiles)
	if err != nil {
		return Summary{}, err
	}
	for _, input := range identity {
		g.bytes.total += max(input.Size, 0)
	}
	m := dataset.Manifest{Verb: "ingest", Seed: in.Seed, Splits: in.Splits, Flags: in.flags()}
	var id any = identity
	if in.Rejects != "" {
		id = struct{ Inputs, Rejects any }{identity, true}
	}
	if g.out, err = output.Open(m, id, output.Options{
		Job: in.Job, Workers: in.Workers, State: &g.state, SideFile: g.sideFile, Sync: g.markRejects,
		Drafting: in.drafting(), Compare: in.compare,
	}); err != nil {
		return Summary{}, err
	}
	defer g.out.Close()
	defer func() { g.rejects.close() }()
	fresh := !g.out.Resumed()
	defer func() {
		// A command that fails before it has written a shard leaves nothing to resume.
		if err != nil && fresh && ctx.Err() == nil && !g.out.Committed() && !errors.Is(err, ErrNothingKept) &&
			!errors.Is(err, output.ErrGone) {
			err = errors.Join(err, g.out.Discard())
		}
	}()
	if err := g.collectRejects(); err != nil {
		return Summary{}, err
	}
	if err := g.restore(); err != nil {
		return Summary{}, err
	}
	for i, path := range in.Inputs {
		if i < g.state.Input {
			continue
		}
		if err := g.file(ctx, i, path); err != nil {
			return Summary{}, err
		}
	}
	if err := g.keptAny(ctx); err != nil {
		return Summary{}, err
	}
	g.listLeftOut()
	if in.drafting() {
		if err := g.finishDrafts(ctx); err != nil {
			return Summary{}, err
		}
	}
	if err := g.out.Finish(func() error { return g.publishRejects(ctx) }); err != nil {
		return Summary{}, err
	}
	sum = Summary{
		Summary: g.out.Summary(start), totals: g.state.totals,
		ResultConflicts: g.out.Manifest().Counts.ResultConflicts, MoveConflicts: g.out.Manifest().Counts.MoveConflicts,
		Tables: []TableRead{}, BadFiles: append([]SkippedFile{}, g.state.LeftOut...), wantsEvals: in.ImportEvals,
	}
	for _, input := range g.out.Manifest().Inputs {
		if input.Table != nil {
			sum.Tables = append(sum.Tables, TableRead{input.Name, *input.Table})
		}
	}
	return sum, nil
}

// flags returns what was chosen that decides the content, as the manifest has it.
func (in *Request) flags() dataset.Flags {
	flags := in.Filters.flags()
	flags.Add(in.KeepDuplicates, "keep-duplicates", "true")
	flags.Add(in.LastPositions, "last-positions", "true")
	// earlier versions, which took all comments for the mover's, had "true"
	flags.Add(in.ImportEvals, "import-evals", "view-by-file")
	flags.Add(in.Results != dataset.TagResult, "result-conflict", in.Results.String())
	flags.Add(in.SkipBadFiles, "skip-bad-files", "true")
	flags.Add(in.History > 0, "history", strconv.Itoa(in.History))
	if view := in.Stated.View; view != nil {
		flags.Add(true, "eval-view", view.String())
	}
	if unit := in.Stated.Unit; unit != nil {
		flags.Add(true, "eval-unit", unit.String())
	}
	flags.Add(in.Stated.Origin != "", "origin", in.Stated.Origin)
	flags.Add(in.Stated.ScoreUnit != "", "unit", in.Stated.ScoreUnit)
	flags.Add(true, "move-conflict", map[bool]string{true: "keep", false: "drop"}[in.KeepMoveConflicts])
	return flags
}

// restore restores the state of an interrupted run.
func (g *ingester) restore() error {
	if !g.out.Resumed() {
		return nil
	}
	m := g.out.Manifest()
	for _, input := range m.Inputs[:min(g.state.Input, len(m.Inputs))] {
		g.bytes.before += input.Bytes
	}
	g.bytesBefore, g.keptBefore = g.bytes.before, m.Counts.GamesKept
	for i, f := range m.Fingerprints {
		g.prints[f.Engine] = i
	}
	if g.KeepDuplicates {
		return nil
	}
	return g.collectKeys()
}
