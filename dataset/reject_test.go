package dataset

import (
	"errors"
	"testing"
)

// TestRejectDetail: the text and its place are said once, and no place that is the row's own.
func TestRejectDetail(t *testing.T) {
	illegal, other := errors.New(`illegal move "e2e5"`), errors.New("separate letter")
	for want, r := range map[string]Reject{
		"":                     {},
		"separate letter":      {Err: other, At: 80},
		`"N"`:                  {Token: "N"},
		`"N": separate letter`: {Token: "N", Err: other},
		`"N" at byte 80 after ply 2: separate letter`: {Token: "N", Err: other, At: 80, Ply: 2},
		`illegal move "e2e5"`:                         {Token: "e2e5", Err: illegal},
		`illegal move "e2e5" at byte 80`:              {Token: "e2e5", Err: illegal, At: 80},
		`"e2": illegal move "e2e5"`:                   {Token: "e2", Err: illegal},
	} {
		r.Offset, r.At = 71, max(r.At, 71)
		if got := r.Detail(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
