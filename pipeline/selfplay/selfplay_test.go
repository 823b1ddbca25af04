package selfplay_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"talbot/board"
	"talbot/dataset"
	"talbot/encode"
	"talbot/internal/output"
	"talbot/internal/testkit"
	"talbot/internal/testkit/madeup"
	"talbot/pipeline/selfplay"
	"talbot/play/match"
	"talbot/play/mcts"
	"talbot/shards"
	"talbot/synth"
	"talbot/tablebase/mates"
)

// knowing is a network that counts material and likes moves by a hash.
type knowing struct {
	slots []mcts.Evaluation
}

func (k *knowing) Batch() int { return 1 }

func (k *knowing) Sizes() []int { return []int{1} }

func (k *knowing) History() int { return 0 }

func (k *knowing) Capabilities() mcts.Capabilities {
	return mcts.Capabilities{Prior: true, Value: true}
}

func (k *knowing) Put(i int, g *board.Game, legal []board.Move) {
	p := g.Position()
	a := mcts.Evaluation{}
	for sq := range board.Square(64) {
		piece := p.PieceAt(sq)
		worth := [...]float32{0, 0.1, 0.3, 0.3, 0.5, 0.9, 0}[piece.Type()]
		if piece != board.NoPiece && piece.Color() != p.Turn() {
			worth = -worth
		}
		a.Value += worth / 2
	}
	a.Value = max(-0.9, min(0.9, a.Value))
	for _, m := range legal {
		a.Prior = append(a.Prior, -3-float32((p.Key()^uint64(m)*0x9e3779b97f4a7c15)>>60)/8)
	}
	k.slots = []mcts.Evaluation{a}
}

func (k *knowing) Evaluate(ctx context.Context, answers []mcts.Evaluation) error {
	copy(answers, k.slots)
	return ctx.Err()
}

func TestMain(m *testing.M) {
	testkit.Main(m, func(ctx context.Context, j job) error {
		output.SmallShards(testkit.Forever{}, 1500)
		return j.run(ctx)
	})
}

// job plays games of a made-up network, and is killed.
type job struct {
	Out     string
	Count   int64
	Workers int
}

func (j job) run(ctx context.Context) error {
	r, err := request(j.Out, j.Count, j.Workers)
	if err == nil {
		_, err = r.Run(ctx)
	}
	return err
}

func request(out string, count int64, atOnce int) (selfplay.Request, error) {
	c := synth.DefaultConfig()
	c.Seed, c.Pieces = 3, synth.PieceWeights{}
	var err error
	if c.Materials, err = synth.ParseMaterials("KQQvK,KRRvK,KQvK"); err != nil {
		return selfplay.Request{}, err
	}
	drawer, err := synth.NewDrawer(c)
	style := selfplay.DefaultStyle()
	style.Nodes, style.FastShare, style.FastNodes, style.Resign, style.MostPlies = 12, 0.4, 4, 0.8, 30
	return selfplay.Request{Games: count, AtOnce: atOnce, Seed: 3, Style: style, Endgames: drawer, Start: "endgames",
		Network: selfplay.Network{Network: dataset.Network{Recipe: "knowing", Checkpoint: "0123456789abcdef0123",
			Backend: "go", Batch: 1, Prior: true, Value: true},
			Evaluator:  func() mcts.Evaluator { return new(knowing) },
			Centipawns: func(v float32) int { return int(1000 * v) }},
		Processor: "any", Out: out, Splits: dataset.DefaultSplits}, err
}

// TestSelfPlay: the bytes depend neither on the number of games at once, nor on kills, nor on parts that are joined.
func TestSelfPlay(t *testing.T) {
	output.SmallShards(t, 1500)
	dir := t.TempDir()
	j := job{Out: filepath.Join(dir, "one"), Count: 100, Workers: 1}
	testkit.OK(t, j.run(t.Context()))
	madeup.Verify(t, j.Out)
	for _, workers := range []int{8, 64} {
		other := j
		other.Workers, other.Out = workers, filepath.Join(dir, fmt.Sprint(workers))
		testkit.OK(t, other.run(t.Context()))
		testkit.Same(t, j.Out, other.Out)
	}
	rounds := 3
	if testkit.Full() {
		rounds = 20
	}
	killed := j
	killed.Out, killed.Workers = filepath.Join(dir, "killed"), 8
	testkit.KillUntilDone(t, killed, killed.Out, rounds, 150*time.Millisecond, killed.run)
	testkit.Same(t, j.Out, killed.Out)

	var parts []string
	for _, i := range []int{3, 1, 2} {
		r, err := request(filepath.Join(dir, fmt.Sprint("part", i)), j.Count, 8)
		r.Part = dataset.Part{I: i, N: 3}
		if err == nil {
			_, err = r.Run(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, r.Out)
	}
	joined := filepath.Join(dir, "joined")
	testkit.Value(selfplay.Join(t.Context(), output.Join{Parts: parts, Out: joined}))(t)
	testkit.Same(t, j.Out, joined)
	other := testkit.Value(request(filepath.Join(dir, "foreign"), j.Count, 8))(t)
	other.Part, other.Processor = dataset.Part{I: 3, N: 3}, "another"
	testkit.Run(t, other)
	for name, list := range map[string][]string{"two": parts[:2], "one twice": {parts[0], parts[1], parts[1]},
		"whole": {j.Out}, "another processor": {other.Out, parts[1], parts[2]}} {
		if _, err := selfplay.Join(t.Context(), output.Join{Parts: list,
			Out: filepath.Join(dir, "x")}); !errors.Is(err, output.ErrParts) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSelfPlayCut: with Truncate the games that are cut, and only these, have no result, and all else stays the same.
// With BestValue the moves do, and values are higher, as a mean has bad moves in it.
func TestSelfPlayCut(t *testing.T) {
	play := func(change func(*selfplay.Style)) []*dataset.Line {
		r := testkit.Value(request(filepath.Join(t.TempDir(), "x"), 40, 8))(t)
		r.Style.MostPlies = 8
		change(&r.Style)
		testkit.Run(t, r)
		var lines []*dataset.Line
		for _, l := range madeup.Each(t, r.Out) {
			lines = append(lines, l)
		}
		return lines
	}
	plain := play(func(*selfplay.Style) {})
	cut := play(func(s *selfplay.Style) { s.Truncate = true })
	best := play(func(s *selfplay.Style) { s.BestValue = true })
	unknown, sum := 0, 0
	for i, l := range cut {
		if l.Result == dataset.ResultUnknown {
			unknown++
		}
		long := l.Tag("End") == string(match.ByLength)
		if long != (l.Result == dataset.ResultUnknown) || !long && l.Result != plain[i].Result ||
			!slices.Equal(l.Moves, plain[i].Moves) || !slices.Equal(l.Moves, best[i].Moves) {
			t.Errorf("game %d: %s, %v and %v", l.Number, l.Tag("End"), plain[i].Result, l.Result)
		}
		for k := range l.Labels[0].Labels {
			value := func(l *dataset.Line) int {
				x := l.Labels[0].Labels[k].Lines[0].WDL
				return int(x.Win) - int(x.Loss)
			}
			sum += value(best[i]) - value(plain[i])
		}
	}
	if unknown < 5 || unknown > len(cut)-5 || sum <= 0 {
		t.Errorf("%d of %d games without a result, values %d higher", unknown, len(cut), sum)
	}
}

// TestSelfPlayLines: what is stored is what a search found, and what is learnt from it what it says: a sample of a full
// search has a legal policy of whole weights, one of a fast search none, whatever else its line has.
func TestSelfPlayLines(t *testing.T) {
	r := testkit.Value(request(filepath.Join(t.TempDir(), "x"), 60, 8))(t)
	r.Style.FastShare = 0.85 // so that some games have fast searches alone
	sum := testkit.Run(t, r)
	fast, full, mates, without, nodes, resigned, playedOn, wrong := 0, 0, 0, 0, int64(0), 0, int64(0), int64(0)
	ends := map[string]int64{}
	for _, line := range madeup.Each(t, r.Out) {
		testkit.OK(t, line.Check())
		if line.Source != dataset.SourceSelfPlay || line.Result == dataset.ResultUnknown {
			t.Fatalf("game %d: %v, result %v", line.Number, line.Source, line.Result)
		}
		ends[line.Tag("End")]++
		if line.Tag("End") == "checkmate" {
			mates++
		}
		if side := line.Tag("Resigned"); side != "" {
			lost := dataset.WhiteWins
			if side == "white" {
				lost = dataset.BlackWins
			}
			if line.Tag("End") == string(match.ByResign) {
				resigned++
				if line.Result != lost {
					t.Errorf("game %d: %s resigned, result %v", line.Number, side, line.Result)
				}
			} else if playedOn++; line.Result != lost {
				wrong++
			}
		}
		if len(line.Predictions) != 1 || len(line.Predictions[0].Predictions) != line.SampleCount() {
			t.Fatal("samples without what the network said")
		}
		if dataset.HasNoTarget(line.Policies) {
			without++
		}
		var walker dataset.Walker
		var view encode.View
		walker.Reset(line)
		for walker.Next() {
			i := walker.Sample()
			if i < 0 {
				continue
			}
			l := &line.Labels[0].Labels[i]
			nodes += l.Lines[0].Nodes
			view.Visit(&walker, dataset.Counted{Moves: *l, Value: *l})
			target := encode.Policy(nil, encode.TalbotBot{}, encode.Targets{}, &view)
			if len(line.Policies[i]) == 0 {
				fast++
				if l.Lines[0].Nodes > r.Style.FastNodes || len(target) > 0 {
					t.Errorf("game %d: a search of %d nodes without a policy teaches %v", line.Number,
						l.Lines[0].Nodes, target)
				}
				continue
			}
			full++
			best := float32(0)
			for k, m := range line.Policies[i] {
				if best = max(best, m.Weight); m.Weight != float32(int(m.Weight)) || m.Weight < 1 || m.Weight > 255 ||
					target[k].Move != m.Move {
					t.Errorf("game %d: weight %v of %v, learnt as %v", line.Number, m.Weight, m.Move, target[k])
				}
			}
			if best != 255 {
				t.Errorf("game %d: the best weight is %v", line.Number, best)
			}
		}
	}
	if mates == 0 || fast < 3*full || full == 0 || without == 0 || resigned == 0 {
		t.Errorf("%d mates, %d fast and %d full searches, %d games without a policy, %d resigned", mates, fast, full,
			without, resigned)
	}
	if sum.Nodes != nodes || !maps.Equal(sum.Ends, ends) || sum.PlayedOn != playedOn || sum.FalseResigns != wrong {
		t.Errorf("%+v, found %d nodes, ends %v, %d played on, %d wrong", sum, nodes, ends, playedOn, wrong)
	}
}

// TestSelfPlayTables: a game ends at the first position that tables know, with their result, and the tables' content is
// a setting. They are read by one game at a time.
func TestSelfPlayTables(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "games")
	r := testkit.Value(request(dir, 40, 8))(t)
	r.Endgames = testkit.Value(synth.NewDrawer(drawn(t, "KQQvK,KRRvK,KQvKR")))(t)
	var asked, at int32
	r.Tables = &selfplay.Tables{Identity: "0123", Pieces: mates.Pieces,
		Probe: func(_ context.Context, p *board.Position) (dataset.Class, bool, error) {
			if atomic.AddInt32(&at, 1) > 1 {
				t.Error("two questions at a time")
			}
			defer atomic.AddInt32(&at, -1)
			asked++
			if p.Occupied().Len() > mates.Pieces {
				t.Errorf("asked about %s", p.FEN())
			}
			a, ok := mates.Find(p)
			return a.Class, ok, nil
		}}
	r.Style.Resign = 0
	sum := testkit.Run(t, r)
	madeup.Verify(t, dir)
	ended := sum.Ends[string(match.ByTables)]
	if ended < 5 || asked < int32(ended) {
		t.Errorf("%d games ended by tables, %d questions: %v", ended, asked, sum.Ends)
	}
	d := testkit.Value(shards.OpenDataset(dir))(t)
	defer d.Close()
	if !slices.Contains(d.Manifest.Flags, dataset.Tag{Name: "tables", Value: "0123"}) ||
		!slices.Contains(d.Manifest.Fingerprints[0].Options, dataset.Tag{Name: "tables", Value: "0123"}) {
		t.Errorf("the tables are no setting: %v", d.Manifest.Flags)
	}
	for line, err := range d.Lines() {
		if err != nil {
			t.Fatal(err)
		}
		g := board.NewGame(line.Start)
		for i, m := range line.Moves {
			if _, known := mates.Find(g.Position()); known && i >= line.Reconstructed {
				t.Errorf("game %d goes on from %s", line.Number, g.Position().FEN())
			}
			g.Push(m)
		}
		if line.Tag("End") != string(match.ByTables) {
			continue
		}
		want := dataset.Draw
		if a, _ := mates.Find(g.Position()); a.Class != dataset.Drawn {
			want = match.Winner(g.Position().Turn(), a.Class == dataset.Won)
		}
		if line.Result != want {
			t.Errorf("game %d is %s, want %s", line.Number, line.Result, want)
		}
	}
	r.Existing = output.Skip
	if _, err := r.Run(t.Context()); !errors.Is(err, output.ErrDone) {
		t.Errorf("the same tables: %v", err)
	}
	tables := r.Tables
	for _, other := range []*selfplay.Tables{nil, {Identity: "4567", Pieces: tables.Pieces, Probe: tables.Probe}} {
		r.Tables = other
		if _, err := r.Run(t.Context()); !errors.Is(err, output.ErrDifferent) ||
			!strings.Contains(err.Error(), "tables: 0123, not ") {
			t.Errorf("other tables: %v", err)
		}
	}
	r.Tables, r.Existing = tables, output.Refuse
	r.Endgames = testkit.Value(synth.NewDrawer(drawn(t, "KQvK")))(t)
	r.Out += "-known"
	if _, err := r.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "before the first search") {
		t.Errorf("starts that the tables know: %v", err)
	}
}

func drawn(t *testing.T, materials string) synth.Config {
	c := synth.DefaultConfig()
	c.Seed, c.Pieces = 3, synth.PieceWeights{}
	var err error
	if c.Materials, err = synth.ParseMaterials(materials); err != nil {
		t.Fatal(err)
	}
	return c
}

// choosing is a network without values that favours an illegal move in some positions.
type choosing struct{ knowing }

func (c *choosing) Capabilities() mcts.Capabilities { return mcts.Capabilities{Prior: true} }

func (c *choosing) Put(i int, g *board.Game, legal []board.Move) {
	c.knowing.Put(i, g, legal)
	c.slots[0].Value, c.slots[0].Illegal = 0, g.Position().Key()%3 == 0
}

// TestSelfPlayAlone: a network without a search plays its own choices; where one was illegal the most probable legal
// move is played, and the sample has no policy. There are no labels, and the bytes depend on nothing else.
func TestSelfPlayAlone(t *testing.T) {
	dir := t.TempDir()
	var sum selfplay.Summary
	for _, atOnce := range []int{1, 8} {
		r := testkit.Value(request(filepath.Join(dir, fmt.Sprint(atOnce)), 40, atOnce))(t)
		r.Style = selfplay.DefaultStyle()
		r.Style.Searcher, r.Style.MostPlies, r.Style.Options.Temperature = "policy", 30, 1
		r.Network.Value, r.Network.Evaluator = false, func() mcts.Evaluator { return new(choosing) }
		sum = testkit.Run(t, r)
		madeup.Verify(t, r.Out)
	}
	testkit.Same(t, filepath.Join(dir, "1"), filepath.Join(dir, "8"))
	d := testkit.Value(shards.OpenDataset(filepath.Join(dir, "1")))(t)
	defer d.Close()
	retracted, chosen := int64(0), 0
	for line, err := range d.Lines() {
		if err != nil {
			t.Fatal(err)
		}
		if len(line.Labels) > 0 {
			t.Fatal("a label of no search")
		}
		g := board.NewGame(line.Start)
		k := 0
		for ply, m := range line.Moves {
			if line.Samples.Has(ply, len(line.Moves)) {
				illegal := g.Position().Key()%3 == 0
				if illegal {
					retracted++
				}
				var policy []dataset.WeightedMove
				if line.Policies != nil {
					policy = line.Policies[k]
				}
				first := line.PredictionsOf(0)[k].Moves[0]
				switch {
				case illegal && (len(policy) > 0 || m != first.Move && first.Prior != priorOf(line, k, m)):
					t.Errorf("game %d, ply %d: %v, policy %v after an illegal choice", line.Number, ply, m, policy)
				case !illegal && (len(policy) != 1 || policy[0].Move != m):
					t.Errorf("game %d, ply %d: %v, policy %v", line.Number, ply, m, policy)
				case !illegal && m != first.Move:
					chosen++
				}
				k++
			}
			g.Push(m)
		}
	}
	if retracted == 0 || retracted != sum.Retracted || chosen == 0 || sum.Nodes != sum.Samples {
		t.Errorf("%d illegal choices, %d drawn: %+v", retracted, chosen, sum)
	}
}

// priorOf is the prior of a move among those that are kept, or one that no move has.
func priorOf(line *dataset.Line, sample int, m board.Move) dataset.QuantizedPrior {
	for _, x := range line.PredictionsOf(0)[sample].Moves {
		if x.Move == m {
			return x.Prior
		}
	}
	return math.MaxUint16
}
