package main

import (
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"talbot/internal/testkit"
	"talbot/stockfish"
)

// asCommand names the environment variable with which the test program is talbot itself.
const asCommand = "TALBOT_TEST_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		os.Exit(execute(os.Args[1:]))
	}
	if filepath.Base(os.Args[0]) != "talbot" { // but in scripts, whose home is their folder, there is no cache
		os.Setenv("XDG_CACHE_HOME", os.DevNull)
	}
	testscript.Main(m, map[string]func(){"talbot": main})
}

// TestScript runs the command from outside: testdata/script/*.txt.
func TestScript(t *testing.T) {
	t.Parallel()
	tables, err := filepath.Abs("../../../shared/data/syzygy")
	testkit.OK(t, err)
	engine, noEngine := stockfish.Find("")
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "stockfish":
				return noEngine == nil, nil
			case "hangups": // not under nohup, whose children ignore them too
				return !signal.Ignored(syscall.SIGHUP), nil
			case "tables":
				_, err := os.Stat(tables)
				return err == nil, nil
			}
			return false, nil
		},
		Setup: func(e *testscript.Env) error {
			// Each script's home is empty; the XLA plugin is not looked for there.
			e.Setenv("HOME", e.WorkDir)
			e.Setenv("PATH", os.Getenv("PATH"))
			e.Setenv("SYZYGY", tables)
			e.Setenv("STOCKFISH", engine)
			return nil
		},
	})
}
