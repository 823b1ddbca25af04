package plan

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"talbot/dataset"
	"talbot/pipeline/aggregate"
	"talbot/pipeline/stats"
	"talbot/pipeline/verify"
)

// Reading is how long something takes that reads a whole dataset.
type Reading struct {
	What    string  `json:"what"` // "verify", "stats", "aggregate" or [Start]
	Seconds float64 `json:"seconds"`
}

// Start is what training reads before its first step.
const Start = "start"

// rehearse makes a dataset of the shards in a folder and runs on it what reads a whole dataset. It returns how long
// each took.
func (p Request) rehearse(ctx context.Context, dir string, list []dataset.ShardInfo) (found []Reading, err error) {
	m := dataset.Manifest{Verb: "plan", Splits: dataset.DefaultSplits, Inputs: make([]dataset.Input, len(p.Inputs))}
	for i, s := range list {
		m.Inputs[i].Name = filepath.Base(p.Inputs[i])
		m.Shards = append(m.Shards, s)
		m.Counts.GamesRead += s.Lines
		m.Counts.GamesKept += s.Lines
		m.Counts.Positions += s.Positions
		m.Counts.Samples += s.Samples
	}
	if err := dataset.WriteManifest(dir, &m); err != nil {
		return nil, err
	}
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
			return nil, err
		}
		found = append(found, Reading{r.what, time.Since(begun).Seconds()})
	}
	return found, nil
}
