package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"talbot/internal/testkit"
	"talbot/internal/testkit/tinyrun"
	"talbot/play/engine"
	"talbot/play/mcts"
	"talbot/play/uci"
)

// TestPythonChess: python-chess's engine module plays with the command.
func TestPythonChess(t *testing.T) {
	t.Parallel()
	if out, err := exec.Command("python3", "-c", "import chess.engine").CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: python3 with the package chess is missing: %v %s", err, out)
	}
	self, err := os.Executable()
	testkit.OK(t, err)
	c := tinyrun.Config(t, "talbotbot", "blocks=1", "filters=4")
	dir, _ := tinyrun.Write(t, c, tinyrun.Weights(t, c))
	for _, searcher := range []string{"auto", "policy"} {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, "python3", "testdata/engine.py", self, "uci", "--run", dir, "--backend", "go",
			"--searcher", searcher)
		cmd.Env = append(os.Environ(), asCommand+"=1", "HOME="+t.TempDir())
		if out, err := cmd.CombinedOutput(); err != nil || !strings.HasSuffix(string(out), "ok\n") {
			t.Errorf("%s: %v\n%s", searcher, err, out)
		}
	}
}

// docs/12-play.md lists the options that "uci" prints, with their defaults and bounds, and no others; and the
// parameters of networks in matches.
func TestOptionsAreDocumented(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "12-play.md"))
	testkit.OK(t, err)
	var documented []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\| ([^|]*) \\| ([^|]*) \\| ([^|]*) \\| ([^|]*) \\|$").
		FindAllStringSubmatch(string(text), -1) {
		documented = append(documented, strings.Join(row[1:], " | "))
	}
	var offered []string
	for _, o := range uci.Options(true, mcts.Defaults()) {
		param := map[string]string{"Searcher": "searcher", "Move Overhead": "overhead", "UCI_Elo": "elo",
			"Threads": "threads"}[o.Name]
		if s, ok := mcts.SettingByName(o.Name); ok {
			param = s.Key
		}
		if slices.Contains(engine.Parameters(), param) {
			param = "`" + param + "`"
		} else {
			param = ""
		}
		offered = append(offered, strings.Join([]string{o.Name, optionForm(o), param, o.Searchers, o.About}, " | "))
	}
	for _, o := range offered {
		if !slices.Contains(documented, o) {
			t.Errorf("docs/12-play.md lacks the row\n| `%s |", strings.Replace(o, " |", "` |", 1))
		}
	}
	if len(documented) != len(offered) {
		t.Errorf("docs/12-play.md has %d options, the engine %d", len(documented), len(offered))
	}
}

// optionForm says in a cell of a table what the option takes: its default, and what else. What depends on the machine
// is in words.
func optionForm(o *uci.Option) string {
	def := o.Default
	switch {
	case o.Name == "Threads":
		return "all cores, from 1"
	case o.Kind == "button":
		return "button"
	case o.Kind == "spin":
		return fmt.Sprintf("%s, %d to %d", def, o.Min, o.Max)
	case o.Bounds != "":
		return def + ", " + o.Bounds
	case def == "":
		return "empty"
	case strings.HasPrefix(def, "<"):
		return "`" + def + "`"
	}
	return def
}
