package match

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"talbot/internal/testkit"
)

func TestParsePlayer(t *testing.T) {
	s, err := ParsePlayer("cmd:/usr/games/stockfish,name=SF 0,option.Skill " +
		"Level=0,option.Hash=1,arg=-x,arg=-y=z,dir=/tmp," +
		"depth=5,movetime=50ms,rating=1350.5,error=40")
	testkit.OK(t, err)
	if s.Kind != "cmd" || s.Path != "/usr/games/stockfish" || s.Name != "SF 0" || len(s.Options) != 2 ||
		s.Options[0].Name != "Skill Level" || s.Options[0].Value != "0" || strings.Join(s.Args, " ") != "-x -y=z" ||
		s.Dir != "/tmp" || s.Depth != 5 || s.MoveTime != 50*time.Millisecond || *s.Rating != 1350.5 || s.Error != 40 {
		t.Errorf("%+v", s)
	}
	s, err = ParsePlayer("run:runs/a=b,searcher=puct,nodes=400,backend=go")
	if err != nil || s.Path != "runs/a=b" || s.Nodes != 400 || len(s.Params) != 2 || s.Params[0].Value != "puct" {
		t.Errorf("%+v, %v", s, err)
	}
	if s, err = ParsePlayer("random:"); err != nil || s.Kind != "random" {
		t.Errorf("%+v, %v", s, err)
	}
	if s, err = ParsePlayer("random:,name=monkey"); err != nil || s.Name != "monkey" {
		t.Errorf("%+v, %v", s, err)
	}
	if s, err = ParsePlayer("random:name=monkey,rating=0"); err != nil || s.Name != "monkey" {
		t.Errorf("%+v, %v", s, err)
	}
	for _, bad := range []string{"", "stockfish", "cmd:", "cmd:,nodes=1", "run:", "engine:x", "cmd:x,nodes",
		"cmd:x,nodes=",
		"cmd:x,nodes=0", "cmd:x,nodes=-1", "cmd:x,depth=246", "cmd:x,depth=a", "cmd:x,movetime=5", "cmd:x,movetime=1us",
		"cmd:x,tc=0", "cmd:x,tc=60+", "cmd:x,tc=a/60", "cmd:x,tc=60,movetime=1s", "cmd:x,nodes=1,nodes=2",
		"cmd:x,option.=3",
		"cmd:x,option.Hash=1,option.hash=2", "cmd:x,searcher=puct", "random:nodes", "random:,", "random:x",
		"random:option.Hash=1", "cmd:x,=3",
		"cmd:x,rating=NaN", "cmd:x,error=3", "cmd:x,rating=1,error=-1", "cmd:x,name=", "cmd:x,", "cmd:x,dir=a\nb",
		"run:x,arg=1,arg=2,\n=3"} {
		if s, err := ParsePlayer(bad); err == nil || !strings.Contains(err.Error(), "player") {
			t.Errorf("%q: %+v, %v", bad, s, err)
		}
	}
}

// TestEnter: what is named becomes a player, or an error that names it.
func TestEnter(t *testing.T) {
	ctx := context.Background()
	enter := func(text string, l Limits) (Entrant, error) {
		s := testkit.Must(ParsePlayer(text))
		return Enter(ctx, s, l, nil)
	}
	if e, err := enter("random:", Limits{Nodes: 5}); err != nil || e.Name != "random" ||
		e.Limits != (Limits{}) {
		t.Errorf("%+v, %v", e, err)
	}
	if _, err := enter("run:x", Limits{Nodes: 1}); !errors.Is(err, ErrNoNetworks) {
		t.Errorf("a network: %v", err)
	}
	if _, err := enter("cmd:/nowhere/engine", Limits{Nodes: 1}); err == nil ||
		!strings.Contains(err.Error(), "/nowhere") {
		t.Errorf("no engine: %v", err)
	}
	s, _ := ParsePlayer("run:x,searcher=puct")
	made := Entrant{Name: "net", Identity: "weights"}
	e, err := Enter(ctx, s, Limits{Nodes: 9}, func(s Spec) (Entrant, error) { return made, nil })
	if err != nil || e.Name != "net" || e.Limits.Nodes != 9 || e.Text != "run:x,searcher=puct" {
		t.Errorf("%+v, %v", e, err)
	}
	if _, err := Enter(ctx, s, Limits{}, func(s Spec) (Entrant, error) { return made, nil }); err == nil {
		t.Error("a player without any limit")
	}
}

func FuzzParsePlayer(f *testing.F) {
	f.Add("cmd:x,nodes=1,option.A b=c")
	f.Add("random:name=x")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParsePlayer(text)
		if err == nil && s.Limits != (Limits{}) && s.Limits.Check() != nil {
			t.Errorf("%q has limits %v", text, s.Limits)
		}
	})
}

func TestParseTimeControl(t *testing.T) {
	for text, want := range map[string]TimeControl{"60": {0, 60e9, 0}, "60+0.6": {0, 60e9, 600e6},
		"0.5+0":    {0, 500e6, 0},
		"40/120+1": {40, 120e9, 1e9}} {
		c, err := ParseTimeControl(text)
		if err != nil || c != want {
			t.Errorf("%q: %+v, %v", text, c, err)
		}
		if again, err := ParseTimeControl(c.String()); err != nil || again != c {
			t.Errorf("%q is written as %q", text, c.String())
		}
	}
}
