package engine

import (
	"slices"
	"strings"
	"testing"

	"talbot/play/match"
	"talbot/play/mcts"
	"talbot/play/player"
	"talbot/play/uci"
)

// TestRegisteredMethod: a searcher that is in the list is known wherever searchers are: to players, matches and UCI;
// and what the list says of it is heeded there.
func TestRegisteredMethod(t *testing.T) {
	mcts.Register(t, mcts.Method{Name: "first", Prior: true, NoSearch: true, OnePosition: true},
		func(e mcts.Evaluator, o mcts.Options) (mcts.Searcher, error) { return mcts.New("policy", e, o) })
	if names := mcts.Names(); !slices.Contains(names, "first") || names[0] != "puct" {
		t.Errorf("names %v", names)
	}
	spec, err := match.ParsePlayer("run:x,searcher=first")
	if err != nil || NeedsLimit(spec) {
		t.Errorf("%+v needs a limit, %v", spec, err)
	}
	if s := (player.Setup{Searcher: "first"}); s.NetworkBatch() != 1 {
		t.Errorf("opened for batches of %d", s.NetworkBatch())
	}
	if !slices.ContainsFunc(uci.Options(false, mcts.Options{}), func(o *uci.Option) bool {
		return o.Name == "Searcher" && slices.Contains(o.Vars, "first")
	}) {
		t.Error("the UCI option does not offer it")
	}
	if _, err := mcts.New("second", nil, mcts.Options{}); err == nil || !strings.Contains(err.Error(),
		"rollouts, first") {
		t.Errorf("an unknown name: %v", err)
	}
}
