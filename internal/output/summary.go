package output

import (
	"time"

	"talbot/dataset"
	"talbot/internal/humanize"
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

// Head begins a text with the totals, in which lines are games and a sample has that name.
func (s *Summary) Head(t *humanize.Text, out, sample string) {
	t.Line("%s: %s, %s, %s, %.1f s\n", out, humanize.Count(s.GamesKept, "game"), humanize.Count(s.Samples, sample),
		humanize.Size(float64(s.Bytes)), s.Seconds)
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
