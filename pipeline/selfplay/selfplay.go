package selfplay

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/ordered"
	"talbot/pipeline"
	"talbot/pipeline/output"
	"talbot/play/game"
	"talbot/play/mcts"
	"talbot/synth"
)

// Network is what plays.
type Network struct {
	dataset.Network                         // who it is, with backend and batch
	Evaluator       func() mcts.Evaluator   // one of its own for a game at a time
	Centipawns      func(value float32) int // the score that a value stands for
	// Counts are the batches that were computed, the places in them, how many of these were asked for, and the time that
	// took; nil: not known.
	Counts func() (batches, places, asked int64, busy time.Duration)
}

// Request makes a dataset of games of a network with itself.
type Request struct {
	Games         int64
	AtOnce        int // games that are played at a time; 0: four times the batch
	Seed          uint64
	Style         Style
	Network       Network
	Openings      []game.Opening // that games begin with, in turn; or else:
	Endgames      *synth.Drawer  // draws where a game begins
	Start         string         // what these are, for the manifest
	Out           string
	Splits        dataset.Splits
	ResumeCommand string // the command line that continues an interrupted run, for messages
	Progress      func(pipeline.Progress)
	Warn          func(error) // gets errors that do not stop the work; may be nil
}

// Summary is what selfplay reports.
type Summary struct {
	output.Summary
	Nodes        int64            `json:"nodes"`         // of all searches
	BatchFill    float64          `json:"batch_fill"`    // share of the batches that was asked for, in this process
	NetworkShare float64          `json:"network_share"` // of the time that the network computed, likewise
	Network      string           `json:"network"`       // its checksum
	Ends         map[string]int64 `json:"ends"`          // games by how they ended
	// PlayedOn counts the games in which a side would have resigned and nobody was allowed to, and FalseResigns those of
	// them that this side did not lose.
	PlayedOn     int64 `json:"played_on"`
	FalseResigns int64 `json:"false_resigns"`
}

// state is what progress.json keeps.
type state struct {
	Number       int64            `json:"number"` // games up to this number are done
	Nodes        int64            `json:"nodes"`
	Ends         map[string]int64 `json:"ends"`
	PlayedOn     int64            `json:"played_on"`
	FalseResigns int64            `json:"false_resigns"`
}

// shardGames is how many games a shard is of, and so what a kill costs at most beside the games under way.
func shardGames(games int64) int64 { return max(16, min(512, games/32)) }

// Run plays games 1 to Games. Memory is about 0.5 MB for each game at once.
func (r Request) Run(ctx context.Context) (Summary, error) {
	begun := time.Now()
	switch err := r.Style.Check(); {
	case err != nil:
		return Summary{}, err
	case r.Games < 1:
		return Summary{}, fmt.Errorf("number of games must be at least 1: %d", r.Games)
	case len(r.Openings) == 0 && r.Endgames == nil:
		return Summary{}, errors.New("nothing to begin games with")
	}
	if r.AtOnce < 1 {
		r.AtOnce = 4 * max(r.Network.Batch, 1)
	}
	r.Network.Top = r.Style.Raw
	print := dataset.Fingerprint{Engine: "talbot selfplay", Build: r.Network.Checkpoint[:min(16,
		len(r.Network.Checkpoint))], Options: r.Style.tags(), Limit: "nodes " + strconv.FormatInt(r.Style.Nodes, 10)}
	p := &collection{Request: r, state: state{Ends: map[string]int64{}}}
	m := dataset.Manifest{Verb: "selfplay", Seed: r.Seed, Splits: r.Splits, Fingerprints: []dataset.Fingerprint{print},
		Networks: []dataset.Network{r.Network.Network},
		Flags: append(r.Style.tags(), dataset.Tag{Name: "games", Value: strconv.FormatInt(r.Games, 10)},
			dataset.Tag{Name: "start", Value: r.Start}, dataset.Tag{Name: "nodes",
				Value: strconv.FormatInt(r.Style.Nodes, 10)}),
		Inputs: []dataset.Input{{Name: "selfplay", Engine: true}}}
	var err error
	if p.out, err = output.Open(r.Out, m, []any{print, r.Network.Network}, output.Options{State: &p.state,
		ResumeCommand: r.ResumeCommand, Warn: r.Warn}); err != nil {
		return Summary{}, err
	}
	defer p.out.Close()
	if err := p.play(ctx); err != nil {
		return Summary{}, err
	}
	p.out.Manifest().Inputs[0].Games = p.out.Manifest().Counts.GamesRead
	if err := p.out.Finish(nil); err != nil {
		return Summary{}, err
	}
	s := Summary{Summary: p.out.Summary(begun), Nodes: p.state.Nodes, Network: r.Network.Checkpoint,
		Ends: p.state.Ends, PlayedOn: p.state.PlayedOn, FalseResigns: p.state.FalseResigns}
	if r.Network.Counts != nil {
		if _, places, asked, busy := r.Network.Counts(); places > 0 {
			s.BatchFill = float64(asked) / float64(places)
			s.NetworkShare = busy.Seconds() / time.Since(begun).Seconds()
		}
	}
	return s, nil
}

// collection is the work under way.
type collection struct {
	Request
	out   *output.Folder
	state state
}

// seat is what one of the games at once has of its own.
type seat struct {
	evaluator mcts.Evaluator
	endgames  *synth.Drawer
}

// play takes the games in the order of their numbers while others are played.
func (p *collection) play(ctx context.Context) error {
	number, before := p.state.Number, p.state.Number
	if number == p.Games {
		return nil
	}
	seats := make([]seat, p.AtOnce)
	for i := range seats {
		seats[i].evaluator = p.Network.Evaluator()
		if p.Endgames != nil {
			seats[i].endgames = p.Endgames.Clone()
		}
	}
	next := func() (int64, error) {
		number++
		return number, nil
	}
	for line, err := range ordered.Each(ctx, p.AtOnce, 4*p.AtOnce, next, func(worker int, n int64) (dataset.Line, error) {
		from, err := p.opening(seats[worker].endgames, n)
		if err != nil || n > p.Games {
			return dataset.Line{}, err
		}
		return play(ctx, p.Style, &p.Network, seats[worker].evaluator, p.Seed, n, from)
	}) {
		if err != nil {
			return err
		}
		if err := p.add(&line); err != nil || p.state.Number == p.Games {
			return err
		}
		if p.Progress != nil {
			c := &p.out.Manifest().Counts
			p.Progress(pipeline.Progress{Verb: "selfplay", Unit: "games", Count: c.GamesKept, First: before,
				Done: c.GamesKept, Total: p.Games, Rate: c.GamesKept - before,
				Note: pipeline.Count(c.Samples, "position")})
		}
	}
	return nil
}

// opening is where game n begins.
func (p *collection) opening(endgames *synth.Drawer, n int64) (o opening, err error) {
	if endgames == nil {
		o.Opening = p.Openings[(game.Mix(p.Seed)+uint64(n))%uint64(len(p.Openings))]
		return o, nil
	}
	x := endgames.Draw(n)
	if !x.OK {
		return o, fmt.Errorf("no position of %s to begin game %d with", x.Class, n)
	}
	o.Start, o.Moves, o.reconstructed = x.Line.Start, x.Line.Moves, x.Line.Reconstructed
	return o, nil
}

// add stores a game.
func (p *collection) add(line *dataset.Line) error {
	s := &p.state
	s.Number = line.Number
	s.Ends[line.Tag("End")]++
	for i := range line.Labels[0].Labels {
		s.Nodes += line.Labels[0].Labels[i].Lines[0].Nodes
	}
	if side := line.Tag("Resigned"); side != "" && line.Tag("End") != string(game.ByResign) {
		s.PlayedOn++
		if lost := game.Winner(board.White, side != board.White.String()); line.Result != lost {
			s.FalseResigns++
		}
	}
	if err := p.out.Write(line); err != nil {
		return err
	}
	if s.Number%shardGames(p.Games) == 0 {
		return p.out.EndShard()
	}
	return nil
}
