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

	"talbot/internal/cache"
	"talbot/internal/chart"
	"talbot/internal/humanize"
	"talbot/internal/plain"
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
	backend  string // of networks
	library  *library
	games    *games
	networks *networks
	analyses *jobs[analysisView]
	datasets *datasetCache
	searches *jobs[search]
	parts    *jobs[part]
	reading  turns         // of what reads whole datasets
	found    *cache.Folder // results of searches and statistics; nil: nothing is kept
	matches  matches
	events   events
	guard    *guard
	pages    *template.Template
	assets   map[string][]byte
}

// New opens the folders. The caller closes the server.
func New(o Options) (*Server, error) {
	s := &Server{backend: o.Backend, games: newGames(), networks: newNetworks(o.Backend, o.Engine),
		analyses: newJobs[analysisView](maxAnalyses), datasets: newDatasetCache(),
		searches: newJobs[search](maxSearches), parts: newJobs[part](maxParts), reading: make(turns, 1),
		found: foundCache(), matches: matches{recent: recent[*watchedMatch]{most: maxMatches}},
		assets: map[string][]byte{}}
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
	s.pages = chart.New("studio", pages, template.FuncMap{"n": humanize.Thousands, "spark": spark,
		"add": func(a, b int) int { return a + b }, "prose": prose, "options": options, "json": toJSON,
		"score": labelScore, "inc": func(n int64) int64 { return n + 1 },
		"percent": func(x float64) float64 { return 100 * x },
		"count":   func(n int, thing string) string { return humanize.Count(int64(n), thing) }, "signed": signed,
		"san": (*samplePage).SAN, "pv": (*samplePage).PV})
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
	s.searches.close()
	s.networks.close()
	s.datasets.close()
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
	m.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { s.show(w, "home", s.home()) })
	m.HandleFunc("GET /list", func(w http.ResponseWriter, _ *http.Request) { s.show(w, "list", s.home()) })
	m.HandleFunc("GET /static/{name}", s.asset)
	m.HandleFunc("GET /play", func(w http.ResponseWriter, r *http.Request) { s.lobby(w, r, http.StatusOK, "") })
	m.HandleFunc("POST /play", s.sit)
	m.HandleFunc("GET /play/{game}", s.board)
	m.HandleFunc("GET /play/{game}/state", s.state)
	m.HandleFunc("GET /play/{game}/game.pgn", s.pgn)
	m.HandleFunc("POST /play/{game}/{action}", s.act)
	m.HandleFunc("GET /people", s.people)
	m.HandleFunc("POST /people", s.askPeople)
	m.HandleFunc("GET /people/game", s.peopleGame)
	m.HandleFunc("GET /people/analysis", s.analysis)
	m.HandleFunc("GET /events", s.stream)
	livePage(s, m, "/match/{key}", "match", aMatch, s.lookAtMatch, nil)
	m.HandleFunc("GET /match/{key}/games.pgn", s.matchPGN)
	m.HandleFunc("GET /match/{key}/game/{game}", s.replay)
	m.HandleFunc("GET /match/{key}/game/{game}/game.pgn", s.gamePGN)
	livePage(s, m, "/run/{key}", "run", aRun, s.chooseRuns, s.fillRun)
	m.HandleFunc("GET /run/{key}/curve.csv", s.curveCSV)
	livePage(s, m, "/run/{key}/compare", "compare", aRun, s.lookAtComparison, nil)
	livePage(s, m, "/data/{key}", "data", aDataset, s.lookAtData, nil)
	m.HandleFunc("GET /data/{key}/sample/{sample}", s.sample)
	m.HandleFunc("GET /data/{key}/goto", s.goTo)
	livePage(s, m, "/data/{key}/statistics", "stats", aDataset, s.lookAtStats, nil)
	m.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { s.missing(w, "There is no such page.") })
	return m
}

// prose is a longer text from a file, as a page shows it.
func prose(text string) string {
	const most = 2000
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return plain.Escape(text)
}

// toJSON writes a value for a script.
func toJSON(v any) (string, error) {
	text, err := json.Marshal(v)
	return string(text), err
}

// missing answers that there is nothing.
func (s *Server) missing(w http.ResponseWriter, text string) {
	s.showStatus(w, http.StatusNotFound, "missing", text)
}

// folderOf returns the folder that the address names, and answers if there is none of that kind.
func (s *Server) folderOf(w http.ResponseWriter, r *http.Request, kind kind) *folder {
	f := byKey(s.library.look(), r.PathValue("key"))
	if f == nil || f.Kind != kind {
		s.missing(w, "This "+kindNames[kind]+" no longer exists.")
		return nil
	}
	return f
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
func livePage[P interface{ version() string }](s *Server, m *http.ServeMux, path, name string, kind kind,
	look func(*folder, *http.Request) P, fill func(P)) {
	serve := func(w http.ResponseWriter, r *http.Request, live bool) {
		f := s.folderOf(w, r, kind)
		if f == nil {
			return
		}
		page, name := look(f, r), name
		if live {
			if r.FormValue("since") == page.version() {
				w.WriteHeader(http.StatusNoContent)
				return
			}
			w.Header().Set("Version", page.version())
			name += "live"
		}
		if fill != nil {
			fill(page)
		}
		s.show(w, name, page)
	}
	m.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) { serve(w, r, false) })
	m.HandleFunc("GET "+path+"/live", func(w http.ResponseWriter, r *http.Request) { serve(w, r, true) })
}

// show writes a page.
func (s *Server) show(w http.ResponseWriter, name string, data any) {
	s.showStatus(w, http.StatusOK, name, data)
}

func (s *Server) showStatus(w http.ResponseWriter, status int, name string, data any) {
	var text strings.Builder
	if err := s.pages.ExecuteTemplate(&text, name, data); err != nil {
		refuse(w, http.StatusInternalServerError, "The page cannot be shown: "+chart.Plain(err.Error()))
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text.String()) // the browser may be gone
}

func (s *Server) asset(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	text, ok := s.assets[name]
	if !ok {
		http.NotFound(w, r)
		return
	}
	types := map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
		".svg": "image/svg+xml"}
	w.Header().Set("Content-Type", types[path.Ext(name)])
	_, _ = w.Write(text)
}
