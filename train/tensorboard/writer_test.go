package tensorboard

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// The framing of a record.
func TestRecord(t *testing.T) {
	// RFC 3720, B.4: the CRC-32C of 32 zero bytes is 8a9136aa; masked by hand: rotated right by 15 bits it is 6d551522,
	// and a282ead8 more is 0fd7fffa.
	if got, want := masked(make([]byte, 32)), uint32(0x0fd7fffa); got != want {
		t.Errorf("masked checksum %08x, want %08x", got, want)
	}
	got := record([]byte("abc"))
	if len(got) != 8+4+3+4 || hex.EncodeToString(got[:8]) != "0300000000000000" || string(got[12:15]) != "abc" {
		t.Errorf("record %x", got)
	}
}

// TensorBoard itself reads the points, drops those of a killed process after the step it was resumed at, and takes a
// torn record for the end.
func TestTensorBoardReadsTheFiles(t *testing.T) {
	if err := exec.Command("python3", "-c", "import tensorboard").Run(); err != nil {
		t.Skip("Python with tensorboard is not installed: not read with it (pip install tensorboard)")
	}
	dir := t.TempDir()
	now := time.Unix(1_700_000_000, 0)
	write := func(first int64, steps ...int64) {
		t.Helper()
		w, err := Create(filepath.Join(dir, "train"), first, now)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range steps {
			now = now.Add(time.Second)
			if err := w.Add(s, now, []Scalar{{"loss/policy", 8 / float64(s)}, {"lr", 1e-3}}); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	write(1, 1, 2, 3, 4) // killed; the checkpoint is of step 2
	files, err := filepath.Glob(filepath.Join(dir, "train", "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%q, %v", files, err)
	}
	whole, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(files[0], whole[:len(whole)-7], 0o666); err != nil {
		t.Fatal(err)
	}
	write(3, 3, 5)
	var stderr bytes.Buffer
	cmd := exec.Command("python3", "testdata/read_events.py", dir)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, stderr.Bytes())
	}
	var runs map[string]map[string][][2]float64
	if err := json.Unmarshal(out, &runs); err != nil {
		t.Fatal(err)
	}
	points := runs["train"]["loss/policy"]
	if fmt.Sprint(len(points), len(runs), len(runs["train"])) != "4 1 2" {
		t.Fatalf("TensorBoard has %v", runs)
	}
	for i, step := range []float64{1, 2, 3, 5} {
		if p := points[i]; p[0] != step || math.Abs(p[1]-8/step) > 1e-6 {
			t.Errorf("point %d is %v", i, p)
		}
	}
}
