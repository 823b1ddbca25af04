package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/cli"
	"talbot/internal/fault"
	"talbot/internal/output"
	"talbot/internal/progress"
	"talbot/internal/testkit"
	"talbot/pipeline/ingest"
)

// TestFlips flips single bits of every file that talbot reads back, and runs the verbs that read it. A flip is noticed
// (the command fails), said (it warns), or without effect: what the command says and writes is what it says and writes
// without the flip. Else it is silent, which no flip may be.
//
// With TALBOT_FULL=1 every byte is flipped for commands that are quick, and some hundred for those that run a network;
// else a sample. TALBOT_FLIPS_TABLE names a file that gets a table of them.
func TestFlips(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	makeFlipData(t)
	full := os.Getenv("TALBOT_FULL") != ""
	var table strings.Builder
	table.WriteString("| file | command | flips | noticed | reported | without effect | silent " +
		"|\n|---|---|---|---|---|---|---|\n")
	whole := map[string]result{}
	for _, c := range flipCases {
		files, err := filepath.Glob(c.file)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no such file (%v)", c.file, err)
		}
		file := files[0]
		for _, command := range c.commands {
			if _, ok := whole[command.name]; !ok {
				whole[command.name] = command.undamaged(t)
			}
			counts := flipAll(t, file, command, whole[command.name], command.sample(full))
			fmt.Fprintf(&table, "| %s | %s | %d | %d | %d | %d | %d |\n", c.name, command.name, counts.flips,
				counts.noticed, counts.said, counts.harmless, counts.silent)
			if counts.silent > 0 {
				t.Errorf("%s: %d of %d flips are silent", command.name, counts.silent, counts.flips)
			}
			if counts.noticed+counts.said == 0 && !c.unread {
				t.Errorf("%s of %s: no flip is noticed", command.name, file)
			}
		}
	}
	t.Log("\n" + table.String())
	if path := os.Getenv("TALBOT_FLIPS_TABLE"); path != "" {
		testkit.OK(t, os.WriteFile(path, []byte(table.String()), 0o666))
	}
}

// flipCase is a file and the commands that read it.
type flipCase struct {
	name, file string
	// unread says that nothing is taken from the file but what can be made again, or nothing at all by these commands:
	// then no flip need be noticed.
	unread   bool
	commands []flipCommand
}

// sample returns how many bytes of a file are flipped; 0 is all.
func (c flipCommand) sample(full bool) int {
	switch {
	case full:
		return c.most
	case c.most > 0:
		return 4
	}
	return 40
}

// flipCommand is a command line. What it works on is copied first where it writes: keep lists folders that are brought
// back to their state before each flip.
type flipCommand struct {
	name string
	args []string
	keep []string // folders
	out  []string // files and folders that it writes, compared byte by byte; patterns
	most int      // of a command that runs a network: bytes that are flipped with TALBOT_FULL, as all take too long
}

var (
	flipStats   = flipCommand{name: "stats", args: []string{"stats", "lines", "--unique", "--json"}}
	flipVerify  = flipCommand{name: "verify", args: []string{"verify", "lines", "--json"}}
	flipInspect = flipCommand{name: "inspect", args: []string{"inspect", "lines", "--all", "--json"}}
	flipDiff    = flipCommand{name: "diff", args: []string{"diff", "lines", "lines2", "--json"}}
	flipEval    = flipCommand{name: "eval", args: []string{"eval", "--run", "run", "--data", "lines", "--split", "all",
		"--backend", "go", "--samples", "20", "--json"}, keep: []string{"run"}, most: 100}
	flipExport = flipCommand{name: "export", args: []string{"export", "--run", "run", "--format", "safetensors",
		"--out",
		"net.safetensors"}, out: []string{"net.safetensors"}, most: 200}
	flipOnnx = flipCommand{name: "export onnx", args: []string{"export", "--run", "run", "--format", "onnx", "--out",
		"net.onnx"}, out: []string{"net.onnx"}, most: 200}
	flipNet = flipCommand{name: "export net", args: []string{"export", "--run", "run", "--format", "net", "--licence",
		"CC0-1.0", "--out", "given.safetensors"}, out: []string{"given.safetensors"}, most: 200}
	flipTrain = flipCommand{name: "train", args: append(flipTrainArgs("made"), "--steps", "2"), keep: []string{"made"},
		out: []string{"made/checkpoints/*"}, most: 100}
	flipResume = flipCommand{name: "train --resume", args: append(flipTrainArgs("cut"), "--resume"),
		keep: []string{"cut"},
		out:  []string{"cut/checkpoints/*"}, most: 100}
	flipFrom = flipCommand{name: "train --from", args: append(flipTrainArgs("made"), "--steps", "2", "--from", "run"),
		keep: []string{"made"}, out: []string{"made/checkpoints/*"}, most: 100}
	flipIngest = flipCommand{name: "ingest, resumed", args: flipIngestArgs, keep: []string{"half"},
		out: []string{"half/*"}}
)

var flipIngestArgs = []string{"ingest", "a.pgn", "b.pgn", "--out", "half", "--import-evals", "--json"}

func flipTrainArgs(run string) []string {
	return []string{"train", "--data", "lines", "--run", run, "--blocks", "1", "--filters", "4", "--batch", "8",
		"--backend",
		"go", "--json", "--seed", "3", "--checkpoint-every", "2", "--eval-every", "2"}
}

var flipCases = []flipCase{
	{"manifest.json", "lines/manifest.json", false, []flipCommand{flipStats, flipVerify, flipInspect, flipDiff,
		flipEval,
		flipTrain}},
	{"shard", "lines/shard-00000*", false, []flipCommand{flipStats, flipVerify, flipInspect, flipDiff, flipEval,
		flipTrain}},
	{"progress.json", "half/progress.json", false, []flipCommand{flipIngest}},
	{"draft of a shard", "half/draft-00000*", false, []flipCommand{flipIngest}},
	{"run.json", "run/run.json", false, []flipCommand{flipEval, flipExport, flipOnnx, flipFrom}},
	{"data.json", "run/data.json", false, []flipCommand{flipEval}},
	{"data.json", "run/data.json", true, []flipCommand{flipExport}},
	{"history.json", "run/history.json", false, []flipCommand{flipNet}},
	{"metrics.jsonl", "run/metrics.jsonl", false, []flipCommand{flipEval}},
	{"best checkpoint", "run/checkpoints/best*", false, []flipCommand{flipEval, flipExport, flipOnnx, flipFrom}},
	{"run.json", "cut/run.json", false, []flipCommand{flipResume}},
	{"data.json", "cut/data.json", false, []flipCommand{flipResume}},
	{"metrics.jsonl", "cut/metrics.jsonl", false, []flipCommand{flipResume}},
	{"survey.bin", "cut/survey.bin", true, []flipCommand{flipResume}},
	{"newest checkpoint", "cut/checkpoints/step-*02.safetensors", false, []flipCommand{flipResume}},
}

// flipGames are games with evaluations, of which some fall into each split.
func flipGames(seed uint64, n int) string {
	rng := rand.New(rand.NewPCG(seed, 0))
	var s strings.Builder
	for i := range n {
		p := board.StartPosition()
		fmt.Fprintf(&s, "[Event \"flips\"]\n[White \"White %d\"]\n[Black \"Black\"]\n[WhiteElo \"%d\"]\n[Result "+
			"\"1-0\"]\n\n", i,
			2000+rng.IntN(500))
		for ply := range 12 {
			moves := p.LegalMoves(nil)
			m := moves[rng.IntN(len(moves))]
			if ply%2 == 0 {
				fmt.Fprintf(&s, "%d. ", ply/2+1)
			}
			fmt.Fprintf(&s, "%s ", p.SAN(m))
			p.Play(m)
			fmt.Fprintf(&s, "{[%%eval %.2f]} ", rng.Float64()*4-2)
		}
		s.WriteString("1-0\n\n")
	}
	return s.String()
}

// makeFlipData makes the files that are damaged: datasets, an interrupted ingest, a finished run and one that is cut
// off behind a checkpoint.
func makeFlipData(t *testing.T) {
	t.Helper()
	for name, seed := range map[string]uint64{"a.pgn": 1, "b.pgn": 2} {
		testkit.OK(t, os.WriteFile(name, []byte(flipGames(seed, 24)), 0o666))
	}
	must := func(args ...string) {
		t.Helper()
		if r := runHere(t, args); r.status != fault.ExitDone {
			t.Fatalf("%q ends with %d: %s", args, r.status, r.stderr)
		}
	}
	ingest := []string{"--import-evals", "--split", "50,25,25"}
	must(append([]string{"ingest", "a.pgn", "--out", "lines"}, ingest...)...)
	must(append([]string{"ingest", "a.pgn", "--out", "lines2"}, ingest...)...)
	must(append(flipTrainArgs("run"), "--steps", "4")...)
	must(append(flipTrainArgs("cut"), "--steps", "4")...)
	testkit.OK(t, os.Remove("cut/checkpoints/step-000000000004.safetensors")) // as after a kill behind step 2
	output.SmallShards(t, 100)
	halfway := 0
	_, err := ingestHalf(t, func(cancel func()) { // interrupted behind a few drafts
		if drafts, _ := filepath.Glob("half/draft-*"); len(drafts) > 2 {
			if halfway++; halfway == 1 {
				cancel()
			}
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("the ingest was not interrupted: %v", err)
	}
}

// result is what a command left.
type result struct {
	status         int
	stdout, stderr string
	files          map[string]string // of flipCommand.out
}

// volatile are the parts of what is said that differ from run to run.
var volatile = regexp.MustCompile(`"(seconds|positions_per_second|loader_wait|rate|resumed)":[^,}]*`)

// runHere runs a command line in this process.
func runHere(t *testing.T, args []string) result {
	t.Helper()
	var r result
	capture := func(o **cli.Terminal) func() string {
		file, err := os.CreateTemp(t.TempDir(), "captured")
		testkit.OK(t, err)
		old := *o
		*o = cli.NewTerminal(file, nil)
		return func() string {
			*o = old
			text, err := os.ReadFile(file.Name())
			testkit.OK(t, err)
			file.Close()
			os.Remove(file.Name())
			return string(text)
		}
	}
	out, err := capture(&cli.Stdout), capture(&cli.Stderr)
	r.status = execute(args)
	r.stdout, r.stderr = volatile.ReplaceAllString(out(), `"$1":0`), err()
	return r
}

// runApart runs a command line in a process of its own: networks keep memory until the end of theirs.
func runApart(t *testing.T, args []string) result {
	t.Helper()
	out, said, status := talbotIn(t, ".", args...)
	return result{status: status, stdout: volatile.ReplaceAllString(out, `"$1":0`), stderr: said}
}

// once brings the folders back that the command works on, and runs it. flip, if not nil, damages a file in between.
func (c flipCommand) once(t *testing.T, flip func()) result {
	t.Helper()
	for _, dir := range c.keep {
		os.RemoveAll(dir)
		if err := os.CopyFS(dir, os.DirFS("kept/"+dir)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	for _, pattern := range c.out {
		if !slices.ContainsFunc(c.keep, func(dir string) bool { return strings.HasPrefix(pattern, dir+"/") }) {
			os.RemoveAll(pattern)
		}
	}
	if flip != nil {
		flip()
	}
	command := runHere
	if c.most > 0 {
		command = runApart
	}
	r := command(t, c.args)
	r.files = map[string]string{}
	for _, pattern := range c.out {
		paths, _ := filepath.Glob(pattern)
		for _, path := range paths {
			text, err := os.ReadFile(path)
			testkit.OK(t, err)
			r.files[path] = string(text)
		}
	}
	return r
}

type flipCounts struct{ flips, noticed, said, harmless, silent int }

// hold keeps the folders that the command works on, until they are let go as they were.
func (c flipCommand) hold(t *testing.T) (release func()) {
	t.Helper()
	os.RemoveAll("kept")
	for _, dir := range c.keep {
		if err := os.CopyFS("kept/"+dir, os.DirFS(dir)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	return func() {
		for _, dir := range c.keep {
			os.RemoveAll(dir)
			os.CopyFS(dir, os.DirFS("kept/"+dir))
		}
	}
}

// undamaged runs the command twice without a flip, which has to give the same.
func (c flipCommand) undamaged(t *testing.T) result {
	t.Helper()
	defer c.hold(t)()
	want, again := c.once(t, nil), c.once(t, nil)
	if want.status != fault.ExitDone || want.stdout != again.stdout || !maps.Equal(want.files, again.files) {
		t.Fatalf("%q is not the same twice, or fails: %d %s", c.args, want.status, want.stderr)
	}
	return want
}

// flipAll flips one bit of each byte of a file, or of so many bytes, and runs the command on each, which without a flip
// gives want.
func flipAll(t *testing.T, file string, c flipCommand, want result, most int) (n flipCounts) {
	t.Helper()
	defer c.hold(t)()
	whole, err := os.ReadFile(file)
	testkit.OK(t, err)
	rng := rand.New(rand.NewPCG(uint64(len(whole)), 7))
	places := rng.Perm(len(whole))
	if most > 0 && most < len(places) {
		places = places[:most]
	}
	for _, at := range places {
		bad := bytes.Clone(whole)
		bit := rng.IntN(8)
		bad[at] ^= 1 << bit
		got := c.once(t, func() {
			testkit.OK(t, os.WriteFile(file, bad, 0o666))
		})
		testkit.OK(t, os.WriteFile(file, whole, 0o666))
		n.flips++
		switch {
		case got.status != fault.ExitDone:
			n.noticed++
		case strings.Contains(got.stderr, "warning:") && !strings.Contains(want.stderr, "warning:"):
			n.said++
		case got.stdout == want.stdout && maps.Equal(got.files, want.files):
			n.harmless++
		default:
			if n.silent++; n.silent <= 3 {
				t.Logf("%s: bit %d of byte %d of %s is silent: …%q…", c.name, bit, at, file,
					bad[max(0, at-20):min(len(bad), at+20)])
			}
		}
	}
	return n
}

// ingestHalf is the command of flipIngest, interrupted when told to.
func ingestHalf(t *testing.T, each func(cancel func())) (ingest.Summary, error) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	return ingest.Request{Inputs: []string{"a.pgn", "b.pgn"}, Out: "half", Splits: dataset.DefaultSplits,
		ImportEvals: true,
		Workers:     1, Progress: func(progress.Progress) { each(cancel) }}.Run(ctx)
}
