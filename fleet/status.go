package fleet

import (
	"cmp"
	"context"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"talbot/internal/fault"
	"talbot/internal/humanize"
	"talbot/internal/table"
)

// Status is the progress of a coordinator's work.
type Status struct {
	Workers []WorkerStatus `json:"workers"`
	Open    int            `json:"open"`    // jobs that are offered
	Held    int            `json:"held"`    // of these, with a worker
	Done    int64          `json:"done"`    // jobs that workers answered
	Refused int64          `json:"refused"` // connections and requests that were turned away
	Banned  int            `json:"banned"`  // workers whose labels were wrong
	Idle    string         `json:"idle"`    // why no worker is busy; "" if one is
	// PositionsPerSecond is the rate of all, the coordinator's own part included; SecondsLeft is null if it is not
	// known.
	PositionsPerSecond float64  `json:"positions_per_second"`
	Positions          int64    `json:"positions"` // so far, in this process
	SecondsLeft        *float64 `json:"seconds_left"`
}

// WorkerStatus is one process of a worker, or the coordinator's own part, number 0.
type WorkerStatus struct {
	Number             int     `json:"number"`
	Process            int     `json:"process"` // of this worker, from 1: the lowest number that was free
	Name               string  `json:"name"`
	Version            string  `json:"version"`
	Slots              int     `json:"slots"`
	Held               int     `json:"held"`
	Done               int64   `json:"done"`
	Lost               int64   `json:"lost"`
	Positions          int64   `json:"positions"`
	PositionsPerSecond float64 `json:"positions_per_second"` // of all processes of this worker
	SilentSeconds      float64 `json:"silent_seconds"`
}

// Status returns how far the work is.
func (c *coordinator) Status() Status {
	now := c.cfg.now()
	s := Status{Done: c.done.Load(), Refused: c.refused.Load(), Workers: []WorkerStatus{}}
	if c.gate != nil {
		s.Refused += c.gate.refused.Load()
	}
	s.Banned = len(c.roster.allBanned())
	c.mu.Lock()
	s.Open = len(c.offers)
	for _, o := range c.offers {
		if o.holder != nil {
			s.Held++
		}
	}
	for _, m := range c.members {
		s.Workers = append(s.Workers, WorkerStatus{Number: m.worker, Process: m.process, Name: m.name,
			Version: m.version, Slots: m.slots, Held: len(m.held), Done: m.done, Lost: m.lost,
			SilentSeconds: now.Sub(m.heard).Seconds()})
	}
	finished := c.finished
	c.mu.Unlock()
	slices.SortFunc(s.Workers, func(a, b WorkerStatus) int { return cmp.Or(a.Number-b.Number, a.Process-b.Process) })
	switch {
	case finished:
		s.Idle = "the work is finished"
	case len(s.Workers) == 0:
		s.Idle = "no worker has joined"
	case s.Open == 0:
		s.Idle = "no jobs are offered: the coordinator reads its input, or waits for its own engines"
	}
	if c.cfg.status != nil {
		c.cfg.status(&s)
	}
	return s
}

// Text returns the status as lines, with a table of the workers.
func (s *Status) Text() string {
	var t humanize.Text
	n := humanize.Thousands
	t.Line("%s with %s", humanize.Count(s.Positions, "position"), humanize.Rate(s.PositionsPerSecond))
	if s.SecondsLeft != nil {
		t.Line(", %s left", humanize.Duration(time.Duration(*s.SecondsLeft*float64(time.Second))))
	}
	t.Line("\n%s open, %s of them with workers, %s done; %s refused; %s banned\n", humanize.Count(int64(s.Open), "job"),
		n(int64(s.Held)), n(s.Done), humanize.Count(s.Refused, "request"), humanize.Count(int64(s.Banned), "worker"))
	if s.Idle != "" {
		t.Line("idle: %s\n", s.Idle)
	}
	rows := [][]string{{"name", "worker", "engines", "positions", "per second", "jobs", "lost"}}
	for _, w := range s.Workers {
		rows = append(rows, []string{w.Name, fmt.Sprint(w.Number), fmt.Sprint(w.Slots), n(w.Positions),
			fmt.Sprintf("%.1f", w.PositionsPerSecond), fmt.Sprint(w.Held), fmt.Sprint(w.Lost)})
	}
	t.WriteString("\n" + table.Align(rows, -1))
	return t.String()
}

// ErrNotLoopback says that an address can be reached from other machines.
var ErrNotLoopback = fault.New(fault.ExitUsage, "the status can only be served on a loopback address",
	"for example --status-listen 127.0.0.1:9090")

// ServeStatus serves the status over HTTP on a loopback address until ctx ends: JSON under /status, and text for
// Prometheus under /metrics. Requests need the returned token: "Authorization: Bearer TOKEN".
func (c *coordinator) ServeStatus(ctx context.Context, listen string) (address, token string, err error) {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return "", "", fmt.Errorf("the address %q is not HOST:PORT: %w", listen, err)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return "", "", fmt.Errorf("%q: %w", listen, ErrNotLoopback)
	}
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return "", "", fmt.Errorf("serving the status: %w", err)
	}
	secret := c.seed.derive("talbot status token")
	token = fmt.Sprintf("%x", secret[:tokenBytes])
	s := &http.Server{Handler: statusHandler(c.Status, token), ReadTimeout: 5 * time.Second,
		WriteTimeout: 10 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 8 << 10}
	context.AfterFunc(ctx, func() { _ = s.Close() })
	go func() { _ = s.Serve(l) }() // ends with ctx
	return l.Addr().String(), token, nil
}

func statusHandler(status func() Status, token string) http.Handler {
	paths := http.NewServeMux()
	paths.HandleFunc("GET /status", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(status()) // the client may be gone
	})
	paths.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_, _ = w.Write([]byte(metrics(status())))
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !ok || subtle.ConstantTimeCompare([]byte(given), []byte(token)) != 1 {
			http.Error(w, "the token is missing or wrong", http.StatusUnauthorized)
			return
		}
		paths.ServeHTTP(w, r)
	})
}

// metrics is the status as Prometheus reads it.
func metrics(s Status) string {
	var b strings.Builder
	put := func(name, kind, help string, values ...any) { // labels and values in turn
		fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
		for i := 0; i < len(values); i += 2 {
			fmt.Fprintf(&b, "%s%s %v\n", name, values[i], values[i+1])
		}
	}
	put("talbot_jobs_open", "gauge", "Jobs that are offered.", "", s.Open)
	put("talbot_jobs_held", "gauge", "Jobs that a worker has.", "", s.Held)
	put("talbot_jobs_done_total", "counter", "Jobs that workers answered.", "", s.Done)
	put("talbot_refused_total", "counter", "Connections and requests that were refused.", "", s.Refused)
	put("talbot_workers_banned", "gauge", "Workers that were found to lie.", "", s.Banned)
	put("talbot_positions_total", "counter", "Positions so far.", "", s.Positions)
	put("talbot_positions_per_second", "gauge", "Positions per second of all machines.", "", s.PositionsPerSecond)
	if s.SecondsLeft != nil {
		put("talbot_seconds_left", "gauge", "Expected time to the end.", "", *s.SecondsLeft)
	}
	var slots, held, lost, rates []any
	for _, w := range s.Workers {
		labels := fmt.Sprintf("{worker=\"%d\",process=\"%d\",name=%s}", w.Number, w.Process, labelValue(w.Name))
		slots, held = append(slots, labels, w.Slots), append(held, labels, w.Held)
		lost, rates = append(lost, labels, w.Lost), append(rates, labels, w.PositionsPerSecond)
	}
	put("talbot_worker_slots", "gauge", "Engines of a worker.", slots...)
	put("talbot_worker_jobs_held", "gauge", "Jobs that a worker has.", held...)
	put("talbot_worker_jobs_lost_total", "counter", "Jobs that a worker lost.", lost...)
	put("talbot_worker_positions_per_second", "gauge", "Positions per second of a worker.", rates...)
	return b.String()
}

// labelValue quotes the value of a label as Prometheus wants it.
func labelValue(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

// AskStatus asks a coordinator how far the work has come. The join string is enough to ask.
func AskStatus(ctx context.Context, j Join, cluster Cluster, keyFile string) (Status, error) {
	var s Status
	options, key, err := j.options(cluster, keyFile)
	if err != nil {
		return s, err
	}
	const instance = ".00000000."
	nc, err := nats.Connect(j.url(cluster),
		append(options, nats.CustomInboxPrefix(inboxRoot+key+instance+"s"), nats.NoReconnect())...)
	if err != nil {
		return s, fmt.Errorf("connecting to %s: %w", j.Address, refusal(err))
	}
	defer nc.Close()
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	m, err := nc.RequestWithContext(ctx, subjectRoot+key+instance+verbStatus, nil)
	if err != nil {
		return s, fmt.Errorf("asking %s for its status: %w", j.Address, err)
	}
	c, text, err := decodeReply(m.Data)
	if err == nil && c != codeDone {
		err = fmt.Errorf("%w: %s", ErrRefused, clip(string(text), maxReason))
	}
	if err != nil {
		return s, err
	}
	return decodeJSON[Status](text, maxPayload)
}
