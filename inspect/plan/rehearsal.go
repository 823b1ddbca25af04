package plan

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"talbot/dataset"
	"talbot/inspect/stats"
	"talbot/inspect/verify"
	"talbot/pipeline/aggregate"
	"talbot/pipeline/ingest"
)

// Reading is how long something takes that reads a whole dataset.
type Reading struct {
	What    string  `json:"what"` // "verify", "stats", "aggregate" or [Start]
	Seconds float64 `json:"seconds"`
}

// Start is what training reads before its first step.
const Start = "start"

// rehearse makes a dataset of the beginnings of the inputs and runs on it what reads a whole dataset. It fills in what
// that shows: how long everything takes if the rest is like it, and the bytes of a position. read are the positions of
// the beginnings.
func (p Request) rehearse(ctx context.Context, e *Estimate, temp string, read int64) error {
	dir := filepath.Join(temp, "dataset")
	begun := time.Now()
	sum, err := ingest.Request{Inputs: p.Inputs, Out: dir, Splits: dataset.DefaultSplits, Workers: p.IngestCores,
		Tables: unchecked, Beginning: p.Sample}.Run(ctx)
	if err != nil {
		return err
	}
	e.IngestSeconds = time.Since(begun).Seconds() * float64(e.Positions) / float64(read)
	e.BytesPerPosition = float64(sum.Bytes) / float64(sum.Positions)
	for _, r := range []struct {
		what string
		run  func() error
	}{
		{"verify", func() error {
			_, err := verify.Request{Dirs: []string{dir}, Temp: dir}.Run(ctx)
			if errors.Is(err, verify.ErrBothSides) {
				return nil // games of two sources that are the same
			}
			return err
		}},
		{"stats", func() error {
			_, err := stats.Request{Dir: dir, Unique: true, Temp: dir}.Run(ctx)
			return err
		}},
		{"aggregate", func() error {
			_, err := aggregate.Request{In: []string{dir}, Out: filepath.Join(dir, "aggregated"),
				Bands: aggregate.DefaultBands, MinCount: aggregate.DefaultMinCount, MinBand: aggregate.DefaultMinBand,
				Splits: dataset.DefaultSplits}.Run(ctx)
			if errors.Is(err, aggregate.ErrNothingKept) {
				return nil
			}
			return err
		}},
		{Start, func() error { return p.ReadFirst(ctx, dir) }},
	} {
		if r.what == Start && p.ReadFirst == nil {
			continue
		}
		begun := time.Now()
		if err := r.run(); err != nil {
			return err
		}
		e.Readings = append(e.Readings,
			Reading{r.what, time.Since(begun).Seconds() * float64(e.Positions) / float64(sum.Positions)})
	}
	return nil
}
