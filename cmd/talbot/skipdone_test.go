package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"talbot/internal/testkit"
)

// killedCase is a command that is killed when a file in its output shows that it has begun.
type killedCase struct {
	name  string
	args  []string // OUT is the output
	other []string // makes a different output of the same kind
	begun string   // a pattern
	// content is what two outputs that were made of the same with the same have in common.
	content func(t *testing.T, out string) string
}

// filesOf returns the content of the files of a pattern.
func filesOf(patterns ...string) func(t *testing.T, out string) string {
	return func(t *testing.T, out string) string {
		t.Helper()
		var all bytes.Buffer
		for _, p := range patterns {
			names, err := filepath.Glob(filepath.Join(out, p))
			if err != nil || len(names) == 0 {
				t.Fatalf("%q in %q: %v, %v", p, out, names, err)
			}
			for _, name := range names {
				text, err := os.ReadFile(name)
				testkit.OK(t, err)
				all.WriteString(filepath.Base(name))
				all.Write(text)
			}
		}
		return all.String()
	}
}

// figuresOf returns the figures of a match.
func figuresOf(t *testing.T, out string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(out, "result.json"))
	testkit.OK(t, err)
	var r struct {
		Games, Wins, Draws, Losses int
		Plies                      int64
	}
	testkit.OK(t, json.Unmarshal(text, &r))
	short, err := json.Marshal(r)
	testkit.OK(t, err)
	return string(short)
}

// A command that is killed with SIGKILL, while it makes its output or the one that replaces another, is resumed by its
// repetition, and the output is that of a command that was not disturbed. Until then what was to be replaced is there.
func TestKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	dir := t.TempDir()
	labelled := filepath.Join(dir, "labelled")
	for _, args := range [][]string{
		{"synth-endgames", "--count", "60", "--pieces", "3", "--seed", "1", "--out", filepath.Join(dir, "endgames")},
		{"label", filepath.Join(dir, "endgames"), "--mates", "--out", labelled},
	} {
		if text, err := talbot(args...).CombinedOutput(); err != nil {
			t.Fatalf("%q: %v\n%s", args, err, text)
		}
	}
	training := []string{"train", "--data", labelled, "--run", "OUT", "--blocks", "1", "--filters", "4", "--batch", "8",
		"--backend", "go", "--checkpoint-every", "5", "--steps"}
	for _, c := range []killedCase{
		{"synth-endgames", strings.Fields("synth-endgames --count 60000 --seed 3 --out OUT"),
			strings.Fields("synth-endgames --count 10 --seed 3 --out OUT"), "progress.json",
			filesOf("manifest.json", "*.talbot.zst")},
		{"train", append(training[:len(training):len(training)], "60"),
			append(training[:len(training):len(training)], "2"),
			"checkpoints/step-*.safetensors", filesOf("checkpoints/best.safetensors", "checkpoints/step-000000000060*",
				"run.json")},
		{"match", strings.Fields("match random: random: --games 2000 --concurrency 1 --out OUT"),
			strings.Fields("match random: random: --games 2 --seed 5 --out OUT"), "games.journal", figuresOf},
	} {
		t.Run(c.name, func(t *testing.T) { testKilled(t, &c) })
	}
}

// talbot is this program as a command.
func talbot(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), asCommand+"=1")
	return cmd
}

func testKilled(t *testing.T, c *killedCase) {
	dir := t.TempDir()
	at := func(args []string, out string, more ...string) []string {
		args = append([]string(nil), args...)
		for i := range args {
			if args[i] == "OUT" {
				args[i] = out
			}
		}
		return append(args, more...)
	}
	must := func(args []string) string {
		t.Helper()
		text, err := talbot(args...).CombinedOutput()
		if err != nil {
			t.Fatalf("%q: %v\n%s", args, err, text)
		}
		return string(text)
	}
	kill := func(args []string, begun string) {
		t.Helper()
		cmd := talbot(args...)
		testkit.OK(t, cmd.Start())
		for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
			if names, err := filepath.Glob(begun); err == nil && len(names) > 0 {
				break
			}
		}
		if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Fatal(err)
		}
		if cmd.Wait() == nil {
			t.Skip("it ended before it was killed")
		}
	}
	reference, out := filepath.Join(dir, "reference"), filepath.Join(dir, "out")
	must(at(c.args, reference))
	want := c.content(t, reference)

	kill(at(c.args, out, "--skip-done"), filepath.Join(out, c.begun))
	if text, err := talbot(at(c.other, out, "--skip-done")...).CombinedOutput(); err == nil ||
		!bytes.Contains(text, []byte("was begun differently and interrupted")) {
		t.Errorf("another command: %v\n%s", err, text)
	}
	must(at(c.args, out, "--skip-done"))
	if c.content(t, out) != want {
		t.Error("resumed, it is another output")
	}
	if text := must(at(c.args, out, "--skip-done")); !strings.Contains(text, "is done") {
		t.Error(text)
	}

	must(at(c.other, out, "--replace"))
	old := c.contentOfOther(t, out)
	kill(at(c.args, out, "--replace"), filepath.Join(out+".talbot-new", c.begun))
	if c.contentOfOther(t, out) != old {
		t.Error("the old output is not what it was")
	}
	must(at(c.args, out, "--replace"))
	if c.content(t, out) != want {
		t.Error("resumed, the replacement is another output")
	}

	kill(at(c.args, out, "--replace", "--seed", "8"), filepath.Join(out+".talbot-new", c.begun))
	must(at(c.other, out, "--replace")) // what is beside it is of no use
	if c.contentOfOther(t, out) != old {
		t.Error("after a replacement that was given up, the next one is another output")
	}
	if names, err := filepath.Glob(out + ".*"); err != nil || len(names) > 0 {
		t.Error(names, err)
	}
}

// contentOfOther is content of an output that was made differently.
func (c *killedCase) contentOfOther(t *testing.T, out string) string {
	t.Helper()
	if c.name == "train" {
		return filesOf("checkpoints/*", "run.json")(t, out)
	}
	return c.content(t, out)
}
