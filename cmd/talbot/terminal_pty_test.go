//go:build linux

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
	"github.com/rivo/uniseg"

	"talbot/internal/fault"
	"talbot/internal/testkit"
	"talbot/stockfish"
)

// Both ends of an escape sequence can be in different reads.
var ansi = regexp.MustCompile(`\x1b\[[0-9;]*[A-Za-z]`)

// screenOf returns the rows of a terminal's screen, without the empty ones at the end.
func screenOf(e *vt.Emulator) []string {
	rows := strings.Split(strings.TrimRight(e.String(), " \n"), "\n")
	for i, r := range rows {
		rows[i] = strings.TrimRight(r, " ")
	}
	return rows
}

// onTerminal runs a command line on a terminal of that many columns, and returns the screen at its end. After each draw
// exactly one row shows how far the work is: the last, which has one percentage at most.
func onTerminal(t *testing.T, columns int, progress string, args ...string) string {
	t.Helper()
	cmd := exec.Command("talbot", args...)
	cmd.Env = append(os.Environ(), "TERM=xterm")
	f, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 100, Cols: uint16(columns)})
	testkit.OK(t, err)
	defer f.Close()
	e := vt.NewEmulator(columns, 100)
	line := regexp.MustCompile(`^(` + progress + `).*\d+%|…`)
	draws := 0
	var all, waiting []byte
	buf := make([]byte, 1<<16)
	for {
		n, err := f.Read(buf) // EIO at the end
		all, waiting = append(all, buf[:n]...), append(waiting, buf[:n]...)
		for {
			// A draw ends with the cursor at the beginning of the line.
			before, after, found := bytes.Cut(waiting, []byte("\x1b[J\r"))
			if !found {
				break
			}
			io.WriteString(e, string(before)+"\x1b[J\r")
			waiting = after
			draws++
			rows := screenOf(e)
			shown := 0
			for _, r := range rows {
				if line.MatchString(r) {
					shown++
				}
			}
			last := rows[len(rows)-1]
			if shown > 1 || strings.Count(last, "%") > 4 || uniseg.StringWidth(last) >= columns {
				t.Fatalf("%d columns, %d lines of progress:\n%s", columns, shown, strings.Join(rows, "\n"))
			}
		}
		if err != nil {
			break
		}
	}
	e.Write(waiting)
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v: %v\n%s", args, err, all)
	}
	if draws == 0 {
		t.Errorf("%v shows no progress", args)
	}
	screen := strings.Join(screenOf(e), "\n")
	if line.MatchString(screen) {
		t.Errorf("%d columns: progress is left:\n%s", columns, screen)
	}
	// What the terminal has wrapped is one line again.
	text := ansi.ReplaceAllString(string(all), "")
	for said := range strings.SplitSeq(text, "\n") {
		if said = strings.TrimSpace(said[strings.LastIndex(strings.TrimRight(said, "\r"), "\r")+1:]); said == "" {
			continue
		}
		if flat := strings.ReplaceAll(screen, "\n", ""); strings.HasPrefix(said, "talbot: ") &&
			!strings.Contains(strings.ReplaceAll(flat, " ", ""), strings.ReplaceAll(said, " ", "")) {
			t.Errorf("%d columns: %q is not on the screen:\n%s", columns, said, screen)
		}
	}
	return screen
}

// TestSignalAtPrompt: a signal ends setup where it waits for an answer, and nothing is installed.
func TestSignalAtPrompt(t *testing.T) {
	t.Parallel()
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		dir := t.TempDir()
		lib := filepath.Join(dir, "libonnxruntime.so")
		testkit.OK(t, os.WriteFile(lib, library("OrtGetApiBase"), 0o600))
		cmd, _, _ := talbotCommand(t, dir, "setup", "onnx", "--from", lib)
		cmd.Stdout, cmd.Stderr = nil, nil
		f, err := pty.Start(cmd)
		testkit.OK(t, err)
		defer f.Close()
		var screen []byte
		buf := make([]byte, 1<<12)
		for sent := false; ; {
			n, err := f.Read(buf) // EIO at the end
			if screen = append(screen, buf[:n]...); err != nil {
				break
			}
			if !sent && bytes.Contains(screen, []byte("[y/N]")) {
				sent = true
				testkit.OK(t, cmd.Process.Signal(s))
			}
		}
		_ = cmd.Wait() // the status says it
		if status := cmd.ProcessState.ExitCode(); status != fault.ExitInterrupted ||
			!bytes.HasSuffix(ansi.ReplaceAll(screen, nil), []byte("[y/N] \r\ntalbot: error: interrupted\r\n")) {
			t.Errorf("%v: status %d\n%s", s, status, screen)
		}
		if copied, err := filepath.Glob(filepath.Join(dir, ".local", "share", "talbot", "*", "*")); len(copied) > 0 {
			t.Errorf("%v: %v, %v", s, copied, err)
		}
	}
}

// The long commands, on terminals of three widths.
func TestTerminal(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it runs five commands three times")
	}
	dir := t.TempDir()
	var games strings.Builder
	for i := range 6000 {
		moves := []string{"1. e4 e5 2. Nf3 Nc6 3. Bb5 a6", "1. d4 d5 2. c4 e6 3. Nc3 Nf6",
			"1. Nf3 Nf6 2. g3 g6 3. Bg2 Bg7"}[i%3]
		if i%1500 == 7 {
			moves += " 4. Qxz9" // a warning amid the progress
		}
		fmt.Fprintf(&games, "[Event \"%d\"]\n[Result \"*\"]\n\n%s *\n\n", i, moves)
	}
	pgn := filepath.Join(dir, "games.pgn")
	testkit.OK(t, os.WriteFile(pgn, []byte(games.String()), 0o600))
	set := filepath.Join(dir, "endgames")
	if out, err := exec.Command("talbot", "synth-endgames", "--count", "60", "--out",
		set).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	_, missing := stockfish.Find("stockfish")
	labelled := ""
	for _, columns := range []int{40, 80, 200} {
		screen := onTerminal(t, columns, "ingest", "ingest", pgn, "--keep-duplicates", "--out",
			filepath.Join(dir, fmt.Sprint("lines", columns)))
		if n := strings.Count(strings.ReplaceAll(screen, "\n", ""), "left out: "); n != 4 {
			t.Errorf("%d columns: %d of 4 warnings:\n%s", columns, n, screen)
		}
		onTerminal(t, columns, "verify", "verify", filepath.Join(dir, fmt.Sprint("lines", columns)))
		onTerminal(t, columns, "match", "match", "random:", "random:", "--games", "600", "--out",
			filepath.Join(dir, fmt.Sprint("match", columns)))
		if missing != nil {
			t.Logf("label and train: no Stockfish: %v", missing)
			continue
		}
		labelled = filepath.Join(dir, fmt.Sprint("labelled", columns))
		onTerminal(t, columns, "label", "label", set, "--nodes", "2000", "--out", labelled)
		onTerminal(t, columns, "train|checking|counting", "train", "--data", labelled, "--run",
			filepath.Join(dir, fmt.Sprint("run", columns)), "--blocks", "1", "--filters", "8", "--batch", "8",
			"--steps", "30", "--backend", "go")
	}
}
