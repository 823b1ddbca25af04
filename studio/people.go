package studio

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"talbot/board"
	"talbot/dataset"
	"talbot/inspect/samples"
	"talbot/internal/chart"
	"talbot/pgn"
	"talbot/play/engine"
	"talbot/stockfish"
)

// peopleForm is the form for a position or a game.
type peopleForm struct {
	Runs, Weighers []*folder // see [Server.peopleRuns]
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

// fewPositions are those that a run must have been trained on to say anything of people.
const fewPositions = 200_000

// maxPeoplePlies is the longest game that an address can keep.
const maxPeoplePlies = 600

// peoplePage is a position or a game with what people would play.
type peoplePage struct {
	Title           string
	Network, Weighs string // names of the runs
	Unmasked        bool   // the network was trained over all moves, legal or not
	Trained         int64  // positions, where they are too few; −1: enough
	Game            replay
	Elo             int // that the page begins with
	Ratings         []int
	Back            string // the address of the form
	Page            string
	Nodes           int64
}

// people answers with the form, or leads to the line of a sample.
func (s *Server) people(w http.ResponseWriter, r *http.Request) error {
	if r.FormValue("data") == "" {
		return s.peopleForm(w, r, nil)
	}
	return s.leadTo(w, r, s.gameOfSample)
}

// askPeople leads from the form to the page of the position or game.
func (s *Server) askPeople(w http.ResponseWriter, r *http.Request) error {
	return s.leadTo(w, r, s.peopleAddress)
}

// leadTo leads to an address, or shows the form with what is wrong.
func (s *Server) leadTo(w http.ResponseWriter, r *http.Request, address func(*http.Request) (string, error)) error {
	to, err := address(r)
	if err != nil {
		return s.peopleForm(w, r, err)
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
	return nil
}

// peopleForm answers with the form, and with what was wrong with it.
func (s *Server) peopleForm(w http.ResponseWriter, r *http.Request, problem error) error {
	f := peopleForm{Run: r.FormValue("run"), Weigher: r.FormValue("weigher"), FEN: r.FormValue("fen"),
		PGN: r.FormValue("pgn"), Nodes: nodesOf(r)}
	f.Runs, f.Weighers = s.peopleRuns()
	if _, err := stockfish.Find(s.networks.engine); err != nil {
		f.Engine = stockfish.Remedy
	}
	if problem == nil {
		return s.show(w, "people", f)
	}
	f.Problem = chart.Plain(problem.Error())
	return s.showStatus(w, http.StatusUnprocessableEntity, "people", f)
}

// crowd is a network with the ratings of the players whose moves it predicts, ascending.
type crowd struct {
	*folder
	ratings []int
}

// crowds are the networks that say for a folder what people play, by rating.
func (f *folder) crowds() []crowd {
	if f.maias != nil {
		return f.maias
	}
	return []crowd{{f, ratings}}
}

// ratings are those of its crowds.
func (f *folder) ratings() (list []int) {
	for _, c := range f.crowds() {
		list = append(list, c.ratings...)
	}
	return list
}

// addMaia adds a network to the set of its folder: a copy of the first of them, with all.
func addMaia(sets []*folder, f *folder, rating int) []*folder {
	dir := filepath.Dir(f.Path)
	i := slices.IndexFunc(sets, func(s *folder) bool { return s.maias != nil && filepath.Dir(s.Path) == dir })
	if i < 0 {
		set := *f
		i, sets = len(sets), append(sets, &set)
	}
	set := sets[i]
	set.maias = append(set.maias, crowd{f, []int{rating}})
	slices.SortFunc(set.maias, func(a, b crowd) int { return cmp.Compare(a.ratings[0], b.ratings[0]) })
	set.stamp += f.stamp
	set.Name = fmt.Sprintf("Maia %s in %s", strings.Trim(fmt.Sprint(set.ratings()), "[]"), filepath.Base(dir))
	return sets
}

// peopleRuns are the runs and the sets of Maia's networks that say what people play, and the runs that weigh it.
func (s *Server) peopleRuns() (runs, weighers []*folder) {
	for _, f := range s.library.look() {
		if rating := engine.PeopleRating(f.Path); f.Kind == aNetwork && rating > 0 {
			runs = addMaia(runs, f, rating)
		}
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

func (s *Server) peopleAddress(r *http.Request) (string, error) {
	var line dataset.Line
	var err error
	fen, text := strings.TrimSpace(r.FormValue("fen")), strings.TrimSpace(r.FormValue("pgn"))
	switch {
	case fen != "" && text != "":
		err = errors.New("give a position or a game, not both")
	case text != "":
		line, err = firstGame(text)
	default:
		line.Start, err = startOf(fen)
	}
	if err != nil {
		return "", err
	}
	return s.addressOf(r, &line, 0)
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
		return "", errors.New("there is neither a run of the recipe prior nor a network of Maia's here yet")
	}
	key := r.FormValue("run")
	if key == "" {
		key = runs[0].Key
	}
	if byKey(runs, key) == nil {
		return "", errGone
	}
	q := url.Values{}
	set := func(name, value string) {
		if value != "" {
			q.Set(name, strings.ToValidUTF8(value, ""))
		}
	}
	player := func(color string) string { return line.Tag(color)[:min(len(line.Tag(color)), 100)] }
	set("run", key)
	set("weigher", r.FormValue("weigher"))
	set("white", player("White"))
	set("black", player("Black"))
	if nodes := nodesOf(r); nodes != nodeChoices[0] {
		set("nodes", strconv.FormatInt(nodes, 10))
	}
	if line.Start != board.StartPosition() {
		set("fen", line.Start.FEN())
	}
	var moves []string
	for _, m := range line.Moves {
		moves = append(moves, m.String())
	}
	set("moves", strings.Join(moves, "."))
	if elo := ratingOf(line); elo > 0 {
		set("elo", strconv.Itoa(elo))
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
	d, release, err := s.open(f)
	if err != nil {
		return "", errors.New(f.within(err))
	}
	defer release()
	one, err := d.Sample(number)
	if err != nil {
		return "", errors.New(f.within(err))
	}
	line := *one.Of()
	if b := one.Band; b != nil && b.From+b.To > 0 {
		line.WhiteElo = max(b.From, b.To-250)
	}
	return s.addressOf(r, &line, one.Ply)
}

// peopleLine reads start and moves of an address.
func peopleLine(r *http.Request) (start board.Position, moves []board.Move, err error) {
	start, err = startOf(r.FormValue("fen"))
	text := r.FormValue("moves")
	if err != nil || text == "" {
		return start, nil, err
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

// questionOf reads what the address of a page asks about: the whole of its line.
func (s *Server) questionOf(r *http.Request) (q question, err error) {
	runs, weighers := s.peopleRuns()
	q.run, q.weigher, q.nodes = byKey(runs, r.FormValue("run")), byKey(weighers, r.FormValue("weigher")), nodesOf(r)
	if q.run == nil || q.weigher == nil && r.FormValue("weigher") != "" {
		return q, errGone
	}
	q.start, q.moves, err = peopleLine(r)
	return q, err
}

// peopleGame answers with the page of a position or game.
func (s *Server) peopleGame(w http.ResponseWriter, r *http.Request) error {
	game, err := s.questionOf(r)
	if err != nil {
		return s.peopleForm(w, r, err)
	}
	p := peoplePage{Title: "A position", Network: game.run.Name,
		Unmasked: game.run.maias == nil && !game.run.Config.LegalMask(),
		Trained:  fewPositions,
		Game:     newReplay(game.start), Ratings: game.run.ratings(), Page: rand.Text(), Nodes: game.nodes}
	if run := game.run; run.maias == nil && run.Config.From.Path == "" {
		p.Trained = run.Step * int64(run.Config.Batch)
	}
	if p.Trained >= fewPositions {
		p.Trained = -1
	}
	p.Elo = nearest(p.Ratings, 1500)
	if game.weigher != nil {
		p.Weighs = game.weigher.Name
	}
	if white, black := r.FormValue("white"), r.FormValue("black"); white != "" || black != "" {
		p.Title = samples.Player(chart.Name(white), 0) + " – " + samples.Player(chart.Name(black), 0)
	} else if len(game.moves) > 0 {
		p.Title = "A game"
	}
	if elo, err := strconv.Atoi(r.FormValue("elo")); err == nil {
		p.Elo = nearest(p.Ratings, elo)
	}
	q := url.Values{}
	for _, name := range []string{"run", "weigher", "nodes"} {
		if value := r.FormValue(name); value != "" {
			q.Set(name, value)
		}
	}
	p.Back = "/people?" + q.Encode()
	at := game.start
	for _, m := range game.moves {
		p.Game.play(&at, m, replayMove{})
	}
	return s.show(w, "peoplegame", p)
}

// analysis answers with what is known of a position: that of the address after `ply` of its moves.
func (s *Server) analysis(w http.ResponseWriter, r *http.Request) error {
	q, err := s.questionOf(r)
	if err != nil {
		return err
	}
	ply, err := strconv.Atoi(r.FormValue("ply"))
	page := r.FormValue("page")
	if err != nil || ply < 0 || ply > len(q.moves) || len(page) != pageLength {
		return errors.New("there is no such position")
	}
	if ply < len(q.moves) {
		q.played = q.moves[ply]
	}
	q.moves = q.moves[:ply]
	v, err := s.analyse(page, q)
	if err != nil {
		return err
	}
	if !v.Done && sameVersion(w, r, strconv.Itoa(v.Version)) {
		return nil
	}
	return showJSON(w, v)
}
