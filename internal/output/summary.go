package output

import (
	"time"

	"talbot/dataset"
)

// Summary is what verbs that make lines report: the totals of the dataset.
type Summary struct {
	GamesRead int64                    `json:"games_read"` // GamesKept and the sum of Rejects
	GamesKept int64                    `json:"games_kept"`
	Rejects   map[dataset.Reason]int64 `json:"rejects"`
	Positions int64                    `json:"positions"` // plies + 1 of each line kept
	Samples   int64                    `json:"samples"`
	Bytes     int64                    `json:"bytes"`   // of the shards
	Seconds   float64                  `json:"seconds"` // of this process
	Resumed   bool                     `json:"resumed"` // an interrupted run was continued
	// SamplesDropped counts the samples that sampling left out, by reason.
	SamplesDropped dataset.Drops `json:"samples_dropped"`
}

// Summary returns the totals of a finished folder whose command began at start.
func (f *Folder) Summary(start time.Time) Summary {
	c := f.progress.Manifest.Counts
	return Summary{
		GamesRead: c.GamesRead, GamesKept: c.GamesKept, Rejects: c.Rejects,
		Positions: c.Positions, Samples: c.Samples, Bytes: f.Bytes(),
		SamplesDropped: dataset.Drops{}.Add(c.SamplesDropped),
		Seconds:        time.Since(start).Seconds(), Resumed: f.resumed,
	}
}
