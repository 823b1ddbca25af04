package pipeline_test

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"talbot/fleet"
	"talbot/fleet/searches"
	"talbot/pipeline/label"
	"talbot/stockfish"
)

// timed are slots that note when they had something to do.
type timed struct {
	fleet.Slots
	mu    sync.Mutex
	first time.Time
	busy  time.Duration
	jobs  int
}

type timedSlot struct {
	fleet.Slot
	of *timed
}

func (s *timed) Open(ctx context.Context) (fleet.Slot, error) {
	slot, err := s.Slots.Open(ctx)
	return timedSlot{slot, s}, err
}

func (s timedSlot) Do(ctx context.Context, asked, payload []byte) ([]byte, error) {
	begun := time.Now()
	answer, err := s.Slot.Do(ctx, asked, payload)
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	if s.of.first.IsZero() {
		s.of.first = begun
	}
	s.of.busy += time.Since(begun)
	s.of.jobs++
	return answer, err
}

// TestFleetBusy: two slots with Stockfish over loopback are at work all the time, over several shards, while the
// labelling has an engine of its own. Three engines without a network do the same for comparison. It takes two minutes.
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
	sharing(&r, searches.Share{Listen: "127.0.0.1:0", JoinFile: file, Log: t.Logf})
	slots := &timed{Slots: &searches.Slots{Engine: path}}
	ended := make(chan error, 1)
	go func() {
		ended <- fleet.WorkerConfig{Join: readJoin(t, file), Kind: searches.Kind, Count: 2, Name: "w", Log: t.Logf,
			KeyFile: filepath.Join(dir, "key"), Slots: slots}.Run(t.Context())
	}()
	sum, err := r.Run(t.Context())
	wall := time.Since(slots.first)
	if err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	t.Logf("%d positions, %d of them by two slots elsewhere in %d jobs: busy %.1f %% of %v", sum.Labelled, sum.Remote,
		slots.jobs, 100*slots.busy.Seconds()/(2*wall.Seconds()), wall.Round(time.Millisecond))
	if share := slots.busy.Seconds() / (2 * wall.Seconds()); share < 0.97 {
		t.Errorf("that is less than 97 %%")
	}
	alone := r
	alone.Out, alone.Workers, alone.Start = filepath.Join(dir, "alone"), 3, nil
	without, err := alone.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%.1f positions/s; with three engines of its own and no workers %.1f", sum.PositionsPerSecond,
		without.PositionsPerSecond)
	Same(t, alone.Out, r.Out)
}
