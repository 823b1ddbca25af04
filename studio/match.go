package studio

import (
	"bytes"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	"talbot/board"
	"talbot/dataset"
	"talbot/encode"
	"talbot/internal/chart"
	"talbot/internal/durable"
	"talbot/internal/humanize"
	"talbot/play/match"
)

// watchedMatch is a match whose page was asked for.
type watchedMatch struct {
	mu sync.Mutex // held by the user of the match
	*match.Watched
}

// maxMatches is the number of matches that are kept.
const maxMatches = 8

// watch returns the match of a folder, locked and up to date. The caller calls unlock whatever the error.
func (s *Server) watch(f *folder) (m *watchedMatch, unlock func(), err error) {
	m, _ = s.matches.get(f.Path, func() (*watchedMatch, error) {
		return &watchedMatch{Watched: match.Watch(f.Path)}, nil
	})
	m.mu.Lock()
	return m, m.mu.Unlock, m.Look()
}

// matchPage is the page of a match.
type matchPage struct {
	pageOf
	Title   string
	Began   string
	Figures template.HTML
	Rows    []match.Ended
	Found   int    // games that the choice leaves
	Show    string // the choice
	Page    int    // from 1
	Pages   int
}

// rowsShown is the number of games on a page of the table.
const rowsShown = 50

// To is the address of another page of the table.
func (p matchPage) To(page int) string {
	return "?" + url.Values{"show": {p.Show}, "page": {strconv.Itoa(page)}}.Encode()
}

// lookAtMatch lays the page out.
func (s *Server) lookAtMatch(f *folder, r *http.Request) *matchPage {
	p := &matchPage{pageOf: pageOf{folder: f, Version: "0"}, Title: f.Name, Show: oneOf("show", r.FormValue("show")),
		Page: 1, Pages: 1}
	m, unlock, err := s.watch(f)
	defer unlock()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		p.Notice = "There are no games yet."
		if !f.AtWork {
			p.Notice = "The journal of the games is missing."
		}
		return p
	case err != nil:
		p.Notice = f.within(err)
		return p
	}
	first := chart.Name(m.Players()[0])
	p.Title, p.Began = first+" against "+chart.Name(m.Players()[1]), m.Began().UTC().Format("2006-01-02 15:04 UTC")
	if n := len(m.Players()); n > 2 {
		p.Title = fmt.Sprintf("%s against %d others", first, n-1)
	}
	if m.Damaged() > 0 {
		p.Notice = fmt.Sprintf("The journal is damaged in %s: those games are not shown.",
			humanize.Count(int64(m.Damaged()), "place"))
	}
	games := m.Games()
	p.Version = fmt.Sprintf("%d-%d-%d-%t-%t", m.Began().Unix(), len(games), m.Damaged(), f.AtWork, m.Over())
	if p.Version == r.FormValue("since") {
		return p // which the browser has
	}
	var figures bytes.Buffer
	if err := m.WriteFigures(&figures, f.AtWork); err != nil {
		p.Notice = f.within(err)
		return p
	}
	p.Figures = template.HTML(figures.String()) // of our own template
	points, chosen := map[string]int{"won": 2, "drawn": 1, "lost": 0}[p.Show]
	games = slices.DeleteFunc(games, func(e match.Ended) bool {
		return chosen && e.Points != points || p.Show == "faults" && !e.Fault
	})
	if f.AtWork { // the newest first, as long as there are more
		slices.Reverse(games)
	}
	p.Found, p.Pages = len(games), max(1, (len(games)+rowsShown-1)/rowsShown)
	if n, err := strconv.Atoi(r.FormValue("page")); err == nil {
		p.Page = min(max(n, 1), p.Pages)
	}
	p.Rows = games[(p.Page-1)*rowsShown : min(p.Page*rowsShown, len(games))]
	return p
}

// pgnType is the type of games as PGN.
const pgnType = "application/x-chess-pgn"

// matchPGN answers with all games as the match wrote them.
func (s *Server) matchPGN(f *folder, w http.ResponseWriter, _ *http.Request) error {
	return s.gamesOf(f, match.PGNFile, w)
}

// gamesOf answers with a file of games.
func (s *Server) gamesOf(f *folder, name string, w http.ResponseWriter) error {
	file, err := durable.OpenRegular(filepath.Join(f.Path, name))
	if err != nil {
		return missing("The games cannot be read: " + chart.Plain(f.within(err)))
	}
	defer file.Close()
	kind := pgnType
	if filepath.Ext(name) == ".csv" {
		kind = "text/csv"
	}
	return save(w, kind, name, file)
}

// replayPage is the page of a game.
type replayPage struct {
	*folder
	Number       int // from 1
	White, Black string
	Result, End  string
	Before, Next int              // the games beside it; 0: none
	Wide, Narrow *chart.LineChart // the players' scores; nil: there are none
	Replay       replay
	Up, Save     string // addresses of all games, and of what is saved
	game         string // of a game, with %d for its number
	People, Play string // see [Server.peopleOf]
	Classes      bool   // its moves have marks
}

// Game is the address of another game.
func (p replayPage) Game(number int) string { return fmt.Sprintf(p.game, number) }

// replay is a game for the script of its page.
type replay struct {
	Positions []string     `json:"positions"`
	Moves     []replayMove `json:"moves"`
	Check     []bool       `json:"check"` // by position
}

// newReplay starts a game at a position.
func newReplay(start board.Position) replay {
	return replay{Positions: []string{start.FEN()}, Moves: []replayMove{}, Check: []bool{start.InCheck()}}
}

// play plays a move at a position, with what is known of it.
func (v *replay) play(at *board.Position, m board.Move, known replayMove) {
	known.UCI, known.SAN = m.String(), at.SAN(m)
	at.Play(m)
	v.Moves = append(v.Moves, known)
	v.Positions, v.Check = append(v.Positions, at.FEN()), append(v.Check, at.InCheck())
}

// replayMove is a move with its player's score.
type replayMove struct {
	UCI   string  `json:"uci"`
	SAN   string  `json:"san"`
	Note  string  `json:"note"`  // the score, from White's view; "" = none
	Depth int     `json:"depth"` // 0 = not known
	Nodes int64   `json:"nodes"`
	Time  float64 `json:"time"` // seconds
	Book  bool    `json:"book"` // of the opening
	Best  string  `json:"best"` // UCI, in place of the move; "" = not known
	Mark  string  `json:"mark"` // ?!, ? or ??
	Said  string  `json:"said"` // what else is known
}

// gameOf returns the game of a request, with its match, locked. The caller calls unlock whatever the error.
func (s *Server) gameOf(f *folder, r *http.Request) (m *watchedMatch, g *match.Record, unlock func(), err error) {
	m, unlock, err = s.watch(f)
	if number, bad := strconv.Atoi(r.PathValue("game")); err == nil && bad == nil {
		g, err = m.Game(number - 1)
	}
	if err != nil || g == nil {
		err = missing("There is no such game in this match.")
	}
	return m, g, unlock, err
}

func (s *Server) gamePGN(f *folder, w http.ResponseWriter, r *http.Request) error {
	m, g, unlock, err := s.gameOf(f, r)
	defer unlock()
	var text bytes.Buffer
	if err == nil {
		err = m.WritePGN(&text, g)
	}
	if err != nil {
		return err
	}
	return save(w, pgnType, fmt.Sprintf("game-%d.pgn", g.Number+1), &text)
}

func (s *Server) replay(f *folder, w http.ResponseWriter, r *http.Request) error {
	m, g, unlock, err := s.gameOf(f, r)
	defer unlock()
	if err != nil {
		return err
	}
	up := "/match/" + f.Key
	p := replayPage{folder: f, Number: g.Number + 1, Replay: replayOf(g), Up: up, game: up + "/game/%d",
		Save: fmt.Sprintf("%s/game/%d/game.pgn", up, g.Number+1)}
	for _, e := range m.Games() {
		switch {
		case e.Number < g.Number:
			p.Before = e.Number + 1
		case e.Number == g.Number:
			p.White, p.Black, p.Result, p.End = e.White, e.Black, e.Result.String(), e.End
		case p.Next == 0:
			p.Next = e.Number + 1
		}
	}
	p.Wide, p.Narrow = p.graph(g, true), p.graph(g, false)
	return s.show(w, "replay", p)
}

func replayOf(g *match.Record) replay {
	v := newReplay(g.Start)
	p := g.Start
	for i, ply := range g.Plies {
		m := replayMove{Depth: ply.Depth, Nodes: ply.Nodes, Time: ply.Time.Seconds(), Book: i < g.Book}
		if ply.Scored {
			m.Note = whiteScore(&p, ply.Score)
		}
		v.play(&p, ply.Move, m)
	}
	return v
}

// graph draws the players' scores of their positions, as White's expected score; nil if there are none.
func (p *replayPage) graph(g *match.Record, wide bool) *chart.LineChart {
	curves := []chart.Curve{{Name: chart.Plain(p.White), Class: "c0", Dots: true},
		{Name: chart.Plain(p.Black), Class: "c1", Dots: true}}
	at := g.Start
	for i, ply := range g.Plies {
		if ply.Scored {
			curve := &curves[at.Turn()]
			curve.Points = append(curve.Points, chart.Point{X: float64(i + 1), Y: expected(&at, ply.Score)})
		}
		at.Play(ply.Move)
	}
	c, ok := chart.NewLineChart(chart.Lines{Title: "What the players thought", Curves: curves, Unit: "half-move",
		Note: "White's expected score, by the score that each player gave with its move", Wide: wide, Low: 0, High: 1,
		Values: true, Show: func(v float64) string { return fmt.Sprintf("%.0f %%", 100*v) }})
	if !ok {
		return nil
	}
	return c
}

// expected is White's expected score, 0 to 1, by a score of the side to move.
func expected(at *board.Position, s dataset.Score) float64 {
	value, _ := encode.TalbotBot{}.Value(s)
	if at.Turn() == board.Black {
		value = -value
	}
	return 0.5 + float64(value)/2
}

// whiteScore writes a score of the side to move from White's view.
func whiteScore(at *board.Position, s dataset.Score) string {
	if at.Turn() == board.Black {
		s = -s
	}
	return s.Pawns()
}
