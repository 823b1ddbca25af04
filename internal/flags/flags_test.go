package flags_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"talbot/internal/fault"
	"talbot/internal/flags"
)

// options are the flags of a command of the tests.
type options struct {
	out, mode   string
	all, check  bool
	games       int64
	batch       int
	share       float64
	wait        time.Duration
	words       []string
	seed        uint64
	upper       string
	nodes, dept int
}

// run gives arguments to the command, and returns what it reads of them.
func run(args string) (o options, err error) {
	cmd := &cobra.Command{Use: "play", Example: "  play --out a --games 3", SilenceErrors: true, SilenceUsage: true,
		RunE: func(cmd *cobra.Command, _ []string) error { return flags.Check(cmd) }}
	o = options{mode: "fast", batch: 8, seed: 1, wait: time.Second}
	f := flags.Of(cmd)
	f.Section("Output")
	f.String(&o.out, "out,o", "folder")
	flags.AtLeast(f, &o.games, "games,n", 1, "number of games")
	flags.Within(f, &o.batch, "batch", 1, 64, "batch")
	flags.Above(f, &o.wait, "wait", 0, "time")
	flags.Within(f, &o.share, "share", 0, 1, "share")
	flags.Number(f, &o.seed, "seed", "seed")
	flags.Choice(f, &o.mode, "mode", "mode", "fast", "slow")
	flags.List(f, &o.words, "words", "a,b", func(s string) (string, error) {
		if s == "" {
			return "", errors.New("an empty word")
		}
		return strings.ToUpper(s), nil
	}, "words")
	flags.Parse(f, &o.upper, "upper", "", "X", func(s string) (string, error) {
		if strings.ToUpper(s) != s {
			return "", fmt.Errorf("%q is not upper case", s)
		}
		return s, nil
	}, "text")
	f.Bool(&o.all, "all", "all")
	f.Bool(&o.check, "check", "check")
	flags.Number(f, &o.nodes, "nodes", "nodes")
	flags.Number(f, &o.dept, "depth", "depth")
	f.Required("out", "games")
	f.Unless("games", "all")
	f.Needs([]string{"check"}, "upper", "words")
	f.AtMostOne("nodes", "depth", "all")
	cmd.SetArgs(strings.Fields(args))
	return o, cmd.Execute()
}

func TestRefused(t *testing.T) {
	for _, c := range []struct{ args, text, remedy string }{
		{"", "--out is missing", "for example `play --out a --games 3`"},
		{"--out=", "--out is missing", ""},
		{"-o a", "--games is missing", "for example `play --out a --games 3`"},
		{"-o a -n 0", "--games must be at least 1: 0", "for example `play --out a --games 3`"},
		{"--batch 65", "--batch must be from 1 to 64: 65", "leave it out for the default, 8"},
		{"--batch x", `--batch "x" is not a whole number`, ""},
		{"--batch 99999999999999999999", `--batch "99999999999999999999" is too large or too small`, ""},
		{"--share NaN", `--share "NaN" is not a number`, "leave it out to use the default"},
		{"--share 1.5", "--share must be from 0 to 1: 1.5", ""},
		{"--wait 0s", "--wait must be above 0s: 0s", "leave it out for the default, 1s"},
		{"--wait 3", `--wait "3" is not a time with a unit, such as 20ms, 30s or 3m`, ""},
		{"--seed -1", `--seed "-1" is not a whole number from 0`, ""},
		{"--mode fats", `unknown --mode "fats"`, "did you mean `--mode fast`? use fast or slow"},
		{"--words a,,b", "--words: an empty word", "for example --words a,b"},
		{"--upper x", `--upper: "x" is not upper case`, "for example --upper X"},
		{"-o a --all --check", "--check needs --upper or --words", "add --upper, or leave out --check"},
		{"-o a --nodes 1 --depth 2 -n 1", "--nodes and --depth cannot be used together", "leave one of them out"},
		{"-o a --all --depth 2", "--depth and --all cannot be used together", "leave one of them out"},
	} {
		_, err := run(c.args)
		if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
			err = invalid.Unwrap()
		}
		exit, remedy := fault.Of(err)
		if exit != fault.ExitUsage || err.Error() != c.text || c.remedy != "" && remedy != c.remedy {
			t.Errorf("%q: got %v, %q; want %q, %q", c.args, err, remedy, c.text, c.remedy)
		}
	}
}

func TestRead(t *testing.T) {
	o, err := run("-o a -n 0x10 --wait 3m --words a,b --words c --check --upper X --mode slow --share 0.5")
	if err != nil || o.games != 16 || o.wait != 3*time.Minute || strings.Join(o.words, "") != "ABC" ||
		o.mode != "slow" || o.share != 0.5 || o.batch != 8 || o.seed != 1 {
		t.Errorf("got %+v, %v", o, err)
	}
	if _, err := run("-o a --all=true --nodes=0 -n 1"); err == nil {
		t.Error("--all and --nodes were taken together")
	}
	if _, err := run("-o a --all=false --nodes=1 -n 1"); err != nil {
		t.Error(err)
	}
}
