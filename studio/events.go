package studio

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"time"
)

// events counts the open streams of a server.
type events struct{ open atomic.Int32 }

// Bounds of the streams. A browser has one for all its pages (web/events.js).
const (
	maxStreams = 32
	beatEvery  = 10 * time.Second // an empty line, which shows whether the browser is gone
)

// stream sends a browser the keys of the folders that have changed, as server-sent events.
func (s *Server) stream(w http.ResponseWriter, r *http.Request) {
	if s.events.open.Add(1) > maxStreams {
		s.events.open.Add(-1)
		refuse(w, http.StatusServiceUnavailable, "Too many browsers follow studio.")
		return
	}
	defer s.events.open.Add(-1)
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	send := func(text string) bool {
		_ = out.SetWriteDeadline(time.Now().Add(writeTime)) // a recorder of a test has none
		_, err := fmt.Fprint(w, text)
		return err == nil && out.Flush() == nil
	}
	known, beat := s.library.states(), time.Now()
	tick := time.NewTicker(s.library.every)
	defer tick.Stop()
	for alive := send("retry: 2000\n\n"); alive; {
		select {
		case <-r.Context().Done():
			return
		case <-tick.C:
		}
		now, text := s.library.states(), ""
		for key, state := range now {
			if known[key] != state {
				text += "data: " + key + "\n\n"
			}
		}
		for key := range known {
			if _, ok := now[key]; !ok {
				text += "data: " + key + "\n\n"
			}
		}
		if known = now; text == "" && time.Since(beat) > beatEvery {
			text = ":\n\n"
		}
		if text != "" {
			alive, beat = send(text), time.Now()
		}
	}
}

// states returns by key a text that changes when the folder does.
func (l *library) states() map[string]string {
	states := map[string]string{}
	for _, f := range l.look() {
		states[f.Key] = fmt.Sprint(f.stamp, f.AtWork)
	}
	return states
}
