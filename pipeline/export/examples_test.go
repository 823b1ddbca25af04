package export_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"talbot/encode"
	"talbot/internal/output"
	"talbot/internal/testkit"
	"talbot/internal/testkit/madeup"
	"talbot/pipeline/export"
)

var pythonBlock = regexp.MustCompile("(?ms)^```python\n(.*?)^```$")

// TestExamples runs the Python examples of the docs: with pandas, Polars, DuckDB and PyTorch all count the same samples
// as we do. TALBOT_PYTHON names a Python that has them.
func TestExamples(t *testing.T) {
	python := os.Getenv("TALBOT_PYTHON")
	if python == "" {
		python = "python3"
	}
	page := testkit.Value(os.ReadFile("../../docs/19-other-formats.md"))(t)
	blocks := pythonBlock.FindAllStringSubmatch(string(page), -1)
	if len(blocks) != 5 {
		t.Fatalf("%d examples", len(blocks))
	}
	dir := madeup.Dataset(t, madeup.Lines(t), 2)
	work := t.TempDir()
	for format, out := range map[string]string{"parquet": "samples.parquet", "npy": "train.npy"} {
		f := testkit.Value(export.ParseFormat(format))(t)
		testkit.Run(t, export.Request{Dir: dir, Format: f, Out: output.File{Path: filepath.Join(work, out)},
			Encoder: encode.TalbotBot{}})
	}
	type row struct {
		CP    *int32 `parquet:"cp,optional"`
		Split string `parquet:"split"`
	}
	rows, err := parquet.ReadFile[row](filepath.Join(work, "samples.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	count, sum := 0, int32(0)
	for _, r := range rows {
		if r.CP != nil && r.Split == "train" {
			count, sum = count+1, sum+*r.CP
		}
	}
	if count == 0 {
		t.Fatal("no labelled sample")
	}
	for _, b := range blocks {
		name := strings.Fields(b[1])[1]
		if strings.Contains(b[1], "torch") {
			name = "torch"
		}
		t.Run(name, func(t *testing.T) {
			if out, err := exec.Command(python, "-c", "import "+name+", pyarrow").CombinedOutput(); err != nil {
				t.Skipf("SKIPPED: %s has no %s (TALBOT_PYTHON names another): %v: %.200s", python, name, err, out)
			}
			cmd := exec.Command(python, "-c", b[1])
			cmd.Dir = work
			out, err := cmd.CombinedOutput()
			want := fmt.Sprintln(count, sum)
			if name == "numpy" {
				want = ""
			}
			if err != nil || string(out) != want {
				t.Errorf("%q (%v), want %q", out, err, want)
			}
		})
	}
}
