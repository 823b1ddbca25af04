// Package plan estimates what a pipeline over some inputs would take, before any work is done.
//
// [Request] reads the beginnings of the files, runs on them what reads a whole dataset, and returns an [Estimate].
package plan

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"talbot/dataset"
	"talbot/formats/rows"
	"talbot/inspect/stats"
	"talbot/inspect/verify"
	"talbot/internal/humanize"
	"talbot/pipeline/aggregate"
	"talbot/pipeline/ingest"
)

// Request asks to estimate what a pipeline over some inputs would take. It reads the beginning of every input
// and takes the rest to be like it.
type Request struct {
	Inputs   []string      // files
	Sample   int64         // bytes of text read of each input; 0 = 32 MiB
	Workers  int           // engines that label at a time, at least 1
	Movetime time.Duration // of a search
	Epochs   float64       // of training
	Steps    int64         // of training; 0 = as many as the epochs take
	Batch    int           // samples of a step
	// TrainRate returns the positions a second that training makes, and how that is known. It is called once the inputs
	// are read.
	TrainRate  func(context.Context) (rate float64, how string, err error)
	TrainShare float64 // of the samples, 0 … 1
	// ReadFirst reads what training reads of a dataset before its first step; nil: that is not estimated.
	ReadFirst   func(ctx context.Context, dir string) error
	IngestCores int    // cores that ingest works on, at least 1
	Checkpoints int64  // bytes of all those that a run keeps
	Loader      Loader // of training
}

// Loader is what training keeps in memory: two groups, one that is drawn from and the next.
type Loader struct {
	GroupSamples int64 // samples of a group, at most
	SampleBytes  int64 // of a sample in a group
}

// Estimate is what a pipeline would take. Duplicates are only known once everything is read, so figures tend to be too
// high.
type Estimate struct {
	Inputs           []InputEstimate `json:"inputs"`
	Games            int64           `json:"games"` // that would be kept
	Positions        int64           `json:"positions"`
	Samples          int64           `json:"samples"`
	Labelled         int64           `json:"labelled"` // samples whose label comes with the input
	Rejected         int64           `json:"rejected"` // games that would be left out
	BytesPerPosition float64         `json:"bytes_per_position"`
	ShardBytes       int64           `json:"shard_bytes"` // without labels
	IngestSeconds    float64         `json:"ingest_seconds"`
	IngestMemory     int64           `json:"ingest_memory"` // bytes
	Readings         []Reading       `json:"readings"`      // of the dataset without labels
	LabelHours       float64         `json:"label_hours"`
	LabelBytes       int64           `json:"label_bytes"` // of the labelled shards
	IngestRate       float64         `json:"ingest_rate"` // positions a second and core
	DiskBytes        int64           `json:"disk_bytes"`  // of both datasets and the checkpoints
	CheckpointBytes  int64           `json:"checkpoint_bytes"`
	TempBytes        int64           `json:"temp_bytes"` // of temporary files, while verify reads one
	TrainRate        float64         `json:"train_rate"` // positions a second
	TrainSteps       int64           `json:"train_steps"`
	TrainHours       float64         `json:"train_hours"`
	TrainMemory      int64           `json:"train_memory"` // bytes of the loader, without the network
	TotalHours       float64         `json:"total_hours"`  // of all that takes time
	Assumptions      []string        `json:"assumptions"`
}

// InputEstimate is what one input holds.
type InputEstimate struct {
	Name      string  `json:"name"`
	Bytes     int64   `json:"bytes"`
	Read      float64 `json:"read"` // share of it that was read, 0 … 1
	Games     int64   `json:"games"`
	Positions int64   `json:"positions"`
	Samples   int64   `json:"samples"`
	Labelled  int64   `json:"labelled"`
	Rejected  int64   `json:"rejected"`
}

// What estimates are made with where the inputs do not say. The sources are in [Estimate.Assumptions].
const (
	planSample       = 32 << 20
	planIngestMemory = 80 << 20
	planCoreMemory   = 12 << 20 // more for each core that ingest works on
	planGameMemory   = 96       // more for each game, of the set that finds copies, garbage included
	planLoaderMemory = 256 << 20
	planLabelBytes   = 2.5 // a labelled sample
	planOverhead     = 1.02
)

// unchecked has evaluations read whatever their unit and view: they are not counted.
var unchecked = rows.Stated{Unchecked: true}

// Run reads the samples. The errors are those of [rows.Open] and [ingest.ErrNoGames], also several of them.
func (p Request) Run(ctx context.Context) (*Estimate, error) {
	if _, err := ingest.Survey(p.Inputs, unchecked, false); err != nil {
		return nil, err
	}
	temp, err := os.MkdirTemp("", "talbot-plan-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	if p.Sample <= 0 {
		p.Sample = planSample
	}
	e := &Estimate{}
	var read int64 // positions of the beginnings
	for _, path := range p.Inputs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		in, positions, err := p.input(path, temp)
		if err != nil {
			return nil, err
		}
		read += positions
		e.Inputs = append(e.Inputs, in)
		e.Games += in.Games
		e.Positions += in.Positions
		e.Samples += in.Samples
		e.Labelled += in.Labelled
		e.Rejected += in.Rejected
	}
	if read > 0 {
		if err := p.rehearse(ctx, e, temp, read); err != nil {
			return nil, err
		}
	}
	rate, how, err := p.TrainRate(ctx)
	if err != nil {
		return nil, err
	}
	e.TrainRate = rate
	p.estimate(e, how)
	return e, nil
}

// input reads the beginning of an input and takes the rest to be like it. It also returns the positions that it read.
func (p Request) input(path, temp string) (e InputEstimate, positions int64, err error) {
	e.Name = filepath.Base(path)
	in, r, err := ingest.Open(path, unchecked, temp)
	if err != nil {
		return e, 0, err
	}
	defer in.Close()
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
		e.Bytes = info.Size()
	} else {
		return e, 0, fmt.Errorf("%q is not a regular file; plan needs to know its size", path)
	}
	whole := false
	for read := int64(0); read < p.Sample && !whole; {
		l, labels, err := r.Next()
		var reject *dataset.Reject
		switch {
		case err == io.EOF:
			whole = true
		case errors.As(err, &reject):
			read = ingest.ReadUpTo(r, reject.Offset, e.Bytes)
			e.Rejected++
		case err != nil:
			return e, 0, err
		default:
			read = ingest.ReadUpTo(r, l.Offset, e.Bytes)
			e.Games++
			e.Positions += int64(len(l.Moves) + 1)
			e.Samples += int64(l.SampleCount())
			for _, label := range labels.Labels {
				if label.Status == dataset.Labelled || label.Status == dataset.Terminal {
					e.Labelled++
				}
			}
		}
	}
	e.Read, positions = 1, e.Positions
	if read := ingest.ReadUpTo(r, in.RawRead(), e.Bytes); !whole && read < e.Bytes {
		e.Read = float64(read) / float64(e.Bytes)
		for _, n := range []*int64{&e.Games, &e.Positions, &e.Samples, &e.Labelled, &e.Rejected} {
			*n = int64(float64(*n) / e.Read)
		}
	}
	return e, positions, nil
}

// estimate computes what follows from the counts, and says with what assumptions.
func (p Request) estimate(e *Estimate, how string) {
	samples := float64(e.Samples)
	e.ShardBytes = int64(float64(e.Positions) * e.BytesPerPosition)
	cores := max(p.IngestCores, 1)
	if e.IngestSeconds > 0 {
		e.IngestRate = float64(e.Positions) / (e.IngestSeconds * float64(cores))
	}
	e.IngestMemory = planIngestMemory + planCoreMemory*int64(cores) + planGameMemory*(e.Games+e.Rejected)
	unlabelled := samples - float64(e.Labelled)
	e.LabelHours = unlabelled * p.Movetime.Hours() * planOverhead / float64(max(p.Workers, 1))
	e.LabelBytes = e.ShardBytes + int64(samples*planLabelBytes)
	e.CheckpointBytes = p.Checkpoints
	e.DiskBytes = e.ShardBytes + e.LabelBytes + e.CheckpointBytes
	e.TempBytes = max(0, 8*e.Positions-dataset.KeysMemory)
	draws := fmt.Sprintf("%g epochs over %.0f %% of the samples", p.Epochs, 100*p.TrainShare)
	if p.Epochs == 1 {
		draws = strings.Replace(draws, "1 epochs", "one epoch", 1)
	}
	if e.TrainSteps = p.Steps; e.TrainSteps == 0 {
		e.TrainSteps = int64(math.Ceil(samples * p.TrainShare * p.Epochs / float64(p.Batch)))
	} else {
		draws = fmt.Sprintf("%s of %s", humanize.Count(p.Steps, "step"), humanize.Count(int64(p.Batch), "sample"))
	}
	e.TrainHours = float64(e.TrainSteps) * float64(p.Batch) / e.TrainRate / 3600
	e.TotalHours = e.IngestSeconds/3600 + e.LabelHours + e.TrainHours
	for _, r := range e.Readings {
		e.TotalHours += r.Seconds / 3600
	}
	e.TrainMemory = planLoaderMemory + 2*p.Loader.SampleBytes*min(int64(samples*p.TrainShare), p.Loader.GroupSamples)
	e.Assumptions = []string{
		fmt.Sprintf("the rest of each input is like its first %d MiB of text; copies of games and prefixes are not "+
			"subtracted", p.Sample>>20),
		fmt.Sprintf("ingest: %.1f million positions a second and core on %s, as with their beginning here; "+
			"%d MiB of memory, %d for each core, and %d bytes for each game; a zstd file with a window above 8 MB "+
			"takes twice that window more", e.IngestRate/1e6, humanize.Count(int64(cores), "core"),
			planIngestMemory>>20, planCoreMemory>>20, planGameMemory),
		"verify and stats: temporary files of 8 bytes for each position beyond the first 16 million; train needs " +
			"them only with --max-copies",
		"verify, stats, aggregate and start: as they took with the beginning of the inputs here, without labels",
		fmt.Sprintf("label: every sample without a label of its own is searched for %v with %s at work, each on its "+
			"own core, with %.0f %% lost between searches",
			p.Movetime, humanize.Count(int64(max(p.Workers, 1)), "engine"), 100*(planOverhead-1)),
		fmt.Sprintf("labels with one searched line take %.1f bytes each", planLabelBytes),
		fmt.Sprintf("train: %s at %s positions a second (%s), validations not included", draws,
			humanize.Thousands(int64(math.Round(e.TrainRate))), how),
		fmt.Sprintf("train memory covers only the loader (two groups of at most %s of one dataset, %d bytes each); "+
			"the network needs more", humanize.Count(p.Loader.GroupSamples, "sample"), p.Loader.SampleBytes),
	}
}

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
		Stated: unchecked, Beginning: p.Sample}.Run(ctx)
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
