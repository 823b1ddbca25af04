package cli

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/rivo/uniseg"

	"talbot/internal/progress"
)

// screenOf returns the rows of a terminal's screen, without the empty ones at the end.
func screenOf(e *vt.Emulator) []string {
	rows := strings.Split(e.String(), "\n")
	for i, r := range rows {
		rows[i] = strings.TrimRight(r, " ")
	}
	for len(rows) > 0 && rows[len(rows)-1] == "" {
		rows = rows[:len(rows)-1]
	}
	return rows
}

// onScreen returns a Terminal that writes to an emulated one, whose driver begins a new line at each line end.
func onScreen(e *vt.Emulator) *Terminal { return NewTerminal(newlines{e}, e.Width) }

type newlines struct{ *vt.Emulator }

func (n newlines) Write(p []byte) (int, error) {
	_, err := n.Emulator.Write([]byte(strings.ReplaceAll(string(p), "\n", "\r\n")))
	return len(p), err
}

// Whatever is done, and however wide the terminal is and becomes: the last row is the line, it is the only one, and all
// text stands above it as it was written.
func TestLastLine(t *testing.T) {
	for _, columns := range []int{40, 60, 80, 120} {
		for seed := range uint64(20) {
			rng := rand.New(rand.NewPCG(seed, 1))
			e := vt.NewEmulator(columns, 60)
			o := onScreen(e)
			var said []string
			for i := range int64(60) {
				p := progress.Progress{Verb: []string{"ingest",
					"verify /a/folder/with/a/name/that/is/too/long/for/a/row"}[seed%2],
					Done: i * 17, Total: 1000, Count: rng.Int64N(1e15), Rate: rng.Int64N(1e15), Unit: "positions",
					Note: strings.Repeat("用 failed ", rng.IntN(12))}
				o.SetLine(lineOf(p, time.Duration(rng.Int64N(1e14))).Fit)
				if rng.IntN(10) == 0 && seed >= 10 {
					// A terminal that keeps what is too wide for it, out of sight.
					e.Resize([]int{40, 47, 60, 80, 120, 200}[rng.IntN(6)], 60)
					o.SetLine(lineOf(p, time.Minute).Fit)
				}
				if rng.IntN(4) == 0 {
					text := fmt.Sprintf("warning %d", i)
					said = append(said, text)
					// In pieces, as some are.
					fmt.Fprint(o, text[:3])
					o.SetLine(lineOf(p, time.Minute).Fit)
					fmt.Fprint(o, text[3:]+"\n")
				}
				checkScreen(t, e, said, "%")
			}
			o.SetLine(nil)
			checkScreen(t, e, said, "")
			if t.Failed() {
				t.Fatalf("%d columns, seed %d", columns, seed)
			}
		}
	}
}

// checkScreen compares the screen with what was said and a last row in which mark stands, or none.
func checkScreen(t *testing.T, e *vt.Emulator, said []string, mark string) {
	t.Helper()
	rows := screenOf(e)
	above := rows
	if mark != "" {
		if len(rows) == 0 || !strings.Contains(rows[len(rows)-1], mark) {
			t.Errorf("no line %q on the screen:\n%s", mark, strings.Join(rows, "\n"))
			return
		}
		above = rows[:len(rows)-1]
		if line := rows[len(rows)-1]; uniseg.StringWidth(line) >= e.Width() || strings.Count(line, "%") != 1 {
			t.Errorf("of %d columns the line takes %d: %s", e.Width(), uniseg.StringWidth(line), line)
		}
	}
	if strings.Join(above, "\n") != strings.Join(said, "\n") {
		t.Errorf("on the screen:\n%s\nwant:\n%s", strings.Join(rows, "\n"), strings.Join(said, "\n"))
	}
}

// A terminal that wraps the line anew when it becomes narrower takes the cursor along, so no row of it is left.
func TestLastLineWrappedAnew(t *testing.T) {
	e := vt.NewEmulator(40, 20)
	o := onScreen(e)
	fmt.Fprintln(o, "a warning")
	// As it is drawn at 80 columns, and what such a terminal makes of it at 40: two rows, the cursor at the first.
	wide := Line{Verb: "label", Share: 0.5, Details: []string{"3m left", strings.Repeat("x", 30)}}.Fit(80)
	fmt.Fprint(e, wide[:40]+"\r\n"+wide[40:]+"\x1b[A\r")
	o.drawn = true
	o.SetLine(Line{Verb: "label", Share: 0.5, Details: []string{"3m left"}}.Fit)
	checkScreen(t, e, []string{"a warning"}, "50%")
	fmt.Fprintln(o, "another")
	checkScreen(t, e, []string{"a warning", "another"}, "50%")
}

// Time left comes first among the details and is there at 40 columns; the bar is as full as the percentage says.
func TestStatusLine(t *testing.T) {
	line := Line{Verb: "label", Share: 0.505, Details: []string{"1h5m left", "12,345,678 positions", "54.6 M/s"}}
	for columns, want := range map[int]string{
		24:  "label  50% 1h5m left",
		40:  "label  50% |████████        | 1h5m left",
		60:  "label  50% 1h5m left, 12,345,678 positions, 54.6 M/s",
		120: "label  50% |███████████████               | 1h5m left, 12,345,678 positions, 54.6 M/s",
	} {
		if got := line.Fit(columns); got != want {
			t.Errorf("%d columns:\ngot  %q\nwant %q", columns, got, want)
		}
	}
	for columns := 2; columns < 200; columns++ {
		for _, share := range []float64{-1, 0, 0.004, 0.5, 0.999, 1} {
			line.Share = share
			text := line.Fit(columns)
			if w := uniseg.StringWidth(text); w >= columns {
				t.Errorf("share %v in %d columns: %q takes %d", share, columns, text, w)
			}
			if columns >= 40 && !strings.Contains(text, "1h5m left") {
				t.Errorf("share %v in %d columns: %q", share, columns, text)
			}
		}
	}
}

// Colour is for terminals, and for those who want it.
func TestColour(t *testing.T) {
	old := Stderr
	defer func() { Stderr = old }()
	var b strings.Builder
	for _, c := range []struct {
		terminal           bool
		noColour, cliColor string
		want               string
	}{
		{true, "", "", "\x1b[33mtalbot: warning:\x1b[m it is late\n"},
		{true, "", "1", "\x1b[33mtalbot: warning:\x1b[m it is late\n"},
		{true, "1", "", "talbot: warning: it is late\n"},
		{true, "", "0", "talbot: warning: it is late\n"},
		{false, "", "", "talbot: warning: it is late\n"},
		{false, "", "1", "talbot: warning: it is late\n"},
	} {
		t.Setenv("NO_COLOR", c.noColour)
		t.Setenv("CLICOLOR", c.cliColor)
		b.Reset()
		Stderr = NewTerminal(&b, nil)
		if c.terminal {
			Stderr.columns = func() int { return 80 }
		}
		Warnf("it is %s", "late")
		if b.String() != c.want {
			t.Errorf("%+v: %q", c, b.String())
		}
	}
	if columnsOf(os.NewFile(^uintptr(0), "none")) != nil {
		t.Error("a file that is not open is a terminal")
	}
}
