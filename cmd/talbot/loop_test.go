package main

import (
	"strings"
	"testing"

	"talbot/internal/testkit"
	"talbot/pipeline/loop"
)

// TestLoopValues: what a step of a later generation would refuse is refused before the first one, with its place.
func TestLoopValues(t *testing.T) {
	const good = `generations: 3
start: {recipe: lynx, blocks: 1, filters: 8}
games: {games: 4, nodes: 2}
train: {batch: 4, lr: 1e-3}
stages: [{from: 3, games: {nodes: 4}, train: {lr: 1e-4}}]
measure: {data: tests, samples: 10}
gate: {accept: 0.5, match: {games: 4, nodes: 4}}
`
	for _, c := range []struct{ old, now, want string }{
		{"", "", ""},
		{"recipe: lynx", "recipe: lynxx", "start: --recipe: unknown recipe"},
		{"blocks: 1", "blocks: 0", "start: bad setting: blocks"},
		{"{recipe: lynx, blocks: 1, filters: 8}", `{run: "net:"}`, ""},
		{"{recipe: lynx, blocks: 1, filters: 8}", "{run: elsewhere}", ""},
		{"nodes: 2", "nodes: 1, searcher: gumble", "games: "},
		{"nodes: 2", "nodes: two", "games: "},
		{"lr: 1e-3", "value-target: results", "train: "},
		{"nodes: 4}, train", "nodes: -4}, train", "stages: from 3: games: nodes"},
		{"lr: 1e-4", "lr: -1", "stages: from 3: train: --lr must be above 0: -1"},
		{"lr: 1e-4", "lrr: 1", "stages: from 3: train: unknown flag: --lrr"},
		{"samples: 10", "samples: -1", "measure: --samples"},
		{"match: {games: 4", "match: {games: 3", "gate: match: 3 games"},
		{"match: {games: 4", "match: {sprt: 3", "gate: match: --sprt"},
	} {
		config, err := loop.Parse([]byte(strings.Replace(good, c.old, c.now, 1)))
		testkit.OK(t, err)
		switch err := checkSteps("loop.yaml", &config); {
		case c.want == "" && err != nil:
			t.Errorf("%q: %v", c.now, err)
		case c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), `"loop.yaml": `+c.want)):
			t.Errorf("%q: %v, want %s", c.now, err, c.want)
		}
	}
}
