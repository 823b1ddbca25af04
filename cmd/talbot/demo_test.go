package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"talbot/dataset"
	"talbot/evaluate"
	"talbot/pipeline/ingest"
	"talbot/train/job"
)

// fakeTalbot answers as talbot does with --json; the result of eval is in eval.json.
const fakeTalbot = `#!/bin/sh
case $1 in
ingest | synth-endgames) echo '{"games_read":5,"games_kept":4,"rejects":{"seconds":1},"samples":9,"seconds":0.5}' ;;
label) echo '{"labelled":7,"seconds":0.5}' ;;
train) echo '{"steps":3,"seconds":0.5,"positions_per_second":812.5,"final":{"policy_ce":1},"data":[{"seconds":7}]}' ;;
eval) cat eval.json ;;
esac
`

// demoFigures are better than chance everywhere.
func demoFigures() job.Figures {
	good := func() evaluate.Figures {
		return evaluate.Figures{"samples": 100, "policy_ce_legal": 2.5, "policy_ce_uniform": 3.25, "top1": 0.25,
			"top1_uniform": 0.0625, "value_mse": 0.125, "value_mse_mean": 0.5}
	}
	intervals := func() map[string][2]float64 { return map[string][2]float64{"policy_ce_legal": {2.25, 2.75}} }
	f := job.Figures{About: job.About{Run: `a "run" {[, 1`}, Report: evaluate.Report{Figures: good(),
		Parts: evaluate.Parts{Intervals: intervals(), Unseen: good(), UnseenIntervals: intervals(),
			BySource:       map[string]evaluate.Figures{"game": good(), "puzzle": good()},
			UnseenBySource: map[string]evaluate.SourceFigures{}}}}
	for _, source := range []string{"endgame", "game", "puzzle"} {
		f.UnseenBySource[source] = evaluate.SourceFigures{Figures: good(),
			Bounds: evaluate.Bounds{Intervals: intervals()}}
	}
	return f
}

// The demo fails where the network is no better than chance on unseen positions, of all sources or of games, whatever
// it does on positions of its training; and only there.
func TestDemoJudges(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell here")
	}
	script, err := os.ReadFile("../../scripts/demo.sh")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		spoil func(f *job.Figures)
		want  string // "" = success
		worse int    // rows that say so
	}{
		"good": {func(*job.Figures) {}, "", 0},
		"seen positions and puzzles worse": {func(f *job.Figures) {
			all := f.Report.Figures
			all["policy_ce_legal"], all["value_mse"], all["top1"] = 4, 1, 0
			f.UnseenBySource["puzzle"].Figures["policy_ce_legal"] = 4
		}, "", 0},
		"policy": {func(f *job.Figures) {
			f.Unseen["policy_ce_legal"], f.UnseenIntervals["policy_ce_legal"] = 3.77, [2]float64{3.7, 3.8}
		}, "the policy on unseen positions (cross-entropy 3.77, up to 3.8, against 3.25)", 1},
		"policy by luck": {func(f *job.Figures) { f.UnseenIntervals["policy_ce_legal"] = [2]float64{2, 3.3} },
			"the policy on unseen positions (cross-entropy 2.5, up to 3.3, against 3.25)", 0},
		"first choice": {func(f *job.Figures) { f.Unseen["top1"] = 0.0625 },
			"the first choice on unseen positions (0.0625 against 0.0625)", 1},
		"value": {func(f *job.Figures) { f.Unseen["value_mse"] = 0.75 },
			"the value on unseen positions (0.75 against 0.5)", 1},
		"policy of games": {func(f *job.Figures) {
			f.UnseenBySource["game"].Intervals["policy_ce_legal"] = [2]float64{2, 3.25}
		}, "the policy on unseen positions of games (cross-entropy 2.5, up to 3.25, against 3.25)", 0},
		"value of games": {func(f *job.Figures) {
			game := f.UnseenBySource["game"].Figures
			game["value_mse"], game["top1"] = 0.5, 0
		}, "the first choice on unseen positions of games (0 against 0.0625); " +
			"the value on unseen positions of games (0.5 against 0.5)", 2},
		"no unseen positions": {func(f *job.Figures) { f.Unseen = nil },
			"demo-out/eval.json has no number unseen.samples", 0},
		"no value": {func(f *job.Figures) { delete(f.Unseen, "value_mse") },
			"demo-out/eval.json has no number unseen.value_mse", 0},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			f := demoFigures()
			c.spoil(&f)
			figures, err := json.Marshal(f)
			if err != nil {
				t.Fatal(err)
			}
			for file, text := range map[string]string{"scripts/demo.sh": string(script), "bin/talbot": fakeTalbot,
				"eval.json": string(figures)} {
				if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, file)), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.Command(shell, filepath.Join(dir, "scripts", "demo.sh"))
			cmd.Env = append(os.Environ(), "TALBOT=./bin/talbot")
			var out, fails strings.Builder
			cmd.Stdout, cmd.Stderr = &out, &fails
			err = cmd.Run()
			if n := strings.Count(out.String(), "worse"); n != c.worse {
				t.Errorf("%d rows say worse, want %d:\n%s", n, c.worse, &out)
			}
			if c.want == "" {
				if err != nil || !strings.HasSuffix(out.String(), "play it     bin/talbot play demo-out/run\n") {
					t.Errorf("%v\n%s%s", err, &out, &fails)
				}
				return
			}
			if cmd.ProcessState.ExitCode() != 1 || !strings.Contains(fails.String(), "demo: error: ") ||
				!strings.Contains(fails.String(), c.want) || !strings.Contains(fails.String(), "demo: hint: ") {
				t.Errorf("%v\n%s%s", err, &out, &fails)
			}
			if strings.Contains(out.String(), "\x1b") {
				t.Errorf("colour in a pipe: %q", &out)
			}
		})
	}
}

// The sample is small, whole, and what its README says.
func TestSample(t *testing.T) {
	const dir = "../../examples"
	readme, err := os.ReadFile(filepath.Join(dir, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	size := int64(0)
	for _, f := range files {
		info, err := f.Info()
		if err != nil {
			t.Fatal(err)
		}
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
		if err != nil {
			t.Fatal(err)
		}
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
