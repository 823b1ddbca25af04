package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"talbot/internal/testkit"
	"talbot/stockfish"
)

// TestArrayJobs runs the Slurm array and the Kubernetes indexed job of the documentation as their schedulers do, by the
// variables that tell each task its number, and joins the parts: the bytes are those of one machine. Where Slurm's own
// sbatch reaches a cluster, it is given the script too.
func TestArrayJobs(t *testing.T) {
	if _, err := stockfish.Find(""); err != nil {
		t.Skip("SKIPPED: Stockfish is not installed")
	}
	text, err := os.ReadFile("../../docs/13-many-machines.md")
	testkit.OK(t, err)
	slurm := regexp.MustCompile("(?s)```sh\n(#!/bin/sh\n#SBATCH.*?)```").FindSubmatch(text)
	kubernetes := regexp.MustCompile(`(?s)command: \[sh, -c, '(.*?)'\]`).FindSubmatch(text)
	if slurm == nil || kubernetes == nil {
		t.Fatal("the documentation has no array jobs")
	}
	dir := t.TempDir()
	testkit.OK(t, os.Mkdir(filepath.Join(dir, "bin"), 0o755))
	self, err := os.Executable()
	testkit.OK(t, err)
	testkit.OK(t, os.Symlink(self, filepath.Join(dir, "bin", "talbot")))
	for _, args := range [][]string{{"synth-endgames", "--count", "60", "--seed", "5", "--out", "lines"},
		{"label", "lines", "--out", "alone", "--nodes", "300", "--workers", "2"}} {
		if _, said, status := talbotIn(t, dir, args...); status != 0 {
			t.Fatalf("%q: %d\n%s", args, status, said)
		}
	}
	const tasks = 3
	few := strings.NewReplacer("20000", "300", "/16", fmt.Sprint("/", tasks), "1-16", fmt.Sprint("1-", tasks),
		"cpus-per-task=8", "cpus-per-task=1", "/data/", "", "lines-part$", "PART$")
	run := func(prefix, script string, task func(i int) []string) {
		t.Helper()
		script = strings.ReplaceAll(few.Replace(script), "PART$", prefix+"$")
		join := []string{"join"}
		for i := range tasks {
			cmd := exec.Command("sh", "-c", script)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), append(task(i), asCommand+"=1", "PATH="+filepath.Join(dir, "bin")+":"+
				os.Getenv("PATH"))...)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%s, task %d: %v\n%s", prefix, i, err, out)
			}
			join = append(join, fmt.Sprint(prefix, i+1))
		}
		joinParts(t, dir, prefix, join)
	}
	run("slurm", string(slurm[1]), func(i int) []string {
		return []string{fmt.Sprint("SLURM_ARRAY_TASK_ID=", i+1), fmt.Sprint("SLURM_ARRAY_TASK_COUNT=", tasks),
			"SLURM_CPUS_PER_TASK=1"}
	})
	run("kubernetes", regexp.MustCompile(`\n +`).ReplaceAllString(string(kubernetes[1]), " "), func(i int) []string {
		return []string{fmt.Sprint("JOB_COMPLETION_INDEX=", i)}
	})
	if err := exec.Command("sinfo").Run(); err != nil {
		t.Logf("SKIPPED: no Slurm cluster can be reached: sinfo: %v", err)
		return
	}
	script := filepath.Join(dir, "array.sh")
	if err := os.WriteFile(script, []byte(strings.ReplaceAll(few.Replace(string(slurm[1])), "PART$", "sbatch$")),
		0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sbatch", "--wait", script)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), asCommand+"=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("sbatch: %v\n%s", err, out)
	}
	joinParts(t, dir, "sbatch", []string{"join", "sbatch1", "sbatch2", "sbatch3"})
}

// joinParts joins and compares with what one machine has made.
func joinParts(t *testing.T, dir, name string, join []string) {
	t.Helper()
	joined := name + "-joined"
	if _, said, status := talbotIn(t, dir, append(join, "--out", joined)...); status != 0 {
		t.Fatalf("%q: %d\n%s", join, status, said)
	}
	for _, file := range []string{"manifest.json", "shard-00000.talbot.zst"} {
		a, err := os.ReadFile(filepath.Join(dir, "alone", file))
		testkit.OK(t, err)
		if b, err := os.ReadFile(filepath.Join(dir, joined, file)); err != nil || !bytes.Equal(a, b) {
			t.Errorf("%s: %s differs: %v", name, file, err)
		}
	}
}
