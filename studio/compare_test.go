package studio

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"talbot/evaluate"
	"talbot/internal/testkit/tinyrun"
	"talbot/network/run"
	"talbot/train/job"
	"talbot/train/loader"
	"talbot/train/report"
)

// makeNetwork makes a run of a recipe that was not trained, with weights of its own for each seed.
func makeNetwork(t *testing.T, dir string, seed int64, recipe string, sets ...string) {
	t.Helper()
	c := tinyrun.Config(t, recipe, sets...)
	c.Seed = seed
	made, _ := tinyrun.Write(t, c, tinyrun.Weights(t, c))
	if err := os.CopyFS(dir, os.DirFS(made)); err != nil {
		t.Fatal(err)
	}
}

// A comparison on the page of a run says what `talbot compare` says, and what has vanished is said to have.
func TestCompare(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir := t.TempDir()
	makeData(t, filepath.Join(dir, "games"), 30)
	makeNetwork(t, filepath.Join(dir, "one"), 1, "talbotbot", "blocks=1", "filters=4")
	makeNetwork(t, filepath.Join(dir, "two"), 2, "talbotbot", "blocks=1", "filters=4")
	s := serve(t, dir)
	at := "/run/" + s.keyOf("one") + "/compare"
	if text := s.done(at); !strings.Contains(text, `<select name="with"`) {
		t.Error(text)
	}
	text := s.done(at + "?split=all&with=" + s.keyOf("two") + "&data=" + s.keyOf("games"))
	found, err := job.Compare{Settings: [][]string{{filepath.Join(dir, "one")}, {filepath.Join(dir, "two")}},
		Measure: job.Measure{Data: []loader.Spec{{Dir: filepath.Join(dir, "games")}}, Split: "all",
			Samples: comparedSamples, Batch: comparedBatch, Backend: "go"}}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	if err := found.Page().WritePart(&want); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text, want.String()) || !strings.Contains(text, "two against one") {
		t.Errorf("got %s\nwant %s", text, want.String())
	}
	for _, query := range []string{"?with=x&data=" + s.keyOf("games"), "?with=" + s.keyOf("two") + "&data=../x",
		"?split=test&with=" + s.keyOf("two") + "&data=" + s.keyOf("games")} { // the last has no samples
		text := s.done(at + query)
		if !strings.Contains(text, `class="notice"`) || strings.Contains(text, dir) {
			t.Errorf("%s: %s", query, text)
		}
	}
}

// The worst misses of the last evaluation are boards; a card with one that is none is said to be damaged.
func TestMisses(t *testing.T) {
	dir := t.TempDir()
	makeRun(t, filepath.Join(dir, "run"), func(*run.Config) {})("val", 100, 2)
	s := serve(t, dir)
	at := "/run/" + s.key(aRun)
	x := 0.25
	miss := evaluate.Miss{FEN: "4k2r/8/8/8/8/8/8/4K2R b Kk - 0 9", Source: "game", Game: "<script>alert(1)\u202e",
		Value: &x, Target: evaluate.MoveProbability{UCI: "e8g8", SAN: "O-O", Probability: 0.004},
		Moves: []evaluate.MoveProbability{{UCI: "h8h1", SAN: "Rxh1+", Probability: 0.75}}}
	write := func(misses ...evaluate.Miss) string {
		card, err := json.Marshal(report.Card{Samples: 7, Misses: misses})
		if err != nil {
			t.Fatal(err)
		}
		put(t, string(card), dir, "run", job.CardName)
		later()
		return s.done(at)
	}
	if text := write(miss, miss); strings.Count(text, "<article") != 2 || !strings.Contains(text, "0.4 %") ||
		!strings.Contains(text, "Rxh1&#43; 75 %; value &#43;0.2500") {
		t.Error(text)
	}
	miss.FEN = "nonsense"
	if text := write(miss); strings.Contains(text, "<article") || !strings.Contains(text, "eval.json") {
		t.Error(text)
	}
	if text := write(); strings.Contains(text, "Misses") {
		t.Error(text)
	}
}
