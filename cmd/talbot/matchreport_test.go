package main

import (
	"encoding/json"
	"strings"
	"testing"

	"talbot/internal/cli"
	"talbot/play/match"
)

// The table of a gauntlet says what to do where no opponent counts, and where one lost by time.
func TestRatings(t *testing.T) {
	const lost, none = "SF lost by time, which makes ratings too high", "no rating: play against opponents"
	for _, c := range []struct{ result, want, not string }{
		{`{"players":[{"name":"mine"},{"name":"SF","faults":{"time":2}}],"ratings":[{"player":"mine","rating":null},
			{"player":"SF","rating":1350,"anchor":true,"games":10}]}`, lost + "|" + none, ""},
		{`{"players":[{"name":"mine"},{"name":"SF"}],"ratings":[{"player":"mine","rating":1400},
			{"player":"SF","rating":1350,"anchor":true,"counted":true,"games":10}]}`, "1400.0", lost + "|" + none},
	} {
		var r match.Result
		if err := json.Unmarshal([]byte(c.result), &r); err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		old := cli.Stdout
		cli.Stdout = cli.NewTerminal(&b, nil)
		printRatings(&r)
		cli.Stdout = old
		for want := range strings.SplitSeq(c.want, "|") {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%q is missing:\n%s", want, b.String())
			}
		}
		for not := range strings.SplitSeq(c.not, "|") {
			if not != "" && strings.Contains(b.String(), not) {
				t.Errorf("%q is too much:\n%s", not, b.String())
			}
		}
	}
}
