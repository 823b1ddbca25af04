package studio

import (
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"talbot/evaluate"
	"talbot/internal/table"
	"talbot/network/run"
	"talbot/play/match"
	"talbot/train/job"
	"talbot/train/report"
)

// longNames are what people, programs and folders may be called: without a place to break, markup, from right to left,
// and marks above each other.
var longNames = []string{strings.Repeat("W", 10_000), strings.Repeat("<script>alert(1)</script>&\"'", 400),
	"\u202e" + strings.Repeat("\u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627 ", 500),
	strings.Repeat("Z\u0351\u036b\u0343", 1500)}

// folderName is the beginning of a name that a file system takes, made one of its kind.
func folderName(kind, name string) string {
	name = kind + strings.ReplaceAll(name, "/", "|")
	return strings.ToValidUTF8(name[:min(len(name), 250)], "")
}

// newNamed is a folder with one of each, all of whose names are long.
func newNamed(t *testing.T, name string) (s *served, pages []string) {
	t.Helper()
	dir := t.TempDir()
	at := func(kind string) string { return filepath.Join(dir, folderName(kind, name)) }
	m := makeMatch(t, at("match"), name, "b"+name)
	for i := range 3 {
		m.play(i)
	}
	result, err := json.Marshal(match.Result{Players: []match.PlayerResult{{Name: name}, {Name: "b" + name}}})
	if err != nil {
		t.Fatal(err)
	}
	put(t, string(result), at("match"), match.ResultFile)
	other := makeRun(t, at("other"), func(c *run.Config) { c.Seed = 7; c.From.Path = name })
	line := makeRun(t, at("run"), func(*run.Config) {})
	for i := 1; i <= 5; i++ {
		line("train", 100*i, 4/float64(i))
		other("train", 100*i, 5/float64(i))
	}
	line("val", 500, 1)
	x := 0.25
	card, err := json.Marshal(report.Card{Checkpoint: name, Step: 100, Split: name, Note: name, Samples: 7,
		Verdicts: table.Verdicts{{Class: "better", Head: name, Title: name, Text: name, Aside: name}},
		Figures:  table.Tiles{{Name: name, Value: name, Note: name, Words: name, Help: name}},
		Misses: []evaluate.Miss{{FEN: "4k2r/8/8/8/8/8/8/4K2R b Kk - 0 9", Source: "game", Game: name, Value: &x,
			Target: evaluate.MoveProbability{UCI: "e8g8", SAN: "O-O", Probability: 0.004},
			Moves:  []evaluate.MoveProbability{{UCI: "h8h1", SAN: "Rxh1+", Probability: 0.75}}}}})
	if err != nil {
		t.Fatal(err)
	}
	put(t, string(card), at("run"), job.CardName)
	put(t, "{", at("damaged"), "run.json")
	makeNamedData(t, at("data"), 30, name, name)
	makePrior(t, at("people"))
	s = serve(t, dir)
	key := func(kind string) string { return s.keyOf(folderName(kind, name)) }
	short := strings.ToValidUTF8(name[:2000], "") // a form has a limit
	people := s.to("POST", "/people", url.Values{"run": {key("people")},
		"pgn": {fmt.Sprintf("[White %q]\n[Black %q]\n\n1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6", short, short)}})
	run, data, game := "/run/"+key("run"), "/data/"+key("data"), "/match/"+key("match")
	return s, []string{"/", "/play", "/people", "/people?run=" + key("people"), people + "#ply=2",
		run + "/compare?split=all&with=" + key("people") + "&data=" + key("data"), game, game + "/game/1#ply=5",
		run + "?with=" + key("other"), run, "/run/" + key("damaged"), data,
		data + "?label=yes&player=" + url.QueryEscape(name[:100]), data + "/statistics",
		data + "/sample/13?run=" + key("people")}
}

// Long names widen no page, and stay in their boxes.
func TestBrowserNames(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	for n, name := range longNames {
		s, pages := newNamed(t, name)
		p := browse(t, s)
		for _, path := range pages {
			p.open(s, path)
			p.until(`document.readyState === "complete" && !!document.querySelector("main h1") &&
				!document.getElementById("waiting")`)
			p.do(chromedp.Evaluate[chromedp.Void](
				`document.querySelectorAll("details").forEach((d) => { d.open = true; })`))
			for _, width := range []int64{400, 1280} {
				p.do(chromedp.EmulateViewport(width, 900))
				found, err := chromedp.Run(p.ctx, chromedp.Evaluate[[]string](outside))
				if err != nil {
					t.Fatalf("%s: %v", path, err)
				}
				for _, text := range found {
					t.Errorf("name %d, %.60s, %d px: %s", n, path, width, text)
				}
			}
		}
	}
}

// outside names elements that are wider than the window, or whose contents are wider than themselves, but for what
// scrolls or is cut on purpose.
const outside = `[...document.querySelectorAll("body *")].filter((e) => {
		const b = e.getBoundingClientRect();
		if (!b.width || e.closest("svg, .hidden, .skip, option")) return false;
		for (let up = e.parentElement; up; up = up.parentElement) {
			if (getComputedStyle(up).overflowX !== "visible") return false;
		}
		const over = getComputedStyle(e).overflowX === "visible" && e.clientWidth > 0 && e.scrollWidth > e.clientWidth + 1;
		return over || b.right > innerWidth + 1 || b.left < -1;
	}).slice(0, 3).map((e) => e.outerHTML.slice(0, 200))`
