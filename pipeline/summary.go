package pipeline

import (
	"time"

	"talbot/dataset"
	"talbot/pipeline/output"
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
	// Evals counts evaluations that the inputs carried, GluedDashes EPD lines whose en passant dash ran into the clock,
	// and SamplesDropped the samples that sampling left out, by reason.
	Evals          Evals         `json:"evaluations"`
	GluedDashes    int64         `json:"glued_dashes"`
	SamplesDropped dataset.Drops `json:"samples_dropped"`
	Resumed        bool          `json:"resumed"` // an interrupted run was continued
	// ResultConflicts counts games whose tag, movetext and final position say different results.
	ResultConflicts dataset.ResultConflicts `json:"result_conflicts"`
	// Exhausted are the materials of endgames that ran out of positions, so that others were drawn instead.
	Exhausted []string `json:"exhausted,omitempty"`
	NoHistory int64    `json:"no_history,omitempty"` // lines in front of which no history could be invented
}

// newSummary returns the totals of a finished folder.
func newSummary(f *output.Folder, start time.Time) Summary {
	c := f.Manifest().Counts
	return Summary{
		GamesRead: c.GamesRead, GamesKept: c.GamesKept, Rejects: c.Rejects,
		Positions: c.Positions, Samples: c.Samples, Bytes: f.Bytes(),
		SamplesDropped: dataset.Drops{}.Add(c.SamplesDropped),
		Seconds:        time.Since(start).Seconds(), Resumed: f.Resumed(),
	}
}
