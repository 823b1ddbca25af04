package main

import (
	"bytes"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"talbot/internal/testkit"
	"talbot/network/backend"
)

// killedLoop is a loop of five generations that takes seconds. Few games at once: what a kill costs is at most those
// under way.
const killedLoop = `generations: 5
window: 3
replay-ratio: 2
seed: 11
start: {recipe: lynx, blocks: 1, filters: 8}
games: {games: 48, nodes: 6, max-plies: 20, workers: 8, batch: 4, start: "endgames:KQQvK,KRRvK", backend: BACKEND}
train: {batch: 16, checkpoint-every: 4, value-target: "result:0.25:0.97", backend: BACKEND}
gate: {accept: 0.3, match: {games: 2, nodes: 4, maxmoves: 10, concurrency: 1}}
`

// TestLoopKilled: a loop that is killed (kill -9) at random times, twenty times on each backend, makes the games and
// weights of one that is not.
func TestLoopKilled(t *testing.T) {
	t.Parallel()
	if os.Getenv("TALBOT_FULL") == "" {
		t.Skip("NOT TESTED: kills of a loop; set TALBOT_FULL=1")
	}
	for _, name := range []string{"go", "xla:cpu"} {
		t.Run(name, func(t *testing.T) {
			if _, ok := backend.Discover().Plugin("cpu"); name != "go" && (!ok || !backend.XLA) {
				t.Skip("NOT TESTED: there is no plugin xla:cpu")
			}
			dir := t.TempDir()
			config := filepath.Join(dir, "loop.yaml")
			text := strings.ReplaceAll(killedLoop, "BACKEND", `"`+name+`"`)
			testkit.OK(t, os.WriteFile(config, []byte(text), 0o666))
			// A run names the one that it began with by its path, so all loops have the same one.
			out := filepath.Join(dir, "loop")
			begin := func() (*exec.Cmd, *bytes.Buffer) {
				cmd, said := talbot("loop", config, "--out", out), new(bytes.Buffer)
				cmd.Stderr = said
				testkit.OK(t, cmd.Start())
				return cmd, said
			}
			begun := time.Now()
			cmd, said := begin()
			if err := cmd.Wait(); err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			took := time.Since(begun)
			want := lasting(t, out)
			rng := rand.New(rand.NewPCG(5, 20))
			kills := 0
			for kills < 20 {
				testkit.OK(t, os.RemoveAll(out))
				for {
					cmd, said := begin()
					// A tenth of the whole on average, so that a loop is killed several times; it gets on at each.
					after := took/40 + time.Duration(rng.Float64()*float64(took)/6)
					timer := time.AfterFunc(after, func() { cmd.Process.Kill() })
					err := cmd.Wait()
					if timer.Stop(); err == nil {
						break
					}
					if cmd.ProcessState.ExitCode() >= 0 { // it ended by itself
						t.Fatalf("after %d kills: %v\n%s", kills, err, said)
					}
					kills++
				}
				got := lasting(t, out)
				for path, data := range want {
					if !bytes.Equal(data, got[path]) {
						t.Errorf("after %d kills: %s differs", kills, path)
					}
				}
				if len(got) != len(want) {
					t.Errorf("after %d kills: %d files, want %d", kills, len(got), len(want))
				}
			}
			t.Logf("%d kills, %d files the same; %v undisturbed", kills, len(want), took)
		})
	}
}

// talbot is this program as a command.
func talbot(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), asCommand+"=1")
	return cmd
}

// lasting reads what a loop's later steps depend on, by path: the shards and manifests of its games, and all weights.
func lasting(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		name := filepath.Base(path)
		if err != nil || d.IsDir() || filepath.Ext(name) != ".zst" && filepath.Ext(name) != ".safetensors" &&
			name != "manifest.json" {
			return err
		}
		data, err := os.ReadFile(path)
		if err == nil {
			rel, _ := filepath.Rel(dir, path)
			files[rel] = data
		}
		return err
	})
	testkit.OK(t, err)
	if len(files) < 20 {
		t.Fatalf("only %d files in %s", len(files), dir)
	}
	return files
}
