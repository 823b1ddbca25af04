package studio

import (
	"bytes"
	"errors"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"talbot/board"
	"talbot/network/builtin"
	"talbot/network/checkpoint"
	"talbot/network/leela"
	"talbot/network/model"
	"talbot/play/engine"
	"talbot/play/mcts"
)

// sit begins a game against the network that comes with talbot.
func sit(t *testing.T, s *served) *liveGame {
	t.Helper()
	open := func(batch int) (engine.PlayerNetwork, error) {
		return engine.Open(engine.Config{Path: builtin.Name, Backend: "go", Batch: batch})
	}
	one := &liveGame{network: "net:", asking: asking{asked: time.Now()}, setup: engine.Setup{Options: mcts.Defaults()},
		game: &engine.Session{Start: board.StartPosition(), Nodes: 20, MoveTime: 30 * time.Second,
			Player: engine.NewPlayer(open)}}
	one.setup.Verbose = true
	if err := s.games.add(one); err != nil {
		t.Fatal(err)
	}
	if err := one.act(func(*engine.Session) error { return nil }); err != nil {
		t.Fatal(err)
	}
	return one
}

func wait(t *testing.T, one *liveGame, until func(view) bool) view {
	t.Helper()
	for range 6000 {
		if v := one.look(); until(v) {
			return v
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("waited for too long: %+v", one.look())
	return view{}
}

// A game is played, taken back and given up; a search that runs ends where the person does something else.
func TestGame(t *testing.T) {
	s := serve(t, t.TempDir())
	one := sit(t, s)
	post := func(action string, form url.Values) int {
		status, _ := s.ask("POST", "/play/"+one.id+"/"+action, form, nil)
		return status
	}
	if n := post("move", url.Values{"move": {"e5"}}); n != 422 {
		t.Errorf("an illegal move: %d", n)
	}
	if n := post("nonsense", url.Values{}); n != 404 {
		t.Errorf("an unknown action: %d", n)
	}
	if n := post("move", url.Values{"move": {"e2e4"}}); n != 200 {
		t.Fatalf("a move: %d", n)
	}
	v := wait(t, one, func(v view) bool { return len(v.Moves) == 2 && !v.Thinking })
	if v.Thought == nil || v.Thought.Ply != 1 || v.Thought.White == nil || len(v.Legal) == 0 || len(v.Positions) != 3 {
		t.Errorf("%+v", v)
	}
	s.has("/play/"+one.id+"/game.pgn", "1. e4")
	post("back", url.Values{})
	if v := one.look(); len(v.Moves) != 0 || len(v.Legal) != 20 {
		t.Errorf("taken back: %+v", v)
	}
	for _, limits := range []url.Values{{"nodes": {"0"}}, {"nodes": {"1000000"}}, {"seconds": {"NaN"}},
		{"seconds": {"3600"}}} {
		if n := post("limit", limits); n != 422 {
			t.Errorf("limits %v: %d", limits, n)
		}
	}
	post("resign", url.Values{})
	if v := one.look(); v.Result != "Black wins: resignation" || len(v.Legal) != 0 {
		t.Errorf("given up: %+v", v)
	}
}

// A search ends where its page is closed, and where a person takes back.
func TestSearchEnds(t *testing.T) {
	s := serve(t, t.TempDir())
	one := sit(t, s)
	one.game.Nodes, one.game.MoveTime = maxNodes, maxSeconds*time.Second
	begun := time.Now()
	_ = one.act(func(g *engine.Session) error { return g.Move("e4") })
	wait(t, one, func(v view) bool { return v.Thinking && !v.Loading })
	ended := one.ended
	s.has("/play/"+one.id+"/game.pgn", "1. e4 ") // while the network thinks
	select {
	case <-ended:
		t.Error("saving the PGN ended the search")
	default:
	}
	_ = one.act(func(g *engine.Session) error { g.Back(); return nil })
	if v := one.look(); v.Thinking || len(v.Moves) != 0 || time.Since(begun) > 40*time.Second {
		t.Errorf("after %v: %+v", time.Since(begun), v)
	}
	_ = one.act(func(g *engine.Session) error { return g.Move("e4") })
	ends(t, one)
}

// ends waits for the end of a search whose page is closed.
func ends(t *testing.T, one *liveGame) {
	t.Helper()
	one.mu.Lock()
	one.expiry.Reset(0)
	one.mu.Unlock()
	select {
	case <-one.ended:
	case <-time.After(20 * time.Second):
		t.Error("the search of a closed page goes on")
	}
}

// While the network is loaded there is no PGN, and a new game begins; a network that cannot be loaded says so until the
// person does something that needs none.
func TestLoading(t *testing.T) {
	s := serve(t, t.TempDir())
	loads, opened := make(chan error), make(chan bool, 2)
	one := &liveGame{network: "slow", asking: asking{asked: time.Now()}, setup: engine.Setup{Options: mcts.Defaults()},
		game: &engine.Session{Start: board.StartPosition(), Nodes: 20,
			Player: engine.NewPlayer(func(int) (engine.PlayerNetwork, error) {
				opened <- true
				return nil, <-loads
			})}}
	if err := s.games.add(one); err != nil {
		t.Fatal(err)
	}
	post := func(action string, form url.Values) {
		t.Helper()
		if status, text := s.ask("POST", "/play/"+one.id+"/"+action, form, nil); status != 200 {
			t.Errorf("%s: %d: %s", action, status, text)
		}
	}
	post("move", url.Values{"move": {"e4"}})
	if v := one.look(); !v.Loading || len(v.Moves) != 1 {
		t.Errorf("%+v", v)
	}
	s.statuses("/play/"+one.id, map[string]int{"/game.pgn": 409}) // without a network
	<-opened
	go func() { loads <- errors.New("no such network") }() // a search ends when its network has been opened
	post("new", url.Values{})
	if v := one.look(); v.Thinking || len(v.Moves) != 0 || len(v.Legal) != 20 {
		t.Errorf("a new game: %+v", v)
	}
	post("move", url.Values{"move": {"d4"}})
	loads <- errors.New("no such network")
	v := wait(t, one, func(v view) bool { return !v.Thinking })
	if !strings.Contains(v.Error, "no such network") {
		t.Errorf("%+v", v)
	}
	post("back", url.Values{})
	if v := one.look(); v.Error != "" || len(v.Legal) != 20 {
		t.Errorf("after a failure: %+v", v)
	}
}

// Games are bounded; one whose page is closed makes room.
func TestGames(t *testing.T) {
	s := serve(t, t.TempDir())
	first := sit(t, s)
	for range maxGames - 1 {
		sit(t, s)
	}
	extra := &liveGame{game: first.game, asking: asking{asked: time.Now()}}
	if err := s.games.add(extra); err == nil {
		t.Error("one too many")
	}
	first.mu.Lock()
	first.asked = time.Now().Add(-abandoned)
	first.mu.Unlock()
	sit(t, s)
	if s.games.get(first.id) != nil {
		t.Error("the closed one is still there")
	}
}

// Two networks play each other as long as nobody stops them, and a person takes back and looks.
func TestWatch(t *testing.T) {
	dir := t.TempDir()
	makeNetwork(t, filepath.Join(dir, "black"), 1, "talbotbot", "blocks=1", "filters=4")
	s := serve(t, dir)
	to := s.to("POST", "/play", url.Values{"color": {"watch"}, "second": {s.keyOf("black")}, "nodes": {"4"}})
	one := s.games.get(strings.TrimPrefix(to, "/play/"))
	post := func(action string) int {
		status, _ := s.ask("POST", to+"/"+action, url.Values{"move": {"e4"}, "nodes": {"3"}}, nil)
		return status
	}
	v := wait(t, one, func(v view) bool { return len(v.Moves) >= 3 })
	if v.Human != "" || len(v.Legal) != 0 || v.Thought == nil || v.Thought.White == nil {
		t.Errorf("%+v", v)
	}
	s.has(to, "<bdi>black</bdi>")
	if n := post("limit"); n != 200 { // and it goes on
		t.Error(n)
	}
	v = wait(t, one, func(v view) bool { return len(v.Moves) >= 5 })
	if n := post("pause"); n != 200 {
		t.Error(n)
	}
	stopped := len(one.look().Moves)
	for _, action := range []string{"move", "swap", "resign", "hints"} {
		if n := post(action); n != 422 {
			t.Errorf("%s: %d", action, n)
		}
	}
	if post("back"); len(one.look().Moves) != stopped-1 || one.look().Thinking {
		t.Errorf("after taking back: %+v", one.look())
	}
	if text := s.has(to+"/game.pgn", `[White "lynx`, `[Black "talbotbot 1x4`); strings.Contains(text, "Human") {
		t.Error(text)
	}
	post("go")
	wait(t, one, func(v view) bool { return len(v.Moves) >= stopped })
	ends(t, one)
	status, _ := s.ask("POST", "/play", url.Values{"color": {"watch"}, "second": {"/etc/passwd"}}, nil)
	if status != 422 {
		t.Error("a second network that is none: ", status)
	}
}

// leelaFile is a file of lc0's whose network gives the moves different shares by a seed.
func leelaFile(t *testing.T, seed float32) string {
	n := model.Leela{Input: 1, Activation: "relu", Blocks: 1, Filters: 4, Policy: "convolution", PolicyFilters: 73,
		Chances: true, ValueFilters: 1, ValueHidden: 2}
	file := leela.File{Settings: n}
	for _, p := range n.Params() {
		data := make([]float32, p.Size())
		if p.Name == "policy.planes.bias" {
			for i := range data {
				data[i] = seed * float32(i%7)
			}
		}
		file.Tensors = append(file.Tensors, checkpoint.Tensor{Name: p.Name, Shape: p.Shape, Data: data})
	}
	var content bytes.Buffer
	if err := file.Write(&content); err != nil {
		t.Fatal(err)
	}
	return content.String()
}

// A file of lc0's is an opponent, and a damaged one says so.
func TestNetworkFile(t *testing.T) {
	dir := t.TempDir()
	put(t, leelaFile(t, 0), dir, "maias", "good.pb.gz")
	put(t, "none", dir, "maias", "bad.pb.gz")
	s := serve(t, dir)
	page := s.has("/play", "maias/good.pb.gz", "maias/bad.pb.gz")
	for name, want := range map[string]int{"good": 303, "bad": 422} {
		found := regexp.MustCompile(`value="([0-9a-f]+)">maias/` + name).FindStringSubmatch(page)
		if found == nil {
			t.Fatalf("%s is not on the page", name)
		}
		status, text := s.ask("POST", "/play", url.Values{"against": {found[1]}, "color": {"white"}, "nodes": {"1"}},
			nil)
		if status != want || want == 422 && !strings.Contains(text, "not a network of lc0") {
			t.Errorf("%s: %d %s", name, status, text)
		}
	}
}
