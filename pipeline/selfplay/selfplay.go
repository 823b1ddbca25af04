// Package selfplay lets a network play against itself and stores what its searches found.
//
// A game begins with an opening, or with an endgame drawn at random. Every position is searched under a limit of nodes.
// What a network can learn from that is stored with the position: the policy of the search as whole weights from 0 to
// 255, its value as a label of a fingerprint of its own, and what the network alone had said as a prediction. The
// game's result stands with the line. Some searches may be fast ones ([Style.FastShare]), which give a value and no
// policy.
//
// A game is a function of the network, its backend, batch and kind of processor, the settings, the seed and the game's
// number. So neither the number of games at once nor interruptions change a byte, and machines that share nothing can
// play a part each ([dataset.Part], [Join]). Each game asks about one position at a time, and the positions of all
// games together fill the network's batches.
//
// [Request] says what to play and returns a [Summary]. Its goroutines end before it returns.
package selfplay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/humanize"
	"talbot/internal/ordered"
	"talbot/internal/output"
	"talbot/internal/progress"
	"talbot/internal/splitmix"
	"talbot/network/predict"
	"talbot/play/match"
	"talbot/play/mcts"
	"talbot/synth"
)

// Network is what plays.
type Network struct {
	dataset.Network                         // its identity, with backend and batch
	Evaluator       func() mcts.Evaluator   // one of its own for each game at once
	Centipawns      func(value float32) int // the score that a value stands for
	Counts          func() predict.Counts   // nil: not known
}

// Request makes a dataset of games of a network with itself.
type Request struct {
	output.Job
	Games     int64        // of the whole, all parts together
	Part      dataset.Part // of them to play: the numbers I, I+N, I+2N, …
	AtOnce    int          // games that are played at a time; 0: four times the batch
	Seed      uint64
	Style     Style
	Network   Network
	Processor string          // what the network's last digits depend on beside backend and batch
	Openings  []match.Opening // that games begin with, in turn; or else:
	Endgames  *synth.Drawer   // draws where a game begins
	Start     string          // what these are, for the manifest
	Tables    *Tables         // that end games; nil: none
	Splits    dataset.Splits
}

// Summary is what selfplay reports. The figures about evaluations are of this process.
type Summary struct {
	output.Summary
	Evaluations    int64   `json:"evaluations"`   // of positions by the network
	BatchFill      float64 `json:"batch_fill"`    // share of the batches' places that had a position
	NetworkShare   float64 `json:"network_share"` // share of the time in which the network computed
	GamesPerSecond float64 `json:"games_per_second"`
	Network        string  `json:"network"` // its checksum
	tally
}

// tally counts what the manifest does not.
type tally struct {
	Nodes int64            `json:"nodes"` // of all searches
	Ends  map[string]int64 `json:"ends"`  // games by how they ended
	// PlayedOn counts the games in which a side would have resigned but was not allowed to, and FalseResigns those
	// of them that this side did not lose.
	PlayedOn     int64 `json:"played_on"`
	FalseResigns int64 `json:"false_resigns"`
	Retracted    int64 `json:"retracted"` // illegal choices of a network without a search
}

// state is what progress.json keeps.
type state struct {
	Number int64 `json:"number"` // of the last game that is done
	tally
}

// block is how many games make a shard: what a kill costs at most beside the games under way. Where games are few,
// shards are small.
func block(games int64) int64 { return max(8, min(128, games/32)) }

// endsBlock reports whether a shard ends after a game when the next game's number is larger by step.
func endsBlock(number, step, games int64) bool {
	return (number-1)/block(games) != (number+step-1)/block(games)
}

// Run plays the games. Memory is about a megabyte for each game at once.
func (r Request) Run(ctx context.Context) (Summary, error) {
	begun := time.Now()
	if r.Part.N == 0 {
		r.Part = dataset.Part{I: 1, N: 1}
	}
	if r.AtOnce < 1 {
		r.AtOnce = 4 * max(r.Network.Batch, 1)
	}
	r.Network.Top = r.Style.Raw
	switch err := r.Style.Check(); {
	case err != nil:
		return Summary{}, err
	case r.Games < int64(r.Part.I):
		return Summary{}, fmt.Errorf("%s have no part %s", humanize.Count(r.Games, "game"), r.Part)
	case len(r.Openings) == 0 && r.Endgames == nil:
		return Summary{}, errors.New("nothing to begin games with")
	}
	m := r.manifest()
	p := &collection{Request: r, state: state{tally: tally{Ends: map[string]int64{}}}, begun: begun}
	var err error
	identity := []any{m.Fingerprints, m.Networks}
	if p.out, err = output.Open(m, identity, output.Options{Job: r.Job, State: &p.state}); err != nil {
		return Summary{}, err
	}
	defer p.out.Close()
	p.keptBefore = p.out.Manifest().Counts.GamesKept
	p.kept = p.keptBefore
	if err := p.play(ctx); err != nil {
		return Summary{}, err
	}
	p.out.Manifest().Inputs[0].Games = p.out.Manifest().Counts.GamesRead
	if err := p.out.Finish(nil); err != nil {
		return Summary{}, err
	}
	s := Summary{Summary: p.out.Summary(begun), tally: p.state.tally, Network: r.Network.Checkpoint}
	took := time.Since(begun).Seconds()
	s.GamesPerSecond = float64(s.GamesKept-p.keptBefore) / took
	if c := p.counts(); c.Places > 0 {
		s.Evaluations, s.BatchFill = c.Evaluations, float64(c.Evaluations)/float64(c.Places)
		s.NetworkShare = c.Busy.Seconds() / took
	}
	return s, nil
}

// manifest is what is known before the first game.
func (r *Request) manifest() dataset.Manifest {
	if r.Style.alone() {
		r.Style.Nodes = 1
	}
	nodes := strconv.FormatInt(r.Style.Nodes, 10)
	flags, options := r.Style.tags(), r.Style.tags()
	flags.Add(true, "games", strconv.FormatInt(r.Games, 10))
	flags.Add(true, "start", r.Start)
	flags.Add(true, "nodes", nodes)
	flags.Add(true, "processor", r.Processor)
	if r.Tables != nil {
		flags.Add(true, "tables", r.Tables.Identity)
		options.Add(true, "tables", r.Tables.Identity)
	}
	flags.Add(r.Part.N > 1, output.PartFlag, r.Part.String())
	print := dataset.Fingerprint{Engine: "talbot selfplay", Build: r.Network.Checkpoint[:min(16,
		len(r.Network.Checkpoint))], Options: options, Limit: "nodes " + nodes}
	prints := []dataset.Fingerprint{print}
	if r.Style.alone() {
		prints = nil
	}
	return dataset.Manifest{Verb: Verb, Seed: r.Seed, Splits: r.Splits, Flags: flags,
		Fingerprints: prints, Networks: []dataset.Network{r.Network.Network},
		Inputs: []dataset.Input{{Name: Verb, Network: true}}}
}

// Verb is the verb of manifests.
const Verb = "selfplay"

// collection is the work under way.
type collection struct {
	Request
	out   *output.Folder
	state state
	begun time.Time
	nodes atomic.Int64 // searched by this process, games under way included

	reporting        sync.Mutex
	reported         time.Time
	kept, keptBefore int64 // games that are stored, and those before this process
}

// player is what one of the games at once has of its own.
type player struct {
	evaluator mcts.Evaluator
	endgames  *synth.Drawer
}

func (p *collection) counts() (c predict.Counts) {
	if p.Network.Counts != nil {
		c = p.Network.Counts()
	}
	return c
}

// play takes the games in the order of their numbers while others are played.
func (p *collection) play(ctx context.Context) error {
	step := int64(p.Part.N)
	number := p.state.Number
	if number == 0 {
		number = int64(p.Part.I) - step
	}
	left := (p.Games - number) / step
	if left == 0 {
		return nil
	}
	players := make([]player, min(int64(p.AtOnce), left))
	for i := range players {
		players[i].evaluator = p.Network.Evaluator()
		if p.Endgames != nil {
			players[i].endgames = p.Endgames.Clone()
		}
	}
	next := func() (int64, error) {
		if number += step; number > p.Games {
			return 0, io.EOF
		}
		return number, nil
	}
	for line, err := range ordered.Each(ctx, len(players), 4*len(players), next,
		func(worker int, n int64) (dataset.Line, error) {
			from, err := p.opening(players[worker].endgames, n)
			if err != nil {
				return dataset.Line{}, err
			}
			return p.game(ctx, players[worker].evaluator, n, from)
		}) {
		if err != nil {
			return err
		}
		if err := p.add(&line); err != nil {
			return err
		}
		p.report(true)
	}
	return nil
}

// report tells how far the work is: after each game, and after a search once a second, as the first games may take
// long.
func (p *collection) report(game bool) {
	if p.Progress == nil {
		return
	}
	p.reporting.Lock()
	defer p.reporting.Unlock()
	if game { // only the goroutine that stores games reads the folder's counts
		p.kept = p.out.Manifest().Counts.GamesKept
	} else if time.Since(p.reported) < time.Second {
		return
	}
	p.reported = time.Now()
	part := (p.Games + int64(p.Part.N-p.Part.I)) / int64(p.Part.N)
	note := humanize.Count(p.nodes.Load(), "node")
	if c := p.counts(); c.Places > 0 {
		note = fmt.Sprintf("%s/s, batches %.0f %% full", humanize.Count(int64(float64(c.Evaluations)/
			time.Since(p.begun).Seconds()), "evaluation"), 100*float64(c.Evaluations)/float64(c.Places))
	}
	p.Progress(progress.Progress{Verb: Verb, Unit: "games", Count: p.kept, First: p.keptBefore, Done: p.kept,
		Total: part, Rate: p.kept - p.keptBefore, Note: note})
}

// opening is the beginning of game n.
func (p *collection) opening(endgames *synth.Drawer, n int64) (dataset.Line, error) {
	if endgames == nil {
		o := p.Openings[(splitmix.Mix(p.Seed)+uint64(n))%uint64(len(p.Openings))]
		return dataset.Line{Start: o.Start, Moves: o.Moves}, nil
	}
	x := endgames.Draw(n)
	if !x.OK {
		return dataset.Line{}, fmt.Errorf("no position of %s to begin game %d with", x.Class, n)
	}
	return x.Line, nil
}

// add stores a game.
func (p *collection) add(line *dataset.Line) error {
	s := &p.state
	s.Number = line.Number
	s.Ends[line.Tag("End")]++
	if p.Style.alone() {
		s.Nodes += int64(line.SampleCount())
		n, err := strconv.ParseInt(line.Tag(retractedTag), 10, 64)
		if err != nil {
			return err
		}
		s.Retracted += n
	} else {
		for i := range line.Labels[0].Labels {
			s.Nodes += line.Labels[0].Labels[i].Lines[0].Nodes
		}
	}
	if side := line.Tag("Resigned"); side != "" && line.Tag("End") != string(match.ByResign) {
		s.PlayedOn++
		if lost := match.Winner(board.White, side != board.White.String()); line.Result != lost {
			s.FalseResigns++
		}
	}
	if err := p.out.Write(line); err != nil {
		return err
	}
	if endsBlock(s.Number, int64(p.Part.N), p.Games) {
		return p.out.EndShard()
	}
	return nil
}

// Text returns the summary of a dataset as lines.
func (sum *Summary) Text(out string) string {
	var t humanize.Text
	sum.Head(&t, out, "sample")
	humanize.Counts(&t, "ended by", sum.Ends)
	if sum.PlayedOn > 0 {
		t.Line("  played on where a side would have resigned: %s, which was wrong in %s\n",
			humanize.Thousands(sum.PlayedOn), humanize.Thousands(sum.FalseResigns))
	}
	if sum.Retracted > 0 {
		t.Line("  illegal choices, taken back: %s of %s\n", humanize.Thousands(sum.Retracted),
			humanize.Thousands(sum.Samples))
	}
	if sum.Evaluations > 0 {
		t.Line("  %s/s, batches %.0f %% full, %.0f %% of the time in the network\n",
			humanize.Count(int64(float64(sum.Evaluations)/sum.Seconds), "evaluation"), 100*sum.BatchFill,
			100*sum.NetworkShare)
	}
	return t.String()
}
