package shards

import (
	"bytes"
	"fmt"
	"testing"

	"talbot/board"
	"talbot/dataset"
)

// TestNamesOfEarlierBlocks: where a block ends for its many names does not depend on the names that its buffers held
// before, and so not on the number of workers.
func TestNamesOfEarlierBlocks(t *testing.T) {
	var lines []dataset.Line
	for i := range 600 {
		l := dataset.Line{Number: int64(i + 1), Start: board.StartPosition(),
			Moves: []board.Move{board.NewMove(12, 28)}}
		for k := range 3 {
			l.Tags = append(l.Tags, dataset.Tag{Name: fmt.Sprint("tag", (i/50*7+k)%40), Value: "x"})
		}
		l.Labels = []dataset.LabelColumn{{Fingerprint: i, Labels: []dataset.Label{{
			Status: dataset.Labelled, Lines: []dataset.Searched{{Score: dataset.Centipawns(i)}},
		}}}}
		lines = append(lines, l)
	}
	var want []byte
	for _, workers := range []int{1, 2, 5} {
		m := new(memory)
		w := newWriter(m, Name(0), WithWorkers(workers))
		for i := range lines {
			if err := w.Write(&lines[i]); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := w.Commit(); err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = bytes.Clone(m.Bytes())
		} else if !bytes.Equal(m.Bytes(), want) {
			t.Errorf("%d workers write other bytes than 1", workers)
		}
	}
}
