package model

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"strconv"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"talbot/encode"
)

// ungzip returns what a compressed file holds.
func ungzip(t *testing.T, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestNapoleonInput compares what the graph makes of packed inputs with python-chess:
// encode/testdata/napoleon.jsonl.gz.
func TestNapoleonInput(t *testing.T) {
	var packed []uint64
	var want []float32
	var fens []string
	for in := bufio.NewScanner(bytes.NewReader(ungzip(t, "../../encode/testdata/napoleon.jsonl.gz"))); in.Scan(); {
		var row struct {
			FEN     string
			Packed  []string
			Numbers []float32
		}
		if err := json.Unmarshal(in.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		for _, s := range row.Packed {
			w, err := strconv.ParseUint(s, 16, 64)
			if err != nil {
				t.Fatal(err)
			}
			packed = append(packed, w)
		}
		fens, want = append(fens, row.FEN), append(want, row.Numbers...)
	}
	if len(fens) < 100 {
		t.Fatalf("%d golden positions", len(fens))
	}
	for _, form := range []Form{Native, Products, Patches, Tiles} {
		exec := graph.MustNewExec(goBackend(t), func(x *graph.Node) *graph.Node {
			return form.Flatten(Napoleon{}.Unpack(form, x))
		})
		out := exec.MustCall(tensors.FromFlatDataAndDimensions(packed, len(fens), encode.NapoleonWords))[0]
		for i, got := range tensors.MustCopyFlatData[float32](out) {
			if got != want[i] {
				size := 64 * encode.NapoleonPlanes
				t.Fatalf("form %d, %q: plane %d, square %d is %g, want %g", form, fens[i/size], i%size/64, i%64, got,
					want[i])
			}
		}
	}
}
