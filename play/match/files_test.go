package match

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"talbot/dataset"
	"talbot/internal/testkit"
	"talbot/stockfish/uci"
)

// writeTable writes what passes for a table and holds no results.
func writeTable(t *testing.T, dir, name string) {
	t.Helper()
	text := testkit.Value(os.ReadFile("../../tablebase/syzygy/testdata/" + name))(t)
	testkit.WriteFile(t, filepath.Join(dir, name), text)
}

// TestEngineFiles: files are found behind arguments, options and what the engine offers, where the engine finds them;
// logs, values that are no files and what does not exist are left out.
func TestEngineFiles(t *testing.T) {
	dir, program, tables := t.TempDir(), t.TempDir(), t.TempDir()
	for _, path := range []string{dir + "/engine.py", dir + "/net.bin", dir + "/a=b.bin", dir + "/debug.txt", dir +
		"/x.log",
		program + "/own.nnue", program + "/default.nnue", program + "/unused.nnue", dir + "/book.bin"} {
		testkit.OK(t, os.WriteFile(path, []byte(path), 0o666))
	}
	writeTable(t, tables, "KRvK.rtbw")
	cfg := EngineConfig{Path: program + "/engine", Dir: dir,
		Args: []string{"engine.py", "--weights=net.bin", "--logfile=debug.txt", "x.log", "-v", "7", "", "nowhere.bin"},
		Options: []dataset.Tag{{Name: "EvalFile", Value: "own.nnue"}, {Name: "Hash", Value: "16"},
			{Name: "Debug Log File", Value: "debug.txt"}, {Name: "Book", Value: dir + "/book.bin"},
			{Name: "SyzygyPath", Value: tables}, {Name: "Path", Value: dir + string(os.PathListSeparator) + tables}}}
	offered := map[string]uci.Option{"evalfile": {Name: "EvalFile", Kind: "string", Default: "unused.nnue"},
		"evalfilesmall": {Name: "EvalFileSmall", Kind: "string", Default: "default.nnue"},
		"home":          {Name: "Home", Kind: "string", Default: "."}}
	files, err := engineFiles(cfg, offered)
	testkit.OK(t, err)
	want := []string{dir + "/book.bin", dir + "/engine.py", dir + "/net.bin", program + "/default.nnue",
		program + "/own.nnue", tables, filepath.Join(dir, dir+string(os.PathListSeparator)+tables)}
	want[6] = dir + string(os.PathListSeparator) + tables
	slices.Sort(want)
	if got := slices.Sorted(maps.Keys(files)); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if files[tables] != files[want[slices.Index(want, tables)]] || !strings.HasPrefix(files[tables], "tables ") {
		t.Errorf("%+v", files)
	}
}

// TestChangedFile: a match does not go on with another file behind an argument or an option of a player or the judge,
// nor with other tables; one that has grown is a log.
func TestChangedFile(t *testing.T) {
	path, tables := filepath.Join(t.TempDir(), "net"), t.TempDir()
	write := func(text string) {
		t.Helper()
		testkit.OK(t, os.WriteFile(path, []byte(text), 0o666))
	}
	files := func() Files {
		t.Helper()
		f, err := engineFiles(EngineConfig{Args: []string{path},
			Options: []dataset.Tag{{Name: "T", Value: tables}}}, nil)
		testkit.OK(t, err)
		return f
	}
	write("weights")
	writeTable(t, tables, "KRvK.rtbw")
	m := testMatch(t, 2, fakeEntrant(t, "good:1"), randomEntrant())
	m.Entrants[0].Files = files()
	runMatch(t, m)
	m.Resume = true
	again := func(what string, want error) {
		t.Helper()
		m.Entrants[0].Files = files()
		_, err := m.Run(context.Background(), context.Background())
		if !errors.Is(err, want) || want != nil && !strings.Contains(err.Error(), path) &&
			!strings.Contains(err.Error(), tables) {
			t.Errorf("%s: %v", what, err)
		}
	}
	again("unchanged", nil)
	write("weights and more")
	again("grown", nil)
	write("Weights")
	again("changed", ErrOther)
	write("weight")
	again("shorter", ErrOther)
	testkit.OK(t, os.Remove(path))
	again("gone", ErrOther)
	write("weights")
	again("back", nil)
	writeTable(t, tables, "KQvK.rtbw")
	again("more tables", ErrOther)
}
