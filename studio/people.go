package studio

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/chart"
	"talbot/pgn"
	"talbot/stockfish"
)

// peopleForm is the form for a position or a game.
type peopleForm struct {
	Runs, Weighers []*folder // of the recipes prior and probability
	Problem        string
	Run, Weigher   string // keys of those that are chosen
	Nodes          int64
	FEN, PGN       string
	Engine         string // why there is none; "" = there is one
}

// NodeChoices returns the limits of the engine for each move.
func (peopleForm) NodeChoices() []int64 { return nodeChoices }

var nodeChoices = []int64{20_000, 100_000, 500_000}

// pageLength is the length of [rand.Text].
const pageLength = 26

// maxPeoplePlies is the longest game that an address can keep.
const maxPeoplePlies = 600

// peoplePage is a position or a game with what people would play.
type peoplePage struct {
	Title           string
	Network, Weighs string // names of the runs
	Unmasked        bool   // the network was trained over all moves, legal or not
	Game            replay
	Elo             int // that the page begins with
	Ratings         []int
	Back            string // the address of the form
	Page            string
	Nodes           int64
}

// people answers with the form.
func (s *Server) people(w http.ResponseWriter, r *http.Request) {
	if r.FormValue("data") == "" {
		s.peopleForm(w, r, http.StatusOK, "")
		return
	}
	q, err := s.gameOfSample(r)
	if err != nil {
		s.peopleForm(w, r, http.StatusUnprocessableEntity, chart.Plain(err.Error()))
		return
	}
	http.Redirect(w, r, q, http.StatusSeeOther)
}

func (s *Server) peopleForm(w http.ResponseWriter, r *http.Request, status int, problem string) {
	f := peopleForm{Problem: problem, Run: r.FormValue("run"), Weigher: r.FormValue("weigher"),
		FEN: r.FormValue("fen"), PGN: r.FormValue("pgn"), Nodes: nodesOf(r)}
	f.Runs, f.Weighers = s.peopleRuns()
	if _, err := stockfish.Find(s.networks.engine); err != nil {
		f.Engine = stockfish.Remedy
	}
	s.showStatus(w, status, "people", f)
}

// peopleRuns are the runs that say what people play, and those that weigh it.
func (s *Server) peopleRuns() (runs, weighers []*folder) {
	for _, f := range s.library.look() {
		if f.Kind != aRun || f.Problem != "" {
			continue
		}
		built, err := f.Config.Build()
		switch {
		case err != nil:
		case rated(built.Encoder):
			runs = append(runs, f)
		case weighs(built.Encoder):
			weighers = append(weighers, f)
		}
	}
	return runs, weighers
}

// nodesOf returns the nodes for each move that the request chooses.
func nodesOf(r *http.Request) int64 {
	nodes, _ := strconv.ParseInt(r.FormValue("nodes"), 10, 64)
	if !slices.Contains(nodeChoices, nodes) {
		return nodeChoices[0]
	}
	return nodes
}

// askPeople leads from the form to the page of the position or game.
func (s *Server) askPeople(w http.ResponseWriter, r *http.Request) {
	to, err := s.peopleAddress(r)
	if err != nil {
		s.peopleForm(w, r, http.StatusUnprocessableEntity, chart.Plain(err.Error()))
		return
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
}

func (s *Server) peopleAddress(r *http.Request) (string, error) {
	line := dataset.Line{Start: board.StartPosition()}
	var err error
	fen, text := strings.TrimSpace(r.FormValue("fen")), strings.TrimSpace(r.FormValue("pgn"))
	switch {
	case fen != "" && text != "":
		return "", errors.New("give a position or a game, not both")
	case fen != "":
		if line.Start, err = board.ParseFEN(fen); err != nil {
			return "", fmt.Errorf("the position: %w", err)
		}
	case text != "":
		if line, err = firstGame(text); err != nil {
			return "", err
		}
	}
	return s.addressOf(r, &line, len(line.Moves))
}

// firstGame reads the first game of a text.
func firstGame(text string) (dataset.Line, error) {
	batch, err := pgn.NewSplitter(strings.NewReader(text)).Next()
	if err == io.EOF {
		return dataset.Line{}, errors.New("the text has no game: paste one as PGN, such as 1. e4 e5 2. Nf3")
	}
	if err != nil {
		return dataset.Line{}, err
	}
	line, reject := new(pgn.Parser).Parse(batch.Games[0])
	if reject != nil {
		return line, fmt.Errorf("the game cannot be read: %s at %q", reject.Reason, reject.Token)
	}
	return line, nil
}

// addressOf returns the address of the page of a line, at a ply. The run is the one that the request names, or the
// first.
func (s *Server) addressOf(r *http.Request, line *dataset.Line, ply int) (string, error) {
	if len(line.Moves) > maxPeoplePlies {
		return "", fmt.Errorf("the game has %d half-moves, and %d is the most", len(line.Moves), maxPeoplePlies)
	}
	runs, _ := s.peopleRuns()
	if len(runs) == 0 {
		return "", errors.New("there is no run of the recipe prior here yet")
	}
	key := r.FormValue("run")
	if key == "" {
		key = runs[0].Key
	}
	if byKey(runs, key) == nil {
		return "", errGone
	}
	q := url.Values{"run": {key}}
	if weigher := r.FormValue("weigher"); weigher != "" {
		q.Set("weigher", weigher)
	}
	if nodes := nodesOf(r); nodes != nodeChoices[0] {
		q.Set("nodes", strconv.FormatInt(nodes, 10))
	}
	if line.Start != board.StartPosition() {
		q.Set("fen", line.Start.FEN())
	}
	var moves []string
	for _, m := range line.Moves {
		moves = append(moves, m.String())
	}
	if len(moves) > 0 {
		q.Set("moves", strings.Join(moves, "."))
	}
	for name, value := range map[string]string{"white": line.Tag("White"), "black": line.Tag("Black")} {
		if value != "" {
			q.Set(name, strings.ToValidUTF8(value[:min(len(value), 100)], ""))
		}
	}
	if elo := ratingOf(line); elo > 0 {
		q.Set("elo", strconv.Itoa(elo))
	}
	to := "/people/game?" + q.Encode()
	if ply > 0 && ply < len(moves) {
		to += "#ply=" + strconv.Itoa(ply)
	}
	return to, nil
}

// ratingOf is the mean rating of the players that have one; 0: nobody has.
func ratingOf(line *dataset.Line) int {
	switch w, b := line.WhiteElo, line.BlackElo; {
	case w > 0 && b > 0:
		return (w + b) / 2
	default:
		return max(w, b)
	}
}

// gameOfSample is the address of the page of a sample's line, at the sample.
func (s *Server) gameOfSample(r *http.Request) (string, error) {
	f := byKey(s.library.look(), r.FormValue("data"))
	if f == nil || f.Kind != aDataset || f.Manifest == nil {
		return "", errors.New("this dataset no longer exists")
	}
	number, err := strconv.ParseInt(r.FormValue("sample"), 10, 64)
	if err != nil {
		return "", errors.New("that is not the number of a sample")
	}
	v, release, err := s.datasets.get(f)
	if err != nil {
		return "", errors.New(f.within(err))
	}
	defer release()
	one, err := v.Sample(number)
	if err != nil {
		return "", errors.New(f.within(err))
	}
	ply := one.Ply
	// The last sample of a line has the line's moves before it.
	if last, err := v.Sample(number + int64(one.Plies-1-one.Ply)); err == nil && last.Line == one.Line {
		one = last
	}
	line := dataset.Line{WhiteElo: one.WhiteElo, BlackElo: one.BlackElo}
	for name, value := range map[string]string{"White": one.White, "Black": one.Black} {
		line.Tags = append(line.Tags, dataset.Tag{Name: name, Value: value})
	}
	start, moves := one.Past()
	line.Start, line.Moves = start, slices.Clone(moves)
	if one.Played != nil {
		at := positionOf(one)
		if m, err := at.ParseUCI(*one.Played); err == nil {
			line.Moves = append(line.Moves, m)
		}
	}
	if one.Band != nil && one.Band.From+one.Band.To > 0 {
		line.WhiteElo = max(one.Band.From, one.Band.To-250)
	}
	return s.addressOf(r, &line, ply)
}

// peopleLine reads start and moves of an address.
func peopleLine(r *http.Request) (start board.Position, moves []board.Move, err error) {
	start = board.StartPosition()
	if fen := r.FormValue("fen"); fen != "" {
		if start, err = board.ParseFEN(fen); err != nil {
			return start, nil, fmt.Errorf("the position: %w", err)
		}
	}
	text := r.FormValue("moves")
	if text == "" {
		return start, nil, nil
	}
	p := start
	for _, word := range strings.Split(text, ".") {
		m, err := p.ParseUCI(word)
		if err != nil {
			return start, nil, err
		}
		if moves = append(moves, m); len(moves) > maxPeoplePlies {
			return start, nil, fmt.Errorf("the game has more than %d half-moves", maxPeoplePlies)
		}
		p.Play(m)
	}
	return start, moves, nil
}

// runsOfPeople returns the runs that an address names.
func (s *Server) runsOfPeople(r *http.Request) (run, weigher *folder, err error) {
	runs, weighers := s.peopleRuns()
	run = byKey(runs, r.FormValue("run"))
	if key := r.FormValue("weigher"); key != "" {
		weigher = byKey(weighers, key)
	}
	if run == nil || weigher == nil && r.FormValue("weigher") != "" {
		return nil, nil, errGone
	}
	return run, weigher, nil
}

// peopleGame answers with the page of a position or game.
func (s *Server) peopleGame(w http.ResponseWriter, r *http.Request) {
	run, weigher, err := s.runsOfPeople(r)
	var start board.Position
	var moves []board.Move
	if err == nil {
		start, moves, err = peopleLine(r)
	}
	if err != nil {
		s.peopleForm(w, r, http.StatusUnprocessableEntity, chart.Plain(err.Error()))
		return
	}
	p := peoplePage{Title: "A position", Network: run.Name, Unmasked: !run.Config.LegalMask(),
		Ratings: ratings, Elo: 1500, Page: rand.Text(), Nodes: nodesOf(r)}
	if weigher != nil {
		p.Weighs = weigher.Name
	}
	if white, black := r.FormValue("white"), r.FormValue("black"); white != "" || black != "" {
		p.Title = playerText(white, 0) + " – " + playerText(black, 0)
	} else if len(moves) > 0 {
		p.Title = "A game"
	}
	if elo, err := strconv.Atoi(r.FormValue("elo")); err == nil {
		p.Elo = p.Ratings[nearestRating(elo)]
	}
	q := url.Values{}
	for _, name := range []string{"run", "weigher", "nodes"} {
		if value := r.FormValue(name); value != "" {
			q.Set(name, value)
		}
	}
	p.Back = "/people?" + q.Encode()
	at := start
	p.Game = newReplay(start)
	for _, m := range moves {
		p.Game.play(&at, m, replayMove{})
	}
	s.show(w, "peoplegame", p)
}

// analysis answers with what is known of a position: that of the address after `ply` of its moves.
func (s *Server) analysis(w http.ResponseWriter, r *http.Request) {
	run, weigher, err := s.runsOfPeople(r)
	q := question{run: run, weigher: weigher, nodes: nodesOf(r)}
	if err == nil {
		q.start, q.moves, err = peopleLine(r)
	}
	ply, bad := strconv.Atoi(r.FormValue("ply"))
	page := r.FormValue("page")
	if err == nil && (bad != nil || ply < 0 || ply > len(q.moves) || len(page) != pageLength) {
		err = errors.New("there is no such position")
	}
	var v analysisView
	if err == nil {
		if ply < len(q.moves) {
			q.played = q.moves[ply]
		}
		q.moves = q.moves[:ply]
		v, err = s.analyse(page, q)
	}
	if err != nil {
		refuse(w, http.StatusUnprocessableEntity, chart.Plain(err.Error()))
		return
	}
	if r.FormValue("since") == strconv.Itoa(v.Version) && !v.Done {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // the browser may be gone
}
