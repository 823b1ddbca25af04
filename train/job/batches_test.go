package job

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
	"slices"
	"testing"

	"talbot/dataset"
	"talbot/internal/testkit"
	"talbot/internal/testkit/traindata"
	"talbot/network/run"
	"talbot/train"
	"talbot/train/loader"
)

// readBatch reads a batch as its description says, without the end of the stream.
func readBatch(t *testing.T, r io.Reader, h BatchesHeader) (train.Batch, bool) {
	t.Helper()
	var size struct{ N, K uint32 }
	testkit.OK(t, binary.Read(r, binary.LittleEndian, &size))
	b := train.Batch{N: int(size.N)}
	if size.N == 0 {
		return b, false
	}
	for _, a := range h.Arrays {
		n := 1
		for _, x := range a.Shape {
			switch x := x.(type) {
			case string:
				n *= map[string]int{"N": int(size.N), "K": int(size.K)}[x]
			case float64:
				n *= int(x)
			}
		}
		var to any
		switch {
		case a.Name == "packed" && a.Type == "<u8":
			b.Packed = make([]uint64, n)
			to = b.Packed
		case a.Name == "codes" && a.Type == "<i4":
			b.Codes = make([]int32, n)
			to = b.Codes
		case a.Type == "<f4":
			floats := make([]float32, n)
			*map[string]*[]float32{"weights": &b.Weights, "floats": &b.Floats, "known": &b.Known}[a.Name] = floats
			to = floats
		}
		testkit.OK(t, binary.Read(r, binary.LittleEndian, to))
	}
	return b, true
}

func sameBatch(a, b *train.Batch) bool {
	return a.N == b.N && slices.Equal(a.Packed, b.Packed) && slices.Equal(a.Codes, b.Codes) &&
		slices.Equal(a.Weights, b.Weights) && slices.Equal(a.Floats, b.Floats) && slices.Equal(a.Known, b.Known)
}

// TestBatches: the stream has the very batches that a loader draws as training sets it up, through two epochs, of
// recipes with one move, all moves and none, from two datasets with shares; and of val those that it validates on.
func TestBatches(t *testing.T) {
	a := write(t, traindata.Dataset{Seed: 1, Games: 60})
	b := write(t, traindata.Dataset{Seed: 2, Games: 40})
	a.Weight, b.Weight = 0.7, 0.3
	for _, name := range []string{"talbotbot", "lynx", "napoleon", "tahl"} {
		for _, split := range []dataset.Split{dataset.Train, dataset.Val} {
			job := Train{Data: []loader.Spec{a, b}, Recipe: name, Adjust: func(c *run.Config) error {
				c.Batch, c.Seed = 48, 7
				return nil
			}}
			var out bytes.Buffer
			testkit.OK(t, job.Batches(t.Context(), &out, split, 2))
			r := bufio.NewReader(&out)
			line := testkit.Value(r.ReadBytes('\n'))(t)
			var h BatchesHeader
			testkit.OK(t, json.Unmarshal(line, &h))

			c := testkit.Value(job.config(0, nil))(t)
			data := testkit.Value(openData(t.Context(), c, job.Data, loader.Options{}))(t)
			defer data.Close()
			survey := testkit.Value(data.Survey(t.Context(), valSamples, 48, nil))(t)
			source := survey.NewLoader(loader.LoaderOptions{Batch: 48, Seed: 7})
			defer source.Close()
			n := (2*survey.Train() + 47) / 48
			if split == dataset.Val {
				n = int64(len(survey.Val))
			}
			if h.Batches != n || n < 2 || h.Recipe != name || h.Split != split.String() {
				t.Errorf("%s %s: header %+v, want %d batches", name, split, h, n)
			}
			for i := range n {
				var want train.Batch
				if split == dataset.Train {
					testkit.OK(t, source.Next(&want))
				} else {
					want = survey.Val[i]
				}
				if got, ok := readBatch(t, r, h); !ok || !sameBatch(&got, &want) {
					t.Fatalf("%s %s: batch %d differs", name, split, i)
				}
			}
			if _, more := readBatch(t, r, h); more || r.Buffered() > 0 || out.Len() > 0 {
				t.Errorf("%s %s: the stream goes on", name, split)
			}
		}
	}
}
