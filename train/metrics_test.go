package train

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestMetricsDropTornAndLaterLines(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "metrics.jsonl")
	text := `{"kind":"train","step":1}` + "\n" + `{"kind":"val","step":2}` + "\n" + "garbage\n" +
		`{"kind":"train","step":3}` + "\n" + `{"kind":"tr`
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	var warned []error
	m, err := openMetrics(dir, 2, func(err error) { warned = append(warned, err) })
	if err != nil {
		t.Fatal(err)
	}
	if len(warned) != 2 || !strings.Contains(warned[0].Error(), "garbage") ||
		!strings.Contains(warned[1].Error(), "has no checksum because") {
		t.Errorf("warned %v, want a damaged line and lines without checksum", warned)
	}
	m.add(MetricsLine{Kind: "train", Step: 4})
	if err := m.close(); err != nil {
		t.Fatal(err)
	}
	got, _ := os.ReadFile(path)
	lines := strings.Split(strings.TrimSuffix(string(got), "\n"), "\n")
	if len(lines) != 3 || !strings.HasPrefix(lines[0], `{"kind":"train","step":1,`) ||
		!strings.HasPrefix(lines[1], `{"kind":"val","step":2,`) || !strings.Contains(lines[2], `"step":4`) {
		t.Errorf("got %q", got)
	}
	warned = nil
	list, err := ReadMetrics(dir, func(err error) { warned = append(warned, err) })
	if err != nil || len(list) != 3 || len(warned) != 0 {
		t.Errorf("%+v, %v, warned %v", list, err, warned)
	}
}
