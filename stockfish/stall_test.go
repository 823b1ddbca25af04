//go:build unix

package stockfish

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"talbot/internal/testkit"
)

// TestRealStalls: labels are the same if the engine stands still for more than three seconds in the midst of a search,
// after which it reports more.
func TestRealStalls(t *testing.T) {
	engine := realConfig(t, Nodes(100000))
	for _, c := range []struct {
		name      string
		several   int
		limit     Limit
		shallower []int
	}{
		{"one", 1, engine.Limit, nil}, {"two", 2, engine.Limit, nil}, {"five", 5, engine.Limit, nil},
		{"depths", 8, Depth(10), []int{2, 4, 8}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cfg := engine
			cfg.Limit, cfg.MultiPV, cfg.Shallower = c.limit, c.several, c.shallower
			start, moves := line(t, "", "e2e4 e7e5 g1f3 b8c6 f1b5")
			e := startEngine(t, cfg)
			began := time.Now()
			want, err := e.Search(t.Context(), start, moves)
			testkit.OK(t, err)
			for _, l := range want {
				if l.MixesDepths() {
					t.Errorf("lines of different depths: %+v", l)
				}
			}
			const points = 5
			took := time.Since(began)
			var stalled sync.WaitGroup
			for i := range points {
				pidFile := filepath.Join(t.TempDir(), fmt.Sprint(i))
				cfg := cfg
				cfg.Path, cfg.Args = "/bin/sh", []string{"-c", `echo $$ > "$0" && exec "$1"`, pidFile, engine.Path}
				e := startEngine(t, cfg)
				pid := readPID(t, pidFile)
				stalled.Go(func() {
					stall := time.AfterFunc(took*time.Duration(i)/points, func() {
						_ = syscall.Kill(pid, syscall.SIGSTOP)
						time.Sleep(3200 * time.Millisecond)
						_ = syscall.Kill(pid, syscall.SIGCONT)
					})
					defer stall.Stop()
					if got, err := e.Search(t.Context(), start, moves); err != nil || !reflect.DeepEqual(got, want) {
						t.Errorf("stalled at %d/%d: %+v, %v; else %+v", i, points, got, err, want)
					}
				})
			}
			stalled.Wait()
		})
	}
}

func readPID(t *testing.T, path string) int {
	t.Helper()
	text := testkit.Must(os.ReadFile(path))
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	testkit.OK(t, err)
	return pid
}
