package studio

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"net"
	"net/http"
	"path"
	"strings"
	"time"

	"talbot/internal/chart"
	"talbot/internal/humanize"
	"talbot/network/recipe"
)

//go:embed web
var web embed.FS

// Options has the settings of a server.
type Options struct {
	Dirs    []string // whose datasets, runs and matches are shown
	Listen  string   // a host that browsers may ask for besides the loopback's names; "" = none
	Backend string   // of networks, as in `talbot play`
	Engine  string   // that says what moves cost, as [stockfish.Find] takes it
}

// Server answers browsers. It is safe for concurrent use.
type Server struct {
	library  *library
	games    *games
	networks *networks
	analyses *jobs[analysisView]
	datasets recent[*openDataset]
	searches *jobs[search]
	parts    *jobs[part]
	reading  turns // of what reads whole datasets
	making   *jobs[part]
	makes    turns // of reviews that are made
	reviews  recent[*readReview]
	matches  recent[*watchedMatch]
	guard    *guard
	pages    *template.Template
	assets   map[string][]byte
}

// New opens the folders. The caller closes the server.
func New(o Options) (*Server, error) {
	s := &Server{games: newGames(), networks: newNetworks(o.Backend, o.Engine),
		analyses: newJobs[analysisView](maxAnalyses), datasets: newDatasets(),
		searches: newJobs[search](maxSearches), parts: newJobs[part](maxParts), reading: make(turns, 1),
		making: newJobs[part](maxReviews), makes: make(turns, 1), reviews: recent[*readReview]{most: maxMatches},
		matches: recent[*watchedMatch]{most: maxMatches}, assets: map[string][]byte{}}
	s.making.lasting = true
	var err error
	if s.library, err = openLibrary(o.Dirs); err != nil {
		return nil, err
	}
	files, err := web.ReadDir("web")
	if err != nil {
		return nil, err
	}
	pages := ""
	for _, f := range files {
		text, err := web.ReadFile("web/" + f.Name())
		if err != nil {
			return nil, err
		}
		if path.Ext(f.Name()) == ".html" {
			pages += string(text)
		} else {
			s.assets[f.Name()] = text
		}
	}
	s.pages = chart.New("studio", pages, template.FuncMap{"spark": spark, "options": options, "json": toJSON,
		"recipes": recipe.Names, "score": labelScore, "signed": signed, "figure": figure,
		"add":     func(a, b int) int { return a + b },
		"percent": func(x float64) float64 { return 100 * x },
		"count":   func(n int, thing string) string { return humanize.Count(int64(n), thing) }})
	look, err := chart.Style()
	if err != nil {
		return nil, err
	}
	s.assets["look.css"] = []byte(look)
	s.guard = newGuard(o.Listen, s.routes())
	return s, nil
}

// Close ends all games and searches.
func (s *Server) Close() error {
	s.games.close()
	s.analyses.close()
	s.parts.close()
	s.making.close()
	s.searches.close()
	s.networks.close()
	s.datasets.end()
	return s.library.close()
}

// Handler answers requests.
func (s *Server) Handler() http.Handler { return s.guard }

// Address returns the address to open in a browser, for a listener's address.
func (s *Server) Address(a net.Addr) string {
	return fmt.Sprintf("http://%s/?token=%s", a, s.guard.token)
}

// How long a client may take. Answers are short, so none needs longer.
const (
	headTime  = 10 * time.Second
	bodyTime  = 20 * time.Second
	writeTime = 30 * time.Second
	idleTime  = 60 * time.Second
)

// Serve answers on a listener until ctx ends.
func (s *Server) Serve(ctx context.Context, on net.Listener) error {
	h := &http.Server{Handler: s.Handler(), ReadHeaderTimeout: headTime, ReadTimeout: bodyTime, WriteTimeout: writeTime,
		IdleTimeout: idleTime, MaxHeaderBytes: 32 << 10}
	stop := context.AfterFunc(ctx, func() { h.Close() })
	defer stop()
	if err := h.Serve(on); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func (s *Server) routes() http.Handler {
	m := http.NewServeMux()
	handle := func(pattern string, h handler) {
		m.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { s.answer(w, h(w, r)) })
	}
	handle("GET /{$}", func(w http.ResponseWriter, r *http.Request) error {
		return s.show(w, "home", s.home().sorted(r.FormValue("sort")))
	})
	handle("GET /list", func(w http.ResponseWriter, r *http.Request) error {
		return s.show(w, "list", s.home().sorted(r.FormValue("sort")))
	})
	handle("GET /static/{name}", s.asset)
	handle("GET /play", func(w http.ResponseWriter, r *http.Request) error { return s.lobby(w, r, http.StatusOK, "") })
	handle("POST /play", s.sit)
	handle("GET /play/{game}", s.board)
	handle("GET /play/{game}/state", s.state)
	handle("GET /play/{game}/game.pgn", s.pgn)
	handle("POST /play/{game}/{action}", s.act)
	handle("GET /people", s.people)
	handle("POST /people", s.askPeople)
	handle("GET /people/game", s.peopleGame)
	handle("GET /people/analysis", s.analysis)
	handle("GET /review", func(w http.ResponseWriter, _ *http.Request) error {
		return s.reviewForm(w, http.StatusOK, "")
	})
	handle("POST /review", s.takeGames)
	livePage(s, handle, "/review/{key}/index.html", "review", aReview, s.lookAtReview, nil)
	handle("GET /review/{key}/games.pgn", s.reviewFile("games.pgn"))
	handle("GET /review/{key}/puzzles.csv", s.reviewFile("puzzles.csv"))
	handle("GET /review/{key}/game/{game}", s.of(aReview, s.reviewGame))
	livePage(s, handle, "/match/{key}", "match", aMatch, s.lookAtMatch, nil)
	handle("GET /match/{key}/games.pgn", s.of(aMatch, s.matchPGN))
	handle("GET /match/{key}/game/{game}", s.of(aMatch, s.replay))
	handle("GET /match/{key}/game/{game}/game.pgn", s.of(aMatch, s.gamePGN))
	livePage(s, handle, "/run/{key}", "run", aRun, s.chooseRuns, s.fillRun)
	handle("GET /run/{key}/curve.csv", s.of(aRun, s.curveCSV))
	livePage(s, handle, "/run/{key}/compare", "compare", aRun, s.lookAtComparison, nil)
	livePage(s, handle, "/data/{key}", "data", aDataset, s.lookAtData, nil)
	handle("GET /data/{key}/sample/{sample}", s.of(aDataset, s.sample))
	handle("GET /data/{key}/goto", s.of(aDataset, s.goTo))
	livePage(s, handle, "/data/{key}/statistics", "stats", aDataset, s.lookAtStats, nil)
	handle("/", func(http.ResponseWriter, *http.Request) error { return missing("There is no such page.") })
	return m
}

// toJSON writes a value for a script.
func toJSON(v any) (string, error) {
	text, err := json.Marshal(v)
	return string(text), err
}

// handler answers a request. Its error is answered by [Server.answer].
type handler func(w http.ResponseWriter, r *http.Request) error

// failure is an error with the status of its answer.
type failure struct {
	status int
	text   string
}

func (f failure) Error() string { return f.text }

// missing is the error of an address that leads to nothing.
func missing(text string) error { return failure{http.StatusNotFound, text} }

// answer writes the error of a request: what is missing as a page, anything else as a line of text.
func (s *Server) answer(w http.ResponseWriter, err error) {
	f, ok := errors.AsType[failure](err)
	switch {
	case err == nil:
	case !ok:
		refuse(w, http.StatusUnprocessableEntity, chart.Plain(err.Error()))
	case f.status == http.StatusNotFound:
		s.answer(w, s.showStatus(w, f.status, "missing", f.text))
	default:
		refuse(w, f.status, f.text)
	}
}

// of returns a handler for the folder of a kind that the address names.
func (s *Server) of(kind kind, h func(*folder, http.ResponseWriter, *http.Request) error) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		f := byKey(s.library.look(), r.PathValue("key"))
		if f == nil || f.Kind != kind {
			return missing("This " + string(kind) + " no longer exists.")
		}
		return h(f, w, r)
	}
}

// pageOf is a folder on a page whose changing part is served by [livePage].
type pageOf struct {
	*folder
	Notice  string // what is wrong; "" = nothing
	Version string // of what is shown, for the next question
}

func (p *pageOf) version() string { return p.Version }

// livePage serves a page of a kind of folders at path and, at path/live, the part of it that changes: the template of
// that name with "live" after it. A browser that has the current version gets an empty answer. look lays the page out,
// and fill, if not nil, adds what takes long and does not change the version.
func livePage[P interface{ version() string }](s *Server, handle func(string, handler), path, name string, kind kind,
	look func(*folder, *http.Request) P, fill func(P)) {
	for live, path := range map[string]string{"": path, "live": path + "/live"} {
		handle("GET "+path, s.of(kind, func(f *folder, w http.ResponseWriter, r *http.Request) error {
			page := look(f, r)
			if live != "" && sameVersion(w, r, page.version()) {
				return nil
			}
			if fill != nil {
				fill(page)
			}
			return s.show(w, name+live, page)
		}))
	}
}

// sameVersion tells the version of what is asked for, and answers with nothing if the browser has that.
func sameVersion(w http.ResponseWriter, r *http.Request, version string) bool {
	w.Header().Set("Version", version)
	if r.FormValue("since") != version {
		return false
	}
	w.WriteHeader(http.StatusNoContent)
	return true
}

// show writes a page.
func (s *Server) show(w http.ResponseWriter, name string, data any) error {
	return s.showStatus(w, http.StatusOK, name, data)
}

func (s *Server) showStatus(w http.ResponseWriter, status int, name string, data any) error {
	var text strings.Builder
	if err := s.pages.ExecuteTemplate(&text, name, data); err != nil {
		return failure{http.StatusInternalServerError, "The page cannot be shown: " + chart.Plain(err.Error())}
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text.String()) // the browser may be gone
	return nil
}

// showJSON writes a value for a script.
func showJSON(w http.ResponseWriter, v any) error {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // the browser may be gone
	return nil
}

// save writes a file that the browser saves.
func save(w http.ResponseWriter, kind, name string, text io.Reader) error {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)
	_, _ = io.Copy(w, text) // the browser may be gone
	return nil
}

func (s *Server) asset(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("name")
	text, ok := s.assets[name]
	if !ok {
		return missing("There is no such file.")
	}
	types := map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
		".svg": "image/svg+xml"}
	w.Header().Set("Content-Type", types[path.Ext(name)])
	_, _ = w.Write(text)
	return nil
}
