package fleet

import (
	"fmt"
	"time"

	"talbot/internal/humanize"
	"talbot/internal/table"
)

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
