package rows

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"talbot/dataset"
	"talbot/internal/testkit/readlines"
)

func viewForm(v dataset.View) Stated { return Stated{View: &v} }

// scoreTexts reads a text and returns what each row says, and the error that ended it.
func scoreTexts(t *testing.T, text string, form Stated) (got []string, err error) {
	t.Helper()
	items, err := readlines.All(t, NewScoreTextReader(strings.NewReader(text), form))
	for i, item := range items {
		l := &item.Line
		if l.Number != int64(i+1) {
			t.Fatalf("row %d has number %d", i+1, l.Number)
		}
		if item.Reject != nil {
			got = append(got, fmt.Sprint(l.Number, " ", l.Offset, " ", item.Reject.Reason))
			continue
		}
		if !LooksLikeScoreText([]byte(l.Start.FEN() + " | 0 | 0.5")) {
			t.Fatalf("%q is not recognised", l.Start.FEN())
		}
		label := l.Labels[0].Labels[0]
		s := fmt.Sprint(l.Number, " ", l.Offset, " ", l.Start.FEN(), " ", l.Result, " ", label.Status)
		for _, l := range label.Lines {
			s += fmt.Sprint(" ", l.Score)
		}
		got = append(got, s)
	}
	return got, err
}

// TestScoreText has the variants of the form, and what is wrong in each field. The side to move's scores are worked by
// hand.
func TestScoreText(t *testing.T) {
	const white, black = "4k3/8/8/8/8/8/4P3/4K3 w - - 3 9", "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1"
	for _, test := range []struct {
		row, want string
		view      dataset.View
	}{
		{white + " | 35 | 1.0", "1 0 " + white + " 1-0 labelled cp 35", dataset.WhiteView},
		{black + " | 35 | 0.5", "1 0 " + black + " 1/2-1/2 labelled cp -35", dataset.WhiteView},
		{black + " | 35 | 0.0", "1 0 " + black + " 0-1 labelled cp 35", dataset.MoverView},
		{"\ufeff" + black + "|-7|[1.0]\r", "1 3 " + black + " 1-0 labelled cp 7", dataset.WhiteView},
		{"# by x\n\n4k3/8/8/8/8/8/4P3/4K3 b - - | +0 | 1/2", "1 8 " + black + " 1/2-1/2 labelled cp 0",
			dataset.WhiteView},
		{white + " | -5.0 | 0", "1 0 " + white + " 0-1 labelled cp -5", dataset.WhiteView},
		{white + " | 31990 | 1-0", "1 0 " + white + " 1-0 labelled cp 30000", dataset.WhiteView},
		{white + " | #-2 | 0-1", "1 0 " + white + " 0-1 labelled mate -2", dataset.WhiteView},
		{"7k/5KQ1/8/8/8/8/8/8 b - - 0 1 | 9 | 1", "1 0 7k/5KQ1/8/8/8/8/8/8 b - - 0 1 1-0 terminal", dataset.WhiteView},
		{white + " | 32002 | 1.0", "1 0 bad_eval", dataset.WhiteView},
		{white + " | 0.35 | 1.0", "1 0 bad_eval", dataset.WhiteView},
		{white + " | | 1.0", "1 0 bad_eval", dataset.WhiteView},
		{white + " | 3 | 0.7", "1 0 bad_row", dataset.WhiteView},
		{white + " | 3", "1 0 bad_row", dataset.WhiteView},
		{white + " | 3 | 1.0 | x", "1 0 bad_row", dataset.WhiteView},
		{"4k3/8/8/8/8/8/4P3/3KK3 w - - | 3 | 1.0", "1 0 bad_fen", dataset.WhiteView},
	} {
		got, err := scoreTexts(t, test.row+"\n", viewForm(test.view))
		if err != nil || len(got) != 1 || got[0] != test.want {
			t.Errorf("%q: %q %v, want %q", test.row, got, err, test.want)
		}
	}
	got, err := scoreTexts(t, white+" | 1 | 1\n"+strings.Repeat("x", MaxRow+5)+"\n"+white+" | 2 | 1", viewForm(0))
	if err != nil || len(got) != 3 || got[1] != "2 40 bad_row" || !strings.HasPrefix(got[2], "3 65582 ") {
		t.Errorf("a long row: %q %v", got, err)
	}
}

// clearText has positions in which one side is ahead and wins, with scores of White's view.
func clearText() string {
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, "4k3/8/8/8/8/8/4P3/R3K3 w - - %d 60 | 450 | 1.0\n", i)
		fmt.Fprintf(&b, "4k3/8/8/8/8/8/4P3/R3K3 b - - %d 60 | 450 | 1.0\n", i)
		fmt.Fprintf(&b, "r3k3/4p3/8/8/8/8/8/4K3 w - - %d 60 | -450 | 0.0\n", i)
		fmt.Fprintf(&b, "r3k3/4p3/8/8/8/8/8/4K3 b - - %d 60 | -450 | 0.0\n", i)
	}
	return b.String()
}

// TestScoreTextView: the view must be stated, and what contradicts it is refused with the figures, by the beginning
// already.
func TestScoreTextView(t *testing.T) {
	text := clearText()
	for name, test := range map[string]struct {
		form Stated
		says string // "" for no error
	}{
		"White's": {viewForm(dataset.WhiteView), ""},
		"the mover's": {viewForm(dataset.MoverView), "cannot be from the mover's view: of its first 160 positions, " +
			"with White to move 80 of 80 clear scores have the sign of the result and 80 of 80 that of the material, " +
			"with Black to move 0 of 80 clear scores have the sign of the result and 0 of 80"},
		"not stated": {Stated{}, "if they are from White's view, then of its first 160 positions, with White " +
			"to move 80 of 80 clear scores have the sign of the result and 80 of 80 that of the material, with " +
			"Black to move 80 of 80"},
		"not used": {Stated{Unchecked: true}, ""},
	} {
		got, err := scoreTexts(t, text, test.form)
		atOnce := CheckScoreText([]byte(text), test.form)
		if test.says == "" {
			if err != nil || atOnce != nil || len(got) != 160 {
				t.Errorf("%s: %d rows, %v, %v", name, len(got), err, atOnce)
			}
			continue
		}
		for _, err := range []error{err, atOnce} {
			if !errors.Is(err, dataset.ErrView) || !strings.Contains(err.Error(), test.says) || len(got) > 0 {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// FuzzScoreText reads anything: every row has a number of its own, positions have a legal FEN and one label, and errors
// are of known kinds.
func FuzzScoreText(f *testing.F) {
	f.Add([]byte(clearText()[:300]), uint8(1))
	f.Add([]byte("4k3/8/8/8/8/8/4P3/4K3 b - -|-7|[1.0]\r\n4k3/8/8/8/8/8/4P3/4K3 b - - 0 1|M3|1/2|\n"), uint8(2))
	forms := []Stated{{}, viewForm(dataset.WhiteView), viewForm(dataset.MoverView), {Unchecked: true}}
	f.Fuzz(func(t *testing.T, data []byte, form uint8) {
		_, err := scoreTexts(t, string(data), forms[int(form)%len(forms)])
		if err != nil && !errors.Is(err, dataset.ErrView) {
			t.Fatal(err)
		}
	})
}
