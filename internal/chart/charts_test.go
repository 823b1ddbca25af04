package chart

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"
	"testing"

	"talbot/board"
)

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      []float64
	}{
		{0, 1, []float64{0, 0.2, 0.4, 0.6, 0.8, 1}},
		{-1, 1, []float64{-1, -0.5, 0, 0.5, 1}},
		{2.7, 6.6, []float64{2, 3, 4, 5, 6, 7}},
		{0, 0.005, []float64{0, 0.001, 0.002, 0.003, 0.004, 0.005}},
		{100, 1200, []float64{0, 500, 1000, 1500}},
	} {
		got := ticks(c.low, c.high, 5, 0)
		ok := len(got) == len(c.want)
		for i := range got {
			ok = ok && math.Abs(got[i]-c.want[i]) < 1e-12
		}
		if !ok {
			t.Errorf("from %g to %g: %v, want %v", c.low, c.high, got, c.want)
		}
	}
}

// A long line is thinned and smoothed, and its end is where it was.
func TestLongLine(t *testing.T) {
	var long []Point
	for step := 1; step <= 100_000; step++ {
		noise := float64(step*7919%1000)/1000 - 0.4995 // of mean 0 over a thousand steps
		long = append(long, Point{float64(step), 2 + noise})
	}
	c, ok := NewLineChart(Lines{Curves: []Curve{{Points: long}}})
	if !ok || !c.Smoothed {
		t.Fatalf("%+v", c)
	}
	s := c.Series[0]
	if n := strings.Count(s.Path, "L"); n != 999 || strings.Count(s.Raw, "L") != n {
		t.Errorf("lines of %d parts", n)
	}
	points := make([]Point, 200)
	for i := range points {
		points[i] = Point{float64(i), float64(3 * i)}
	}
	for i, p := range smooth(points, SmoothLong) {
		// two neighbours on a side
		if want := points[i]; i == len(points)-1 && p.Y != want.Y-3 || i < len(points)-2 && p != want {
			t.Errorf("a straight line bends at %d: %v", i, p)
		}
	}
	falls := []Curve{{Points: make([]Point, 100)}}
	for i := range falls[0].Points {
		falls[0].Points[i] = Point{float64(i), 100 / float64(i+1)}
	}
	if start := cutStart(falls); start != 100 || len(falls[0].Points) != 95 || falls[0].Points[0].X != 5 {
		t.Errorf("from %g, %d points left", start, len(falls[0].Points))
	}
}

// The axis of a bar chart ends at the greatest count or above it, at whole numbers, and a chart of nothing is none.
func TestBars(t *testing.T) {
	for _, c := range []struct {
		most  int64
		marks string
	}{
		{1, "1"}, {4, "1 2 3 4"}, {7, "2 4 6 8"}, {1000, "200 400 600 800 1 k"},
		{1001, "500 1 k 1.5 k"}, {2_500_000, "500 k 1 M 1.5 M 2 M 2.5 M"},
	} {
		b, ok := NewBarChart(Bars{Bars: []Bar{{"a", c.most}, {"b", 0}}})
		var marks []string
		for _, m := range b.Y {
			marks = append(marks, m.Text)
		}
		if got := strings.Join(marks, " "); !ok || got != c.marks {
			t.Errorf("up to %d: %s, want %s", c.most, got, c.marks)
		}
		if high, none := b.Bars[0], b.Bars[1]; high.Y < b.Top || high.Y+high.Height != b.Base || none.Height != 0 {
			t.Errorf("up to %d: bars %+v", c.most, b.Bars)
		}
	}
	empty := Bars{Bars: []Bar{{"a", 0}}}
	_, standing := NewBarChart(empty)
	_, lying := NewBarList(empty)
	_, line := NewLineChart(Lines{Curves: []Curve{{Points: []Point{{1, 1}}}}, Falls: true})
	if _, none := NewLineChart(Lines{Falls: true}); standing || lying || line || none {
		t.Error("a chart of nothing")
	}
}

// Every picture is drawn, what it is named being text.
func TestDraw(t *testing.T) {
	bars := Bars{Title: "<u>", Unit: "games", Bars: []Bar{{"<i>", 1234}}}
	standing, _ := NewBarChart(bars)
	lying, _ := NewBarList(bars)
	lines, _ := NewLineChart(Lines{Title: "<u>", Curves: []Curve{{Name: "<i>", Points: []Point{{1, 1}, {2, 1234}}}}})
	p := board.StartPosition()
	for want, picture := range map[string]interface{ HTML() (template.HTML, error) }{"1,234 games": standing,
		"100.0 %": lying, ">steps<": lines,
		"1,234 positions": NewCalibrationChart(Calibration{Title: "<u>", XName: "<i>",
			Bins: []Bin{{From: 0, To: 1, Count: 1234}}}), `href="#k"`: NewBoard(&p)} {
		html, err := picture.HTML()
		if text := string(html); err != nil || !strings.Contains(text, want) || strings.Contains(text, "<u>") ||
			strings.Contains(text, "<i>") {
			t.Errorf("%T: %v, %s", picture, err, text)
		}
	}
}

// On a logarithmic axis equal ratios are equally far apart, what has no logarithm is left out, and the values are
// carried as they are.
func TestLogLines(t *testing.T) {
	c, ok := NewLineChart(Lines{Title: "loss", Log: true, Values: true, Unit: "hour", Parts: true, Smooth: SmoothNone,
		Curves: []Curve{{Name: "a", Class: "c0", Points: []Point{{0, 1}, {0.5, 10}, {1, 100}, {1.5, 0}, {2, -1}}}}})
	if !ok || c.Units != "hours" || c.From != 0 || c.To != 1 || c.Series[0].Values != "0:1 0.5:10 1:100" {
		t.Fatalf("%+v", c)
	}
	var x, y [3]float64
	if n, err := fmt.Sscanf(c.Series[0].Path, "M%g %gL%g %gL%g %g", &x[0], &y[0], &x[1], &y[1], &x[2], &y[2]); n != 6 {
		t.Fatal(c.Series[0].Path, err)
	}
	if math.Abs((y[0]-y[1])-(y[1]-y[2])) > 0.2 || y[0] <= y[1] {
		t.Errorf("%v", y)
	}
	for _, r := range [][2]float64{{1, 100}, {0.9, 1.1}, {1e-9, 1e9}, {3.2, 3.3}, {2, 7}, {0.05, 0.5}} {
		list := logTicks(r[0], r[1])
		if n := len(list); n < 2 || n > 25 || list[0] > r[0] || list[n-1] < r[1] || !slices.IsSorted(list) {
			t.Errorf("%v: %v", r, list)
		}
	}
}

// The step of the best checkpoint is marked where its validation is.
func TestBest(t *testing.T) {
	val := Curve{Name: "val", Dots: true, Points: []Point{{0, 3}, {1000, 1}, {2000, 2}}}
	c, ok := NewLineChart(Lines{Note: "nats", Curves: []Curve{val}, Best: 1000})
	if !ok || c.Best == nil || !c.Best.Ring || c.Best.X != c.Series[0].Dots[1].X || c.Best.Y != c.Series[0].Dots[1].Y ||
		c.Note != "nats; dotted: the best, step 1,000" {
		t.Errorf("%+v", c)
	}
}

func TestPlain(t *testing.T) {
	long := strings.Repeat("é", 5000)
	for text, want := range map[string]string{"Übel, שלום": "Übel, שלום", "a\u202eb\x00": `a\u202eb\x00`, "<b>": "<b>",
		"\xff": `\xff`, long: strings.Repeat("é", longest) + "…"} {
		if got := Plain(text); got != want {
			t.Errorf("%.20q is %.200q", text, got)
		}
	}
	if got := Plain(Name(long) + " – " + Name(long)); strings.Count(got, "…") != 2 {
		t.Errorf("of two names %.200q is left", got)
	}
}

// Every man stands on its square, the side to move below, and an arrow goes from square to square.
func TestBoard(t *testing.T) {
	for _, c := range []struct {
		fen           string
		kingX, kingY  int // of White's king on e1
		queenX, queen int // of Black's queen on d8
		files, ranks  string
		number        string
	}{
		{"3qk3/8/8/8/8/8/8/4K3 w - - 0 7", 4 * side, 7 * side, 3 * side, 0, "abcdefgh", "12345678", "7."},
		{"3qk3/8/8/8/8/8/8/4K3 b - - 0 7", 3 * side, 0, 4 * side, 7 * side, "abcdefgh", "12345678", "7…"},
	} {
		p, err := board.ParseFEN(c.fen)
		if err != nil {
			t.Fatal(err)
		}
		b := NewBoard(&p)
		found := map[boardPiece]bool{}
		for _, m := range b.Men {
			found[m] = true
		}
		if len(b.Men) != 3 || !found[boardPiece{"k", true, c.kingX, c.kingY}] ||
			!found[boardPiece{"q", false, c.queenX, c.queen}] {
			t.Errorf("%s: men %+v", c.fen, b.Men)
		}
		files, ranks := "", ""
		for i := range b.Files {
			files, ranks = files+b.Files[i].Text, ranks+b.Ranks[i].Text
		}
		if files != c.files || ranks != c.ranks || b.Number != c.number || b.FEN != c.fen {
			t.Errorf("%s: %s, %s, %s", b.FEN, files, ranks, b.Number)
		}
		b.Arrow("target", board.NewMove(4, 12)) // e1e2
		if a := b.Arrows[0]; a.X1 != a.X2 || (a.Y1 > a.Y2) != (p.Turn() == board.White) {
			t.Errorf("%s: arrow %+v", c.fen, a)
		}
	}
}
