package engine

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"talbot/board"
	"talbot/dataset"
	"talbot/encode"
	"talbot/internal/testkit"
	"talbot/internal/testkit/tinyrun"
	"talbot/network/backend"
	"talbot/network/predict"
	"talbot/network/recipe"
	"talbot/play/match"
	"talbot/play/mcts"
)

// tiny writes a small run of a recipe.
func tiny(t testing.TB, name string) string {
	t.Helper()
	c := tinyrun.Small(t, name)
	dir, _ := tinyrun.Write(t, c, tinyrun.Weights(t, c))
	return dir
}

func mustOpen(t testing.TB, c Config) *Network {
	t.Helper()
	n, err := Open(c)
	testkit.OK(t, err)
	t.Cleanup(n.Close)
	return n
}

// randomGames are positions of random games with their past.
func randomGames(n int) (games []*board.Game) {
	for seed := range uint64(n) {
		rng := rand.New(rand.NewPCG(seed, 3))
		g := board.NewGame(board.StartPosition())
		for range 1 + rng.IntN(60) {
			legal := g.Position().LegalMoves(nil)
			if len(legal) == 0 {
				break
			}
			g.Push(legal[rng.IntN(len(legal))])
		}
		if g.Position().HasLegalMove() {
			games = append(games, g)
		}
	}
	return games
}

// openOracle opens a network that answers one question at a time.
func openOracle(t *testing.T, dir string) *predict.Predictor {
	t.Helper()
	b, err := backend.Open("go")
	testkit.OK(t, err)
	t.Cleanup(b.Finalize)
	p, err := predict.Open(b, dir, predict.Options{Batches: []int{1}})
	testkit.OK(t, err)
	t.Cleanup(p.Close)
	return p
}

// TestEvaluator: a search gets what the predictor answers about the view of a game, its past included, and the same
// bits whatever else is asked at the same time.
func TestEvaluator(t *testing.T) {
	pasts := map[string]int{"talbotbot": 4, "napoleon": 0, "tahl": 4, "nosearch": 0, "prior": 0, "lynx": 4}
	for _, name := range recipe.Names() {
		dir := tiny(t, name)
		built, err := tinyrun.Small(t, name).Build()
		testkit.OK(t, err)
		layout := built.Encoder.Layout()
		if layout.Candidates > 0 { // a player finds them first
			continue
		}
		n := mustOpen(t, Config{Path: dir, Backend: "go", Batch: 4, Bulk: true}) // batches of one size
		oracle := openOracle(t, dir)
		e := n.Evaluator()
		k := e.Capabilities()
		if n.Batch() != 4 || e.Batch() != 4 || k.Prior != (layout.Moves != encode.NoMoves) ||
			k.Value != built.HasValue() || k.WDL != (layout.Float(encode.WinFloat) >= 0) {
			t.Errorf("%s: batch %d, knows %+v", name, e.Batch(), k)
		}
		if want, known := pasts[name]; known && e.History() != want {
			t.Errorf("%s sees a past of %d positions, want %d", name, e.History(), want)
		}
		games := randomGames(12)
		answers := make([]mcts.Evaluation, 4)
		alone := make([]mcts.Evaluation, 1)
		for i := 0; i+4 <= len(games); i += 4 {
			for j, g := range games[i : i+4] {
				e.Put(j, g, g.Position().LegalMoves(nil))
			}
			testkit.OK(t, e.Evaluate(t.Context(), answers))
			for j, g := range games[i : i+4] {
				checkAnswer(t, oracle, g, &answers[j])
			}
			prior := slices.Clone(answers[3].Prior)
			value := answers[3].Value
			e.Put(0, games[i+3], games[i+3].Position().LegalMoves(nil))
			testkit.OK(t, e.Evaluate(t.Context(), alone))
			if alone[0].Value != value || !slices.Equal(alone[0].Prior, prior) {
				t.Errorf("%s: an answer depends on the slot or on the others", name)
			}
		}
		done, cancel := context.WithCancel(t.Context())
		cancel()
		if err := e.Evaluate(done, alone); err == nil {
			t.Error("an end from outside is no error")
		}
	}
}

// TestEvaluatorSizes: where batches have several sizes an answer depends on the number of questions, but not on the
// others, and all sizes say the same but for rounding.
func TestEvaluatorSizes(t *testing.T) {
	dir := tiny(t, "talbotbot")
	n := mustOpen(t, Config{Path: dir, Backend: "go", Batch: 4})
	oracle := openOracle(t, dir)
	e := n.Evaluator()
	games := randomGames(8)
	for size := 1; size <= 4; size++ {
		answers := make([]mcts.Evaluation, size)
		var value float32
		var prior []float32
		for turn := range 2 * size { // the first game, in each slot, among others
			for j := range size {
				g := games[1+(turn+j)%(len(games)-1)]
				if j == turn%size {
					g = games[0]
				}
				e.Put(j, g, g.Position().LegalMoves(nil))
			}
			testkit.OK(t, e.Evaluate(t.Context(), answers))
			a := &answers[turn%size]
			checkAnswer(t, oracle, games[0], a)
			if turn > 0 && (a.Value != value || !slices.Equal(a.Prior, prior)) {
				t.Errorf("%d questions: an answer depends on the slot or on the others", size)
			}
			value, prior = a.Value, slices.Clone(a.Prior)
		}
	}
}

func checkAnswer(t *testing.T, oracle *predict.Predictor, g *board.Game, a *mcts.Evaluation) {
	t.Helper()
	var v encode.View
	v.Play(g, 0, 0)
	enc := oracle.Encoder()
	l := enc.Layout()
	q := predict.Input{Packed: make([]uint64, l.Words)}
	enc.Pack(q.Packed, &v)
	legal := v.Legal()
	if l.Moves != encode.NoMoves {
		q.Codes = make([]int32, len(legal)*l.Codes)
		for i, m := range legal {
			enc.EncodeMove(q.Codes[i*l.Codes:(i+1)*l.Codes], &v, m)
		}
	}
	want := make([]predict.Output, 1)
	testkit.OK(t, oracle.Predict(t.Context(), []predict.Input{q}, want))
	near := func(a, b float32) bool { return math.Abs(float64(a-b)) < 2e-5 }
	if !near(a.Value, want[0].Value) || len(a.Prior) != len(want[0].Prior) {
		t.Fatalf("%s: %+v, want %+v", g.Position().FEN(), a, want[0])
	}
	best := math.Inf(-1)
	for i := range a.Prior {
		if !near(a.Prior[i], want[0].Prior[i]) {
			t.Errorf("%s: prior of %s is %g, want %g", g.Position().FEN(), legal[i], a.Prior[i], want[0].Prior[i])
		}
		best = max(best, float64(want[0].Prior[i]))
	}
	illegal := float64(want[0].OtherShare) > math.Exp(best+float64(want[0].Inside))
	if illegal = illegal && !oracle.Config.LegalMask(); a.Illegal != illegal {
		t.Errorf("%s: illegal %v", g.Position().FEN(), a.Illegal)
	}
}

func TestNetwork(t *testing.T) {
	for name, searcher := range map[string]string{"talbotbot": "puct", "napoleon": "napoleon", "tahl": "puct"} {
		dir := tiny(t, name)
		n := mustOpen(t, Config{Path: dir, Backend: "go"})
		if n.DefaultSearcher() != searcher || n.Batch() != defaultBatch("go") ||
			!strings.HasPrefix(n.Title(), name+" ") &&
				!strings.HasPrefix(n.Title(), name+",") {
			t.Errorf("%s: %s, searcher %s", name, n.Title(), n.DefaultSearcher())
		}
		cp := func(value float32) int { return n.Centipawns(searcher, value) }
		if cp(0) != 0 || cp(0.5) <= 0 || cp(1) != -cp(-1) {
			t.Errorf("%s: 0.5 is worth %d", name, cp(0.5))
		}
		for _, want := range []int{-1500, -600, -10, 0, 35, 100} { // rollouts has the engine's values
			v := encode.CandidateValue(dataset.Centipawns(want))
			if got := n.Centipawns("rollouts", float32(v)); got < want-1 || got > want+1 {
				t.Errorf("%s: %d centipawns are %g, which is worth %d", name, want, v, got)
			}
		}
		if took, smallest, err := n.Warm(t.Context()); err != nil || took <= 0 || smallest <= 0 {
			t.Errorf("%s: warm after %s: %v", name, took, err)
		}
		if q, err := Describe(dir); err != nil || q.Config.Recipe != name || q.Ratings {
			t.Errorf("%s: %+v, %v", name, q, err)
		}
	}
	// a network without values is played one position at a time, but asked about many at once
	for _, name := range []string{"prior", "nosearch"} {
		dir := tiny(t, name)
		for bulk, want := range map[bool]int{false: 1, true: defaultBatch("go")} {
			if n := mustOpen(t, Config{Path: dir, Backend: "go", Bulk: bulk}); n.Batch() != want ||
				n.DefaultSearcher() != "policy" {
				t.Errorf("%s, bulk %v: batches of %d, searcher %s", name, bulk, n.Batch(), n.DefaultSearcher())
			}
		}
	}
	if _, err := Describe(t.TempDir()); err == nil {
		t.Error("no run is no error")
	}
	if _, err := Open(Config{Path: t.TempDir(), Backend: "go"}); err == nil {
		t.Error("no run is no error")
	}
	if _, err := Open(Config{Path: tiny(t, "talbotbot"), Backend: "abacus"}); err == nil {
		t.Error("no backend is no error")
	}
}

// TestSizes: a network is made ready for the sizes of batches that a backend has a use for.
func TestSizes(t *testing.T) {
	for _, c := range []struct {
		kind    string
		largest int
		want    []int
	}{
		{"go", 8, []int{1, 2, 4, 8}}, {"onnx", 5, []int{1, 2, 4, 5}}, {"onnx", 1, []int{1}},
		{"onnx:int8", 8, []int{1, 2, 4, 8}},
		{"xla:cpu", 16, []int{1, 4, 16}}, {"xla:cuda", 128, []int{16, 128}}, {"xla:cuda", 8, []int{8}},
	} {
		if got := sizes(c.kind, c.largest); !slices.Equal(got, c.want) {
			t.Errorf("%s up to %d: %v", c.kind, c.largest, got)
		}
	}
	n := mustOpen(t, Config{Path: tiny(t, "talbotbot"), Backend: "go"})
	if e := n.Evaluator(); !slices.Equal(e.Sizes(), []int{1, 2, 4, 8}) || e.Batch() != 8 {
		t.Errorf("sizes %v, batch %d", e.Sizes(), e.Batch())
	}
}

// TestChoose: the same network chooses the same moves each time, and another one others.
func TestChoose(t *testing.T) {
	chosen := func(path string) Choices {
		c, err := choose(t.Context(), Config{Path: path, Backend: "go"})
		testkit.OK(t, err)
		if c.Positions < 20 || c.Nodes != int64(c.Positions*chooseNodes) || len(c.Hash) != 16 || c.NodesPerSecond <= 0 {
			t.Errorf("%+v", c)
		}
		return c
	}
	path := tiny(t, "talbotbot")
	a, b := chosen(path), chosen(path)
	if a.Hash != b.Hash || a.Nodes != b.Nodes {
		t.Errorf("%+v, then %+v", a, b)
	}
	c := tinyrun.Config(t, "talbotbot", "blocks=1", "filters=8")
	dir, _ := tinyrun.Write(t, c, tinyrun.Weights(t, c))
	if other := chosen(dir); other.Hash == a.Hash {
		t.Errorf("%+v of another network", other)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := choose(ctx, Config{Path: path, Backend: "go"}); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

// TestBench measures nothing; it looks at the form.
func TestBench(t *testing.T) {
	for name, searcher := range map[string]string{"talbotbot": "puct", "napoleon": "napoleon"} {
		s, err := measure(t.Context(), Config{Path: tiny(t, name), Backend: "go", Batch: 3}, time.Millisecond)
		if err != nil || s.Backend != "go" || s.Batch != 3 || !(s.PerSecond > 0 && s.InSearch > 0 && s.Nodes > 0) ||
			!(s.Fill > 0.3 && s.Fill <= 1) || s.Searcher != searcher {
			t.Errorf("%+v, %v", s, err)
		}
	}
	if list := Backends(); !slices.Contains(list, "go") {
		t.Errorf("backends %q", list)
	}
}

// TestEntrant: parameters are read, and what decides how a player plays is in its identity.
func TestEntrant(t *testing.T) {
	dir := tiny(t, "talbotbot")
	var shared Shared
	defer shared.Close()
	enter := func(text string) (match.Entrant, error) {
		s := testkit.Must(match.ParsePlayer("run:" + dir + ",backend=go," + text))
		return shared.Entrant(s)
	}
	identities := map[string]string{}
	for _, text := range []string{"nodes=5", "searcher=talbotbot", "searcher=policy", "searcher=value", "c=3",
		"batch=2", "overhead=20ms", "temperature=0.5", "temp-cutoff=9", "cache=0", "hash=3"} {
		e, err := enter(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if other := identities[e.Identity]; other != "" {
			t.Errorf("%s and %s are the same: %s", text, other, e.Identity)
		}
		identities[e.Identity] = text
	}
	if len(shared.open) != 3 { // of 8, 2 and 1 positions
		t.Errorf("%d networks are open", len(shared.open))
	}
	for text, want := range map[string]string{
		"searcher=x": "one of puct", "threads=0": "from 1 to",
		"c=x": "must be a number", "speed=3": "is unknown",
		"overhead=5": "a time with a unit", "batch=-1": "from 0 to", "searcher=napoleon,seed=x": `seed "x" must be a whole number`,
		// What would have no effect.
		"searcher=policy,policy-temp=2": "only with puct", "searcher=talbotbot,c=3": "only with puct",
		"talbotbot-c=3": "only with talbotbot", "elo=1500": "does not read ratings", "probe-limit=3": "is unknown",
		"CPuct=3": "is unknown", "engine=x": "only with rollouts", "Rating=1500": "is unknown",
	} {
		if _, err := enter(text); !errors.Is(err, match.ErrSetting) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestSearch: what a recipe is played with reaches every player, and a match's own settings come before it.
func TestSearch(t *testing.T) {
	for _, r := range recipe.All() {
		if _, err := options(r.Name); err != nil {
			t.Error(err)
		}
	}
	dir := tiny(t, "tahl")
	q, err := Describe(dir)
	if o := q.Options; err != nil || o.C != 1.5 || o.CFactor != 0 || o.PolicyTemp != 1 || o.FPU != mcts.Defaults().FPU {
		t.Errorf("%+v, %v", o, err)
	}
	var shared Shared
	defer shared.Close()
	for text, want := range map[string]string{"nodes=5": " policy-temp=1 ", "policy-temp=1.2": " policy-temp=1.2 "} {
		s := testkit.Must(match.ParsePlayer("run:" + dir + ",backend=go," + text))
		e, err := shared.Entrant(s)
		if err != nil || !strings.Contains(e.Identity, want) || !strings.Contains(e.Identity, " c=1.5 c-factor=0 ") {
			t.Errorf("%s: %s, %v", text, e.Identity, err)
		}
	}
}

// TestMatchesRepeat: with the same seed and nodes the games are the same, however many are played at the same time.
func TestMatchesRepeat(t *testing.T) {
	for _, name := range []string{"go", "onnx", "onnx:int8"} {
		t.Run(name, func(t *testing.T) {
			b, err := backend.OpenForInference(name)
			if err != nil {
				t.Skipf("not tested on %s: %v", name, err)
			}
			b.Finalize()
			matchesRepeat(t, name)
		})
	}
}

func matchesRepeat(t *testing.T, backend string) {
	dir := tiny(t, "talbotbot")
	games := func(concurrency, networks int) (all []string) {
		var shared Shared
		defer shared.Close()
		m := match.Match{Games: 4, Seed: 3, Concurrency: concurrency, Out: t.TempDir() + "/m",
			Rules: match.Rules{MaxMoves: 14}}
		for _, text := range []string{"nodes=9", "searcher=talbotbot,nodes=6,name=other,temperature=1"} {
			s := testkit.Must(match.ParsePlayer("run:" + dir + ",backend=" + backend + "," + text))
			e, err := match.Enter(t.Context(), s, match.Limits{}, shared.Entrant)
			testkit.OK(t, err)
			m.Entrants = append(m.Entrants, e)
		}
		m.Openings = testkit.Must(match.Book())
		if _, err := m.Run(t.Context(), t.Context()); err != nil {
			t.Fatal(err)
		}
		if len(shared.open) != networks {
			t.Errorf("%d games at the same time have %d networks, want %d", concurrency, len(shared.open), networks)
		}
		text := testkit.Must(os.ReadFile(m.Out + "/" + match.PGNFile))
		for line := range strings.Lines(string(text)) {
			if !strings.HasPrefix(line, "[") {
				all = append(all, line)
			}
		}
		return all
	}
	seats := map[string]int{"go": 1, "onnx": 3, "onnx:int8": 3}[backend]
	first := games(1, 1)
	if again := games(3, seats); !slices.Equal(first, again) || len(first) < 10 {
		t.Errorf("%d lines of moves, other ones with more games at the same time", len(first))
	}
}

// TestIllegalFirst: a match counts how often a network that plays without a search favoured an illegal move, also over
// an interruption, and nothing of the sort for other players.
func TestIllegalFirst(t *testing.T) {
	for _, name := range []string{"talbotbot", "nosearch"} {
		t.Run(name, func(t *testing.T) { illegalFirst(t, tiny(t, name)) })
	}
}

func illegalFirst(t *testing.T, dir string) {
	var shared Shared
	defer shared.Close()
	m := match.Match{Games: 2, Seed: 3, Concurrency: 1, Out: t.TempDir() + "/m", Resume: true,
		Rules: match.Rules{MaxMoves: 20}}
	oracle := mustOpen(t, Config{Path: dir, Backend: "go"}).Evaluator()
	var moves, illegal int64
	for i, text := range []string{dir + ",searcher=policy", tiny(t, "talbotbot") + ",nodes=8,name=other"} {
		s := testkit.Must(match.ParsePlayer("run:" + text + ",backend=go"))
		e, err := match.Enter(t.Context(), s, match.Limits{Nodes: 1}, shared.Entrant)
		testkit.OK(t, err)
		if inner := e.New; i == 0 {
			e.New = func(seat int, log *match.EngineLog) (match.Player, error) {
				p, err := inner(seat, log)
				return &watched{p, t, oracle, &moves, &illegal}, err
			}
		}
		m.Entrants = append(m.Entrants, e)
	}
	m.Openings = testkit.Must(match.Book())
	for _, m.Games = range []int{2, 4, 4} {
		if _, err := m.Run(t.Context(), t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	r, err := m.Run(t.Context(), t.Context())
	testkit.OK(t, err)
	if got := r.Players[0]; got.Moves != moves || got.IllegalFirst != illegal || illegal < 10 {
		t.Errorf("%d of %d moves, want %d of %d", got.IllegalFirst, got.Moves, illegal, moves)
	}
	if got := r.Players[1]; got.Moves < moves-4 || got.IllegalFirst != 0 {
		t.Errorf("with a search: %d of %d moves", got.IllegalFirst, got.Moves)
	}
}

// watched counts a player's moves, and those at which the network's favourite is illegal.
type watched struct {
	match.Player
	t              *testing.T
	oracle         RatedEvaluator
	moves, illegal *int64
}

func (w *watched) Move(ctx context.Context, r *match.MoveRequest) (match.Ply, error) {
	answers := make([]mcts.Evaluation, 1)
	w.oracle.Put(0, r.Game, r.Game.Position().LegalMoves(nil))
	if err := w.oracle.Evaluate(ctx, answers); err != nil {
		w.t.Error(err)
	}
	if *w.moves++; answers[0].Illegal {
		*w.illegal++
	}
	return w.Player.Move(ctx, r)
}

// TestClocks: a network in a match keeps to its clock and to its move time.
func TestClocks(t *testing.T) {
	dir := tiny(t, "talbotbot")
	var shared Shared
	defer shared.Close()
	s := testkit.Must(match.ParsePlayer("run:" + dir + ",backend=go"))
	e, err := shared.Entrant(s)
	testkit.OK(t, err)
	p, err := e.New(0, nil)
	testkit.OK(t, err)
	testkit.OK(t, p.NewGame(t.Context(), 1))
	g := board.NewGame(board.StartPosition())
	r := match.MoveRequest{Start: board.StartPosition(), Game: g}
	for _, clock := range []*match.Clock{nil, {Left: [2]time.Duration{3 * time.Second, time.Minute}}} {
		r.Clock, r.Limits = clock, match.Limits{}
		if clock == nil {
			r.MoveTime = 200 * time.Millisecond
		}
		begun := time.Now()
		a, err := p.Move(t.Context(), &r)
		took := time.Since(begun)
		if err != nil || !g.Position().IsLegal(a.Move) || took > 10*time.Second || a.Nodes == 0 ||
			!a.Scored || a.Depth < 1 {
			t.Errorf("%+v after %s: %v", a, took, err)
		}
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Move(done, &r); err == nil {
		t.Error("an end from outside is no error")
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

var _ PlayerNetwork = (*Network)(nil)

// TestFast: 8 bits are taken where ONNX Runtime was chosen, on a processor with VNNI, by networks that have
// convolutions.
func TestFast(t *testing.T) {
	b, err := backend.OpenForInference(backend.AtOnce)
	testkit.OK(t, err)
	b.Finalize()
	want := b.Kind
	if b.OnRuntime() && backend.VNNI() {
		want = "onnx:int8"
	}
	if n := mustOpen(t, Config{Path: tiny(t, "talbotbot"), Backend: backend.AtOnce, Fast: true}); n.Backend != want {
		t.Errorf("chosen: %s, want %s", n.Backend, want)
	}
	if n := mustOpen(t, Config{Path: tiny(t, "nosearch"), Backend: backend.AtOnce, Fast: true}); n.Backend != b.Kind {
		t.Errorf("without convolutions: %s, want %s", n.Backend, b.Kind)
	}
	if !b.OnRuntime() {
		return
	}
	if n := mustOpen(t, Config{Path: tiny(t, "talbotbot"), Backend: "onnx", Fast: true}); n.Backend != "onnx" {
		t.Errorf("asked for onnx: %s", n.Backend)
	}
}
