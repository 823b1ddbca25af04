package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"talbot/internal/testkit"
	"talbot/stockfish"
)

// buildTool is a program that runs the example of it in docs/build-tools.
type buildTool struct {
	name  string
	setup []string // run once
	run   []string
	file  string // has the settings; "": the environment
	set   func(name, value string) (old, new string)
	calls int // of talbot after one setting has changed that two of the four steps depend on
}

var buildTools = []buildTool{
	{"make", nil, []string{"make"}, "", nil, 2},
	{"task", nil, []string{"task"}, "Taskfile.yml",
		func(name, value string) (string, string) {
			name = strings.ToUpper(name)
			return "\n  " + name + ": ", "\n  " + name + ": " + value + " # "
		}, 4}, // all are asked, since the file has changed; two have nothing to do
	{"dvc", []string{"dvc", "init", "--no-scm", "-q"}, []string{"dvc", "repro", "-q"}, "params.yaml", setParameter, 2},
	{"snakemake", nil, []string{"snakemake", "--cores", "1", "-q", "all"}, "params.yaml", setParameter, 2},
}

func setParameter(name, value string) (string, string) {
	return "\n" + name + ": ", "\n" + name + ": " + value + " # "
}

// The examples of docs/build-tools go from PGN to Elo; repeated they do not even call talbot, and after a change of one
// setting what does not depend on it stays as it is.
func TestBuildTools(t *testing.T) {
	if _, err := stockfish.Find(""); err != nil {
		t.Skip("SKIPPED, the examples of build tools were not run: ", err)
	}
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED, the examples of build tools were not run: they need a shell")
	}
	for _, tool := range buildTools {
		t.Run(tool.name, func(t *testing.T) {
			if _, err := exec.LookPath(tool.name); err != nil {
				t.Skipf("SKIPPED, the example of %s was not run: it is not installed", tool.name)
			}
			tool.test(t)
		})
	}
}

func (b *buildTool) test(t *testing.T) {
	dir := t.TempDir()
	testkit.OK(t, os.CopyFS(dir, os.DirFS("../../docs/build-tools")))
	testkit.OK(t, os.WriteFile(filepath.Join(dir, "games.pgn"), []byte(someGames(30)), 0o666))
	calls := filepath.Join(dir, "calls")
	script := fmt.Sprintf("#!/bin/sh\necho \"$1\" >>'%s'\n%s=1 exec '%s' \"$@\"\n", calls, asCommand, os.Args[0])
	talbot := filepath.Join(dir, "talbot.sh")
	testkit.OK(t, os.WriteFile(talbot, []byte(script), 0o777))
	for name, value := range map[string]string{"nodes": "10", "fraction": "0.05", "steps": "2", "games": "2"} {
		b.change(t, dir, name, value)
	}
	if b.file == "params.yaml" {
		b.change(t, dir, "talbot", talbot)
		b.change(t, dir, "pgn", "games.pgn")
	}
	run := func(args []string) (called []string, took time.Duration) {
		t.Helper()
		testkit.OK(t, os.RemoveAll(calls))
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "TALBOT="+talbot, "PGN=games.pgn", "HOME="+dir, "XDG_CACHE_HOME="+
			filepath.Join(dir, "cache"), "DVC_NO_ANALYTICS=1")
		begun := time.Now()
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%q: %v\n%s", args, err, text)
		}
		took = time.Since(begun)
		text, err := os.ReadFile(calls)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return strings.Fields(string(text)), took
	}
	if b.setup != nil {
		run(b.setup)
	}
	if called, _ := run(b.run); !slices.Equal(called, []string{"ingest", "label", "train", "match"}) {
		t.Fatalf("it called %q", called)
	}
	first := b.outputs(t, dir)
	called, took := run(b.run)
	t.Logf("repeated: %.2f s", took.Seconds())
	if len(called) > 0 || b.outputs(t, dir) != first {
		t.Errorf("repeated, it called %q; %v, then %v", called, first, b.outputs(t, dir))
	}
	b.change(t, dir, "steps", "3")
	called, _ = run(b.run)
	then := b.outputs(t, dir)
	if len(called) != b.calls ||
		then[0] != first[0] || then[1] != first[1] || then[2] == first[2] || then[3] == first[3] {
		t.Errorf("with another setting of the training it called %q; %v, then %v", called, first, then)
	}
	if called, _ := run(b.run); len(called) > 0 {
		t.Errorf("repeated again, it called %q", called)
	}
}

// change gives a setting another value.
func (b *buildTool) change(t *testing.T, dir, name, value string) {
	t.Helper()
	if b.file == "" {
		t.Setenv(strings.ToUpper(name), value)
		return
	}
	path := filepath.Join(dir, b.file)
	text, err := os.ReadFile(path)
	testkit.OK(t, err)
	old, new := b.set(name, value)
	if strings.Count(string(text), old) != 1 {
		t.Fatalf("%q is not in %s once", old, b.file)
	}
	testkit.OK(t, os.WriteFile(path, []byte(strings.Replace(string(text), old, new, 1)), 0o666))
}

// outputs are the times at which the outputs were written, one by one.
func (b *buildTool) outputs(t *testing.T, dir string) (times [4]time.Time) {
	t.Helper()
	for i, name := range []string{"lines/manifest.json", "labelled/manifest.json", "run/run.json",
		"match/result.json"} {
		info, err := os.Stat(filepath.Join(dir, "out", name))
		testkit.OK(t, err)
		times[i] = info.ModTime()
	}
	return times
}

// someGames are n different games.
func someGames(n int) string {
	firsts := strings.Fields("a3 a4 b3 b4 c3 c4 d3 d4 e3 e4 f3 f4 g3 g4 h3 h4 Na3 Nc3 Nf3 Nh3")
	replies := strings.Fields("e5 d5 c5")
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "[Result \"1-0\"]\n\n1. %s %s 1-0\n\n", firsts[i%20], replies[i/20])
	}
	return b.String()
}
