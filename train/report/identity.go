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
		text := fmt.Sprintf("%s, step %s of %s", filepath.Base(e.Checkpoint), humanize.Thousands(e.Step),
			humanize.Thousands(c.Steps))
		if e.Sum != "" {
			text += fmt.Sprintf(", SHA-256 %.12s", e.Sum)
		}
		add("weights", text)
	}
	for _, f := range r.Settings {
		if f.Name == "data" {
			list = append(list, f)
		}
	}
	if r.Backend != "" {
		add("backend", r.Backend)
	}
	if text := r.trained(); text != "" {
		add("trained", text)
	}
	if e := r.Eval; e != nil {
		add("evaluated", date(e.At)+", on "+strings.Join(e.Data, ", "))
	}
	return list
}

// trained says when the run was trained, and for how long.
func (r Run) trained() string {
	var parts []string
	if !r.Trained.IsZero() {
		parts = append(parts, "until "+date(r.Trained))
	}
	if hours := train.Hours(r.Lines); len(hours) > 0 {
		trained := time.Duration(hours[len(hours)-1] * float64(time.Hour)).Round(time.Second)
		parts = append(parts, trained.String()+" of training")
	}
	resumed := int64(0)
	for i := 1; i < len(r.Lines); i++ {
		if r.Lines[i].Seconds < r.Lines[i-1].Seconds {
			resumed++
		}
	}
	if resumed > 0 {
		parts = append(parts, "resumed "+humanize.Count(resumed, "time"))
	}
	return strings.Join(parts, ", ")
}

func date(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }
