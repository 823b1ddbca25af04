package cli

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"talbot/internal/progress"
)

func TestLineText(t *testing.T) {
	for _, c := range []struct {
		p       progress.Progress
		elapsed time.Duration
		want    string
	}{
		{progress.Progress{Done: 500, Total: 2000, Count: 1234, Rate: 109_238_318, Unit: "games", Note: "3 left out"},
			2 * time.Second,
			": 25 %, 1,234 games, 54.6 M/s, 3 left out"},
		{progress.Progress{Done: 5, Total: 2000, Unit: progress.Bytes}, 100 * time.Millisecond, ": 0 %, 0 B"},
		{progress.Progress{Done: 12_300_000, Total: 24_600_000, Count: 12_300_000, Rate: 12_300_000,
			Unit: progress.Bytes}, time.Second,
			": 50 %, 12.3 MB, 12.3 MB/s"},
		{progress.Progress{Count: 7, Rate: 7, Unit: "searches"}, 10 * time.Second, ": 7 searches, 0.7/s"},
		{progress.Progress{Done: 30, Total: 20, Count: 30, Rate: 30, Unit: "lines"}, time.Second,
			": 100 %, 30 lines, 30/s"},
		{progress.Progress{First: 999, Done: 1000, Total: 8200, Count: 1, Rate: 1, Unit: "x"}, time.Second,
			": 12 %, 1 x, 1.0/s"},
	} {
		if got := lineOf(c.p, c.elapsed).text(); got != c.want {
			t.Errorf("%+v:\ngot  %s\nwant %s", c.p, got, c.want)
		}
	}
}

// Whatever is counted, a text has one percentage at most, no number of four digits without separators, and no rate of
// 0.
func TestProgressHasOnePercentage(t *testing.T) {
	long, zero := regexp.MustCompile(`\d{4}`), regexp.MustCompile(`, 0(\.0)?( [kMGT]?B)?/s`)
	for _, unit := range []string{"games", progress.Bytes} {
		for n := int64(1); n < 1e15; n = n*7 + 3 {
			for _, elapsed := range []time.Duration{1, time.Millisecond, time.Second, time.Hour, 1000 * time.Hour} {
				p := progress.Progress{Done: n, Total: 3 * n, Count: n, Rate: n / 5, Unit: unit}
				text := lineOf(p, elapsed).text()
				if strings.Count(text, "%") != 1 || long.MatchString(text) && n < 1e12 || zero.MatchString(text) {
					t.Errorf("%+v after %v: %s", p, elapsed, text)
				}
			}
		}
	}
}
