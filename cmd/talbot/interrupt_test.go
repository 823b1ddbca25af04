package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"talbot/internal/fault"
	"talbot/internal/testkit"
)

// A command that waits for what never comes ends on a signal all the same, with the words of any other interruption.
func TestSignalWhileWaiting(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it waits for the grace")
	}
	for name, c := range map[string]struct{ args, hint []string }{
		"games":     {[]string{"ingest", "fifo", "--out", "a"}, []string{"saving; interrupt again", "continue with"}},
		"materials": {[]string{"synth-endgames", "--count", "3", "--material-file", "fifo", "--out", "c"}, nil},
		"openings":  {[]string{"match", "random:", "random:", "--openings", "fifo", "--out", "d"}, nil},
		"an engine": {[]string{"synth-games", "--games", "3", "--engine", "./engine", "--workers", "1", "--out", "e"},
			[]string{"saving; interrupt again", "continue with"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			fifo := filepath.Join(dir, "fifo")
			if err := syscall.Mkfifo(fifo, 0o600); err != nil {
				t.Skip(err)
			}
			const engine = "#!/bin/sh\n" + `while read line; do case $line in
uci) echo "id name Fake"; echo "option name Hash type spin default 16 min 1 max 64"; echo uciok;;
isready) echo readyok;;
go*) read move <fifo;;
quit) exit;;
esac; done
`
			testkit.OK(t, os.WriteFile(filepath.Join(dir, "engine"), []byte(engine), 0o700))
			cmd, _, said := talbotCommand(t, dir, c.args...)
			testkit.OK(t, cmd.Start())
			silent, err := os.OpenFile(fifo, os.O_WRONLY, 0) // until the command reads
			testkit.OK(t, err)
			defer silent.Close()
			cmd.Process.Signal(os.Interrupt)
			cmd.Wait()
			if status := cmd.ProcessState.ExitCode(); status != fault.ExitInterrupted {
				t.Errorf("%q: status %d", c.args, status)
			}
			for _, part := range append(c.hint, "talbot: error: interrupted") {
				if !strings.Contains(said.String(), part) {
					t.Errorf("%q is not in %q", part, said)
				}
			}
		})
	}
}
