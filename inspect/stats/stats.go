// Package stats counts what a dataset holds.
//
// [Request] reads a dataset's folder and returns [Statistics], which can be written as text or as a page. The workers
// end before Run returns.
package stats

import (
	"context"
	"runtime"

	"talbot/dataset"
	"talbot/internal/progress"
	"talbot/shards"
)

// Request asks to count what a dataset holds.
type Request struct {
	Dir      string
	Workers  int                     // blocks read at a time; 0 means one for each core
	Unique   bool                    // count different positions, and those of val and test that are in train
	Temp     string                  // folder of what Unique does not hold in memory; "" means that of the system
	Progress func(progress.Progress) // may be nil; called from one goroutine at a time
}

// Statistics is what a dataset holds, counted from its shards. A line is counted as a game, whatever its source.
type Statistics struct {
	Games            int64             `json:"games"`
	Positions        int64             `json:"positions"` // plies + 1 of each line
	Samples          int64             `json:"samples"`
	Labelled         int64             `json:"labelled"` // samples with a label that counts ([dataset.Counting])
	Bytes            int64             `json:"bytes"`    // of the shards
	BytesPerPosition float64           `json:"bytes_per_position"`
	BySource         map[string]Totals `json:"by_source"` // all sources, empty ones too
	BySplit          map[string]Totals `json:"by_split"`  // all splits, empty ones too
	// samples by the number of pieces on the board, kings included
	PieceCounts   map[int]int64    `json:"piece_counts"`
	Results       map[string]int64 `json:"results"`         // lines by result
	Ratings       Distribution     `json:"ratings"`         // of both players, where known
	Plies         Distribution     `json:"plies"`           // moves of each line
	Reconstructed int64            `json:"reconstructed"`   // plies of reconstructed history
	Policies      int64            `json:"policies"`        // samples with a policy of their own
	Bands         []dataset.Band   `json:"bands,omitempty"` // of aggregated positions: samples and moves by rating
	Coverage      Coverage         `json:"coverage"`
	Labels        []LabelStats     `json:"labels"`             // one for each fingerprint of the manifest
	Networks      []NetworkStats   `json:"networks,omitempty"` // one for each network of the manifest
	Openings      *Openings        `json:"openings"`
	Dates         Dates            `json:"dates"` // of games
	// games by class: [dataset.TimeControlClass], "none" (the tag is "-"), "unknown"
	TimeControls map[string]int64 `json:"time_controls"`
	Examples     []Example        `json:"examples"`
	Unique       *Unique          `json:"unique,omitempty"`
	Overlap      *Overlap         `json:"overlap,omitempty"`
}

// Totals is the share of a dataset that is of one source or in one split.
type Totals struct {
	Games     int64 `json:"games"`
	Positions int64 `json:"positions"`
	Samples   int64 `json:"samples"`
	Labelled  int64 `json:"labelled"`
}

// Distribution is a histogram of whole numbers with their range and mean; all zero if there are none.
type Distribution struct {
	Count int64   `json:"count"`
	Min   int64   `json:"min"`
	Max   int64   `json:"max"`
	Mean  float64 `json:"mean"`
	Bins  []Bin   `json:"bins"` // ascending, without empty ones
}

// Bin counts numbers from From up to but not including To.
type Bin struct {
	From  int64 `json:"from"`
	To    int64 `json:"to"`
	Count int64 `json:"count"`
}

// LabelStats is what one engine under one limit said about the samples of a dataset. Scores, depths and nodes are
// those of the first searched line.
type LabelStats struct {
	Fingerprint string           `json:"fingerprint"` // its ID
	Engine      string           `json:"engine"`
	Build       string           `json:"build"`
	Limit       string           `json:"limit"`
	Statuses    map[string]int64 `json:"statuses"`    // samples by status; they sum to all samples
	Mating      int64            `json:"mating"`      // the side to move mates
	Mated       int64            `json:"mated"`       // the side to move is mated
	Scores      []ScoreBin       `json:"scores"`      // the other scores, from the side to move
	Depth       float64          `json:"depth"`       // mean
	Nodes       float64          `json:"nodes"`       // mean
	Mates       float64          `json:"mates"`       // share of the labelled samples that are mates for either side
	Depths      Distribution     `json:"depths"`      // from 32 on, bins from powers of two to the next
	NodeCounts  Distribution     `json:"node_counts"` // bins from powers of two to the next
	Played      Played           `json:"played"`
	Tables      *Agreement       `json:"tables,omitempty"` // where endgame tables have the samples too
}

// Played compares the moves of games with what the engine says.
type Played struct {
	Moves     int64   `json:"moves"`     // played on labelled samples of games
	Agree     int64   `json:"agree"`     // of them, the engine's best move
	Agreement float64 `json:"agreement"` // Agree / Moves; 0 without any
	// Judged are the moves after which the position is labelled too. What such a move gave away is how much Lichess's
	// winning chances, in [-1, 1], fell: at least 0.1 is an inaccuracy, 0.2 a mistake, 0.3 a blunder.
	Judged       int64   `json:"judged"`
	Inaccuracies int64   `json:"inaccuracies"`
	Mistakes     int64   `json:"mistakes"`
	Blunders     int64   `json:"blunders"`
	BlunderShare float64 `json:"blunder_share"` // Blunders / Judged; 0 without any
}

// ScoreBin counts scores with From ≤ centipawns < To; no bound is nil.
type ScoreBin struct {
	From  *int  `json:"from"`
	To    *int  `json:"to"`
	Count int64 `json:"count"`
}

// scoreEdges are the bounds between the bins of scores, in centipawns.
var scoreEdges = [...]int{-1000, -500, -300, -150, -75, -25, 25, 75, 150, 300, 500, 1000}

// Run counts. The blocks are read in parallel, each once; what it keeps does not grow with the dataset, except for the
// position keys of Unique (8 bytes each, see [dataset.Keys]), and the result does not depend on the number of workers.
// The errors are those of [shards.OpenDataset] and [shards.Dataset.EachLine].
func (o Request) Run(ctx context.Context) (*Statistics, error) {
	if o.Workers < 1 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	d, err := shards.OpenDataset(o.Dir,
		shards.Ratings|shards.Tags|shards.Policies|shards.Scores|shards.Best|shards.Effort|
			shards.Predictions)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	tallies := make([]*tally, max(1, min(o.Workers, len(d.Blocks()))))
	keys := dataset.NewKeys(0, o.Temp)
	defer keys.Close()
	for i := range tallies {
		tallies[i] = newTally(d.Manifest)
		if o.Unique {
			tallies[i].keys = keys.Buffer()
		}
	}
	if err := d.EachLine(ctx, len(tallies), func(read shards.Block) {
		progress.Report(o.Progress, "stats", "positions", int64(read.Positions), d.Manifest.Counts.Positions)
	}, func(worker int, l *dataset.Line) error { return tallies[worker].addLine(l) }); err != nil {
		return nil, err
	}
	for _, t := range tallies[1:] {
		tallies[0].merge(t)
	}
	s := tallies[0].statistics()
	if o.Unique {
		if err := s.countUnique(keys, tallies, o.Workers); err != nil {
			return nil, err
		}
	}
	for _, shard := range d.Manifest.Shards {
		s.Bytes += shard.Bytes
	}
	if s.Positions > 0 {
		s.BytesPerPosition = float64(s.Bytes) / float64(s.Positions)
	}
	return s, nil
}

// countUnique adds what the collected keys say.
func (s *Statistics) countUnique(keys *dataset.Keys, tallies []*tally, workers int) error {
	for _, t := range tallies {
		if err := t.keys.Flush(); err != nil {
			return err
		}
	}
	c, err := CountCopies(keys, workers)
	if err != nil {
		return err
	}
	s.Unique, s.Overlap = &c.Unique, &c.Overlap
	return nil
}
