package label_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/testkit"
	"talbot/internal/testkit/madeup"
)

// TestLabelIllegalInput: a move, a variation or a best move that is illegal under a valid checksum is found before a
// label is made, with its dataset, shard and line, wherever it is; so are those of a dataset to reuse.
func TestLabelIllegalInput(t *testing.T) {
	count := testkit.Searches(t)
	illegal := board.NewMove(0, 63)
	for name, spoil := range map[string]func(lines []dataset.Line){
		"move": func(lines []dataset.Line) { lines[4].Moves[2] = illegal },
		"variation": func(lines []dataset.Line) {
			label := &lines[0].Labels[1].Labels[3]
			label.Lines[0].PV = []board.Move{label.Lines[0].PV[0], illegal}
		},
		"best move": func(lines []dataset.Line) { lines[2].Labels[0].Labels[0].Best = illegal },
	} {
		lines := madeup.Lines(t)
		spoil(lines)
		dir := madeup.Dataset(t, lines, 1)
		r := job{In: dir, Out: filepath.Join(t.TempDir(), "out"), Workers: 2}.request(t)
		_, err := r.Run(t.Context())
		if !errors.Is(err, dataset.ErrDamaged) || !strings.Contains(fmt.Sprint(err), illegal.String()) ||
			!strings.Contains(fmt.Sprint(err), filepath.Join(dir, "shard-0000")) ||
			!strings.Contains(fmt.Sprint(err), "line 0") {
			t.Errorf("%s: %v", name, err)
		}
		if n := count(); n != 0 {
			t.Errorf("%s: %d searches", name, n)
		}
		if stored, _ := filepath.Glob(filepath.Join(r.Out, "[sl]*-*")); len(stored) > 0 {
			t.Errorf("%s: there is %q", name, stored)
		}
	}
	// What is reused is as suspicious as the input.
	lines := madeup.Lines(t)
	for i := range lines {
		lines[i].Labels = nil
	}
	clean := madeup.Dataset(t, lines, 2)
	made := job{In: clean, Out: filepath.Join(t.TempDir(), "made"), Workers: 1}.request(t)
	labelled(t, made)
	spoilt := filepath.Join(t.TempDir(), "spoilt")
	testkit.Rewritten(t, made.Out, spoilt, func(l *dataset.Line) {
		label := &l.Labels[0].Labels[0]
		if len(label.Lines) > 0 {
			label.Lines[0].PV = append(label.Lines[0].PV, illegal)
		}
	})
	r := made
	r.Out, r.Reuse = filepath.Join(t.TempDir(), "out"), []string{spoilt}
	if _, err := r.Run(t.Context()); !errors.Is(err, dataset.ErrDamaged) ||
		!strings.Contains(fmt.Sprint(err), illegal.String()) {
		t.Errorf("reused: %v", err)
	}
}
