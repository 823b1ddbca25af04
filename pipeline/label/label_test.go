package label_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cespare/xxhash/v2"

	"talbot/board"
	"talbot/dataset"
	"talbot/fleet"
	"talbot/inspect/stats"
	"talbot/internal/output"
	"talbot/internal/progress"
	"talbot/internal/testkit"
	"talbot/internal/testkit/madeup"
	"talbot/pipeline/endgames"
	"talbot/pipeline/ingest"
	"talbot/pipeline/label"
	"talbot/stockfish"
	"talbot/synth"
)

func TestMain(m *testing.M) {
	testkit.Main(m, func(ctx context.Context, j job) error {
		output.SmallShards(testkit.Forever{}, 1500)
		engine, err := testkit.EngineInChild()
		if err != nil {
			return err
		}
		if j.Worker {
			return j.work(ctx, engine)
		}
		return j.run(ctx, engine)
	})
}

// job labels, alone or as a coordinator, or is a worker, and a test kills it.
type job struct {
	In, Out string
	Workers int
	Scope   stockfish.HashScope
	Worker  bool
	Share   fleet.Share // of a coordinator or worker
	Key     string      // file of a worker
	Lie     string      // of a worker's engines
}

func (j job) run(ctx context.Context, engine string) error {
	r := j.with(engine)
	if j.Share.JoinFile != "" {
		sharing(&r, j.Share)
	}
	_, err := r.Run(ctx)
	return err
}

// request is a labelling by the test's engine.
func (j job) request(t *testing.T) label.Request {
	t.Helper()
	return j.with(testkit.Engine(t))
}

func (j job) with(engine string) label.Request {
	return label.Request{In: j.In, Out: j.Out, Workers: j.Workers,
		Engine: stockfish.Config{Path: engine, Limit: stockfish.Nodes(100), Scope: j.Scope}}
}

// drawn draws endgames of some numbers of pieces; none given: of any.
func drawn(t *testing.T, dir string, count int64, pieces ...float64) string {
	t.Helper()
	c := synth.DefaultConfig()
	c.Seed = 1
	if pieces != nil {
		c.Pieces = synth.PieceWeights{}
		copy(c.Pieces[3:], pieces)
	}
	testkit.Run(t, endgames.Request{Count: count, Config: c, Out: dir, Splits: dataset.DefaultSplits,
		Workers: 2})
	return dir
}

const endgameCount = 1200

// TestLabel interrupts, resumes and counts.
func TestLabel(t *testing.T) {
	output.SmallShards(t, 1500)
	dir := t.TempDir()
	lines := drawn(t, filepath.Join(dir, "lines"), endgameCount)
	out := filepath.Join(dir, "labelled")
	l := job{In: lines, Out: out, Workers: 2}.request(t)
	ctx, cancel := context.WithCancel(t.Context())
	l.Progress = func(p progress.Progress) {
		if p.Count >= 400 {
			cancel()
		}
	}
	if _, err := l.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	l.Progress = nil
	sum := testkit.Run(t, l)
	if sum.Labelled+sum.Reused != endgameCount || sum.Reused < 400 || sum.Reused > 410 || sum.Failed != 0 ||
		sum.Utilisation != nil || !sum.Resumed {
		t.Errorf("%+v", sum)
	}
	if r := madeup.Verify(t, out); r.Labelled != endgameCount || r.Lines != endgameCount {
		t.Errorf("%+v", r)
	}

	t.Run("fraction", func(t *testing.T) {
		chosen := map[float64]map[string]bool{}
		for _, f := range []float64{0.1, 0.2} {
			l := l
			l.Out, l.Fraction = filepath.Join(dir, fmt.Sprint(f)), dataset.Fraction(f)
			sum := testkit.Run(t, l)
			if want := f * endgameCount; float64(sum.Labelled) < want-60 || float64(sum.Labelled) > want+60 {
				t.Errorf("%d labelled, want about %g", sum.Labelled, want)
			}
			if r := madeup.Verify(t, l.Out); r.Labelled != sum.Labelled {
				t.Errorf("%+v", r)
			}
			chosen[f] = labelledLines(t, l.Out)
		}
		for line := range chosen[0.1] {
			if !chosen[0.2][line] {
				t.Errorf("%s is labelled in a tenth but not in a fifth", line)
			}
		}
	})
	t.Run("same engine again", func(t *testing.T) {
		l := l
		l.In, l.Out = out, filepath.Join(dir, "again")
		sum := testkit.Run(t, l)
		if sum.Labelled != 0 || sum.Reused != endgameCount {
			t.Errorf("%+v", sum)
		}
	})
	t.Run("another fingerprint", func(t *testing.T) {
		l := l
		l.In, l.Out = out, filepath.Join(dir, "two")
		l.Engine.Limit = stockfish.Nodes(200)
		ctx, cancel := context.WithCancel(t.Context())
		l.Progress = func(p progress.Progress) {
			if p.Count >= 2*endgameCount/3 { // in a later shard
				cancel()
			}
		}
		if _, err := l.Run(ctx); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		l.Progress = nil
		sum := testkit.Run(t, l)
		// The labels of the first fingerprint are neither searched nor reused now.
		if sum.Labelled+sum.Reused != endgameCount || sum.Reused < 2*endgameCount/3 || sum.Failed != 0 {
			t.Errorf("%+v", sum)
		}
		if r := madeup.Verify(t, l.Out); r.Labelled != 2*endgameCount {
			t.Errorf("%+v", r)
		}
	})
	t.Run("failed before", func(t *testing.T) {
		failing := filepath.Join(dir, "failing")
		failSome(t, out, failing)
		l := l
		l.In, l.Out = failing, filepath.Join(dir, "mended")
		sum := testkit.Run(t, l)
		if sum.Labelled != 10 || sum.Reused != endgameCount-10 || sum.Failed != 0 {
			t.Errorf("%+v", sum)
		}
	})
	t.Run("into itself", func(t *testing.T) {
		l := l
		l.Out = l.In
		if _, err := l.Run(t.Context()); !errors.Is(err, output.ErrOccupied) {
			t.Error(err)
		}
	})
	t.Run("scores", func(t *testing.T) {
		for _, line := range madeup.Each(t, out) {
			p := line.Start
			for _, m := range line.Moves {
				p.Play(m)
			}
			h := fnv.New32a()
			h.Write([]byte(p.FEN()))
			label := line.Labels[0].Labels[0]
			if cp, ok := label.Lines[0].Score.Centipawns(); !ok || cp != int(h.Sum32()%400)-200 {
				t.Fatalf("%s is labelled %+v", p.FEN(), label)
			}
		}
	})
}

// failSome copies a labelled dataset into one shard, with ten labels failed.
func failSome(t *testing.T, from, to string) {
	t.Helper()
	n := 0
	testkit.Rewritten(t, from, to, func(l *dataset.Line) {
		if n++; n <= 10 {
			l.Labels[0].Labels[0] = dataset.Label{Status: dataset.Failed}
		}
	})
}

// labelledLines returns the lines of a dataset of endgameCount that have a label.
func labelledLines(t *testing.T, dir string) map[string]bool {
	t.Helper()
	lines := map[string]bool{}
	for _, l := range madeup.Each(t, dir) {
		if len(l.Labels) > 0 {
			lines[fmt.Sprint(l.Start.FEN(), l.Moves)] = true
		}
	}
	return lines
}

// Imported labels are skipped or searched, and terminal positions are known.
func TestSkipImported(t *testing.T) {
	dir := t.TempDir()
	table := testkit.WriteFile(t, filepath.Join(dir, "a.csv"),
		"FEN,Evaluation\n4k3/8/8/8/8/8/4P3/4K3 b - - 0 1,+36\n"+
			"4k3/4Q3/4K3/8/8/8/8/8 b - - 0 1,#+0\n")
	r := job{In: ingested(t, filepath.Join(dir, "in"), table), Out: filepath.Join(dir, "few"), Workers: 1}.request(t)
	r.SkipImported = true
	if sum := labelled(t, r); sum.Labelled != 0 || sum.Skipped != 2 {
		t.Errorf("%+v", sum)
	}
	r.Out, r.SkipImported = filepath.Join(dir, "all"), false
	if sum := labelled(t, r); sum.Labelled != 1 {
		t.Errorf("%+v", sum)
	}
}

// TestLabelCounts labels searched, terminal and failed samples: manifest, verification and statistics count each label
// once, by its status.
func TestLabelCounts(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "games.pgn")
	const dead = "[FEN \"8/8/4k3/8/8/4K3/8/8 w - - 0 1\"]\n[SetUp \"1\"]\n\n1. Kd3 Kd5 *\n\n"
	testkit.WriteFile(t, path, dead+"[White \"A\"]\n\n1. e4 e5 2. Nf3 *\n\n")
	lines := filepath.Join(dir, "lines")
	ingested(t, lines, path)
	p := board.StartPosition()
	m := testkit.Value(p.ParseUCI("e2e4"))(t)
	p.Play(m)
	t.Setenv(testkit.FailOn, p.EPD())
	check := func(in, out string, labelled, terminal, failed int64) {
		t.Helper()
		sum := testkit.Run(t, job{In: in, Out: out, Workers: 1}.request(t))
		r := madeup.Verify(t, out)
		d := testkit.Manifest(t, out)
		c := d.Counts
		want := [3]int64{labelled, terminal, failed}
		if got := [3]int64{c.Labelled, c.Terminal, c.Failed}; got != want ||
			[3]int64{r.Labelled, r.Terminal, r.Failed} != want || sum.Failed != failed {
			t.Errorf("manifest %v, verification %+v, summary %+v; want %v", got, r, sum, want)
		}
		s := testkit.Run(t, stats.Request{Dir: out})
		got := s.Labels[0].Statuses
		if s.Labelled != labelled || got["labelled"] != labelled || got["terminal"] != terminal ||
			got["failed"] != failed {
			t.Errorf("statistics: %d, %v", s.Labelled, got)
		}
	}
	first := filepath.Join(dir, "labelled")
	check(lines, first, 2, 2, 1)
	os.Unsetenv(testkit.FailOn)
	check(first, filepath.Join(dir, "mended"), 3, 2, 0)
}

// openings writes n games that share their beginnings, in an order drawn by seed, and returns how many different
// positions with their history they have from which a move was played.
func openings(t *testing.T, path string, n int, seed uint64) (distinct int) {
	t.Helper()
	games := make([][]string, n)
	seen := map[string]bool{}
	for i := range games {
		rng := rand.New(rand.NewPCG(7, 0))
		p := board.StartPosition()
		for ply := range 24 {
			if ply == 4+i%9 { // from here on the game is its own
				rng = rand.New(rand.NewPCG(8, uint64(i)))
			}
			legal := p.LegalMoves(nil)
			if len(legal) == 0 || p.IsDead() {
				break
			}
			seen[strings.Join(games[i], " ")] = true
			m := legal[rng.IntN(len(legal))]
			games[i] = append(games[i], p.SAN(m))
			p.Play(m)
		}
	}
	rand.New(rand.NewPCG(seed, 0)).Shuffle(n, func(i, j int) { games[i], games[j] = games[j], games[i] })
	var b bytes.Buffer
	for _, moves := range games {
		fmt.Fprintf(&b, "[Event \"x\"]\n[Result \"*\"]\n\n%s *\n\n", strings.Join(moves, " "))
	}
	testkit.WriteFile(t, path, b.Bytes())
	return len(seen)
}

// someGames is a dataset of n games that share their beginnings.
func someGames(t *testing.T, n int) string {
	t.Helper()
	dir := t.TempDir()
	openings(t, filepath.Join(dir, "g.pgn"), n, 1)
	return ingested(t, filepath.Join(dir, "in"), filepath.Join(dir, "g.pgn"))
}

func ingested(t *testing.T, out string, inputs ...string) string {
	t.Helper()
	testkit.Run(t, ingest.Request{Inputs: inputs, Out: out,
		Splits: dataset.DefaultSplits})
	return out
}

func labelled(t *testing.T, r label.Request) label.Summary {
	t.Helper()
	sum := testkit.Run(t, r)
	madeup.Verify(t, r.Out)
	return sum
}

// scores returns the first score of every sample in every column, by the line, the ply and the limit.
func scores(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for d, l := range madeup.Each(t, dir) {
		for _, c := range l.Labels {
			for k, ply := range l.Samples.Plies(nil, len(l.Moves)) {
				all[fmt.Sprint(l.Start.FEN(), l.Moves, ply,
					d.Fingerprints[c.Fingerprint].Limit)] = fmt.Sprint(c.Labels[k])
			}
		}
	}
	return all
}

func equalScores(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	if len(got) != len(want) || len(want) == 0 {
		t.Fatalf("%s: %d labels, want %d", what, len(got), len(want))
	}
	for k, v := range want {
		if got[k] != v {
			t.Fatalf("%s: %s is %s, want %s", what, k, got[k], v)
		}
	}
}

// TestNeverTwice counts the searches of an engine.
func TestNeverTwice(t *testing.T) {
	output.SmallShards(t, 1500)
	dir := t.TempDir()
	count := testkit.Searches(t)
	few, many := filepath.Join(dir, "few.pgn"), filepath.Join(dir, "many.pgn")
	distinctFew, distinctMany := openings(t, few, 70, 1), openings(t, many, 90, 2)
	a, b := ingested(t, filepath.Join(dir, "a"), few), ingested(t, filepath.Join(dir, "b"), many)
	base := job{In: a, Out: filepath.Join(dir, "a-labelled"), Workers: 2}.request(t)

	sum := labelled(t, base)
	if n := count(); n != distinctFew || sum.Labelled != int64(n) || sum.Labelled+sum.Reused != sum.Samples ||
		sum.Saved.Repeated == 0 {
		t.Errorf("repeated in the dataset: %d searches of %d, %+v", n, distinctFew, sum)
	}

	grown := base
	grown.In, grown.Out, grown.Reuse = b, filepath.Join(dir, "b-labelled"), []string{base.Out}
	sum = labelled(t, grown)
	if n := count(); n != distinctMany-distinctFew || sum.Labelled != int64(n) ||
		sum.Labelled+sum.Reused != sum.Samples {
		t.Errorf("more games: %d searches of %d, %+v", n, distinctMany-distinctFew, sum)
	}
	alone := grown
	alone.Out, alone.Reuse, alone.Workers = filepath.Join(dir, "b-alone"), nil, 1
	labelled(t, alone)
	testkit.Same(t, alone.Out, grown.Out)
	if n := count(); n != distinctMany {
		t.Errorf("without reuse: %d searches", n)
	}

	var warned []string
	raised := grown
	raised.In, raised.Out = grown.Out, filepath.Join(dir, "raised")
	raised.Engine.Limit = stockfish.Nodes(200)
	raised.Warn = func(err error) { warned = append(warned, err.Error()) }
	sum = labelled(t, raised)
	if n := count(); n != distinctMany || sum.Saved.Input != 0 || len(warned) != 1 ||
		!strings.Contains(warned[0], base.Out) {
		t.Errorf("another limit: %d searches, %+v, warned %q", n, sum, warned)
	}
	back := raised
	back.In, back.Out, back.Engine.Limit, back.Reuse = raised.Out, filepath.Join(dir, "back"), stockfish.Nodes(100), nil
	sum = labelled(t, back)
	if n := count(); n != 0 || sum.Saved.Input != sum.Samples {
		t.Errorf("a limit that is there: %d searches, %+v", n, sum)
	}
	equalScores(t, "two limits side by side", scores(t, back.Out), scores(t, raised.Out))

	tenth := base
	tenth.Out, tenth.Fraction = filepath.Join(dir, "tenth"), 0.1
	first := labelled(t, tenth).Labelled
	rest := base
	rest.In, rest.Out = tenth.Out, filepath.Join(dir, "rest")
	labelled(t, rest)
	if n := count(); n != distinctFew || first == 0 {
		t.Errorf("a tenth, then the rest: %d searches of %d", n, distinctFew)
	}
	equalScores(t, "a tenth, then the rest", scores(t, rest.Out), scores(t, base.Out))
}

// TestDepthsKeepWhatIsThere: labels of several depths that are made for a fraction leave those that the input has.
func TestDepthsKeepWhatIsThere(t *testing.T) {
	output.SmallShards(t, 1500)
	dir := t.TempDir()
	in := someGames(t, 20)
	one := job{In: in, Out: filepath.Join(dir, "one"), Workers: 2}.request(t)
	one.Engine.Limit = stockfish.Depth(3)
	n := labelled(t, one).Samples
	more := one
	more.In, more.Out, more.Fraction = one.Out, filepath.Join(dir, "more"), 0.5
	more.Engine.Limit, more.Engine.Shallower = stockfish.Depth(9), []int{3}
	labelled(t, more)
	d := testkit.Manifest(t, more.Out)
	if d.Counts.Labelled <= n+n/4 || d.Counts.Labelled >= n+3*n/4 || len(d.Fingerprints) != 2 {
		t.Errorf("%+v of %d samples, fingerprints %v", d.Counts, n, d.Fingerprints)
	}
}

// TestLineScope: with the memory kept for a line, labels are those of whole lines, whatever was there before, however
// often the command was interrupted, and in whatever order the games come.
func TestLineScope(t *testing.T) {
	output.SmallShards(t, 1500)
	t.Setenv(testkit.HasMemory, "1")
	dir := t.TempDir()
	count := testkit.Searches(t)
	games, other := filepath.Join(dir, "games.pgn"), filepath.Join(dir, "other.pgn")
	openings(t, games, 40, 1)
	openings(t, other, 40, 2)
	in := ingested(t, filepath.Join(dir, "in"), games)
	r := job{In: in, Out: filepath.Join(dir, "out"), Workers: 1, Scope: stockfish.LineScope}.request(t)
	sum := labelled(t, r)
	if n := count(); int64(n) != sum.Samples || sum.HashScope != "line" {
		t.Errorf("%d searches, %+v", n, sum)
	}
	want := scores(t, r.Out)

	shuffled := r
	shuffled.In, shuffled.Out, shuffled.Workers = ingested(t, filepath.Join(dir, "in2"), other), filepath.Join(dir,
		"out2"), 3
	labelled(t, shuffled)
	equalScores(t, "another order", scores(t, shuffled.Out), want)

	fresh := r
	fresh.Out, fresh.Engine.Scope = filepath.Join(dir, "fresh"), stockfish.PositionScope
	labelled(t, fresh)
	if fmt.Sprint(scores(t, fresh.Out)) == fmt.Sprint(want) {
		t.Error("the memory makes no difference")
	}
	count()

	// A part of the samples leaves other labels behind, which are no beginning of the whole.
	half := r
	half.Out, half.Fraction = filepath.Join(dir, "half"), 0.5
	labelled(t, half)
	whole := r
	whole.In, whole.Out, whole.Workers = half.Out, filepath.Join(dir, "whole"), 2
	count()
	labelled(t, whole)
	if n := count(); int64(n) < sum.Samples*3/4 {
		t.Errorf("%d searches for %d samples", n, sum.Samples)
	}
	equalScores(t, "the rest of half", scores(t, whole.Out), want)

	// Labels of whole lines are not those of a part of their samples.
	part := half
	part.In, part.Out, part.Reuse = shuffled.In, filepath.Join(dir, "part"), []string{r.Out}
	labelled(t, part)
	equalScores(t, "a part beside whole lines", scores(t, part.Out), scores(t, half.Out))

	// A failure is mended with its whole line, also by who asks for a part.
	failing := r
	failing.Out = filepath.Join(dir, "failing")
	t.Setenv(testkit.FailOn, chosenPosition(t, in, 0.5))
	if sum := labelled(t, failing); sum.Failed == 0 {
		t.Error("nothing failed")
	}
	t.Setenv(testkit.FailOn, "")
	mended := half
	mended.In, mended.Out = failing.Out, filepath.Join(dir, "mended")
	labelled(t, mended)
	equalScores(t, "mended", scores(t, mended.Out), want)
	count()

	// Whole lines are reused.
	again := r
	again.In, again.Out, again.Reuse = shuffled.In, filepath.Join(dir, "again"), []string{r.Out}
	if sum := labelled(t, again); count() != 0 || sum.Saved.Found != sum.Samples {
		t.Errorf("%+v", sum)
	}
	equalScores(t, "reused", scores(t, again.Out), want)
}

// drawn is the number that decides whether a fraction has the sample at a ply of a game.
func drawnAt(hash [16]byte, ply uint32) float64 {
	return float64(xxhash.Sum64(binary.LittleEndian.AppendUint32(hash[:], ply))>>11) / (1 << 53)
}

// chosenPosition returns a position, as EPD, that occurs once in a dataset, late in a line, and is in that fraction.
func chosenPosition(t *testing.T, dir string, fraction float64) string {
	t.Helper()
	const late = 15
	for _, l := range madeup.Each(t, dir) {
		if len(l.Moves) > 20 && drawnAt(l.GameHash(), late) < fraction {
			p := l.Start
			for _, m := range l.Moves[:late] {
				p.Play(m)
			}
			return p.EPD()
		}
	}
	t.Fatal("none")
	return ""
}

// TestMoveTimeResumes continues a line that was under way, under a time limit, in place of searching it again.
func TestMoveTimeResumes(t *testing.T) {
	dir := t.TempDir()
	count := testkit.Searches(t)
	r := job{In: someGames(t, 4),
		Out: filepath.Join(dir, "out"), Workers: 1}.request(t)
	r.Engine.Limit = stockfish.MoveTime(time.Millisecond)
	runs := testkit.Interrupted(t, func(ctx context.Context, stop func()) error {
		made := int64(0)
		r.Progress = func(p progress.Progress) {
			if made++; made == 7 { // in the middle of a line
				stop()
			}
		}
		sum, err := r.Run(ctx)
		if err == nil && sum.HashScope != "line" {
			t.Errorf("%+v", sum)
		}
		return err
	})
	m := testkit.Manifest(t, r.Out)
	if n := int64(count()); n > m.Counts.Labelled || runs < 5 ||
		m.Counts.Labelled+m.Counts.Terminal != m.Counts.Samples {
		t.Errorf("%d searches for %d labels in %d runs", n, m.Counts.Labelled, runs)
	}
}

// TestRealNodesLabels: labels by nodes are the same with 1, 2 and 4 workers and in any order of the games.
func TestRealNodesLabels(t *testing.T) {
	path, err := stockfish.Find("")
	if err != nil {
		t.Skipf("NOT TESTED with a real engine: %v", err)
	}
	dir := t.TempDir()
	var want map[string]string
	for i, workers := range []int{1, 2, 4} {
		games := filepath.Join(dir, fmt.Sprint(i, ".pgn"))
		openings(t, games, 12, uint64(i))
		r := label.Request{In: ingested(t, filepath.Join(dir, fmt.Sprint("in", i)), games),
			Out: filepath.Join(dir, fmt.Sprint("out", i)), Workers: workers,
			Engine: stockfish.Config{Path: path, Limit: stockfish.Nodes(500)}}
		labelled(t, r)
		if want == nil {
			want = scores(t, r.Out)
		}
		equalScores(t, fmt.Sprint(workers, " workers"), scores(t, r.Out), want)
	}
	if n := len(want); n < 200 {
		t.Errorf("%d labels", n)
	}
}

// TestAudit compares the labels of a share with those of a hundred times the nodes.
func TestAudit(t *testing.T) {
	dir := t.TempDir()
	in := someGames(t, 30)
	r := job{In: in,
		Out: filepath.Join(dir, "labels"), Workers: 2}.request(t)
	n := labelled(t, r).Samples
	r.In, r.Out = r.Out, filepath.Join(dir, "audit")
	t.Setenv(testkit.HasMemory, "1") // another engine, as it were: it says other things
	sum := testkit.Run(t, label.Audit{Request: r, Share: 0.3})
	madeup.Verify(t, r.Out)
	if sum.Nodes != 10000 || sum.Of != "nodes 100" || sum.Limit != "nodes 10000" ||
		sum.Labelled+sum.Reused != sum.All.Samples ||
		sum.All.Samples < n/5 || sum.All.Samples > n*2/5 {
		t.Errorf("%+v of %d samples", sum, n)
	}
	var value, phases, pieces float64
	var changed int64
	for _, l := range madeup.Each(t, r.Out) {
		if len(l.Labels) < 2 {
			continue
		}
		for k := range l.Labels[1].Labels {
			if a, b := l.Labels[0].Labels[k], l.Labels[1].Labels[k]; b.Status == dataset.Labelled {
				x, _ := a.Lines[0].Score.Centipawns()
				y, _ := b.Lines[0].Score.Centipawns()
				value += (tanh(x) - tanh(y)) * (tanh(x) - tanh(y))
				changed++
			}
		}
	}
	if changed != sum.All.Samples || math.Abs(value/float64(changed)-sum.All.ValueMSE) > 1e-6 || sum.All.BestMove != 0 {
		t.Errorf("%d samples with an MSE of %g, reported %+v", changed, value/float64(changed), sum.All)
	}
	for _, p := range sum.Phases {
		phases += float64(p.Samples) * p.ValueMSE
	}
	for _, p := range sum.Pieces {
		pieces += float64(p.Samples) * p.ValueMSE
	}
	if all := float64(sum.All.Samples) * sum.All.ValueMSE; math.Abs(phases-all) > 1e-6 || math.Abs(pieces-all) > 1e-6 {
		t.Errorf("the parts do not make the whole: %+v", sum)
	}
	if _, err := (label.Audit{Request: label.Request{In: in, Out: filepath.Join(dir, "x")},
		Share: 1}).Run(t.Context()); !errors.Is(err, dataset.ErrNoLabels) {
		t.Errorf("no labels: %v", err)
	}
}

func TestCalibrate(t *testing.T) {
	r := job{In: someGames(t, 10), Workers: 1}.request(t)
	r.Engine.Limit = stockfish.MoveTime(time.Millisecond)
	sum := testkit.Run(t, label.MeasureNodes{Dir: r.In, Engine: r.Engine, Workers: 2})
	if sum.NodesMean != 77 || sum.NodesMedian != 77 || sum.NodesLow != 77 || sum.NodesHigh != 77 ||
		sum.Positions < 200 || sum.DepthMean != 3 ||
		sum.Nodes < 1 || sum.MillisPerSearch <= 0 || sum.MillisAtNodes <= 0 || sum.Workers != 2 ||
		sum.Limit != "movetime 1" {
		t.Errorf("%+v", sum)
	}
}

func tanh(cp int) float64 { return math.Tanh(float64(cp) / 350) }
