package label

import (
	"context"
	"fmt"
	"slices"
	"time"

	"talbot/dataset"
	"talbot/internal/progress"
	"talbot/shards"
	"talbot/stockfish"
)

// measureSamples is how many positions a measurement searches, at most.
const measureSamples = 400

// MeasureNodes measures how many nodes a move time is worth on this machine, with as many engines as will label. Engine
// has a time limit.
type MeasureNodes struct {
	Dir      string // dataset whose samples are searched, spread over all of it
	Engine   stockfish.Config
	Workers  int // 0 = physical cores
	Progress func(progress.Progress)
}

// NodeMeasure is the result of a measurement. Nodes are those of the first searched line.
type NodeMeasure struct {
	Engine          string  `json:"engine"`
	Limit           string  `json:"limit"`
	Workers         int     `json:"workers"`
	Positions       int     `json:"positions"`
	MillisPerSearch float64 `json:"ms_per_search"` // an engine's time for a position under the time limit
	NodesMedian     int64   `json:"nodes_median"`  // that the time limit gives
	NodesMean       int64   `json:"nodes_mean"`    //
	NodesLow        int64   `json:"nodes_low"`     // a tenth of the positions gets less
	NodesHigh       int64   `json:"nodes_high"`    // a tenth gets more
	DepthMean       float64 `json:"depth_mean"`    //
	Nodes           int64   `json:"nodes"`         // whose searches take as long, the answer
	// measured: an engine's time for a position with that limit and a fresh hash
	MillisAtNodes   float64 `json:"ms_at_nodes"`
	DepthAtNodes    float64 `json:"depth_at_nodes"`   //
	PositionsPerDay int64   `json:"positions_a_day"`  // of all workers, with that limit
	PerSecond       float64 `json:"nodes_per_second"` // of one engine
}

// Run searches the same positions under the time limit, each with a fresh hash, then under the number of nodes that
// this suggests, corrects it by the time that took, and searches them once more.
func (c MeasureNodes) Run(ctx context.Context) (NodeMeasure, error) {
	if c.Workers <= 0 {
		c.Workers = stockfish.DefaultWorkers()
	}
	jobs, err := c.positions()
	if err != nil {
		return NodeMeasure{}, err
	}
	c.Engine.Scope = stockfish.PositionScope
	timed, err := c.measure(ctx, c.Engine.Limit, jobs, 0)
	if err != nil {
		return NodeMeasure{}, err
	}
	out := NodeMeasure{Engine: timed.engine, Limit: c.Engine.Limit.String(), Workers: c.Workers,
		Positions:       len(timed.nodes),
		MillisPerSearch: timed.millis, NodesMean: mean(timed.nodes), DepthMean: timed.depth}
	slices.Sort(timed.nodes)
	at := func(share float64) int64 { return timed.nodes[int(share*float64(len(timed.nodes)-1))] }
	out.NodesLow, out.NodesMedian, out.NodesHigh = at(0.1), at(0.5), at(0.9)
	out.Nodes = out.NodesMean
	out.PerSecond = float64(out.NodesMean) / timed.millis * 1000
	for round := 1; round <= 2; round++ {
		counted, err := c.measure(ctx, stockfish.Nodes(out.Nodes), jobs, round)
		if err != nil {
			return NodeMeasure{}, err
		}
		out.MillisAtNodes, out.DepthAtNodes = counted.millis, counted.depth
		out.PositionsPerDay = int64(float64(c.Workers) * 86400e3 / counted.millis)
		if round == 1 {
			out.Nodes = roundNodes(float64(out.Nodes) * timed.millis / counted.millis)
		}
	}
	return out, nil
}

// roundNodes keeps two digits.
func roundNodes(n float64) int64 {
	unit := 1.0
	for n/unit >= 100 {
		unit *= 10
	}
	return max(1, int64(n/unit+0.5)*int64(unit))
}

func mean(list []int64) int64 {
	sum := int64(0)
	for _, n := range list {
		sum += n
	}
	return sum / int64(len(list))
}

// positions draws samples that are spread over the dataset.
func (c MeasureNodes) positions() ([]stockfish.Job, error) {
	d, err := shards.OpenDataset(c.Dir, shards.Moves)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	total := d.Manifest.Counts.Samples
	step := max(total/measureSamples, 1)
	var jobs []stockfish.Job
	next := int64(0)
	for line, err := range d.Lines() {
		if err != nil {
			return nil, err
		}
		j := stockfish.Job{Index: int64(len(jobs)), Start: line.Start, Moves: line.Moves}
		for _, ply := range line.Samples.Plies(nil, len(line.Moves)) {
			if next%step == step/2 && ply < terminalFrom(line) {
				j.Plies = append(j.Plies, ply)
			}
			next++
		}
		if len(j.Plies) > 0 {
			jobs = append(jobs, j)
		}
	}
	if len(jobs) == 0 {
		return nil, fmt.Errorf("%q has no position to search", c.Dir)
	}
	return jobs, nil
}

// measurement is what searching the positions took.
type measurement struct {
	engine string
	nodes  []int64
	depth  float64 // mean
	millis float64 // of an engine for each position
}

func (c MeasureNodes) measure(ctx context.Context, limit stockfish.Limit, jobs []stockfish.Job, round int) (measurement,
	error) {
	config := c.Engine
	config.Limit = limit
	pool, err := stockfish.NewPool(ctx, config, c.Workers)
	if err != nil {
		return measurement{}, err
	}
	defer pool.Close()
	m := measurement{engine: pool.Fingerprints()[0].Engine}
	all := 0
	for _, j := range jobs {
		all += len(j.Plies)
	}
	start := time.Now()
	err = pool.Label(ctx, slices.Values(jobs), func(r stockfish.Result) error {
		if r.Err != nil || r.Labels[0].Status != dataset.Labelled {
			return r.Err
		}
		m.nodes = append(m.nodes, r.Labels[0].Lines[0].Nodes)
		m.depth += float64(r.Labels[0].Lines[0].Depth)
		progress.Report(c.Progress, "calibrate", "searches", int64(round*all+len(m.nodes)), int64(3*all))
		return nil
	})
	if err == nil && len(m.nodes) == 0 {
		err = dataset.ErrNoLabels
	}
	if err != nil {
		return m, err
	}
	m.depth /= float64(len(m.nodes))
	m.millis = time.Since(start).Seconds() * 1000 * float64(c.Workers) / float64(len(m.nodes))
	return m, nil
}
