package stockfish

import (
	"bufio"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/testkit"
	"talbot/internal/testkit/shareddata"
	"talbot/tablebase/syzygy"
)

// openSet opens the tables on a path, intact or not.
func openSet(t testing.TB, cfg Config, path string) (*Tables, error) {
	t.Helper()
	set, err := syzygy.Find(path)
	if err == nil {
		_, err = set.Check(t.Context(), syzygy.Check{})
	}
	if err != nil {
		return nil, err
	}
	return OpenTables(t.Context(), cfg, set)
}

func openTables(t testing.TB) *Tables {
	t.Helper()
	tables, err := openSet(t, realConfig(t, Depth(1)), shareddata.Path(t, "syzygy"))
	testkit.OK(t, err)
	t.Cleanup(func() { tables.Close() })
	return tables
}

// TestProbeKnownResults compares with 200 results of python-chess's own reader of the tables.
func TestProbeKnownResults(t *testing.T) {
	tables := openTables(t)
	f, err := os.Open(shareddata.Path(t, "epd/endgame-wdl-dtz.epd"))
	testkit.OK(t, err)
	defer f.Close()
	n := 0
	for s := bufio.NewScanner(f); s.Scan(); n++ {
		fields := strings.Fields(s.Text())
		p, err := board.ParseFEN(strings.Join(fields[:4], " "))
		testkit.OK(t, err)
		_, rest, _ := strings.Cut(s.Text(), "; wdl ")
		want := dataset.Drawn
		switch wdl, _, _ := strings.Cut(rest, ";"); wdl {
		case "2":
			want = dataset.Won
		case "-2":
			want = dataset.Lost
		case "0", "1", "-1":
		default:
			t.Fatalf("%s: no result", s.Text())
		}
		if got, ok, err := tables.Probe(t.Context(), &p); err != nil || !ok || got != want {
			t.Errorf("%s: %v, %v, %v", s.Text(), got, ok, err)
		}
	}
	if n != 200 {
		t.Errorf("%d results", n)
	}
}

// TestProbeUnknown: what the tables do not have is not known.
func TestProbeUnknown(t *testing.T) {
	tables := openTables(t)
	for _, c := range []struct {
		fen   string
		known bool
		want  dataset.Class
	}{
		{"8/8/8/8/3k4/8/3PK3/8 w - - 0 1", true, dataset.Drawn},
		{"8/8/8/8/3k4/8/2PPK3/3R4 w - - 0 1", false, 0},         // five pieces
		{"4k3/8/8/8/8/8/8/4K2R w K - 0 1", false, 0},            // castling
		{"8/8/8/8/8/k7/8/1K1Q4 w - - 0 1", true, dataset.Won},   // few plies to mate
		{"8/8/8/8/8/k7/8/1K1Q4 w - - 99 80", false, 0},          // too late for it, or just not
		{"8/8/8/3k4/8/8/4BN2/4K3 w - - 0 1", true, dataset.Won}, // up to 33 moves
		{"8/8/8/3k4/8/8/4BN2/4K3 w - - 90 80", false, 0},        // not within the clock
		{"8/8/8/3k4/8/8/4NN2/4K3 w - - 90 80", true, dataset.Drawn},
	} {
		p, err := board.ParseFEN(c.fen)
		testkit.OK(t, err)
		if got, known, err := tables.Probe(t.Context(), &p); err != nil || known != c.known || got != c.want {
			t.Errorf("%s: %v, %v, %v", c.fen, got, known, err)
		}
	}
}

func TestParseTables(t *testing.T) {
	for s, want := range map[string]int{"Win (Success)": 2, "Loss (Best move zeroes DTZ)": -2,
		"Cursed win (Success)": 1, "Blessed loss (Success)": -1, "Draw (Success)": 0, "2 (1)": 2, "-1 (1)": -1} {
		if got, ok := parseResult(s); !ok || got != want {
			t.Errorf("%q: %d, %v", s, got, ok)
		}
	}
	for _, s := range []string{"", "Win", "Draw (Failed)", "0 (0)", "3 (1)", "nonsense (Success)"} {
		if got, ok := parseResult(s); ok {
			t.Errorf("%q: %d", s, got)
		}
	}
	if n, ok := parseDTZ("-17 (Success)"); !ok || n != 17 {
		t.Errorf("%d, %v", n, ok)
	}
	for _, s := range []string{"", "5", "5 (Failed)", "x (Success)"} {
		if _, ok := parseDTZ(s); ok {
			t.Errorf("%q is read", s)
		}
	}
}

// TestTablesInFolders: tables may be spread over folders, which changes nothing.
func TestTablesInFolders(t *testing.T) {
	whole := openTables(t)
	from := shareddata.Path(t, "syzygy")
	all, err := os.ReadDir(from)
	testkit.OK(t, err)
	dirs := [2]string{t.TempDir(), t.TempDir()}
	for i, e := range all {
		if err := os.Symlink(filepath.Join(from, e.Name()), filepath.Join(dirs[i/2%2], e.Name())); err != nil {
			t.Skip("NOT TESTED with tables in several folders:", err)
		}
	}
	tables, err := openSet(t, realConfig(t, Depth(1)), dirs[0]+string(os.PathListSeparator)+dirs[1])
	testkit.OK(t, err)
	defer tables.Close()
	if tables.Fingerprint().ID() != whole.Fingerprint().ID() {
		t.Error("spread over folders, the tables have another fingerprint")
	}
	for _, fen := range []string{"8/8/8/8/8/k7/8/1K1Q4 w - - 0 1", "8/8/8/8/8/k7/8/1K1R4 w - - 0 1",
		"8/8/8/3k4/8/8/4BN2/4K3 w - - 0 1", "8/8/8/3k4/8/8/4BB2/4K3 w - - 0 1"} {
		p, err := board.ParseFEN(fen)
		testkit.OK(t, err)
		if c, known, err := tables.Probe(t.Context(), &p); err != nil || !known || c != dataset.Won {
			t.Errorf("%s: %v, %v, %v", fen, c, known, err)
		}
	}
}

// TestOpenTablesFaults: no folder, no tables, files that are none, and an engine that knows no tables.
func TestOpenTablesFaults(t *testing.T) {
	engine := realConfig(t, Depth(1))
	dir := t.TempDir()
	if _, err := openSet(t, engine, filepath.Join(dir, "nowhere")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
	if _, err := openSet(t, engine, dir); !errors.Is(err, syzygy.ErrNone) {
		t.Errorf("no tables: %v", err)
	}
	if _, err := openSet(t, engine, dir+"\nquit"); !errors.Is(err, syzygy.ErrNone) {
		t.Errorf("a command in the path: %v", err)
	}
	testkit.OK(t, os.WriteFile(filepath.Join(dir, "KRvK.rtbw"), []byte("no table"), 0o666))
	tables, err := openSet(t, engine, dir)
	if err == nil {
		p, _ := board.ParseFEN("8/8/8/8/8/1k6/8/1K1R4 w - - 0 1")
		c, known, err := tables.Probe(t.Context(), &p)
		if known {
			t.Errorf("a file that is no table says %v, %v", c, err)
		}
		tables.Close()
	} else {
		t.Log(err)
	}
	fake := fakeConfig(t, "none")
	if tables, err := openSet(t, fake, dir); !errors.Is(err, syzygy.ErrNone) {
		if err == nil {
			tables.Close()
		}
		t.Errorf("an engine without tables: %v", err)
	}
}

// fakeTables are files that are tables by their names alone, for a reader with that fault.
func fakeTables(t *testing.T, fault string) *Tables {
	t.Helper()
	noLeak(t)
	dir := t.TempDir()
	testkit.OK(t, os.WriteFile(filepath.Join(dir, "KQvKR.rtbw"), nil, 0o666))
	cfg := fakeConfig(t, fault)
	passInSilence(t, cfg, cfg.StartTimeout)
	tables, err := openSet(t, cfg, dir)
	testkit.OK(t, err)
	t.Cleanup(func() { tables.Close() })
	return tables
}

// TestTablesReplaced: a reader that hangs or is killed is replaced, and answers what the first would have answered.
func TestTablesReplaced(t *testing.T) {
	p, _ := board.ParseFEN("8/8/8/8/8/1k6/8/1K1R4 w - - 0 1")
	for fault, restarts := range map[string]int64{"tables": 0, "tableshang:1": 1, "tableshang:2": 2,
		"tablesshot:6": 6} {
		t.Run(fault, func(t *testing.T) {
			tables := fakeTables(t, fault)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			for range 4 {
				if c, known, err := tables.Probe(ctx, &p); err != nil || !known || c != dataset.Drawn {
					t.Fatalf("%v, %v, %v", c, known, err)
				}
			}
			if n := tables.Restarts(); n != restarts {
				t.Errorf("%d restarts", n)
			}
		})
	}
}

// TestTablesLost: tables that nobody can read any more are an error that says so, at once when they are asked again.
func TestTablesLost(t *testing.T) {
	p, _ := board.ParseFEN("8/8/8/8/8/1k6/8/1K1R4 w - - 0 1")
	tables := fakeTables(t, "tablesmute")
	_, _, err := tables.Probe(t.Context(), &p)
	if err == nil || !strings.Contains(err.Error(), "3 attempts") ||
		!strings.Contains(err.Error(), p.FEN()) {
		t.Errorf("%v", err)
	}
	n := tables.Restarts()
	if _, _, again := tables.Probe(t.Context(), &p); again != err || tables.Restarts() != n {
		t.Errorf("asked again: %v, %d restarts", again, tables.Restarts())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	fresh := fakeTables(t, "tablesmute")
	if _, _, err := fresh.Probe(ctx, &p); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

func BenchmarkProbe(b *testing.B) {
	tables := openTables(b)
	p, _ := board.ParseFEN("8/8/8/3k4/8/8/4BN2/4K3 w - - 0 1")
	for b.Loop() {
		if _, known, err := tables.Probe(b.Context(), &p); err != nil || !known {
			b.Fatal(err)
		}
	}
}
