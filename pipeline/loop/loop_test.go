package loop

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/chart/pagetest"
	"talbot/internal/durable"
	"talbot/internal/output"
	"talbot/internal/testkit"
	"talbot/network/checkpoint"
	"talbot/network/run"
)

const file = `# a loop
generations: 3
window: 2
replay-ratio: 2
seed: 7
start: {recipe: tahl, blocks: 1}
games: {games: 10, nodes: 8, set: [c-visit=20, c-scale=0.5]}
train:
  batch: 32
  value-target: "result:0.5"
  deterministic: true
`

var errKilled = errors.New("killed")

// fake stands in for the commands: it makes what they make, and fails at a call, before its work or behind it.
type fake struct {
	t         *testing.T
	calls     []string
	games     int // of a dataset that it makes; 0: 10
	failAt    int // counted from 1; 0: never
	afterWork bool
	answer    func(args []string) string // of eval and match; nil: a score of one half
}

func (f *fake) run(_ context.Context, args []string) (json.RawMessage, error) {
	f.calls = append(f.calls, strings.Join(args, " "))
	fails := len(f.calls) == f.failAt
	if fails && !f.afterWork {
		return nil, errKilled
	}
	of := func(name string) string { return args[slices.Index(args, name)+1] }
	result := `{"seconds": 2, "steps": 7, "samples": 224, "value_correlation": 0.5, "score": 0.5}`
	switch {
	case args[0] == "match" || args[0] == "eval":
		if f.answer != nil {
			result = f.answer(args)
		}
	case args[0] == "selfplay":
		f.writeGames(of("--out"))
	case args[0] == "train":
		c, err := run.New("tahl", "")
		if err == nil {
			err = os.MkdirAll(of("--run"), 0o777)
		}
		if err == nil {
			err = c.Write(of("--run"))
		}
		if err == nil {
			_, err = run.Checkpoints(of("--run")).Save(7, &checkpoint.File{Meta: json.RawMessage(`{}`)}, true)
		}
		if err != nil {
			f.t.Fatal(err)
		}
	}
	if fails {
		return nil, errKilled
	}
	return json.RawMessage(result), nil
}

// writeGames makes a dataset of 100 samples in ten games of ten plies: five that White wins by mate, and five draws.
// Of a position that its side wins the network had said 0.5 and the search 0.8, of one that it loses the opposite.
func (f *fake) writeGames(dir string) {
	print := dataset.Fingerprint{Engine: "talbot selfplay", Build: "0", Options: []dataset.Tag{}, Limit: "nodes 8"}
	m := dataset.Manifest{Verb: "selfplay", Splits: dataset.DefaultSplits, Fingerprints: []dataset.Fingerprint{print},
		Networks: []dataset.Network{{Recipe: "tahl", Checkpoint: strings.Repeat("0", 64), Backend: "go", Batch: 1,
			Value: true}},
		Inputs: []dataset.Input{{Name: "selfplay", Network: true}}}
	out, err := output.Open(m, nil, output.Options{Out: dir})
	if err != nil {
		f.t.Fatal(err)
	}
	defer out.Close()
	for n := range cmp.Or(f.games, 10) {
		line := dataset.Line{Source: dataset.SourceSelfPlay, Number: int64(n + 1), Start: board.StartPosition(),
			Samples: dataset.AllMoves(), Result: dataset.Draw, Tags: []dataset.Tag{{Name: "End", Value: "repetition"}}}
		var labels []dataset.Label
		var said []dataset.Prediction
		sign := 0.0
		if n%2 == 0 {
			line.Result, line.Tags[0].Value, sign = dataset.WhiteWins, "checkmate", 1
		}
		at := line.Start
		for i, text := range strings.Fields("g1f3 g8f6 f3g1 f6g8 b1c3 b8c6 c3b1 c6b8 e2e4 e7e5") {
			m, err := at.ParseUCI(text)
			if err != nil {
				f.t.Fatal(err)
			}
			policy := []dataset.WeightedMove{{Move: m, Weight: 255}}
			if i == 0 { // two moves alike: an entropy of ln 2
				policy = append(policy, dataset.WeightedMove{Move: board.NewMove(6, 23), Weight: 255})
			}
			at.Play(m)
			line.Moves, line.Policies = append(line.Moves, m), append(line.Policies, policy)
			wdl := dataset.WDL{Win: uint16(500 + 400*sign), Loss: uint16(500 - 400*sign)}
			labels = append(labels, dataset.Label{Status: dataset.Labelled, Best: m, Lines: []dataset.Searched{{
				Score: dataset.Centipawns(0), WDL: wdl, Depth: 1, Nodes: 8, PV: []board.Move{m}}}})
			said = append(said, dataset.Prediction{Status: dataset.Predicted, Value: dataset.QuantizeValue(0.5 * sign)})
			sign = -sign
		}
		line.Labels = []dataset.LabelColumn{{Labels: labels}}
		line.Predictions = []dataset.PredictionColumn{{Predictions: said}}
		if err := out.Write(&line); err != nil {
			f.t.Fatal(err)
		}
	}
	if err := out.Finish(nil); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fake) loop(dir, text string) error {
	return Loop{Dir: dir, Text: []byte(text), Command: f.run}.Run(f.t.Context())
}

// TestSteps: the commands of a loop, in order, and that it may go on to further generations and not otherwise.
func TestSteps(t *testing.T) {
	dir := t.TempDir()
	f := &fake{t: t}
	testkit.OK(t, f.loop(dir, file))
	at := func(parts ...string) string { return filepath.Join(append([]string{dir}, parts...)...) }
	train := func(g int, from string, data ...string) string {
		return fmt.Sprintf("train --skip-done --run %s --from %s --data %s --steps 7 --seed %d --eval-every=0 "+
			"--batch=32 --value-target=result:0.5 --deterministic=true", at(fmt.Sprintf("gen-%03d", g), "run"), from,
			strings.Join(data, ","), 7+g)
	}
	play := func(g int) string {
		return fmt.Sprintf("selfplay --run %s --out %s --seed %d --split 98,1,1 --games=10 --nodes=8 --set=c-visit=20 "+
			"--set=c-scale=0.5", at(fmt.Sprintf("gen-%03d", g-1), "run"), at(fmt.Sprintf("gen-%03d", g), "games"), 7+g)
	}
	games := func(g int) string { return at(fmt.Sprintf("gen-%03d", g), "games") }
	want := []string{"train --init --run " + at("gen-000", "run") + " --seed 7 --recipe=tahl --blocks=1",
		play(1), train(1, at("gen-000", "run"), games(1)), play(2), train(2, at("gen-001", "run"), games(1), games(2)),
		play(3), train(3, at("gen-002", "run"), games(2), games(3))}
	if !slices.Equal(f.calls, want) {
		t.Fatalf("%s\nwant\n%s", strings.Join(f.calls, "\n"), strings.Join(want, "\n"))
	}
	f.calls = nil
	if err := f.loop(dir, file); err != nil || f.calls != nil {
		t.Errorf("a finished loop: %q, %v", f.calls, err)
	}
	if err := f.loop(dir, strings.Replace(file, "nodes: 8", "nodes: 9", 1)); !errors.Is(err, ErrOther) {
		t.Errorf("other settings: %v", err)
	}
	if err := f.loop(dir, strings.Replace(file, "generations: 3", "generations: 4", 1)); err != nil ||
		!slices.Equal(f.calls, []string{play(4), train(4, at("gen-003", "run"), games(3), games(4))}) {
		t.Errorf("one more: %q, %v", f.calls, err)
	}
	other := t.TempDir()
	testkit.WriteFile(t, filepath.Join(other, "letter.txt"), "")
	if err := f.loop(other, file); !errors.Is(err, ErrOther) {
		t.Errorf("a folder in use: %v", err)
	}
}

// TestGoesOn: a loop that ends at any command, before or behind its work, goes on to the same folders, and does nothing
// twice that was finished but for what says so itself.
func TestGoesOn(t *testing.T) {
	for failAt := 1; failAt <= 7; failAt++ {
		for _, after := range []bool{false, true} {
			dir := t.TempDir()
			f := &fake{t: t, failAt: failAt, afterWork: after}
			if err := f.loop(dir, file); !errors.Is(err, errKilled) {
				t.Fatalf("call %d: %v", failAt, err)
			}
			f.failAt = 0
			if err := f.loop(dir, file); err != nil {
				t.Fatalf("call %d: %v", failAt, err)
			}
			want := 8
			if after && failAt%2 == 0 { // games, which are there
				want = 7
			}
			if len(f.calls) != want {
				t.Errorf("call %d, after its work %v: %d calls\n%s", failAt, after, len(f.calls),
					strings.Join(f.calls, "\n"))
			}
		}
	}
}

// TestKilledFirst: a loop that was killed while it wrote its first file starts.
func TestKilledFirst(t *testing.T) {
	dir := t.TempDir()
	testkit.WriteFile(t, filepath.Join(dir, ConfigName+durable.TempSuffix), "{")
	f := &fake{t: t}
	if err := f.loop(dir, file); err != nil {
		t.Error(err)
	}
}

// TestDamage: a note that is damaged is an error; without it its step is done again, or taken as it is. Two loops do
// not work in one folder.
func TestDamage(t *testing.T) {
	dir := t.TempDir()
	f := &fake{t: t}
	testkit.OK(t, f.loop(dir, file))
	path := filepath.Join(dir, "gen-002", "train.json")
	data := testkit.Value(os.ReadFile(path))(t)
	for i := 0; i < len(data); i += 5 {
		data[i] ^= 1
		testkit.WriteFile(t, path, data)
		f.calls = nil
		if err := f.loop(dir, file); !errors.Is(err, durable.ErrChanged) || f.calls != nil {
			t.Errorf("byte %d flipped: %v, %q", i, err, f.calls)
		}
		data[i] ^= 1
	}
	testkit.WriteFile(t, path, data)
	for _, x := range [][2]string{{"gen-003/train.json", "train"}, {"gen-003/games.json", ""}} {
		testkit.OK(t, os.Remove(filepath.Join(dir, x[0])))
		f.calls = nil
		if err := f.loop(dir, file); err != nil || !strings.HasPrefix(strings.Join(f.calls, ""), x[1]) ||
			len(f.calls) > min(len(x[1]), 1) {
			t.Errorf("without %s: %v, %q", x[0], err, f.calls)
		}
	}
	lock := testkit.Value(durable.Lock(filepath.Join(dir, lockName)))(t)
	defer lock.Close()
	if err := f.loop(dir, file); !errors.Is(err, durable.ErrLocked) {
		t.Errorf("a second loop: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(file))
	f.Add([]byte("start: {run: net:}\ngames: {games: 1}\ntrain: {batch: 1}\ngenerations: 1"))
	f.Add([]byte("generations: &a [*a]"))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := Parse(text)
		if err == nil && c.check() != nil || err != nil && !errors.Is(err, ErrConfig) {
			t.Fatal(err)
		}
	})
}

// TestParse: what cannot be followed is refused with the place.
func TestParse(t *testing.T) {
	testkit.Value(Parse([]byte(file)))(t)
	for old, now := range map[string]string{
		"generations: 3":   "generations: 0",
		"window: 2":        "window: 0",
		"replay-ratio: 2":  "replay-ratio: -1",
		"seed: 7":          "seed: x",
		"batch: 32":        "lr: 1",
		"games: 10":        "nodes: 9",
		"blocks: 1}":       "run: net:}",
		"nodes: 8":         "seed: 8",
		"# a loop":         "speed: 3",
		"recipe: tahl":     "recipe: {a: b}",
		"c-scale=0.5]":     "[x]]",
		"games: {":         "games: 3 #",
		"  batch: 32\n":    "  batch: 32\n  batch: 33\n",
		"  batch: 32":      "  batch: 32\n  steps: 3",
		"value-target: \"": "value-target: \n",
	} {
		text := strings.Replace(file, old, now, 1)
		if _, err := Parse([]byte(text)); !errors.Is(err, ErrConfig) || text == file {
			t.Errorf("%s for %s: %v", now, old, err)
		}
	}
	for _, text := range []string{strings.Replace(file, "generations: 3", "generations: 3.5", 1),
		strings.Replace(file, "window: 2", "window: 2.7", 1), strings.Replace(file, "seed: 7", "seed: 7.1", 1),
		file + "stages: [{from: 2.5}]\n"} {
		if _, err := Parse([]byte(text)); !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), "whole number") {
			t.Errorf("%q: %v", text, err)
		}
	}
	_, err := Parse([]byte("generations: 3\nseed: -1\ngamess: 3\nreplay-ratio: a\nstages: 3\ngate: {first: [1]}\n" +
		"window: [2]\n"))
	if err == nil || err.Error() != ErrConfig.Error()+": line 2: `-1` is not a whole number above or equal to 0; line 3: "+
		"unknown name gamess; line 4: `a` is not a number; line 5: `3` is not a list of stages; line 6: true or false is "+
		"expected; line 7: a whole number is expected" {
		t.Error(err)
	}
	for _, text := range []string{"", "[]", "a: b: c", file + "---\nx: y\n"} {
		if _, err := Parse([]byte(text)); !errors.Is(err, ErrConfig) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestStages: flags change from a generation on, and only those of generations to come may change in the file.
func TestStages(t *testing.T) {
	staged := file + "stages:\n- {from: 2, games: {nodes: 20}, train: {batch: 64}}\n"
	dir := t.TempDir()
	f := &fake{t: t}
	testkit.OK(t, f.loop(dir, staged))
	for i, want := range []string{"recipe=tahl", "--nodes=8", "--steps 7", "--nodes=20", "--steps 4", "--nodes=20",
		"--steps 4"} {
		if !strings.Contains(f.calls[i], want) {
			t.Errorf("call %d is %s, without %s", i, f.calls[i], want)
		}
	}
	if strings.Contains(f.calls[3], "--nodes=8") || !strings.Contains(f.calls[3], "--games=10") {
		t.Errorf("stage: %s", f.calls[3])
	}
	more := strings.Replace(staged, "generations: 3", "generations: 4", 1)
	if err := f.loop(dir, more+"- {from: 3, games: {nodes: 30}}\n"); !errors.Is(err, ErrOther) {
		t.Errorf("another past: %v", err)
	}
	if err := f.loop(dir, more+"- {from: 4, games: {nodes: 30}}\n"); err != nil {
		t.Error(err)
	}
	if last := f.calls[len(f.calls)-2]; !strings.Contains(last, "--nodes=30") {
		t.Errorf("the fourth generation: %s", last)
	}
	for _, bad := range []string{"- {from: 1}", "- {from: 3}\n- {from: 3}", "- {from: 2, games: {seed: 1}}",
		"- {from: 2, train: {batch: 0}}", "- {from: 2, x: 1}"} {
		if _, err := Parse([]byte(file + "stages:\n" + bad + "\n")); !errors.Is(err, ErrConfig) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// TestGate: a network plays only if it scored enough, while training goes on from it; the matches are with the one that
// played and with the first.
func TestGate(t *testing.T) {
	gated := file + "gate: {accept: 0.55, first: true, match: {games: 4, nodes: 8}}\nmeasure: {data: tests}\n"
	dir := t.TempDir()
	f := &fake{t: t}
	f.answer = func(args []string) string {
		score := "0.6" // generations 1 and 3 are accepted
		if strings.Contains(args[1], "gen-002") {
			score = "0.5"
		}
		return `{"value_correlation": 0.25, "value_sign_accuracy": 0.75, "games": 4, "wins": 2, "losses": 1, "draws": 1,
			"score": ` + score + `, "elo": 70, "elo_low": null, "elo_high": null}`
	}
	var whole []Generation
	l := Loop{Dir: dir, Text: []byte(gated), Command: f.run, Ended: func(g Generation) { whole = append(whole, g) }}
	testkit.OK(t, l.Run(t.Context()))
	at := func(g int) string { return filepath.Join(dir, fmt.Sprintf("gen-%03d", g), "run") }
	var got []string
	for _, call := range f.calls {
		words := strings.Fields(call)
		switch words[0] {
		case "selfplay", "eval":
			got = append(got, words[0]+" "+words[2])
		case "match":
			got = append(got, regexp.MustCompile(`gen-\d+/run`).ReplaceAllString(
				strings.Join(regexp.MustCompile(`gen-\d+`).FindAllString(call, 2), " "), ""))
		case "train":
			if i := slices.Index(words, "--from"); i > 0 {
				got = append(got, "train from "+words[i+1])
			}
		}
	}
	want := []string{"eval " + at(0),
		"selfplay " + at(0), "train from " + at(0), "eval " + at(1), "gen-001 gen-000",
		"selfplay " + at(1), "train from " + at(1), "eval " + at(2), "gen-002 gen-001", "gen-002 gen-000",
		"selfplay " + at(1), "train from " + at(2), "eval " + at(3), "gen-003 gen-001", "gen-003 gen-000"}
	if !slices.Equal(got, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if len(whole) != 4 || whole[2].Gate.Accepted || !whole[3].Gate.Accepted || whole[3].Gate.Last.Against != 1 ||
		whole[1].Gate.First.Against != 0 || *whole[0].Tables.Correlation != 0.25 {
		t.Errorf("%+v", whole)
	}
	text := testkit.Value(os.ReadFile(filepath.Join(dir, PageName)))(t)
	pagetest.Check(t, string(text), 0)
	for _, want := range []string{"50.0 %", "against the first network", "Calibration of the last games",
		"replay-ratio: 2", "<td>no</td>", "3 of 3 generations", "0.250"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, bad := range []string{"gate: {accept: 0, match: {games: 2}}", "gate: {accept: 1, match: {out: x}}",
		"measure: {split: all}", "measure: {data: x, run: y}"} {
		if _, err := Parse([]byte(file + bad + "\n")); !errors.Is(err, ErrConfig) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// TestGivenStart: a loop that begins with a network that is there measures it, too.
func TestGivenStart(t *testing.T) {
	text := strings.Replace(file, "{recipe: tahl, blocks: 1}", "{run: other}", 1) + "measure: {data: tests}\n"
	f := &fake{t: t}
	var whole []Generation
	ended := func(g Generation) { whole = append(whole, g) }
	l := Loop{Dir: t.TempDir(), Text: []byte(text), Command: f.run, Ended: ended}
	testkit.OK(t, l.Run(t.Context()))
	if f.calls[0] != "eval --run other --data=tests" || len(whole) != 4 || *whole[0].Tables.Correlation != 0.5 {
		t.Errorf("%s, %+v", f.calls[0], whole)
	}
}

// TestSurvey: the figures of games that are known.
func TestSurvey(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "games")
	(&fake{t: t}).writeGames(dir)
	s := testkit.Value(SurveyGames(dir))(t)
	if s.Games != 10 || s.Samples != 100 || s.Draws != 5 || s.Length != 10 || s.Ends["checkmate"] != 5 ||
		math.Abs(s.Entropy-math.Ln2/10) > 1e-6 {
		t.Errorf("%+v", s)
	}
	// values 0.5, -0.5 and 0 with results 1, -1 and 0
	if r := s.Raw.Correlation; r == nil || math.Abs(*r-1) > 1e-6 || len(s.Raw.Bins) != 3 {
		t.Errorf("%+v", s.Raw)
	}
	for _, b := range s.Searched.Bins {
		if math.Abs(b.Actual-b.Predicted/0.8) > 1e-6 || b.Spread > 1e-6 || b.Count != map[bool]int64{true: 50,
			false: 25}[b.Actual == 0] {
			t.Errorf("%+v", b)
		}
	}
}
