package pipeline

import (
	"fmt"
	"time"
)

// Progress is how far a verb has come, for the eye.
type Progress struct {
	Verb  string
	Done  int64  // work done in this process and before, in the unit of Total
	Total int64  // all of it; 0 or less if not known
	First int64  // what was done before this process began
	Count int64  // things made so far
	Rate  int64  // things made by this process, for the rate
	Unit  string // what is counted: "positions", "games"
	Note  string // what else there is to say, such as failures
}

// Text returns one line with count, rate and time left after that much time.
func (p Progress) Text(elapsed time.Duration) string {
	s := fmt.Sprintf("%d %s", p.Count, p.Unit)
	if sec := elapsed.Seconds(); sec > 0 {
		s += fmt.Sprintf(", %.0f/s", float64(p.Rate)/sec)
	}
	if done := p.Done - p.First; p.Total > 0 && done > 0 {
		left := time.Duration(float64(elapsed) * float64(p.Total-p.Done) / float64(done))
		s += fmt.Sprintf(", %.0f %%, %v left", 100*float64(p.Done)/float64(p.Total), left.Round(time.Second))
	}
	if p.Note != "" {
		s += ", " + p.Note
	}
	return s
}
