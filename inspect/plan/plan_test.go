package plan_test

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"talbot/dataset"
	"talbot/inspect/plan"
	"talbot/internal/testkit"
	"talbot/internal/testkit/madeup"
	"talbot/pipeline/ingest"
)

// TestPlanKinds plans every kind of input as ingest reads it.
func TestPlanKinds(t *testing.T) {
	dir := t.TempDir()
	table, tactics, games := filepath.Join(dir, "table.csv"), filepath.Join(dir, "tactics.epd"), filepath.Join(dir,
		"games.pgn")
	testkit.WriteRows(t, table, tactics, 100)
	testkit.WriteGames(t, games, 20, 1)
	inputs := []string{table, tactics, games}
	var counted int64
	e, err := plan.Request{Inputs: inputs, Workers: 1, Batch: 1, Epochs: 1, Checkpoints: 7,
		ReadFirst: func(_ context.Context, dir string) error {
			m, err := dataset.ReadManifest(dir)
			if err == nil {
				counted = m.Counts.Positions
			}
			return err
		},
		TrainRate: func(context.Context) (float64, string, error) { return 1, "given", nil }}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	sum, err := ingest.Request{Inputs: inputs, Out: filepath.Join(dir, "out"), Splits: dataset.DefaultSplits,
		KeepDuplicates: true}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	without, err := ingest.Request{Inputs: inputs, Out: filepath.Join(dir, "without copies"),
		Splits: dataset.DefaultSplits}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if e.Games != sum.GamesKept || e.Positions != sum.Positions || e.Samples != sum.Samples ||
		e.Rejected != sum.GamesRead-sum.GamesKept {
		t.Errorf("%+v, ingested %+v", e, sum)
	}
	total := e.IngestSeconds/3600 + e.LabelHours + e.TrainHours
	for _, r := range e.Readings {
		total += r.Seconds / 3600
	}
	if e.TotalHours != total || e.DiskBytes != e.ShardBytes+e.LabelBytes+7 {
		t.Errorf("%g hours in all, want %g; %d bytes", e.TotalHours, total, e.DiskBytes)
	}
	var read []string
	for _, r := range e.Readings {
		if read = append(read, r.What); r.Seconds <= 0 {
			t.Errorf("%s takes %v s", r.What, r.Seconds)
		}
	}
	if want := []string{"verify", "stats", "aggregate", plan.Start}; !slices.Equal(read, want) ||
		counted != without.Positions {
		t.Errorf("read %q, want %q; %d positions of %d", read, want, counted, without.Positions)
	}
}

// TestPlanBeginning: what ingest makes of the beginning of an input is a beginning of what it makes of the whole, and
// plan tries the rest of the pipeline on that.
func TestPlanBeginning(t *testing.T) {
	dir := t.TempDir()
	games := filepath.Join(dir, "games.pgn")
	testkit.WriteGames(t, games, 3000, 1)
	whole, part := filepath.Join(dir, "whole"), filepath.Join(dir, "part")
	request := ingest.Request{Inputs: []string{games}, Out: whole, Splits: dataset.DefaultSplits, KeepDuplicates: true}
	all, err := request.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(games)
	if err != nil {
		t.Fatal(err)
	}
	request.Out, request.Beginning = part, info.Size()/10
	some, err := request.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if share := float64(some.Positions) / float64(all.Positions); share < 0.09 || share > 0.11 {
		t.Errorf("a tenth has %.3f of the positions", share)
	}
	want, got := madeup.All(t, whole), madeup.All(t, part)
	if len(got) != int(some.GamesKept) || !reflect.DeepEqual(got, want[:len(got)]) {
		t.Errorf("%d lines, which are not the first of the whole", len(got))
	}
	request.Out, request.KeepDuplicates = filepath.Join(dir, "without copies"), false
	if some, err = request.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	var kept int64
	if _, err := (plan.Request{Inputs: request.Inputs, Sample: request.Beginning, Workers: 1, Batch: 1, Epochs: 1,
		ReadFirst: func(_ context.Context, dir string) error {
			m, err := dataset.ReadManifest(dir)
			if err == nil {
				kept = m.Counts.GamesKept
			}
			return err
		},
		TrainRate: func(context.Context) (float64, string, error) { return 1, "given", nil },
	}.Run(t.Context())); err != nil {
		t.Fatal(err)
	}
	if kept != some.GamesKept {
		t.Errorf("planned with %d games, ingested %d", kept, some.GamesKept)
	}
	if m, err := dataset.ReadManifest(part); err != nil || m.Inputs[0].SHA256 != "" {
		t.Errorf("%v; the sum of a beginning is that of a file: %+v", err, m.Inputs)
	}
}
