package studio

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"talbot/dataset"
	"talbot/evaluate"
	"talbot/internal/table"
	"talbot/internal/testkit"
	"talbot/internal/testkit/tinyrun"
	"talbot/network/run"
	"talbot/train/job"
	"talbot/train/loader"
	"talbot/train/report"
)

// makeRun makes a folder that says it is of a run, and returns what adds a line to its metrics.
func makeRun(t *testing.T, dir string, change func(*run.Config)) (add func(kind string, step int, loss float64)) {
	t.Helper()
	c, err := run.New("talbotbot", "")
	if err != nil {
		t.Fatal(err)
	}
	c.SetSteps(1000)
	change(&c)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := c.Write(dir); err != nil {
		t.Fatal(err)
	}
	return func(kind string, step int, loss float64) {
		t.Helper()
		f, err := os.OpenFile(filepath.Join(dir, run.MetricsName), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		line := fmt.Sprintf(`{"kind":%q,"step":%d,"loss":%g,"policy_ce":%g,"value_mse":0.5,"top1":0.2,"lr":0.001,`+
			`"seconds":%d,"positions_per_second":500,"loader_wait":0.25`, kind, step, loss, loss-0.5, step*36)
		fmt.Fprintf(f, "%s,\"crc\":\"%08x\"}\n", line, crc32.ChecksumIEEE([]byte(line)))
	}
}

// later lets the library look again.
func later() { time.Sleep(60 * time.Millisecond) }

// keyOf is that of the folder of a name.
func (s *served) keyOf(name string) string {
	s.t.Helper()
	for _, f := range s.library.look() {
		if f.Name == name {
			return f.Key
		}
	}
	s.t.Fatalf("no %q", name)
	return ""
}

// The curves of a run grow with it, those of another are drawn over them, and their values can be had as CSV.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	const bad = "=" + hostile
	one := makeRun(t, filepath.Join(dir, bad), func(*run.Config) {})
	other := makeRun(t, filepath.Join(dir, "other"), func(c *run.Config) { c.LR, c.Seed = 0.5, 7 })
	s := serve(t, dir)
	at := "/run/" + s.keyOf(bad)
	s.has(at, "nothing to draw") // without metrics
	for i := 1; i <= 4; i++ {
		one("train", 100*i, 4/float64(i))
		other("train", 100*i, 5/float64(i))
	}
	one("val", 400, 1.25)
	later()
	text := s.has(at, `data-values="100:3.5 200:1.5 300:0.83333 400:0.5"`)
	if strings.Count(text, `class="plot"`) != 7 || strings.Contains(text, "Settings that differ") {
		t.Error(text)
	}
	if status, _ := s.fresh(at, text); status != 204 {
		t.Errorf("nothing is new: %d", status)
	}
	one("train", 500, 0.75)
	later()
	if status, part := s.fresh(at, text); status != 200 || !strings.Contains(part, "500:0.25") ||
		strings.Contains(part, "<body") {
		t.Errorf("a line is new: %d %s", status, part)
	}
	with := "with=" + s.keyOf("other")
	text = s.has(at+"?axis=time&scale=log&smooth=none&"+with, "Settings that differ", `data-units="hours"`,
		`<th scope="row">lr</th>`)
	if strings.Contains(text, `<th scope="row">batch</th>`) {
		t.Error(text)
	}
	s.statuses(at, map[string]int{"?axis=x&scale=%00&smooth=..&with=x&with=" + strings.Repeat("y", 5000): 200,
		"?with=%zz": 400, "/curve.csv?curve=": 404, "/curve.csv?curve=nonsense": 404,
		"/curve.csv?curve=..%2f..%2fetc%2fpasswd": 404})

	text = s.has(at + "/curve.csv?curve=policy_ce&" + with)
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(rows) != 1+6+4 {
		t.Fatalf("%v %s", err, text)
	}
	if got := strings.Join(rows[2], "|"); got != "'"+bad+"|train|200|102400|2|1.5" {
		t.Errorf("%q", got)
	}
	if rows[10][0] != "other" || rows[5][1] != "val" || rows[5][5] != "0.75" {
		t.Errorf("%q", rows)
	}
	if text = s.has(at + "/curve.csv?curve=loader_wait"); strings.Count(text, "0.25\n") != 5 {
		t.Error(text)
	}
}

// The card of an evaluation is shown with its verdict and its worst misses as boards, and its text is text; a damaged
// one is said to be, and so is one with a miss that is no position.
func TestRunCard(t *testing.T) {
	dir := t.TempDir()
	makeRun(t, filepath.Join(dir, "run"), func(*run.Config) {})("val", 100, 2)
	s := serve(t, dir)
	const bad = "<script>alert(1)</script>\u202e"
	x := 0.25
	miss := evaluate.Miss{FEN: "4k2r/8/8/8/8/8/8/4K2R b Kk - 0 9", Source: "game", Game: bad, Value: &x,
		Target: evaluate.MoveProbability{UCI: "e8g8", SAN: "O-O", Probability: 0.004},
		Moves:  []evaluate.MoveProbability{{UCI: "h8h1", SAN: "Rxh1+", Probability: 0.75}}}
	nowhere := miss
	nowhere.FEN = "nonsense"
	card := func(misses ...evaluate.Miss) string {
		text, err := json.Marshal(report.Card{Checkpoint: bad, Step: 100, Split: bad, Note: bad, Samples: 7,
			Verdicts: table.Verdicts{{Class: `better" onclick="x`, Head: bad, Title: "Better than chance by 1 nat",
				Text: bad}, {Class: "better", Title: "second"}},
			Figures: table.Tiles{{Name: bad, Value: bad, Class: "worse", Help: bad}}, Misses: misses})
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for _, c := range []struct {
		text   string
		boards int
		has    []string
	}{
		{card(), 0, []string{"Better than chance by 1 nat"}},
		{card(miss, miss), 2, []string{"0.4 %", "Rxh1&#43; 75 %; value &#43;0.2500"}},
		{card(nowhere), 0, []string{"eval.json"}},
		{"{", 0, []string{"eval.json"}},
		{"", 0, []string{"eval.json"}},
	} {
		put(t, c.text, dir, "run", job.CardName)
		later()
		got := s.has("/run/"+s.key(aRun), c.has...)
		if strings.Contains(got, `onclick="x"`) || strings.Count(got, "<article") != c.boards ||
			strings.Contains(got, "Misses") != (c.boards > 0) {
			t.Errorf("%.20q: %s", c.text, got)
		}
	}
}

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
	dir := t.TempDir()
	makeData(t, filepath.Join(dir, "games"), 30)
	makeNetwork(t, filepath.Join(dir, "one"), 1, "talbotbot", "blocks=1", "filters=4")
	makeNetwork(t, filepath.Join(dir, "two"), 2, "talbotbot", "blocks=1", "filters=4")
	makeData(t, filepath.Join(dir, "another"), 20)
	own := testkit.Must(dataset.ReadManifest(filepath.Join(dir, "games"))).Hash()
	id := loader.Identity{Splits: "90,5,5", Sets: []loader.SetIdentity{{Dir: "moved", Manifest: own}}}
	testkit.OK(t, id.Write(filepath.Join(dir, "one")))
	s := serve(t, dir)
	at := "/run/" + s.keyOf("one") + "/compare"
	text := s.done(at)
	if _, data, _ := strings.Cut(text, `<select name="data"`); !strings.Contains(text, `<select name="with"`) ||
		strings.Index(data, ">games<") > strings.Index(data, ">another<") {
		t.Errorf("the run's own data is not the first: %s", text)
	}
	text = s.done(at + "?split=all&with=" + s.keyOf("two") + "&data=" + s.keyOf("games"))
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
