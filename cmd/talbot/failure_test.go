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

	"talbot/internal/fault"
	"talbot/internal/testkit"
)

// talbotCommand returns a command line of talbot to run in a folder, and what it will print.
func talbotCommand(t *testing.T, dir string, args ...string) (cmd *exec.Cmd, stdout, stderr *bytes.Buffer) {
	t.Helper()
	self, err := os.Executable()
	testkit.OK(t, err)
	stdout, stderr = new(bytes.Buffer), new(bytes.Buffer)
	cmd = exec.Command(self, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, stdout, stderr
	cmd.Env = append(os.Environ(), asCommand+"=1", "HOME="+dir)
	return cmd, stdout, stderr
}

// talbotIn runs a command line in a folder and returns what it printed and its exit status.
func talbotIn(t *testing.T, dir string, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	cmd, out, errs := talbotCommand(t, dir, args...)
	err := cmd.Run()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// interruptedIn is [talbotIn] for a command that is interrupted once it has begun and meanwhile is done.
func interruptedIn(t *testing.T, dir string, begun func() bool, meanwhile func(), args ...string) (stdout,
	stderr string, status int) {
	t.Helper()
	cmd, out, errs := talbotCommand(t, dir, args...)
	testkit.OK(t, cmd.Start())
	for tries := 0; !begun() && tries < 6000; tries++ {
		time.Sleep(10 * time.Millisecond)
	}
	meanwhile()
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Error(err)
	}
	_ = cmd.Wait() // the status says it
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// failing are command lines of every command: one that cannot be, one with a path that is not there, and one with a
// damaged dataset or run; nil where there is no such thing. The names are those of the folder that
// [TestFailuresAreJSON] makes.
var failing = map[string]struct {
	usage, missing, damaged []string
	result                  bool // it has one even where it fails
}{
	"ingest": {usage: []string{"x.pgn"}, missing: []string{"none.pgn", "--out", "x"},
		damaged: []string{"cut.pgn.gz", "--out", "x"}},
	"synth-endgames": {usage: []string{"--out", "x"}, missing: []string{"--count", "3", "--out", "cut.pgn.gz"}},
	"synth-games": {usage: []string{"--out", "x"}, missing: []string{"--games", "3", "--engine", "none", "--out", "x"},
		damaged: []string{"--games", "3", "--openings", "cut.pgn.gz", "--out", "x"}},
	"selfplay": {usage: []string{"--run", "net:", "--out", "x"},
		missing: []string{"--run", "none", "--games", "1", "--out", "x"},
		damaged: []string{"--run", "badrun", "--games", "1", "--out", "x"}},
	"label":   {missing: []string{"none", "--out", "x"}, damaged: []string{"damaged", "--out", "x"}},
	"join":    {usage: []string{"lines", "--out", "x"}, missing: []string{"none", "--out", "x"}},
	"tactics": {missing: []string{"none", "--out", "x"}, damaged: []string{"damaged", "--out", "x"}},
	"aggregate": {usage: []string{"lines", "--out", "x", "--bands", "2000,1500"},
		missing: []string{"none", "--out", "x"}, damaged: []string{"damaged", "--out", "y"}},
	"predict": {usage: []string{"lines", "--run", "x", "--out", "x", "--top", "-1"},
		missing: []string{"lines", "--run", "none", "--out", "x"},
		damaged: []string{"damaged", "--run", "badrun", "--out", "z"}},
	"train": {missing: []string{"--data", "none", "--run", "x"},
		damaged: []string{"--data", "damaged", "--run", "x", "--backend", "go"}},
	"loop": {usage: []string{"cut.pgn.gz", "--out", "x"}, missing: []string{"none", "--out", "x"}},
	"eval": {usage: []string{"--run", "x"}, missing: []string{"--data", "lines", "--run", "none"},
		damaged: []string{"--data", "lines", "--run", "badrun"}},
	"compare": {usage: []string{"x", "--data", "lines"}, missing: []string{"none", "none", "--data", "lines"},
		damaged: []string{"badrun", "badrun", "--data", "lines"}},
	"export": {missing: []string{"--run", "none", "--format", "onnx", "--out", "net"},
		damaged: []string{"--run", "badrun", "--format", "onnx", "--out", "net"}},
	"export-data": {usage: []string{"lines", "--format", "parquet", "--out", "net", "--recipe", "talbotbot"},
		missing: []string{"none", "--format", "parquet", "--out", "x.parquet"},
		damaged: []string{"damaged", "--format", "parquet", "--out", "x.parquet"}},
	"match": {usage: []string{"random:", "--out", "x"},
		missing: []string{"random:", "random:", "--openings", "none.pgn", "--out", "x"}},
	"solve": {usage: []string{"random:", "x", "--count", "-1"}, missing: []string{"random:", "none.csv"},
		damaged: []string{"random:", "damaged"}},
	"bench": {usage: []string{"--run", "badrun", "--batch", "0"}, missing: []string{"--run", "none"},
		damaged: []string{"--run", "badrun"}},
	"review":  {missing: []string{"none.pgn", "--out=reviewed"}, damaged: []string{"cut.pgn.gz", "--out=reviewed"}},
	"stats":   {missing: []string{"none"}, damaged: []string{"damaged"}},
	"inspect": {usage: []string{"lines"}, missing: []string{"none", "--all"}, damaged: []string{"damaged", "--all"}},
	"verify":  {missing: []string{"none"}, damaged: []string{"damaged"}, result: true},
	"diff": {usage: []string{"lines"}, missing: []string{"none", "lines"}, damaged: []string{"damaged", "lines"},
		result: true},
	"plan":    {missing: []string{"none.pgn"}, damaged: []string{"cut.pgn.gz"}},
	"doctor":  {usage: []string{"x"}, missing: []string{"--engine", "none"}, result: true},
	"version": {usage: []string{"x"}},
	"status":  {usage: []string{"x"}, missing: []string{"--join-file", "none"}},
	"worker":  {},
	"recipes": {usage: []string{"x"}},
	// These have no --json, so that with it every command line is an error of usage.
	"setup":      {},
	"man":        {},
	"completion": {},
	"help":       {},
	"play":       {},
	"uci":        {},
	"studio":     {},
	"batches":    {},
}

// Under --json every failure of every command ends with one JSON object on standard error, whose exit is the status,
// and nothing is on standard output but the result of a command that has one.
func TestFailuresAreJSON(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		testkit.OK(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777))
		testkit.OK(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	write("cut.pgn.gz", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x4b")
	write("badrun/run.json", "{")
	for _, name := range []string{"lines", "damaged"} {
		if _, said, status := talbotIn(t, dir, "synth-endgames", "--count", "40", "--out", name); status != 0 {
			t.Fatal(said)
		}
	}
	shard := filepath.Join(dir, "damaged", "shard-00000.talbot.zst")
	text, err := os.ReadFile(shard)
	testkit.OK(t, err)
	write("damaged/shard-00000.talbot.zst", string(text[:len(text)/2])+"xxxx"+string(text[len(text)/2+4:]))
	classes := map[int]bool{}
	usage.Lock()
	commands := newRoot().Commands()
	usage.Unlock()
	for _, cmd := range commands {
		lines, ok := failing[cmd.Name()]
		if !ok {
			t.Errorf("%s is not among the command lines that fail", cmd.Name())
		}
		for _, c := range []struct {
			args   []string
			status []int // one of them
		}{
			{[]string{"--no-such-flag"}, []int{fault.ExitUsage}},
			{lines.usage, []int{fault.ExitUsage}},
			{lines.missing, []int{fault.ExitFailed, fault.ExitNoDataset}},
			{lines.damaged, []int{fault.ExitFailed, fault.ExitDamaged}},
		} {
			if c.args == nil {
				continue
			}
			args := append([]string{cmd.Name(), "--json"}, c.args...)
			out, said, status := talbotIn(t, dir, args...)
			classes[status] = true
			checkFailure(t, args, out, said, status, lines.result)
			if status != c.status[0] && status != c.status[len(c.status)-1] {
				t.Errorf("%q: status %d, want one of %v\n%s", args, status, c.status, said)
			}
		}
	}
	// Input was skipped, the folder is locked, the command was interrupted.
	write("bad.pgn", "[White \"a\"]\n\n1. e4 e5 *\n\n[White \"b\"]\n\n1. e5 *\n")
	args := []string{"ingest", "bad.pgn", "--out", "strict", "--strict", "--json"}
	out, said, status := talbotIn(t, dir, args...)
	checkFailure(t, args, out, said, status, true)
	if status != fault.ExitSkipped {
		t.Errorf("%q: status %d", args, status)
	}
	args = []string{"synth-endgames", "--count", "100000000", "--out", "long", "--json"}
	out, said, status = interruptedIn(t, dir, func() bool {
		_, err := os.Stat(filepath.Join(dir, "long", "progress.json"))
		return err == nil
	}, func() { // another process in the same folder
		out, said, status := talbotIn(t, dir, args...)
		checkFailure(t, args, out, said, status, false)
		if status != fault.ExitLocked {
			t.Errorf("%q in a folder that is in use: status %d", args, status)
		}
	}, args...)
	checkFailure(t, args, out, said, status, false)
	if status != fault.ExitInterrupted {
		t.Errorf("%q: status %d", args, status)
	}
	for _, args := range [][]string{{"nonsense", "--json"}, {"help", "nonsense", "--json"}, {"--json"},
		{"ingest", "x", "--json", "--workers", "few"},
		{"ingest", "x", "--json=1", "--out", "lines", "--side", "loser"}} {
		out, said, status := talbotIn(t, dir, args...)
		checkFailure(t, args, out, said, status, false)
	}
	for _, status := range []int{fault.ExitFailed, fault.ExitUsage, fault.ExitNoDataset, fault.ExitDamaged} {
		if !classes[status] {
			t.Errorf("no command line ended with %d", status)
		}
	}
	if _, said, _ := talbotIn(t, dir, "stats", "none"); strings.Contains(said, "{") {
		t.Errorf("without --json: %s", said)
	}
}

func checkFailure(t *testing.T, args []string, out, said string, status int, result bool) {
	t.Helper()
	last := strings.TrimSuffix(said[strings.LastIndex(strings.TrimSuffix(said, "\n"), "\n")+1:], "\n")
	var f map[string]any
	if err := json.Unmarshal([]byte(last), &f); err != nil || len(f) != 3 {
		t.Errorf("%q: last line %q: %v", args, last, err)
		return
	}
	text, _ := f["error"].(string)
	_, hasHint := f["hint"].(string)
	if exit, _ := f["exit"].(float64); text == "" || !hasHint || int(exit) != status || status == 0 {
		t.Errorf("%q: status %d: %s", args, status, last)
	}
	if strings.Contains(said, "talbot: error:") || strings.Contains(said, "talbot: hint:") {
		t.Errorf("%q: the error is there twice:\n%s", args, said)
	}
	if out != "" && (!result || !json.Valid([]byte(out))) {
		t.Errorf("%q: standard output has %q", args, out)
	}
}
