package label_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/encode"
	"talbot/inspect/diff"
	"talbot/inspect/samples"
	"talbot/inspect/stats"
	"talbot/inspect/verify"
	"talbot/internal/output"
	"talbot/internal/testkit"
	"talbot/internal/testkit/madeup"
	"talbot/pipeline/label"
	"talbot/pipeline/tactics"
)

// TestUnknownFingerprint: labels whose fingerprint the manifest does not have are damage to every verb that reads a
// dataset; labelling would take them for those of the engine whose fingerprint it appends.
func TestUnknownFingerprint(t *testing.T) {
	dir := madeup.Dataset(t, madeup.Lines(t), 2)
	whole := madeup.Dataset(t, madeup.Lines(t), 2)
	m := testkit.Manifest(t, dir)
	m.Fingerprints = m.Fingerprints[:1]
	testkit.OK(t, dataset.WriteManifest(dir, m))
	out := filepath.Join(t.TempDir(), "out")
	base := job{In: dir, Out: out, Workers: 1}.request(t)
	reuse := job{In: whole, Out: out, Workers: 1}.request(t)
	reuse.Reuse = []string{dir}
	for name, run := range map[string]func() error{
		"label": func() error { _, err := base.Run(t.Context()); return err },
		"reuse": func() error { _, err := reuse.Run(t.Context()); return err },
		"audit": func() error {
			_, err := label.Audit{Request: base, Share: 1}.Run(t.Context())
			return err
		},
		"join": func() error {
			_, err := label.Join(t.Context(), output.Join{Parts: []string{dir}, Out: out})
			return err
		},
		"tactics": func() error {
			_, err := tactics.Request{In: dir, Out: out}.Run(t.Context())
			return err
		},
		"stats": func() error { _, err := stats.Request{Dir: dir}.Run(t.Context()); return err },
		"inspect": func() error {
			_, err := samples.Open(dir, samples.Options{Encoder: encode.TalbotBot{}})
			return err
		},
		"diff":   func() error { _, err := diff.Request{A: whole, B: dir}.Run(t.Context()); return err },
		"verify": func() error { _, err := verify.Request{Dirs: []string{dir}}.Run(t.Context()); return err },
	} {
		if err := run(); !errors.Is(err, dataset.ErrDamaged) || !strings.Contains(fmt.Sprint(err), "fingerprint 1") {
			t.Errorf("%s: %v", name, err)
		}
		os.RemoveAll(out)
	}
}

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
