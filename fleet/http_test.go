package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"talbot/internal/testkit"
)

// get asks for a path of the status with a header; "" is none.
func get(t *testing.T, method, url, authorization string) (status int, kind, text string) {
	t.Helper()
	r := testkit.Value(http.NewRequestWithContext(t.Context(), method, url, nil))(t)
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	answer := testkit.Value(http.DefaultClient.Do(r))(t)
	defer answer.Body.Close()
	body := testkit.Value(io.ReadAll(answer.Body))(t)
	return answer.StatusCode, answer.Header.Get("Content-Type"), string(body)
}

// The status is served on this machine only, to who has its token, which is not the one that workers have, and no
// longer than it should.
func TestStatusOverHTTP(t *testing.T) {
	c := testCoordinator(t, t.TempDir(), nil)
	ctx, end := context.WithCancel(t.Context())
	defer end()
	for _, listen := range []string{"0.0.0.0:0", ":0", "[::]:0", "192.0.2.1:0", "example.org:0"} {
		if _, _, err := c.ServeStatus(ctx, listen); !errors.Is(err, ErrNotLoopback) {
			t.Errorf("%q: %v", listen, err)
		}
	}
	if _, _, err := c.ServeStatus(ctx, "127.0.0.1"); err == nil {
		t.Error("an address without a port is taken")
	}
	address, token, err := c.ServeStatus(ctx, "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	join := joinOf(t, c)
	if strings.Contains(join.String(), token) || len(token) != 2*tokenBytes {
		t.Errorf("the token is %q", token)
	}
	name := "a \"strange\" \\ name\nof two lines"
	testWorker(t, join, "w", &echo{}, 3)
	s := newStranger(t, join, t.TempDir()+"/key")
	s.ask(verbJoin, encodeJSON(hello{Protocol: protocol, Slots: 2, Name: name, Proof: []byte("proof of hello")}))
	serve(t, c, questions(5))
	bearer := "Bearer " + token
	for _, wrong := range []string{"", "Bearer", "Bearer ", token, "Basic " + token, bearer + "0", "Bearer " +
		strings.Repeat("0", len(token))} {
		for _, path := range []string{"/status", "/metrics", "/"} {
			if status, _, text := get(t, "GET", "http://"+address+path, wrong); status != http.StatusUnauthorized ||
				strings.Contains(text, token) {
				t.Errorf("%s with %q: %d %s", path, wrong, status, text)
			}
		}
	}
	if status, _, _ := get(t, "POST", "http://"+address+"/status", bearer); status != http.StatusMethodNotAllowed {
		t.Errorf("POST: %d", status)
	}
	if status, _, _ := get(t, "GET", "http://"+address+"/other", bearer); status != http.StatusNotFound {
		t.Errorf("another path: %d", status)
	}
	status, kind, text := get(t, "GET", "http://"+address+"/status", bearer)
	var is Status
	if err := json.Unmarshal([]byte(text), &is); status != http.StatusOK || kind != "application/json" || err != nil ||
		is.Done != 5 || len(is.Workers) != 2 {
		t.Errorf("%d %s %s, %v", status, kind, text, err)
	}
	status, kind, text = get(t, "GET", "http://"+address+"/metrics", bearer)
	if status != http.StatusOK || !strings.HasPrefix(kind, "text/plain; version=0.0.4") {
		t.Errorf("%d %s", status, kind)
	}
	values := exposition(t, text)
	if values[`talbot_jobs_done_total`] != 5 || values[`talbot_worker_slots{name=`+strconv.Quote(name)+`}`] != 2 {
		t.Errorf("%v\n%s", values, text)
	}
	end()
	for range 500 {
		r, err := http.Get("http://" + address + "/status")
		if err != nil {
			return
		}
		r.Body.Close()
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("the status is still served")
}

var (
	metricLine = regexp.MustCompile(`^([a-z_]+)` +
		`(?:\{worker="\d+",process="\d+",(name="(?:[^"\\\n]|\\["\\n])*")\})? (\S+)$`)
	typeLine = regexp.MustCompile(`^# TYPE ([a-z_]+) (counter|gauge)$`)
	helpLine = regexp.MustCompile(`^# HELP ([a-z_]+) \S.*$`)
)

// exposition reads the text format of Prometheus 0.0.4 as strictly as it is specified: of each metric one line of help,
// one of its type, then all its values; counters end in _total. The values come by name and the label "name".
func exposition(t *testing.T, text string) map[string]float64 {
	t.Helper()
	if !strings.HasSuffix(text, "\n") {
		t.Error("the last line does not end")
	}
	values, seen, present := map[string]float64{}, map[string]bool{}, ""
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if m := helpLine.FindStringSubmatch(line); m != nil {
			if present = m[1]; seen[present] {
				t.Errorf("%s comes twice", present)
			}
			seen[present] = true
			continue
		}
		if m := typeLine.FindStringSubmatch(line); m != nil {
			if m[1] != present || (m[2] == "counter") != strings.HasSuffix(m[1], "_total") {
				t.Errorf("%q after the help of %s", line, present)
			}
			continue
		}
		m := metricLine.FindStringSubmatch(line)
		if m == nil || m[1] != present {
			t.Errorf("%q among the values of %s", line, present)
			continue
		}
		v, err := strconv.ParseFloat(m[3], 64)
		if err != nil {
			t.Errorf("%q: %v", line, err)
		}
		key := m[1]
		if m[2] != "" {
			key += "{" + m[2] + "}"
		}
		values[key] = v
	}
	return values
}
