package studio

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"talbot/board"
	"talbot/internal/chart"
	"talbot/network/builtin"
	"talbot/play/engine"
	"talbot/play/match"
)

// Bounds of a search.
const (
	maxNodes   = 100_000
	maxSeconds = 60
	gameHash   = 64 << 20 // bytes of a search's tree and cache
)

// lobbyPage is the form for a new game.
type lobbyPage struct {
	Runs    []*folder
	Problem string
	Against string // key of the run that is chosen
	Second  string // of the one that plays Black where two networks play
	FEN     string
	Nodes   int64
}

func (s *Server) lobby(w http.ResponseWriter, r *http.Request, status int, problem string) error {
	networks := slices.DeleteFunc(slices.Clone(s.library.look()), func(f *folder) bool { return !f.answers() })
	nodes, err := strconv.ParseInt(r.FormValue("nodes"), 10, 64)
	if err != nil || nodes < 1 || nodes > maxNodes {
		nodes = 400
	}
	return s.showStatus(w, status, "lobby", lobbyPage{networks, problem, r.FormValue("against"),
		r.FormValue("second"), r.FormValue("fen"), nodes})
}

// sit begins a game.
func (s *Server) sit(w http.ResponseWriter, r *http.Request) error {
	one, err := s.newGame(r)
	if err == nil {
		err = s.games.add(one)
	}
	if err != nil {
		return s.lobby(w, r, http.StatusUnprocessableEntity, chart.Plain(err.Error()))
	}
	_ = one.act(func(g *engine.Session) error {
		g.Begin()
		return nil
	})
	http.Redirect(w, r, "/play/"+one.id, http.StatusSeeOther)
	return nil
}

// newGame reads the form of a new game.
func (s *Server) newGame(r *http.Request) (*liveGame, error) {
	g := &engine.Session{}
	one := &liveGame{game: g, asking: asking{asked: time.Now()}, hints: r.FormValue("hints") != ""}
	var err error
	if g.Player, one.setup, one.network, err = s.newPlayer(r.FormValue("against")); err != nil {
		return nil, err
	}
	switch r.FormValue("color") {
	case "black":
		g.Human = board.Black
	case "random":
		g.Human = board.Color(rand.IntN(2))
	case "watch":
		g.Human, one.hints = board.Black, false
		if g.Partner, one.second, one.partner, err = s.newPlayer(r.FormValue("second")); err != nil {
			return nil, err
		}
	}
	fen, book := strings.TrimSpace(r.FormValue("fen")), r.FormValue("opening") != ""
	switch {
	case fen != "" && book:
		err = errors.New("give a position or choose an opening, not both")
	case book:
		g.Start, err = drawOpening()
	default:
		g.Start, err = startOf(fen)
	}
	if err == nil {
		err = limit(g, r)
	}
	return one, err
}

// startOf returns the position of a FEN, or where a game starts.
func startOf(fen string) (board.Position, error) {
	if fen == "" {
		return board.StartPosition(), nil
	}
	p, _, err := board.ReadFEN(fen, true) // the page shows which rights there are
	if err != nil {
		err = fmt.Errorf("the position: %w", err)
	}
	return p, err
}

// drawOpening is the position after one of talbot's own openings.
func drawOpening() (board.Position, error) {
	book, err := match.Book()
	if err != nil {
		return board.Position{}, err
	}
	o := book.List[rand.IntN(len(book.List))]
	p := o.Start
	for _, m := range o.Moves {
		p.Play(m)
	}
	return p, nil
}

// newPlayer makes a player of a run by its key, or of the network that comes with talbot, with its name.
func (s *Server) newPlayer(key string) (p *engine.Player, setup engine.Setup, name string, err error) {
	path, name, kind := builtin.Name, "the network that comes with talbot", atOnce(s.networks.backend)
	if key != "" {
		f := byKey(s.library.look(), key)
		if f == nil || !f.answers() {
			return nil, setup, "", errGone
		}
		path, name, kind = f.Path, f.Name, s.networks.backend
	}
	look, err := engine.Describe(path)
	if err != nil {
		return nil, setup, "", err
	}
	setup = engine.Setup{Options: look.Options}
	setup.Hash, setup.Seed, setup.Verbose = gameHash, rand.Uint64(), true
	return engine.NewPlayer(func(batch int) (engine.PlayerNetwork, error) {
		return engine.Open(engine.Config{Path: path, Backend: kind, Batch: batch, Fast: true})
	}), setup, name, nil
}

// limit reads how long the network thinks.
func limit(g *engine.Session, r *http.Request) error {
	nodes, err := strconv.ParseInt(cmp.Or(r.FormValue("nodes"), "400"), 10, 64)
	if err != nil || nodes < 1 || nodes > maxNodes {
		return fmt.Errorf("nodes must be a whole number from 1 to %d", maxNodes)
	}
	seconds, err := strconv.ParseFloat(cmp.Or(r.FormValue("seconds"), "5"), 64)
	if err != nil || !(seconds >= 0.1 && seconds <= maxSeconds) {
		return fmt.Errorf("seconds must be a number from 0.1 to %d", maxSeconds)
	}
	g.Nodes, g.MoveTime = nodes, time.Duration(seconds*float64(time.Second))
	return nil
}

var errNoGame = missing("This game no longer exists: start a new one.")

func (s *Server) board(w http.ResponseWriter, r *http.Request) error {
	one := s.games.get(r.PathValue("game"))
	if one == nil {
		return s.lobby(w, r, http.StatusNotFound, errNoGame.Error())
	}
	return s.show(w, "play", struct{ ID, Network, Partner string }{one.id, one.network, one.partner})
}

// state answers with the game, or with nothing if the page has it.
func (s *Server) state(w http.ResponseWriter, r *http.Request) error {
	one := s.games.get(r.PathValue("game"))
	if one == nil {
		return errNoGame
	}
	v := one.look()
	if sameVersion(w, r, strconv.FormatInt(v.Version, 10)) {
		return nil
	}
	return showJSON(w, v)
}

func (s *Server) pgn(w http.ResponseWriter, r *http.Request) error {
	one := s.games.get(r.PathValue("game"))
	if one == nil {
		return errNoGame
	}
	text := one.text()
	if text == "" {
		return failure{http.StatusConflict, "The network is not loaded yet: try again in a moment."}
	}
	return save(w, pgnType, "game.pgn", strings.NewReader(text))
}

// act does what the person asks for, and answers with the game.
func (s *Server) act(w http.ResponseWriter, r *http.Request) error {
	one, change := s.games.get(r.PathValue("game")), changes[r.PathValue("action")]
	if one == nil || change == nil {
		return errNoGame
	}
	if err := one.act(func(g *engine.Session) error { return change(one, g, r) }); err != nil {
		return err
	}
	return s.state(w, r)
}

var errWatched = errors.New("two networks play this game")

// own is a change of a game that a person plays.
func own(change func(*liveGame, *engine.Session)) func(*liveGame, *engine.Session, *http.Request) error {
	return func(one *liveGame, g *engine.Session, _ *http.Request) error {
		if one.watched() {
			return errWatched
		}
		change(one, g)
		return nil
	}
}

// changes are the actions of a person.
var changes = map[string]func(*liveGame, *engine.Session, *http.Request) error{
	"move": func(_ *liveGame, g *engine.Session, r *http.Request) error {
		return g.Move(strings.TrimSpace(r.FormValue("move")))
	},
	"back": func(one *liveGame, g *engine.Session, _ *http.Request) error {
		g.Back()
		one.paused = one.watched() // else it would be played again at once
		return nil
	},
	"swap":   own(func(_ *liveGame, g *engine.Session) { g.Swap() }),
	"resign": own(func(_ *liveGame, g *engine.Session) { g.Resign() }),
	"hints":  own(func(one *liveGame, _ *engine.Session) { one.hints = !one.hints }),
	"limit":  func(_ *liveGame, g *engine.Session, r *http.Request) error { return limit(g, r) },
	"pause":  func(one *liveGame, _ *engine.Session, _ *http.Request) error { one.paused = true; return nil },
	"go":     func(one *liveGame, _ *engine.Session, _ *http.Request) error { one.paused = false; return nil },
	"new":    func(_ *liveGame, g *engine.Session, _ *http.Request) error { g.Restart(); return nil },
}

// sanLine writes the beginning of a line.
func sanLine(p board.Position, moves []board.Move) string {
	var words []string
	for i, m := range moves[:min(len(moves), shownPlies)] {
		switch {
		case p.Turn() == board.White:
			words = append(words, fmt.Sprintf("%d.", p.FullmoveNumber()))
		case i == 0:
			words = append(words, fmt.Sprintf("%d…", p.FullmoveNumber()))
		}
		words = append(words, p.SAN(m))
		p.Play(m)
	}
	return strings.Join(words, " ")
}
