package pipeline_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"talbot/dataset"
	"talbot/fleet"
	"talbot/fleet/searches"
	"talbot/pipeline/label"
	"talbot/stockfish"
)

// sharing has a labelling share its work.
func sharing(r *label.Request, share searches.Share) {
	r.Start = func(ctx context.Context, c stockfish.Config, workers int) (label.Searcher, error) {
		return searches.NewPool(ctx, c, workers, share)
	}
}

// readJoin waits for a join file.
func readJoin(t testing.TB, path string) fleet.Join {
	t.Helper()
	for range 3000 {
		if text, err := os.ReadFile(path); err == nil {
			j, err := fleet.ParseJoin(string(text))
			if err != nil {
				t.Fatal(err)
			}
			return j
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("no join file")
	return fleet.Join{}
}

// TestFleet: with workers elsewhere the bytes are those of one machine, whatever the scope, and a finished folder has
// nothing of the workers.
func TestFleet(t *testing.T) {
	Small(t)
	defer os.Unsetenv(Child)
	dir := t.TempDir()
	Openings(t, filepath.Join(dir, "g.pgn"), 60, 1)
	in := Ingested(t, filepath.Join(dir, "in"), filepath.Join(dir, "g.pgn"))
	for _, scope := range []stockfish.HashScope{stockfish.PositionScope, stockfish.LineScope} {
		t.Run(scope.String(), func(t *testing.T) {
			if scope == stockfish.LineScope {
				t.Setenv(HasMemory, "1")
			}
			dir := t.TempDir()
			alone := Job{Inputs: []string{in}, Out: filepath.Join(dir, "alone"), Workers: 1, Scope: scope}.Label()
			Labelled(t, alone)
			shared := alone
			shared.Out = filepath.Join(dir, "shared")
			file := filepath.Join(dir, "join")
			sharing(&shared, searches.Share{Listen: "127.0.0.1:0", JoinFile: file, Log: t.Logf})
			ended := make(chan error, 2)
			for i := range 2 {
				go func() {
					ended <- fleet.WorkerConfig{Join: readJoin(t, file), Kind: searches.Kind, Count: 2,
						KeyFile: filepath.Join(dir, fmt.Sprint("key", i)), Name: fmt.Sprint("w", i), Log: t.Logf,
						Slots: &searches.Slots{Engine: shared.Engine.Path}}.Run(t.Context())
				}()
			}
			sum := Labelled(t, shared)
			if sum.Remote == 0 || sum.Remote > sum.Labelled || sum.Disagreed != 0 {
				t.Errorf("%+v", sum)
			}
			for range 2 {
				if err := <-ended; err != nil {
					t.Error(err)
				}
			}
			Same(t, alone.Out, shared.Out)
		})
	}
}

var _ = errors.Is
var _ = json.Marshal
var _ = exec.Command
var _ = strings.Join
var _ dataset.Label
