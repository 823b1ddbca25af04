package train

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMetricsDropTornAndLaterLines: a torn last line and those after the step of the checkpoint go silently, damaged
// ones with a warning.
func TestMetricsDropTornAndLaterLines(t *testing.T) {
	dir := t.TempDir()
	var text []byte
	for step, kind := range []string{"train", "val", "train"} {
		line, err := MetricsLine{Kind: kind, Step: int64(step + 1)}.encode()
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, line...)
		if step == 1 {
			text = append(text, "garbage\n{\"kind\":\"train\",\"step\":2}\n"...)
		}
	}
	path := filepath.Join(dir, "metrics.jsonl")
	if err := os.WriteFile(path, append(text, `{"kind":"tr`...), 0o666); err != nil {
		t.Fatal(err)
	}
	var warned []error
	m, err := openMetrics(dir, 2, func(err error) { warned = append(warned, err) })
	if err != nil {
		t.Fatal(err)
	}
	if len(warned) != 2 || !strings.Contains(warned[0].Error(), "garbage") ||
		!strings.Contains(warned[1].Error(), `\"step\":2`) {
		t.Errorf("warned %v, want the two damaged lines", warned)
	}
	m.add(MetricsLine{Kind: "train", Step: 4})
	if err := m.close(); err != nil {
		t.Fatal(err)
	}
	warned = nil
	list, err := ReadMetrics(dir, func(err error) { warned = append(warned, err) })
	if err != nil || len(list) != 3 || list[0].Step != 1 || list[1].Kind != "val" || list[2].Step != 4 ||
		len(warned) != 0 {
		t.Errorf("%+v, %v, warned %v", list, err, warned)
	}
}
