package main

import (
	"errors"
	"regexp"
	"strings"
	"testing"
)

// What is worse is coloured on a terminal, and nowhere else; the rest stays plain.
func TestWorseIsColoured(t *testing.T) {
	for _, c := range []struct {
		terminal                  bool
		noColour, cliColour, want string
	}{
		{true, "", "", "3.1 \x1b[31mworse\x1b[m \\x1b[2J 0.2 \x1b[31mworse\x1b[m\n"},
		{true, "1", "", "3.1 worse \\x1b[2J 0.2 worse\n"},
		{true, "", "0", "3.1 worse \\x1b[2J 0.2 worse\n"},
		{false, "", "", "3.1 worse \\x1b[2J 0.2 worse\n"},
	} {
		t.Setenv("NO_COLOR", c.noColour)
		t.Setenv("CLICOLOR", c.cliColour)
		var b strings.Builder
		o := outletTo(&b, nil)
		if c.terminal {
			o.columns = func() int { return 80 }
		}
		err := writeJudged(o, "3.1 worse \x1b[2J 0.2 worse\n")
		if err := errors.Join(err, o.flush()); err != nil || b.String() != c.want {
			t.Errorf("%+v: %q, %v", c, b.String(), err)
		}
	}
}

// Coloured, a table and its verdicts are laid out as without colours, at any width.
func TestColoursTakeNoRoom(t *testing.T) {
	const text = `                            all      95 % interval            game         endgame
first move right        20.82 %  20.10 … 21.50 %         20.50 %   24.10 % worse
value squared error   0.1943 worse  0.1871 … 0.2012  0.2011 worse        0.1400 worse

value squared error, on unseen positions: worse than material alone, 0.2189 against 0.1743
`
	colours := regexp.MustCompile("\x1b\\[31mworse\x1b\\[m")
	for _, columns := range []int{40, 50, 60, 80, 100, 200} {
		t.Setenv("NO_COLOR", "1")
		want := on(t, columns, func(o *outlet) { writeJudged(o, text) })
		t.Setenv("NO_COLOR", "")
		got := on(t, columns, func(o *outlet) { writeJudged(o, text) })
		if n := strings.Count(got, "worse"); len(colours.FindAllString(got, -1)) != n || n < 5 ||
			colours.ReplaceAllString(got, "worse") != want {
			t.Errorf("%d columns: got\n%s\nwant\n%s", columns, got, want)
		}
	}
}
