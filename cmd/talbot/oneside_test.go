package main

import (
	"strings"
	"testing"

	"talbot/encode"
	"talbot/internal/testkit"
	"talbot/internal/testkit/shareddata"
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

// With --elo the nearest of Maia's networks plays what it finds likeliest, without a search; what tells no rating is
// refused.
func TestPlayLikePeople(t *testing.T) {
	maias := shareddata.Path(t, "lc0")
	for _, c := range []struct{ network, elo, says string }{
		{maias, "1420", "people rated 1500: \"maia-1500.pb.gz\""},
		{maias, "1400", "people rated 1300:"}, // of two the lower
		{maias, "4000", "people rated 2200:"},
		{maias + "/maia-1900.pb.gz", "1100", "people rated 1900:"},
		{"net:", "1500", "neither reads ratings nor has one in its name"},
		{".", "1500", "no networks of people"},
	} {
		cmd, stdout, stderr := talbotCommand(t, t.TempDir(), "play", c.network, "--elo", c.elo)
		cmd.Stdin = strings.NewReader("e4\nquit\n")
		failed := cmd.Run() != nil
		played := strings.Contains(stdout.String(), "black plays")
		if !strings.Contains(stderr.String(), c.says) || failed == played ||
			played != strings.Contains(c.says, "rated ") {
			t.Errorf("%s --elo %s: %s\n%s", c.network, c.elo, stderr, stdout)
		}
	}
}
