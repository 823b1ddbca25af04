package studio

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"talbot/internal/table"
	"talbot/network/run"
	"talbot/train/job"
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
	const bad = "=<script>alert(1)<!--\u202e\"'&"
	one := makeRun(t, filepath.Join(dir, bad), func(*run.Config) {})
	other := makeRun(t, filepath.Join(dir, "other"), func(c *run.Config) { c.LR, c.Seed = 0.5, 7 })
	s := serve(t, dir)
	at := "/run/" + s.keyOf(bad)
	if status, text := s.ask("GET", at, nil, nil); status != 200 || !strings.Contains(text, "nothing to draw") ||
		strings.Contains(text, "<script>alert") || strings.Contains(text, "\u202e") {
		t.Errorf("without metrics: %d %s", status, text)
	}
	for i := 1; i <= 4; i++ {
		one("train", 100*i, 4/float64(i))
		other("train", 100*i, 5/float64(i))
	}
	one("val", 400, 1.25)
	later()
	status, text := s.ask("GET", at, nil, nil)
	if status != 200 || strings.Count(text, `class="plot"`) != 7 || strings.Contains(text, "Settings that differ") ||
		!strings.Contains(text, `data-values="100:3.5 200:1.5 300:0.83333 400:0.5"`) {
		t.Errorf("%d %s", status, text)
	}
	_, version, _ := strings.Cut(text, `data-version="`)
	version, _, _ = strings.Cut(version, `"`)
	if status, _ := s.ask("GET", at+"/live?since="+version, nil, nil); status != 204 {
		t.Errorf("nothing is new: %d", status)
	}
	one("train", 500, 0.75)
	later()
	if status, text := s.ask("GET", at+"/live?since="+version, nil, nil); status != 200 ||
		!strings.Contains(text, "500:0.25") || strings.Contains(text, "<body") {
		t.Errorf("a line is new: %d %s", status, text)
	}
	with := "with=" + s.keyOf("other")
	status, text = s.ask("GET", at+"?axis=time&scale=log&smooth=none&"+with, nil, nil)
	if status != 200 || !strings.Contains(text, "Settings that differ") || !strings.Contains(text, `data-units="hours"`) ||
		!strings.Contains(text, `<th scope="row">lr</th>`) || strings.Contains(text, `<th scope="row">batch</th>`) ||
		strings.Contains(text, "<script>alert") {
		t.Errorf("%d %s", status, text)
	}
	for _, query := range []string{"axis=x&scale=%00&smooth=..&with=x&with=" + strings.Repeat("y", 5000), "with=%zz"} {
		if status, _ := s.ask("GET", at+"?"+query, nil, nil); status >= 500 {
			t.Errorf("%.30s: %d", query, status)
		}
	}

	_, text = s.ask("GET", at+"/curve.csv?curve=policy_ce&"+with, nil, nil)
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
	_, text = s.ask("GET", at+"/curve.csv?curve=loader_wait", nil, nil)
	if strings.Count(text, "0.25\n") != 5 {
		t.Error(text)
	}
	for _, name := range []string{"", "nonsense", "../../etc/passwd"} {
		if status, _ := s.ask("GET", at+"/curve.csv?curve="+url.QueryEscape(name), nil, nil); status != 404 {
			t.Errorf("%q: %d", name, status)
		}
	}
}

// The card of an evaluation is shown with its verdict, and its text is text; a damaged one is said to be.
func TestRunCard(t *testing.T) {
	dir := t.TempDir()
	makeRun(t, filepath.Join(dir, "run"), func(*run.Config) {})("val", 100, 2)
	s := serve(t, dir)
	at := "/run/" + s.key(aRun)
	const bad = "<script>alert(1)</script>\u202e"
	card, err := json.Marshal(report.Card{Checkpoint: bad, Step: 100, Split: bad, Note: bad, Samples: 7,
		Verdicts: table.Verdicts{{Class: `better" onclick="x`, Head: bad, Title: "Better than chance by 1 nat",
			Text: bad}, {Class: "better", Title: "second"}},
		Figures: table.Tiles{{Name: bad, Value: bad, Class: "worse", Help: bad}}})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{string(card): "Better than chance by 1 nat", "{": "eval.json",
		"": "eval.json"} {
		if err := os.WriteFile(filepath.Join(dir, "run", job.CardName), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		later()
		status, got := s.ask("GET", at, nil, nil)
		if status != 200 || !strings.Contains(got, want) || strings.Contains(got, "<script>alert") ||
			strings.Contains(got, `onclick="x"`) || strings.Contains(got, "\u202e") {
			t.Errorf("%.20q: %d %s", text, status, got)
		}
	}
}
