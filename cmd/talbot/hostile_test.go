package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"talbot/internal/plain"
	"talbot/internal/testkit"
)

// TestHostileNames has all verbs that print names print hostile ones: of files and folders, players and flags. No
// control character gets through but the line ends and tabs of the text itself, no name begins a line, and JSON has
// the names as they are.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	const bad = "a\x1b[31m\u202eb\nFORGED\u009b\u2028\u2066\r\tc\x7f\u061c"
	dir := t.TempDir()
	pgn := filepath.Join(dir, bad+".pgn")
	lines, other, run := filepath.Join(dir, bad), filepath.Join(dir, "other"+bad), filepath.Join(dir, "run"+bad)
	games := ""
	for i, moves := range []string{"e4 e5 Nf3 Nc6", "d4 d5 c4 e6", "c4 c5", "e4 c5 Ke4", "Nf3 d5", "g3 g6", "b3 b6"} {
		games += "[White \"w\x1b[2J\u202e\u0085\"]\n[Black \"b\u2067\"]\n[Result \"*\"]\n\n" + moves + " *\n\n"
		_ = i
	}
	engine := filepath.Join(dir, "engine"+bad)
	fake := "#!/bin/sh\nwhile read l; do case $l in uci) printf 'id name e\\033[2Jx\\nuciok\\n';; " +
		"isready) printf 'info string \\033[31m\\nreadyok\\n';; go*) printf 'error \\033[31m\\nbestmove " +
		"\\033[1m\\n';; " +
		"quit) exit;; esac; done\n"
	for path, text := range map[string]string{pgn: games, engine: fake} {
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Skipf("this file system has no such names: %v", err)
		}
	}
	self, err := os.Executable()
	testkit.OK(t, err)
	talbot := filepath.Join(t.TempDir(), "talbot") // by that name the test binary is the command
	if err := os.Symlink(self, talbot); err != nil {
		t.Skip(err)
	}
	rejects := filepath.Join(dir, "rejects.tsv")
	for _, args := range [][]string{
		{"ingest", pgn, "--out", lines, "--rejects", rejects, "--split", "40,30,30"},
		{"ingest", pgn, "--out", lines},
		{"ingest", pgn, "--out", other, "--json", "--split", "40,30,30", "--keep-duplicates"},
		{"ingest", pgn + "x", "--out", other + "2"},
		{"stats", lines, "--quiet"},
		{"stats", lines, "--html", filepath.Join(lines, "manifest.json")},
		{"verify", lines, other, bad},
		{"verify", lines, "--json"},
		{"inspect", lines, "--all"},
		{"inspect", lines, "--all", "--json"},
		{"diff", lines, other},
		{"diff", lines, other, "--json"},
		{"plan", pgn, "--train-rate", "5000"},
		{"plan", pgn, "--train-rate", "5000", "--json"},
		{"train", "--data", lines, "--run", run, "--blocks", "1", "--filters", "4", "--batch", "4", "--steps", "1",
			"--backend", "go"},
		{"eval", "--data", lines, "--run", run, "--backend", "go", "--split", "all"},
		{"export", "--run", run, "--format", "onnx", "--out", filepath.Join(dir, "net"+bad)},
		{"label", lines, "--out", other + "3", "--engine", engine, "--nodes", "5"},
		{"doctor", "--engine", engine},
		{"join", lines, "--out", other + "4"},
		{"tactics", lines, "--out", other + "5"},
		{"synth-endgames", "--out", lines, "--count", "3"},
		{bad}, {"stats", "--" + bad}, {"help", bad}, {"setup", bad},
	} {
		var stdout, stderr bytes.Buffer
		c := exec.Command(talbot, args...)
		c.Env = append(os.Environ(), "HOME="+t.TempDir())
		c.Stdout, c.Stderr = &stdout, &stderr
		_ = c.Run() // some fail, and say so
		if stdout.Len()+stderr.Len() == 0 {
			t.Errorf("%q says nothing", args)
		}
		out := stdout.String()
		if args[len(args)-1] == "--json" || args[0] == "ingest" && strings.HasPrefix(out, "{") {
			var v any
			if err := json.NewDecoder(strings.NewReader(out)).Decode(&v); err != nil {
				t.Errorf("%q: %v", args, err)
			}
			if name := filepath.Base(pgn); args[0] == "inspect" && v.(map[string]any)["file"] != name {
				t.Errorf("%q: the file %q is not %q", args, v.(map[string]any)["file"], name)
			}
			out = ""
		}
		checkPlain(t, args, out)
		checkPlain(t, args, stderr.String())
	}
	table, err := os.ReadFile(rejects)
	testkit.OK(t, err)
	checkPlain(t, []string{"rejects"}, string(table))
	for row := range strings.Lines(string(table)) {
		if strings.Count(row, "\t") != 4 {
			t.Errorf("row %q", row)
		}
	}
	if !strings.Contains(string(table), plain.Escape(pgn)) {
		t.Errorf("%q does not name its file", table)
	}
}

func checkPlain(t *testing.T, args []string, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		bad := strings.HasPrefix(line, "FORGED")
		for _, r := range strings.TrimSuffix(line, "\n") {
			bad = bad || r != '\t' && (unicode.Is(unicode.Cc, r) || unicode.In(r, unicode.Bidi_Control, unicode.Zl,
				unicode.Zp))
		}
		if bad {
			t.Errorf("%q: %q", args, line)
		}
	}
}
