// Package label has engines evaluate the samples of a dataset.
//
// [Request] reads a dataset, searches its samples and writes another dataset with the labels, shard by shard. A line is
// planned (which of its samples need a search), looked up (which of these searches are known or under way), searched,
// and written when it and all lines before it are complete: lines.go. Each result goes into a journal as soon as it
// exists, keyed by what was searched: journal.go; what is known, from there or from other datasets: known.go. Several
// machines can label a part each ([dataset.Part]), and [Join] puts the parts together. [Audit] compares labels with
// those of much longer searches, and [MeasureNodes] finds how many nodes a time limit is worth.
//
// All engines and goroutines end before the calls return.
package label

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"talbot/dataset"
	"talbot/fleet"
	"talbot/internal/output"
	"talbot/shards"
	"talbot/stockfish"
	"talbot/tablebase/mates"
	"talbot/tablebase/syzygy"
)

// Request labels the samples of a dataset with an engine.
type Request struct {
	output.Job
	In       string // folder
	Engine   stockfish.Config
	Workers  int              // 0 = physical cores
	Fraction dataset.Fraction // of the samples to label
	// Part is the share of the lines to label; the zero value is all of them. See [Join].
	Part dataset.Part
	// Reuse are datasets whose labels are taken where they are of the same search under the same fingerprint.
	Reuse []string
	// SkipImported leaves out samples that have an evaluation that their source carried.
	SkipImported bool
	// Syzygy is a folder of endgame tables: samples that they have get the exact result too, in a column of its own.
	// With SkipExact these are not searched. Empty: none.
	Syzygy    string
	SkipExact bool
	// Mates labels positions of three pieces as package mates does, not by the engine. Where all samples are such ones
	// no engine is started, and none has to be there.
	Mates bool
	// Tables is how they are checked, before anything else.
	Tables syzygy.Check
	// Candidates is how many moves of each sample are searched: those that Network, an ID, or else the last one with
	// priors, finds most probable. 0: all. Engine's limit is that of [CandidateDepths] then.
	Candidates int
	Network    string
	Flags      []dataset.Tag // of the manifest beside the usual ones
	// Checked, if not nil, is called with how many lines of the input were checked before the first search, from one
	// goroutine at a time.
	Checked func(lines, of int64)
	Failed  func(error) // gets each position without a label; may be nil
	// Start starts the pool that makes the labels; nil is [stockfish.NewPool].
	Start func(ctx context.Context, c stockfish.Config, workers int) (Searcher, error)
	// Pool, if not nil, gets the started pool, so that a second interrupt can abort it.
	Pool func(Searcher)

	// selected, if not nil, says which samples are labelled, in place of all those of Fraction and Part.
	selected func(line *dataset.Line, hash [16]byte, sample, ply int) bool
	// expected is how many samples selected chooses, for the progress.
	expected int64
}

// Summary is what label reports. Counts are of positions, and of this process except for Failed, which is of the whole
// dataset.
type Summary struct {
	Labelled           int64   `json:"labelled"` // searched now
	Reused             int64   `json:"reused"`   // not searched: the sum of Saved
	Terminal           int64   `json:"terminal"` // mates, stalemates and dead positions, never searched
	Failed             int64   `json:"failed"`   // positions without a label
	Workers            int     `json:"workers"`
	Seconds            float64 `json:"seconds"`
	PositionsPerSecond float64 `json:"positions_per_second"`
	// Labelled × time limit ÷ (Workers × Seconds); null for other limits
	Utilisation  *float64 `json:"utilisation"`
	Samples      int64    `json:"samples"`
	Bytes        int64    `json:"bytes"`
	Engine       string   `json:"engine"`
	Limit        string   `json:"limit"`
	HashScope    string   `json:"hash_scope"` // "position" or "line"
	Fingerprint  string   `json:"fingerprint"`
	Fingerprints []string `json:"fingerprints"` // with several depths one for each, Fingerprint last
	Resumed      bool     `json:"resumed"`
	Skipped      int64    `json:"skipped"` // left out because their source carried an evaluation
	Saved        Saved    `json:"saved"`
	Retried      int64    `json:"retried"`       // searches that went wrong once
	Restarts     int64    `json:"restarts"`      // engines started in place of lost ones
	Remote       int64    `json:"remote"`        // of Labelled, by workers on other machines
	Checked      int64    `json:"checked"`       // of Remote, searched a second time
	Disagreed    int64    `json:"disagreed"`     // of Checked, found to be wrong
	Exact        int64    `json:"exact"`         // results taken from endgame tables now
	SkippedExact int64    `json:"skipped_exact"` // not searched because tables have them
	Solved       int64    `json:"solved"`        // labelled now by their distance to mate, not searched
	Unpredicted  int64    `json:"unpredicted"`   // not searched because the network was not asked about them
}

// Saved counts positions that did not have to be searched, by where their label was found.
type Saved struct {
	Resumed  int64 `json:"resumed"`  // made by the interrupted run that this one continues
	Input    int64 `json:"input"`    // in the input, on the same sample
	Found    int64 `json:"found"`    // the same search in --reuse or elsewhere in the input
	Repeated int64 `json:"repeated"` // the same search more than once
}

func (s Saved) sum() int64 { return s.Resumed + s.Input + s.Found + s.Repeated }

// Run labels the dataset shard by shard. Labels go into a journal as soon as they are made; repeated after an
// interruption, the same command continues with the samples that have none. With [stockfish.LineScope] a line that was
// under way is continued under a time limit, and searched again from its start where labels are exact. Positions on
// which the engine failed twice are stored as failed and counted; labelling the result once more tries them again.
//
// Nothing is searched twice: neither positions that the input or Reuse has under the same fingerprint, nor those that
// occur again with the same start and moves.
func (r Request) Run(ctx context.Context) (Summary, error) {
	start := time.Now()
	if r.Workers <= 0 {
		r.Workers = stockfish.DefaultWorkers()
	}
	in, err := shards.OpenDataset(r.In)
	if err != nil {
		return Summary{}, err
	}
	defer in.Close()
	if err := output.CheckApart(r.In, r.Out); err != nil {
		return Summary{}, err
	}
	network := -1
	if r.Candidates > 0 {
		if network, err = r.chooseCandidates(in.Manifest); err != nil {
			return Summary{}, err
		}
	}
	var tables *syzygy.Set
	if r.Syzygy != "" {
		if tables, err = syzygy.Open(ctx, r.Syzygy, r.Tables); err != nil {
			return Summary{}, err
		}
	}
	var solved asideColumn
	if r.Mates {
		solved = byMates()
		if all, err := solved.hasAll(ctx, r.In); err != nil {
			return Summary{}, err
		} else if all && r.Syzygy == "" {
			r.Start = func(context.Context, stockfish.Config, int) (Searcher, error) { return noEngine{}, nil }
		}
	}
	if r.Start == nil {
		r.Start = startPool
	}
	pool, err := r.Start(ctx, r.Engine, r.Workers)
	if err != nil {
		return Summary{}, err
	}
	defer pool.Close()
	if r.Pool != nil {
		r.Pool(pool)
	}
	l := &labeller{Request: r, in: in, pool: pool, network: network, solved: solved}
	defer l.close()
	if err := l.open(ctx, tables); err != nil {
		return Summary{}, err
	}
	searching := time.Now()
	if err := l.all(ctx); err != nil {
		return Summary{}, err
	}
	sum := l.summary(time.Since(start), time.Since(searching))
	if l.shared != nil {
		l.shared.Finish()
		if err := l.shared.Close(); err != nil { // its files are removed with the others of an unfinished dataset
			return Summary{}, err
		}
	}
	if err := l.out.Finish(l.recordBuilds); err != nil {
		return Summary{}, err
	}
	sum.Bytes = l.out.Bytes()
	return sum, nil
}

// all labels the shards that are not finished. Labels that turn out to be wrong are made again, also those of shards
// that are.
func (l *labeller) all(ctx context.Context) error {
	for {
		err := l.search(ctx)
		if _, withdrawn := errors.AsType[*fleet.WithdrawnError](err); !withdrawn {
			return errors.Join(err, l.closeLabels())
		}
		l.Warning(err)
		if err := l.closeLabels(); err != nil {
			return err
		}
		if err := l.openLabels(ctx); err != nil {
			return errors.Join(err, l.closeLabels())
		}
		own := &l.state.Own
		l.samples = own.Labelled + own.Terminal + own.Failed
		l.doneBefore = min(l.doneBefore, l.samples)
	}
}

// search makes the searches of all shards that are not finished, in one call of the pool.
func (l *labeller) search(ctx context.Context) error {
	looking, stop := context.WithCancel(ctx)
	defer stop()
	var failed error
	err := l.pool.Label(ctx, func(yield func(stockfish.Job) bool) { failed = l.jobs(looking, yield) }, l.result)
	return cmp.Or(failed, err)
}

// recordBuilds adds to the manifest the other builds of the engine that made labels.
func (l *labeller) recordBuilds() error {
	if l.shared == nil {
		return nil
	}
	if builds := l.shared.Builds(); len(builds) > 0 {
		m := l.out.Manifest()
		m.Flags.Add(true, "other-builds", strings.Join(builds, ", "))
		slices.SortStableFunc(m.Flags, func(a, b dataset.Tag) int { return strings.Compare(a.Name, b.Name) })
	}
	return nil
}

func (l *labeller) summary(elapsed, searching time.Duration) Summary {
	s := l.pool.Stats()
	sum := l.sum
	sum.Labelled, sum.Reused, sum.Failed = s.Labelled, sum.Saved.sum(), l.state.Own.Failed
	sum.Exact, sum.Solved, sum.Terminal = l.exact.found, l.solved.found, sum.Terminal+l.solved.over
	sum.Workers, sum.Seconds, sum.HashScope = l.Workers, elapsed.Seconds(), l.Engine.HashScope().String()
	sum.Retried, sum.Restarts, sum.Resumed = s.Retried, s.Restarts, l.out.Resumed()
	sum.Samples, sum.Bytes = l.out.Manifest().Counts.Samples, l.out.Bytes()
	if l.shared != nil {
		sum.Remote, sum.Checked, sum.Disagreed = l.shared.Remote()
	}
	if l.tables != nil {
		sum.Restarts += l.tables.Restarts()
	}
	prints := l.pool.Fingerprints()
	if len(prints) == 0 {
		prints = []dataset.Fingerprint{mates.Fingerprint}
	}
	for _, f := range prints {
		sum.Engine, sum.Limit, sum.Fingerprint = f.Engine, f.Limit, f.ID()
		sum.Fingerprints = append(sum.Fingerprints, f.ID())
	}
	if sec := searching.Seconds(); sec > 0 {
		sum.PositionsPerSecond = float64(s.Labelled) / sec
	}
	if limit := l.Engine.Limit.Time(); limit > 0 && sum.Seconds > 0 && l.shared == nil {
		u := float64(s.Labelled) * limit.Seconds() / (float64(l.Workers) * sum.Seconds)
		sum.Utilisation = &u
	}
	return sum
}
