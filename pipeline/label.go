package pipeline

import (
	"context"
	"errors"
	"fmt"
	"time"

	"talbot/shards"
	"talbot/stockfish"
)

// Label is the request to have an engine value every sample of a dataset.
type Label struct {
	In, Out string // folders
	Engine  stockfish.Config
	Workers int // 0 = physical cores
	// Fraction of the samples to label, 0 = all. Which ones is a pure function of the game and the ply, and a larger
	// fraction contains a smaller one.
	Fraction float64
	// SkipImported leaves out samples that have an evaluation that their source carried.
	SkipImported bool
	// Syzygy is a folder of endgame tables: samples that they have get the exact result too, in a column of its own. With
	// SkipExact these are not searched. Empty: none.
	Syzygy    string
	SkipExact bool
	Progress  func(Progress)
	Failed    func(error) // told of each position without a label; may be nil
	// Pool is given the pool once it runs, so that a second interrupt can abort it; may be nil.
	Pool func(*stockfish.Pool)
}

// LabelSummary is what label reports. Counts are of this process but for
// Failed, which is of the whole dataset.
type LabelSummary struct {
	Labelled           int64    `json:"labelled"` // searched now
	Reused             int64    `json:"reused"`   // taken from an interrupted run or the input
	Terminal           int64    `json:"terminal"` // mates, stalemates and dead positions, never searched
	Failed             int64    `json:"failed"`   // positions without a label
	Workers            int      `json:"workers"`
	Seconds            float64  `json:"seconds"`
	PositionsPerSecond float64  `json:"positions_per_second"`
	Utilisation        *float64 `json:"utilisation"` // Labelled × time limit ÷ (Workers × Seconds); null for other limits
	Samples            int64    `json:"samples"`
	Bytes              int64    `json:"bytes"`
	Engine             string   `json:"engine"`
	Limit              string   `json:"limit"`
	Fingerprint        string   `json:"fingerprint"`
	Resumed            bool     `json:"resumed"`
	Skipped            int64    `json:"skipped"`       // left out because their source carried an evaluation
	Exact              int64    `json:"exact"`         // results taken from endgame tables now
	SkippedExact       int64    `json:"skipped_exact"` // not searched because tables have them
}

// Run labels the dataset shard by shard. Labels go into a journal in the order
// of the samples, as soon as those before them are made; repeated after an
// interruption, the same command continues with the first sample that has
// none. Positions on which the engine failed twice are stored as failed and
// counted; labelling the result once more tries them again.
func (r Label) Run(ctx context.Context) (LabelSummary, error) {
	start := time.Now()
	if r.Workers <= 0 {
		r.Workers = stockfish.DefaultWorkers()
	}
	in, err := shards.OpenDataset(r.In)
	if err != nil {
		return LabelSummary{}, err
	}
	defer in.Close()
	if same, err := sameFolder(r.In, r.Out); err != nil || same {
		return LabelSummary{}, errors.Join(err, fmt.Errorf("%q is the input too: %w", r.Out, ErrOccupied))
	}
	pool, err := stockfish.NewPool(ctx, r.Engine, r.Workers)
	if err != nil {
		return LabelSummary{}, err
	}
	defer pool.Close()
	if r.Pool != nil {
		r.Pool(pool)
	}
	l := &labeller{Label: r, in: in, pool: pool}
	defer l.exact.close()
	if err := l.open(ctx); err != nil {
		return LabelSummary{}, err
	}
	defer l.out.close()
	searching := time.Now()
	for i := len(l.out.manifest().Shards); i < len(in.Shards); i++ {
		if err := l.shard(ctx, i); err != nil {
			return LabelSummary{}, err
		}
	}
	if err := l.out.finish(); err != nil {
		return LabelSummary{}, err
	}
	return l.summary(time.Since(start), time.Since(searching)), nil
}

func (l *labeller) summary(elapsed, searching time.Duration) LabelSummary {
	s := l.pool.Stats()
	m := l.out.manifest()
	f := l.pool.Fingerprint()
	sum := LabelSummary{
		Labelled: s.Labelled, Reused: l.reused, Skipped: l.skipped, Exact: l.exact.found, SkippedExact: l.skippedExact, Terminal: s.Terminal, Failed: l.out.progress.Own.Failed,
		Workers: l.Workers, Seconds: elapsed.Seconds(),
		Samples: m.Counts.Samples, Bytes: l.out.bytes(),
		Engine: f.Engine, Limit: f.Limit, Fingerprint: f.ID(), Resumed: l.out.resumed,
	}
	if sec := searching.Seconds(); sec > 0 {
		sum.PositionsPerSecond = float64(s.Labelled) / sec
	}
	if limit := l.Engine.Limit.Time(); limit > 0 && sum.Seconds > 0 {
		u := float64(s.Labelled) * limit.Seconds() / (float64(l.Workers) * sum.Seconds)
		sum.Utilisation = &u
	}
	return sum
}
