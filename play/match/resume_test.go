package match

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"talbot/internal/durable"
	"talbot/internal/testkit"
)

// TestKilled: a match that is killed again and again, and its journal with it, goes on until it is the same as one that
// was not; no game is lost and none is there twice.
func TestKilled(t *testing.T) {
	const games, kills = 240, 20
	whole := childMatch(t.TempDir()+"/whole", games)
	want := runMatch(t, whole)
	self, err := os.Executable()
	testkit.OK(t, err)
	dir := t.TempDir() + "/killed"
	path := filepath.Join(dir, JournalFile)
	killed := 0
	for n := range kills {
		child := exec.Command(self, asMatch, dir, strconv.Itoa(games))
		child.Stderr = os.Stderr
		testkit.OK(t, child.Start())
		// Let it play a few games, or none.
		before, deadline := sizeOf(path), time.Now().Add(20*time.Second)
		for n%5 > 0 && sizeOf(path) < before+int64(n%5)*4000 && time.Now().Before(deadline) {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(time.Duration(n%3) * time.Millisecond)
		_ = child.Process.Kill()
		if err := child.Wait(); err != nil {
			killed++
		}
	}
	if killed < kills/2 {
		t.Fatalf("only %d of %d processes were killed before their end", killed, kills)
	}
	t.Logf("%d of %d processes were killed before their end", killed, kills)
	if left := fakes(t, func(parent int) bool { return parent != os.Getpid() }); left != "" && runtime.GOOS == "linux" {
		t.Errorf("engines outlived those who started them: %s", left)
	}
	again := childMatch(dir, games)
	r := runMatch(t, again)
	if r.Resumed == 0 {
		t.Error("nothing was left to take up")
	}
	for number, game := range journalGames(t, again) {
		if game == nil {
			t.Errorf("game %d is lost", number)
		}
	}
	if !bytes.Equal(undated(t, r.PGN), undated(t, want.PGN)) {
		t.Error("the games are others than those of a match that was not killed")
	}
	if got, want := asJSON(r.Figures), asJSON(want.Figures); got != want {
		t.Errorf("figures\n%s, should be\n%s", got, want)
	}
}

func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// TestInterrupted: at the end of the first context games are played to their end, at that of the second they are given
// up; the match goes on where it was, and more games can be added to it.
func TestInterrupted(t *testing.T) {
	for _, gentle := range []bool{true, false} {
		m := testMatch(t, 200, fakeEntrant(t, "good:1"), randomEntrant())
		drain, stop := context.WithCancel(context.Background())
		hard, abort := context.WithCancel(context.Background())
		m.Progress = func(p Progress) {
			if p.Games == 9 {
				if stop(); !gentle {
					abort()
				}
			}
		}
		r, err := m.Run(drain, hard)
		if !errors.Is(err, context.Canceled) || r.Games < 9 || r.Games > 11 {
			t.Fatalf("gentle %v: %d games, %v", gentle, r.Games, err)
		}
		if n := bytes.Count(undated(t, r.PGN), []byte("[Event ")); n != r.Games {
			t.Errorf("%d games, %d in the PGN", r.Games, n)
		}
		m.Progress, m.Games = nil, 20
		if _, err := m.Run(context.Background(), hard); !errors.Is(err, ErrExists) {
			t.Errorf("without Resume: %v", err)
		}
		m.Resume = true
		more := runMatch(t, m)
		if more.Games != 20 || more.Resumed != r.Games {
			t.Errorf("gentle %v: %d games, %d of them from before; there were %d", gentle, more.Games, more.Resumed,
				r.Games)
		}
		result := filepath.Join(m.Out, ResultFile)
		if _, err := os.Stat(result); err != nil {
			t.Error(err)
		}
		over, end := context.WithCancel(context.Background())
		end()
		m.Games = 30 // the result of 20 games is not that of those 30, some of which are missing
		if _, err := m.Run(over, context.Background()); !errors.Is(err, context.Canceled) {
			t.Errorf("gentle %v: %v", gentle, err)
		}
		if _, err := os.Stat(result); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("gentle %v: the old result: %v", gentle, err)
		}
		abort()
		stop()
	}
}

// TestOtherMatch: what decides the games cannot change when a match is taken up again.
func TestOtherMatch(t *testing.T) {
	m := testMatch(t, 4, fakeEntrant(t, "good:1"), randomEntrant())
	runMatch(t, m)
	change := map[string]func(*Match){
		"seed":     func(m *Match) { m.Seed++ },
		"limit":    func(m *Match) { m.Entrants[0].Limits.Nodes++ },
		"identity": func(m *Match) { m.Entrants[0].Identity += "x" },
		"rules":    func(m *Match) { m.Rules.MaxMoves++ },
		"margin":   func(m *Match) { m.Margin++ },
		"openings": func(m *Match) { m.Openings.Shuffle(1) },
	}
	for what, f := range change {
		other := *m
		other.Entrants = append([]Entrant(nil), m.Entrants...)
		other.Openings = &Openings{List: append([]Opening(nil), m.Openings.List...)}
		other.Resume = true
		if f(&other); what == "openings" {
			other.Openings.List[0], other.Openings.List[1] = m.Openings.List[1], m.Openings.List[0]
		}
		name := map[string]string{"limit": "player", "identity": "player", "margin": "timemargin"}[what]
		if _, err := other.Run(context.Background(), context.Background()); !errors.Is(err, ErrOther) ||
			!strings.Contains(err.Error(), "\n  "+cmp.Or(name, what)) {
			t.Errorf("another %s: %v", what, err)
		}
	}
}

// TestLogs: players whose names are the same as names of files have a log each.
func TestLogs(t *testing.T) {
	a, b := randomEntrant(), randomEntrant()
	a.Name, b.Name = "a b", "a_b"
	m := testMatch(t, 2, a, b)
	runMatch(t, m)
	for _, name := range []string{"a_b.log", "a_b-2.log"} {
		if _, err := os.Stat(filepath.Join(m.Out, logFolder, name)); err != nil {
			t.Error(err)
		}
	}
}

func TestFolder(t *testing.T) {
	m := testMatch(t, 2, randomEntrant(), randomEntrant())
	testkit.OK(t, os.MkdirAll(m.Out, 0o777))
	other := filepath.Join(m.Out, "thesis.tex")
	testkit.OK(t, os.WriteFile(other, nil, 0o666))
	if _, err := m.Run(context.Background(), context.Background()); !errors.Is(err, ErrOccupied) {
		t.Errorf("a folder with something else: %v", err)
	}
	testkit.OK(t, os.Remove(other))
	lock, err := durable.Lock(filepath.Join(m.Out, lockFile))
	testkit.OK(t, err)
	if _, err := m.Run(context.Background(), context.Background()); !errors.Is(err, durable.ErrLocked) {
		t.Errorf("a folder that is locked: %v", err)
	}
	lock.Close()
	runMatch(t, m)
}

// TestWriteFails: whichever step of writing fails, the match says so, or is whole; taken up again it is whole.
func TestWriteFails(t *testing.T) {
	failure := errors.New("disk on fire")
	for step := 0; ; step++ {
		m := testMatch(t, 6, randomEntrant(), randomEntrant())
		n := 0
		var mu sync.Mutex
		durable.InjectFaults(t, func(op, _ string) error {
			mu.Lock()
			defer mu.Unlock()
			if n++; n-1 == step {
				return failure
			}
			return nil
		})
		_, err := m.Run(context.Background(), context.Background())
		durable.InjectFaults(t, nil)
		if n <= step {
			if step < 8 {
				t.Errorf("only %d steps of writing", step)
			}
			break
		}
		if err != nil && !errors.Is(err, failure) {
			t.Errorf("step %d: %v", step, err)
		}
		m.Resume = true
		r := runMatch(t, m)
		if r.Games != 6 || bytes.Count(undated(t, r.PGN), []byte("[Event ")) != 6 {
			t.Errorf("step %d: %d games", step, r.Games)
		}
		journalGames(t, m)
	}
}
