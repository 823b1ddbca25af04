package report

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"talbot/internal/humanize"
	"talbot/internal/table"
	"talbot/train"
)

// Dates are when a run was trained and evaluated. A zero time is unknown.
type Dates struct {
	Began, Ended time.Time // the first and the last line of the metrics
	Evaluated    time.Time
}

// shortHash is the number of digits of a hash shown at the top of the page.
const shortHash = 12

// Brief identifies the run in a few lines.
func (r Run) Brief() []table.Fact {
	c := r.Config
	var list []table.Fact
	add := func(name, text string) { list = append(list, table.Fact{Name: name, Text: text}) }
	if r.Fingerprint != "" {
		add("run", r.Fingerprint)
	}
	network := strings.TrimSuffix(c.Recipe+", "+r.Network, ", ")
	if r.Parameters > 0 {
		network += ", " + humanize.Count(int64(r.Parameters), "parameter")
	}
	add("network", network)
	if e := r.Eval; e != nil {
		text := fmt.Sprintf("%s, step %s of %s", e.Checkpoint, humanize.Thousands(e.Step), humanize.Thousands(c.Steps))
		if e.Sum != "" {
			text += ", SHA-256 " + cut(e.Sum)
		}
		add("weights", text)
	}
	for i, d := range r.Data {
		add(map[bool]string{true: "data"}[i == 0], fmt.Sprintf("%s, manifest %s", filepath.Base(d.Dir),
			cut(d.Manifest)))
	}
	if text := r.trained(); text != "" {
		add("trained", text)
	}
	if t := r.Dates.Evaluated; !t.IsZero() {
		add("evaluated", date(t))
	}
	return list
}

// trained says when the run was trained, and for how long.
func (r Run) trained() string {
	var parts []string
	began, ended := r.Dates.Began, r.Dates.Ended
	switch {
	case began.IsZero() && ended.IsZero():
	case began.IsZero() || date(began) == date(ended):
		parts = append(parts, date(ended))
	case ended.IsZero():
		parts = append(parts, "from "+date(began))
	default:
		parts = append(parts, date(began)+" to "+date(ended))
	}
	if seconds, sessions := duration(r.Lines); seconds > 0 {
		parts = append(parts, (time.Duration(seconds*float64(time.Second))).Round(time.Second).String()+
			" of training")
		if sessions > 1 {
			parts = append(parts, fmt.Sprintf("resumed %s", humanize.Count(int64(sessions-1), "time")))
		}
	}
	return strings.Join(parts, ", ")
}

// duration sums the seconds of all processes that trained the run; the clock of each begins at 0.
func duration(lines []train.MetricsLine) (seconds float64, sessions int) {
	last := 0.0
	for i := range lines {
		now := lines[i].Seconds
		if i == 0 || now < last {
			sessions++
			last = 0
		}
		seconds += now - last
		last = now
	}
	return seconds, sessions
}

func date(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

func cut(hash string) string { return hash[:min(len(hash), shortHash)] }
