// Package progress measures how far work has come and how long the rest will take.
package progress

import (
	"time"

	"talbot/internal/humanize"
)

// Progress is how far a verb has come, for display.
type Progress struct {
	Verb  string
	Done  int64  // work done, earlier processes included, in the unit of Total
	Total int64  // all of it; 0 or less if not known
	First int64  // what was done before this process began
	Count int64  // things made so far
	Rate  int64  // things made by this process, for the rate
	Unit  string // what is counted: "positions", "games"; [Bytes] are shown as MB or GB
	Free  int64  // work done in this process that cost nothing, as labels that were found again, in the unit of Total
	Note  string // what else there is to say, such as failures
	Pace  *Pace  // how fast it went, as measured
}

// Report tells f, unless it is nil, that so much of the total is done, all of it by this process.
func Report(f func(Progress), verb, unit string, done, total int64) {
	if f != nil {
		f(Progress{Verb: verb, Unit: unit, Done: done, Total: total, Count: done, Rate: done})
	}
}

// Bytes is the unit of a [Progress] that counts bytes.
const Bytes = "bytes"

// settled is when a rate is first shown: before, it says nothing.
const settled = time.Second

// Share returns how much is done, 0 to 1; false if Total is not known.
func (p Progress) Share() (float64, bool) {
	if p.Total <= 0 {
		return 0, false
	}
	return min(1, max(0, float64(p.Done)/float64(p.Total))), true
}

// Details returns what is to be shown beside the share after that much time, the most important first: time left,
// count, rate, note.
func (p Progress) Details(elapsed time.Duration) (all []string) {
	if p.Pace != nil && p.Total > 0 {
		if left, ok := p.Pace.Left(max(0, p.Total-p.Done)); ok {
			all = append(all, humanize.Duration(left)+" left")
		}
	}
	count, rate, least := humanize.Count(p.Count, humanize.Singular(p.Unit)), humanize.Rate, 0.05
	if p.Unit == Bytes {
		count, least = humanize.Size(float64(p.Count)), 1
		rate = func(x float64) string { return humanize.Size(x) + "/s" }
	}
	all = append(all, count)
	if x := float64(p.Rate) / elapsed.Seconds(); elapsed >= settled && x >= least { // else it would be shown as 0
		all = append(all, rate(x))
	}
	if p.Note != "" {
		all = append(all, p.Note)
	}
	return all
}
