package studio

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"mime/multipart"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"talbot/dataset"
	"talbot/inspect/review"
	"talbot/internal/chart"
	"talbot/internal/durable"
	"talbot/internal/humanize"
	"talbot/internal/progress"
	"talbot/internal/table"
	"talbot/play/engine"
	"talbot/stockfish"
)

// Bounds of reviews.
const (
	maxUpload  = 16 << 20  // bytes of a form with games
	maxReview  = 512 << 20 // bytes of a review's file
	maxReviews = 64        // that are made or kept
	uploadTime = 5 * time.Minute
)

// requestName is the file of a review that studio makes, with its settings, and gamesName that of its games.
const (
	requestName = "review-request.json"
	gamesName   = "input.pgn"
)

// reviewRequest has the settings of a review.
type reviewRequest struct {
	Player string `json:"player"`
	Nodes  int64  `json:"nodes"`  // 0: the evaluations in the games
	People string `json:"people"` // key of who says what people play; "" = nobody
	Rating int    `json:"rating"`
}

// reviewNodes are the choices of nodes for each position.
var reviewNodes = []int64{10_000, 100_000, 500_000}

// reviewForm is the form for games.
type reviewForm struct {
	Runs            []*folder
	Problem, Engine string
	Most            int64
}

// NodeChoices returns the limits of the engine for each position.
func (reviewForm) NodeChoices() []int64 { return reviewNodes }

// Size is the most bytes of the games, for people.
func (f reviewForm) Size() string { return humanize.Size(float64(f.Most)) }

func (s *Server) reviewForm(w http.ResponseWriter, status int, problem string) error {
	f := reviewForm{Problem: problem, Most: maxUpload - maxBody}
	f.Runs, _ = s.peopleRuns()
	if _, err := stockfish.Find(s.networks.engine); err != nil {
		f.Engine = stockfish.Remedy
	}
	return s.showStatus(w, status, "reviews", f)
}

// takeGames makes the folder of a review from a form, and leads to its page, on which it is made.
func (s *Server) takeGames(w http.ResponseWriter, r *http.Request) error {
	later := http.NewResponseController(w)
	_, _ = later.SetReadDeadline(time.Now().Add(uploadTime)), later.SetWriteDeadline(time.Now().Add(uploadTime))
	dir, err := s.saveGames(r)
	if tooLong, ok := errors.AsType[*http.MaxBytesError](err); ok {
		err = fmt.Errorf("the file has more than %s: give it to `talbot review`", humanize.Size(float64(tooLong.Limit)))
	}
	if err != nil {
		return s.reviewForm(w, http.StatusUnprocessableEntity, chart.Plain(err.Error()))
	}
	s.library.forget()
	http.Redirect(w, r, "/review/"+keyOf(dir)+"/index.html", http.StatusSeeOther)
	return nil
}

// saveGames writes games and settings of a form into a new folder below the first one that is served.
func (s *Server) saveGames(r *http.Request) (dir string, err error) {
	form, err := r.MultipartReader()
	if err != nil {
		return "", err
	}
	root, values := s.library.roots[0].Root, map[string]string{}
	name := ""
	defer func() {
		if err != nil && name != "" {
			_ = root.RemoveAll(name) // the error says more
		}
	}()
	for {
		part, err := form.NextPart()
		if err == io.EOF {
			break
		}
		switch {
		case err != nil:
		case part.FormName() != "games":
			var text []byte
			text, err = io.ReadAll(io.LimitReader(part, maxBody))
			values[part.FormName()] = strings.TrimSpace(string(text))
		case name == "" && part.FileName() != "":
			name, err = saveUpload(root, part)
		}
		if err != nil {
			return "", err
		}
	}
	if name == "" {
		return "", errors.New("choose a file of games, as PGN")
	}
	q := reviewRequest{Player: chart.Plain(values["player"]), People: values["people"]}
	q.Nodes, _ = strconv.ParseInt(values["nodes"], 10, 64)
	q.Rating, _ = strconv.Atoi(values["rating"])
	text, err := json.Marshal(q)
	if err == nil {
		err = root.WriteFile(path.Join(name, requestName), text, 0o666)
	}
	return filepath.Join(root.Name(), filepath.FromSlash(name)), err
}

// unnamed is what the name of a folder has not.
var unnamed = regexp.MustCompile(`[^\pL\pN_-]+`)

// saveUpload writes a file of games into a new folder named after it. It returns the folder's path below the root, with
// an error too if it is there.
func saveUpload(root *os.Root, part *multipart.Part) (name string, err error) {
	base := path.Base(strings.ReplaceAll(part.FileName(), `\`, "/"))
	base = strings.Trim(unnamed.ReplaceAllString(strings.TrimSuffix(base, path.Ext(base)), "-"), "-")
	base = "reviews/" + cmp.Or(strings.ToValidUTF8(base[:min(len(base), 60)], ""), "games")
	head := make([]byte, 512)
	n, err := io.ReadFull(part, head)
	if err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
		return "", err
	}
	if head = head[:n]; !strings.HasPrefix(http.DetectContentType(head), "text/") ||
		bytes.HasPrefix(head, []byte("\x28\xb5\x2f\xfd")) { // zstd
		return "", errors.New("the file is no PGN: unpack a compressed one, or give it to `talbot review`")
	}
	err = root.MkdirAll("reviews", 0o777)
	for i := 1; err == nil; i++ {
		if name = base; i > 1 {
			name = fmt.Sprintf("%s-%d", base, i)
		}
		if err = root.Mkdir(name, 0o777); err == nil {
			break
		}
		if errors.Is(err, fs.ErrExist) {
			err = nil
		}
	}
	if err != nil {
		return "", err
	}
	f, err := root.OpenFile(path.Join(name, gamesName), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err == nil {
		_, err = io.Copy(f, io.MultiReader(bytes.NewReader(head), part))
		err = errors.Join(err, f.Close())
	}
	return name, err
}

// readRequest reads the settings of a review that studio makes.
func (f *folder) readRequest() (q reviewRequest, err error) {
	text, err := fs.ReadFile(f.root.FS(), path.Join(filepath.ToSlash(f.below), requestName))
	if err == nil {
		err = json.Unmarshal(text, &q)
	}
	if err == nil && (q.Nodes != 0 && !slices.Contains(reviewNodes, q.Nodes) || q.Rating < 0 || q.Rating > 4000) {
		err = errors.New("its settings are none of studio's")
	}
	return q, err
}

// openReview opens the file of a review.
func (f *folder) openReview() (*os.File, error) {
	file, err := durable.OpenRegular(filepath.Join(f.Path, review.FileName))
	if err != nil {
		return nil, err
	}
	if info, err := file.Stat(); err != nil || info.Size() > maxReview {
		return nil, errors.Join(err, file.Close(), errors.New("the review is too large for studio: see its own pages"))
	}
	return file, nil
}

// readReview is the file of a review that was read.
type readReview struct {
	text    string  // HTML of our own templates
	offsets []int64 // of the games
	player  string
}

func (s *Server) readReview(f *folder) (*readReview, error) {
	return s.reviews.get(f.Path+"\n"+f.stamp, func() (*readReview, error) {
		file, err := f.openReview()
		if err != nil {
			return nil, err
		}
		defer file.Close()
		v := &readReview{}
		sum, err := review.Read(file, func(_ *review.Game, offset int64) error {
			v.offsets = append(v.offsets, offset)
			return nil
		})
		if err != nil {
			return nil, err
		}
		var text strings.Builder
		v.player, err = sum.Player, sum.Page().WritePart(&text)
		v.text = text.String()
		return v, err
	})
}

// lookAtReview lays out the page of a review, and goes on making it.
func (s *Server) lookAtReview(f *folder, _ *http.Request) *partPage {
	p := &partPage{pageOf: pageOf{folder: f, Notice: f.Problem, Version: "done"}}
	if p.Notice != "" {
		return p
	}
	if f.Review != nil {
		v, err := s.readReview(f)
		if err != nil {
			p.Notice = f.within(err)
			return p
		}
		p.Made = template.HTML(v.text)
		return p
	}
	err := p.make(s.making, s.makes, f.Path+"\n"+f.stamp, func(j *work[part]) (*table.Page, error) {
		sum, err := s.makeReview(j, f)
		if err != nil {
			return nil, err
		}
		return sum.Page(), nil
	})
	if err != nil {
		p.Notice = "The review ended early: " + f.within(err)
	}
	return p
}

// reviewSteps are what the verbs of a review's progress do.
var reviewSteps = map[string]string{"ingest": "reading", "label": "evaluating positions", "review": "writing"}

// makeReview makes a review as `talbot review` does.
func (s *Server) makeReview(j *work[part], f *folder) (*review.Summary, error) {
	q, err := f.readRequest()
	if err != nil {
		return nil, err
	}
	inside, err := fs.ReadDir(f.root.FS(), filepath.ToSlash(f.below))
	if err != nil {
		return nil, err
	}
	for _, e := range inside { // what is written stays below the folder
		if !e.IsDir() && !e.Type().IsRegular() {
			return nil, fmt.Errorf("%q is a link or no file", e.Name())
		}
	}
	m := review.Making{Out: f.Path, Evals: q.Nodes == 0}
	m.Player, m.Rating, m.Read.Inputs = q.Player, q.Rating, []string{filepath.Join(f.Path, gamesName)}
	m.Progress = func(p progress.Progress) { tell(j, reviewSteps[p.Verb], p.Done, p.Total) }
	if q.People != "" {
		runs, _ := s.peopleRuns()
		run := byKey(runs, q.People)
		if run == nil {
			return nil, errGone
		}
		var paths []string
		for _, c := range run.crowds() {
			paths = append(paths, c.Path)
		}
		people, end, err := review.OpenPeople(paths, atOnce(s.networks.backend))
		if err != nil {
			return nil, err
		}
		defer end()
		m.People = people
	}
	if !m.Evals {
		m.Label.Engine = review.Engine(q.Nodes)
		if m.Label.Engine.Path, err = stockfish.Find(s.networks.engine); err != nil {
			return nil, err
		}
	}
	return m.Run(j.ctx)
}

// reviewFile returns a handler that answers with a file of a review.
func (s *Server) reviewFile(name string) handler {
	return s.of(aReview, func(f *folder, w http.ResponseWriter, _ *http.Request) error {
		return s.gamesOf(f, name, w)
	})
}

// reviewGame answers with the page of a game.
func (s *Server) reviewGame(f *folder, w http.ResponseWriter, r *http.Request) error {
	none := missing("There is no such game in this review.")
	if f.Review == nil {
		return none
	}
	v, err := s.readReview(f)
	if err != nil {
		return missing("The review cannot be read: " + chart.Plain(f.within(err)))
	}
	number, err := strconv.Atoi(strings.TrimSuffix(r.PathValue("game"), ".html"))
	if err != nil || number < 1 || number > len(v.offsets) {
		return none
	}
	file, err := f.openReview()
	if err != nil {
		return none
	}
	defer file.Close()
	g, err := review.ReadGame(file, v.offsets[number-1])
	if err != nil {
		return missing("The game cannot be read: " + chart.Plain(err.Error()))
	}
	up := "/review/" + f.Key + "/"
	p := replayPage{folder: f, Number: number, White: cmp.Or(g.White, "?"), Black: cmp.Or(g.Black, "?"),
		Result: g.Result, End: g.OpeningName(), Before: number - 1, Up: up + "index.html", Save: up + "games.pgn",
		game: up + "game/%04d.html", Classes: true}
	if number < len(v.offsets) {
		p.Next = number + 1
	}
	line := dataset.Line{Start: g.Start(), WhiteElo: g.WhiteElo, BlackElo: g.BlackElo}
	p.Replay = newReplay(line.Start)
	at := line.Start
	for i := range g.Moves {
		m := &g.Moves[i]
		line.Moves = append(line.Moves, m.Played())
		known := replayMove{Note: whiteScore(&at, m.ScoreAfter()), Best: m.Best, Mark: m.Mark(), Said: m.Said()}
		if m.MateTo != nil && *m.MateTo == 0 {
			known.Note = "mate"
		}
		p.Replay.play(&at, m.Played(), known)
	}
	for wide, to := range map[bool]**chart.LineChart{true: &p.Wide, false: &p.Narrow} {
		c := g.Curve()
		c.Wide, c.Values = wide, true
		if drawn, ok := chart.NewLineChart(c); ok {
			*to = drawn
		}
	}
	p.People, p.Play = s.peopleOf(g, &line, v.player)
	return s.show(w, "replay", p)
}

// peopleOf returns the address at which people of the player's rating are asked about a game, and the beginning of that
// of a game against them; "" where there are no networks of people.
func (s *Server) peopleOf(g *review.Game, line *dataset.Line, player string) (people, play string) {
	rating := ratingOf(line)
	switch side := g.Side; {
	case player == "":
	case side == "white" && g.WhiteElo > 0:
		rating = g.WhiteElo
	case side == "black" && g.BlackElo > 0:
		rating = g.BlackElo
	}
	line.WhiteElo, line.BlackElo = rating, rating
	r, _ := http.NewRequestWithContext(context.Background(), http.MethodGet, "/", nil) // chooses nothing
	people, err := s.addressOf(r, line, 0)
	if err != nil {
		return "", ""
	}
	runs, _ := s.peopleRuns()
	if run := runs[0]; run.maias != nil {
		nearest := engine.Nearest(run.maias, cmp.Or(rating, 1500), func(c crowd) int { return c.ratings[0] })
		play = "/play?nodes=1&against=" + nearest.Key + "&"
	}
	return people, play
}
