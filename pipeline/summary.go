package pipeline

import (
	"time"

	"talbot/dataset"
)

// Summary is what ingest and synth-endgames report: the totals of the dataset.
type Summary struct {
	GamesRead int64                    `json:"games_read"` // GamesKept and the sum of Rejects
	GamesKept int64                    `json:"games_kept"`
	Rejects   map[dataset.Reason]int64 `json:"rejects"`
	Positions int64                    `json:"positions"` // plies + 1 of each line kept
	Samples   int64                    `json:"samples"`
	Bytes     int64                    `json:"bytes"`   // of the shards
	Seconds   float64                  `json:"seconds"` // of this process
	Resumed   bool                     `json:"resumed"` // an interrupted run was continued
}

func (o *output) summary(start time.Time) Summary {
	c := o.manifest().Counts
	return Summary{
		GamesRead: c.GamesRead, GamesKept: c.GamesKept, Rejects: c.Rejects,
		Positions: c.Positions, Samples: c.Samples, Bytes: o.bytes(),
		Seconds: time.Since(start).Seconds(), Resumed: o.resumed,
	}
}
