package fleet

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"talbot/internal/fault"
)

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
	put := func(name, kind, help string, value float64) {
		fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s %s\n%s %v\n", name, help, name, kind, name, value)
	}
	put("talbot_jobs_open", "gauge", "Jobs that are offered.", float64(s.Open))
	put("talbot_jobs_held", "gauge", "Jobs that a worker has.", float64(s.Held))
	put("talbot_jobs_done_total", "counter", "Jobs that workers answered.", float64(s.Done))
	put("talbot_refused_total", "counter", "Connections and requests that were refused.", float64(s.Refused))
	put("talbot_workers_banned", "gauge", "Workers that were found to lie.", float64(s.Banned))
	put("talbot_positions_total", "counter", "Positions so far.", float64(s.Positions))
	put("talbot_positions_per_second", "gauge", "Positions per second of all machines.", s.PositionsPerSecond)
	if s.SecondsLeft != nil {
		put("talbot_seconds_left", "gauge", "Expected time to the end.", *s.SecondsLeft)
	}
	for _, m := range []struct {
		name, kind, help string
		value            func(*WorkerStatus) float64
	}{
		{"talbot_worker_slots", "gauge", "Engines of a worker.",
			func(w *WorkerStatus) float64 { return float64(w.Slots) }},
		{"talbot_worker_jobs_held", "gauge", "Jobs that a worker has.",
			func(w *WorkerStatus) float64 { return float64(w.Held) }},
		{"talbot_worker_jobs_lost_total", "counter", "Jobs that a worker lost.",
			func(w *WorkerStatus) float64 { return float64(w.Lost) }},
		{"talbot_worker_positions_per_second", "gauge", "Positions per second of a worker.",
			func(w *WorkerStatus) float64 { return w.PositionsPerSecond }},
	} {
		fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s %s\n", m.name, m.help, m.name, m.kind)
		for i := range s.Workers {
			w := &s.Workers[i]
			fmt.Fprintf(&b, "%s{worker=\"%d\",process=\"%d\",name=%s} %v\n", m.name, w.Number, w.Process,
				labelValue(w.Name), m.value(w))
		}
	}
	return b.String()
}

// labelValue quotes the value of a label as Prometheus wants it.
func labelValue(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}
