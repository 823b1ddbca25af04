package label

import (
	"context"
	"iter"

	"talbot/dataset"
	"talbot/stockfish"
)

// Searcher makes labels: a [stockfish.Pool], or a [Shared] one.
type Searcher interface {
	Label(ctx context.Context, jobs iter.Seq[stockfish.Job], done func(stockfish.Result) error) error
	Fingerprints() []dataset.Fingerprint
	Stats() stockfish.Stats
	Abort()
	Close() error
}

// Shared is a Searcher that shares its work with workers elsewhere, whose labels may turn out to be wrong. Then Label
// ends with a [fleet.WithdrawnError], and the labels of that worker do not count any more.
type Shared interface {
	Searcher
	// Serve admits workers. It keeps its state in files of dir whose names begin with [fleet.FilePrefix].
	Serve(ctx context.Context, dir string) error
	// SetRemaining sets how many positions are left, for the fleet's status.
	SetRemaining(left int64)
	// Banned reports whether a worker's labels do not count.
	Banned(worker int) bool
	// Builds are other builds of the engine that labels were made with.
	Builds() []string
	// Remote is how many labels came from workers, how many of these were searched again, and how many were wrong.
	Remote() (labels, checked, disagreed int64)
	// Finish tells the workers that the work is done.
	Finish()
}

// startPool is the usual [Request].Start.
func startPool(ctx context.Context, c stockfish.Config, workers int) (Searcher, error) {
	pool, err := stockfish.NewPool(ctx, c, workers)
	if err != nil {
		return nil, err
	}
	return pool, nil
}
