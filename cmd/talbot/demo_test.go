package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"talbot/dataset"
	"talbot/internal/testkit"
	"talbot/pipeline/ingest"
	"talbot/stockfish"
)

// TestExample runs a quick pass of examples/run.sh.
func TestExample(t *testing.T) {
	t.Parallel()
	if _, err := stockfish.Find(""); err != nil || runtime.GOOS == "windows" {
		t.Skip("SKIPPED, examples/run.sh was not run: it needs a shell and Stockfish: ", err)
	}
	dir := t.TempDir()
	talbot := filepath.Join(dir, "talbot")
	script := fmt.Sprintf("#!/bin/sh\n%s=1 exec '%s' \"$@\"\n", asCommand, os.Args[0])
	testkit.OK(t, os.WriteFile(talbot, []byte(script), 0o777))
	cmd := exec.CommandContext(t.Context(), "sh", "../../examples/run.sh", filepath.Join(dir, "out"))
	cmd.Env = append(os.Environ(), "TALBOT="+talbot, "STEPS=2", "LABELS=0.004", "SAMPLES=200", "GAMES=2")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v:\n%s", err, text)
	}
	for _, name := range []string{"lines-labelled/manifest.json", "run/report.html", "match/report.html",
		"network.onnx"} {
		if _, err := os.Stat(filepath.Join(dir, "out", name)); err != nil {
			t.Error(err)
		}
	}
}

// TestSample checks that the sample data is small, whole, and as its README describes it.
func TestSample(t *testing.T) {
	const dir = "../../examples"
	readme, err := os.ReadFile(filepath.Join(dir, "README.md"))
	testkit.OK(t, err)
	files, err := os.ReadDir(dir)
	testkit.OK(t, err)
	size := int64(0)
	for _, f := range files {
		info, err := f.Info()
		testkit.OK(t, err)
		size += info.Size()
	}
	if size > 5e6 {
		t.Errorf("the sample has %d bytes", size)
	}
	for file, what := range map[string]string{"games.pgn.zst": "games of Stockfish", "puzzles.csv": "tactics found"} {
		said := regexp.MustCompile(`([0-9,]+) ` + what).FindSubmatch(readme)
		if said == nil {
			t.Errorf("the README has no number of %s", what)
			continue
		}
		sum, err := ingest.Request{Inputs: []string{filepath.Join(dir, file)}, Out: filepath.Join(t.TempDir(), "lines"),
			Splits: dataset.DefaultSplits}.Run(t.Context())
		testkit.OK(t, err)
		if n, err := strconv.ParseInt(strings.ReplaceAll(string(said[1]), ",", ""), 10, 64); err != nil ||
			sum.GamesRead != n {
			t.Errorf("%s: %d lines are read, the README says %q", file, sum.GamesRead, said[1])
		}
		for reason, n := range sum.Rejects {
			if n > 0 && reason != dataset.Duplicate && reason != "prefix" {
				t.Errorf("%s: %d lines are rejected: %s", file, n, reason)
			}
		}
	}
}
