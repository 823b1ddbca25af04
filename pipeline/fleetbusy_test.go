package pipeline_test

import (
	"os"
	"path/filepath"
	"testing"

	"talbot/fleet"
	"talbot/pipeline/label"
	"talbot/stockfish"
)

// TestFleetBusy: an engine here and two of a worker over loopback, all Stockfish, are nearly as fast as three engines
// without a network, over several shards. It takes two minutes.
func TestFleetBusy(t *testing.T) {
	if os.Getenv("TALBOT_FULL") == "" {
		t.Skip("TALBOT_FULL is not set")
	}
	path, err := stockfish.Find("")
	if err != nil {
		t.Skip("SKIPPED: Stockfish is not installed")
	}
	Small(t)
	dir := t.TempDir()
	Openings(t, filepath.Join(dir, "g.pgn"), 160, 1)
	in := Ingested(t, filepath.Join(dir, "in"), filepath.Join(dir, "g.pgn"))
	r := label.Request{In: in, Out: filepath.Join(dir, "out"), Workers: 1,
		Engine: stockfish.Config{Path: path, Limit: stockfish.Nodes(20_000), Hash: 16}}
	file := filepath.Join(dir, "join")
	sharing(&r, fleet.Share{Listen: "127.0.0.1:0", JoinFile: file, Log: t.Logf})
	ended := make(chan error, 1)
	go func() {
		ended <- fleet.WorkerConfig{Join: readJoin(t, file), Engine: path, Count: 2, Name: "w", Log: t.Logf,
			KeyFile: filepath.Join(dir, "key")}.Run(t.Context())
	}()
	sum, err := r.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	alone := r
	alone.Out, alone.Workers, alone.Start = filepath.Join(dir, "alone"), 3, nil
	without, err := alone.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%.1f positions/s, %d of %d positions elsewhere; with three engines and no workers %.1f",
		sum.PositionsPerSecond, sum.Remote, sum.Labelled, without.PositionsPerSecond)
	if sum.PositionsPerSecond < 0.95*without.PositionsPerSecond {
		t.Error("that is less than 95 %")
	}
	Same(t, alone.Out, r.Out)
}
