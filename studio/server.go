package studio

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"net"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"talbot/internal/cache"
	"talbot/internal/chart"
	"talbot/internal/humanize"
	"talbot/internal/plain"
	"talbot/network/model"
)

//go:embed web
var web embed.FS

// Options are what is served.
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
		searches: newJobs[search](maxSearches), parts: newJobs[part](maxParts), reading: make(turns, 1), found: foundCache(),
		matches: matches{recent: recent[*watchedMatch]{most: maxMatches}}, assets: map[string][]byte{}}
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
		"add": func(a, b int) int { return a + b }, "prose": prose, "score": labelScore,
		"inc": func(n int64) int64 { return n + 1 }, "percent": func(x float64) float64 { return 100 * x },
		"count": func(n int, thing string) string { return humanize.Count(int64(n), thing) }, "signed": signed,
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

// Address is what to open in a browser, for a listener's address.
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
	livePage(s, m, "/match/{key}", "match", s.matchOf, s.lookAtMatch, nil)
	m.HandleFunc("GET /match/{key}/games.pgn", s.matchPGN)
	m.HandleFunc("GET /match/{key}/game/{game}", s.replay)
	m.HandleFunc("GET /match/{key}/game/{game}/game.pgn", s.gamePGN)
	livePage(s, m, "/run/{key}", "run", s.runOf, s.chooseRuns, s.fillRun)
	m.HandleFunc("GET /run/{key}/curve.csv", s.curveCSV)
	livePage(s, m, "/run/{key}/compare", "compare", s.runOf, s.lookAtComparison, nil)
	livePage(s, m, "/data/{key}", "data", s.dataOf, s.lookAtData, nil)
	m.HandleFunc("GET /data/{key}/sample/{sample}", s.sample)
	m.HandleFunc("GET /data/{key}/goto", s.goTo)
	livePage(s, m, "/data/{key}/statistics", "stats", s.dataOf, s.lookAtStats, nil)
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

// missing answers that there is nothing.
func (s *Server) missing(w http.ResponseWriter, text string) {
	s.showStatus(w, http.StatusNotFound, "missing", text)
}

// folderOf is the folder that the address names, and answers if there is none of that kind.
func (s *Server) folderOf(w http.ResponseWriter, r *http.Request, kind kind, name string) *folder {
	f := s.library.byKey(r.PathValue("key"))
	if f == nil || f.Kind != kind {
		s.missing(w, "This "+name+" is not there any more.")
		return nil
	}
	return f
}

// livePage serves a page of folders at path and, at path/live, the part of it that changes: the template of that name
// with "live" after it. A browser that has the current version gets an empty answer. find answers if there is no such
// folder, look lays the page out, and fill, if not nil, adds what takes long and does not change the version.
func livePage[P interface{ version() string }](s *Server, m *http.ServeMux, path, name string,
	find func(http.ResponseWriter, *http.Request) *folder, look func(*folder, *http.Request) P, fill func(P)) {
	show := func(w http.ResponseWriter, name string, page P) {
		if fill != nil {
			fill(page)
		}
		s.show(w, name, page)
	}
	m.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
		if f := find(w, r); f != nil {
			show(w, name, look(f, r))
		}
	})
	m.HandleFunc("GET "+path+"/live", func(w http.ResponseWriter, r *http.Request) {
		f := find(w, r)
		if f == nil {
			return
		}
		page := look(f, r)
		if r.FormValue("since") == page.version() {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		w.Header().Set("Version", page.version())
		show(w, name+"live", page)
	})
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

// homePage is what the first page shows.
type homePage struct {
	Roots                   []string
	Datasets, Runs, Matches []*folder
}

func (s *Server) home() homePage {
	h := homePage{Roots: s.library.roots}
	for _, f := range s.library.look() {
		switch f.Kind {
		case aDataset:
			h.Datasets = append(h.Datasets, f)
		case aRun:
			h.Runs = append(h.Runs, f)
		case aMatch:
			h.Matches = append(h.Matches, f)
		}
	}
	return h
}

// Size is the bytes of a dataset's shards, for people.
func (f *folder) Size() string {
	bytes := int64(0)
	for _, shard := range f.Manifest.Shards {
		bytes += shard.Bytes
	}
	return humanize.Size(float64(bytes))
}

// From names the inputs or parents of a dataset, a few of them.
func (f *folder) From() string {
	var names []string
	for _, in := range f.Manifest.Inputs {
		names = append(names, in.Name)
	}
	for _, p := range f.Manifest.Parents {
		if len(f.Manifest.Inputs) == 0 {
			names = append(names, p.Name)
		}
	}
	if more := len(names) - 2; more > 0 {
		names = append(names[:2], fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}

// Labels is how many labels a dataset has.
func (f *folder) Labels() int64 { return f.Manifest.Counts.Labelled + f.Manifest.Counts.Terminal }

// LabelShare is the share of the samples that have a label; "" where none has.
func (f *folder) LabelShare() string {
	labels, samples := f.Labels(), f.Manifest.Counts.Samples
	if labels == 0 || samples == 0 {
		return ""
	}
	return fmt.Sprintf("%.3g %%", 100*float64(labels)/float64(samples))
}

// runNetwork is that of a run: recipe and settings, and how many parameters it learns; 0: not known.
type runNetwork struct {
	Text       string
	Parameters int64
}

// Network is the network of a run.
func (f *folder) Network() runNetwork {
	built, err := f.Config.Build()
	if err != nil {
		return runNetwork{Text: f.Config.Recipe}
	}
	return runNetwork{f.Config.Recipe + ", " + built.Network.String(),
		int64(model.CountTrainable(built.Network.Params()))}
}

// Last and Best are of the losses.
func (f *folder) Last() string {
	if len(f.Losses) == 0 {
		return "–"
	}
	return fmt.Sprintf("%.4f", f.Losses[len(f.Losses)-1])
}

// Best is the lowest loss.
func (f *folder) Best() string {
	if len(f.Losses) == 0 {
		return "–"
	}
	return fmt.Sprintf("%.4f", slices.Min(f.Losses))
}

// Players are those of a match that is over.
func (f *folder) Players() string {
	var names []string
	for _, p := range f.Result.Players {
		names = append(names, chart.Name(p.Name))
	}
	if len(names) > 2 {
		return names[0] + fmt.Sprintf(" – %d others", len(names)-1)
	}
	return strings.Join(names, " – ")
}

// Elo is the first player's, with its interval.
func (f *folder) Elo() string {
	r := f.Result
	if !r.Elo.Known() {
		return "–"
	}
	if !r.EloLow.Known() || !r.EloHigh.Known() {
		return fmt.Sprintf("%+.0f", float64(r.Elo))
	}
	return fmt.Sprintf("%+.0f (%+.0f\u00a0to\u00a0%+.0f)", float64(r.Elo), float64(r.EloLow), float64(r.EloHigh))
}

// The size of a sparkline.
const sparkWidth, sparkHeight = 120, 24

// spark is the path of a line through values, the lowest at the bottom.
func spark(values []float64) string {
	if len(values) < 2 {
		return ""
	}
	low, high := slices.Min(values), slices.Max(values)
	if !(high > low) {
		high = low + 1
	}
	var b strings.Builder
	for i, v := range values {
		step := "L"
		if i == 0 {
			step = "M"
		}
		fmt.Fprintf(&b, "%s%.1f %.1f", step, 2+float64(i)/float64(len(values)-1)*(sparkWidth-4),
			2+(high-v)/(high-low)*(sparkHeight-4))
	}
	return b.String()
}
