package main

import (
	"strings"
	"testing"

	"talbot/encode"
	"talbot/internal/testkit"
	"talbot/network/run"
	"talbot/train/loader"
)

// play and uci say what values mean that learnt how the games of one side ended, and say nothing of others: of a
// network of both sides, of one whose values are scores, and where the run does not tell.
func TestOneSided(t *testing.T) {
	results, scores := run.Config{ValueFormula: encode.ResultFormula}, run.Config{ValueFormula: "cp/1000"}
	sets := []loader.SetIdentity{{Dir: "/data"}}
	for name, c := range map[string]struct {
		id     loader.Identity
		config run.Config
		says   bool
	}{
		"one side":   {loader.Identity{Sets: sets, OneSide: "the player Tal M"}, results, true},
		"both sides": {loader.Identity{Sets: sets}, results, false},
		"scores":     {loader.Identity{Sets: sets, OneSide: "the player Tal M"}, scores, false},
		"no labels":  {loader.Identity{Sets: sets, OneSide: "the player Tal M", Results: true}, scores, true},
	} {
		o := playerOptions{run: t.TempDir()}
		testkit.OK(t, c.id.Write(o.run))
		if note := o.oneSided(c.config); strings.Contains(note, "the moves of the player Tal M alone") != c.says ||
			!c.says && note != "" {
			t.Errorf("%s: %q", name, note)
		}
	}
	none := playerOptions{run: t.TempDir()}
	if note := none.oneSided(results); note != "" {
		t.Errorf("of an unknown run: %q", note)
	}
}
