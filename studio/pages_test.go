package studio

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"talbot/evaluate"
	"talbot/internal/table"
	"talbot/network/run"
	"talbot/play/match"
	"talbot/train/job"
	"talbot/train/report"
)

// open opens a page of studio's.
func (p *tab) open(s *served, path string) {
	p.t.Helper()
	p.do(chromedp.Navigate(s.at.URL + path))
}

func (p *tab) key(keys ...string) {
	p.t.Helper()
	for _, key := range keys {
		p.do(chromedp.KeyEvent(key))
	}
}

// choose picks an option of a select, as a person does.
func (p *tab) choose(name, value string) {
	p.t.Helper()
	p.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`(() => { const s = document.querySelector("select[name=%s]");
		s.value = %q; setTimeout(() => s.dispatchEvent(new Event("change", { bubbles: true }))); })()`, name, value)))
}

// back goes back in the history. A page that comes out of the browser's cache does not load again.
func (p *tab) back() {
	p.t.Helper()
	p.do(chromedp.Evaluate[chromedp.Void]("setTimeout(() => history.back()); undefined"))
}

// middle is that of an element, once the page is loaded and the mouse would meet that element there. It is brought into
// view. It is asked of the page: the browser's numbers of nodes may change while a page loads.
func (p *tab) middle(selector string) (x, y float64) {
	p.t.Helper()
	middle := fmt.Sprintf(`(() => { const e = document.querySelector(%q); e?.scrollIntoView({ block: "center" });
		const b = e?.getBoundingClientRect(), x = b?.x + b?.width / 2, y = b?.y + b?.height / 2;
		return e?.contains(document.elementFromPoint(x || 0, y || 0)) ? [x, y] : null; })()`, selector)
	p.until(`document.readyState === "complete" && !!` + middle)
	at, err := chromedp.Run(p.ctx, chromedp.Evaluate[[]float64](middle))
	if err != nil || len(at) != 2 {
		p.t.Fatalf("%s: %v, %v", selector, at, err)
	}
	return at[0], at[1]
}

// point moves the mouse onto the middle of an element, and press presses it there.
func (p *tab) point(selector string) {
	p.t.Helper()
	x, y := p.middle(selector)
	p.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, x, y))
}

func (p *tab) press(selector string) {
	p.t.Helper()
	x, y := p.middle(selector)
	p.do(chromedp.MouseClickXY(x, y))
}

// clean fails the test if something happened that must not.
func (p *tab) clean() {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, text := range p.bad {
		p.t.Error(text)
	}
}

// world is a folder with one of each, and what makes them grow.
type world struct {
	*served
	match *made
	line  func(kind string, step int, loss float64)
}

func newWorld(t *testing.T) *world {
	t.Helper()
	dir := t.TempDir()
	w := &world{match: makeMatch(t, filepath.Join(dir, "match"), "one", "two")}
	w.match.play(0)
	w.match.play(1)
	w.line = makeRun(t, filepath.Join(dir, "run"), func(*run.Config) {})
	other := makeRun(t, filepath.Join(dir, "other"), func(c *run.Config) { c.Seed = 7 })
	for i := 1; i <= 5; i++ {
		w.line("train", 100*i, 4/float64(i))
		other("train", 100*i, 5/float64(i))
	}
	w.line("val", 500, 1)
	makeData(t, filepath.Join(dir, "data"), 30)
	makePrior(t, filepath.Join(dir, "people"))
	w.served = serve(t, dir)
	return w
}

// A person looks at a match, a run and a dataset by mouse and keyboard. What grows is shown, what is chosen stands in
// the address, and reload and the back button find the place again.
func TestBrowserPages(t *testing.T) {
	s := newWorld(t)
	p := browse(t, s.served)
	p.until(`document.querySelectorAll("#list a.name").length === 5`)

	// A match: a game ends, and is replayed by the keyboard.
	p.press(`a.name[href^="/match/"]`)
	p.until(`document.querySelectorAll("#games tbody tr").length === 2`)
	s.match.play(2)
	p.until(`document.querySelectorAll("#games tbody tr").length === 3`)
	p.choose("show", "lost")
	p.until(`location.search.includes("show=lost") && document.querySelectorAll("#games tbody tr").length === 1`)
	p.press(`#games tbody a`)
	p.until(`document.querySelectorAll("#moves button").length === 7 && !!document.querySelector("#graph svg .cursor")`)
	p.key(kb.End, kb.ArrowLeft, "f")
	p.until(`document.querySelector("#moves [aria-current]").textContent === "Nf6 -2.50"`)
	p.do(chromedp.Reload())
	p.until(`document.querySelector("#moves [aria-current]")?.textContent === "Nf6 -2.50" &&
		location.hash.includes("flip")`)
	p.back()
	p.until(`location.search.includes("show=lost") && !!document.getElementById("games")`)

	// A run: it grows, another one is drawn over it, and the mouse and the keyboard read values.
	at := "/run/" + s.keyOf("run")
	p.open(s.served, at)
	p.until(`!!document.querySelector(".plots svg[data-units=steps]")`)
	s.line("train", 600, 0.6)
	p.until(`document.querySelector(".plots g[data-name=train]").dataset.values.includes("600:0.1")`)
	p.point(".plots svg")
	p.until(`/^steps 3\d\d: train 0.\d+ · val 0.5$/.test(document.querySelector(".plots output").textContent)`)
	p.do(chromedp.Evaluate[chromedp.Void](`document.querySelector(".plots svg").focus()`))
	p.key(kb.End)
	p.until(`document.querySelector(".plots output").textContent === "steps 600: train 0.1 · val 0.5"`)
	p.choose("axis", "samples")
	p.until(`!!document.querySelector(".plots svg[data-units=samples]") && location.search.includes("axis=samples")`)
	p.press("#view summary")
	p.press("#view [name=with][value='" + s.keyOf("other") + "']")
	p.until(`/Settings that differ/.test(document.getElementById("live").textContent) &&
		document.querySelectorAll(".plots:not(.course) g.c1").length > 0`)
	p.do(chromedp.Reload())
	p.until(`!!document.querySelector("#view [name=with]:checked") && !!document.querySelector("svg[data-units=samples]")`)
	p.back()
	p.until(`location.search.includes("axis=samples") && !document.querySelector("#view [name=with]:checked") &&
		!!document.querySelector("svg[data-units=samples]")`)

	// A dataset: a filter, a sample of it, its past, the next one, and back.
	p.open(s.served, "/data/"+s.keyOf("data"))
	p.until(`document.querySelectorAll(".samples article").length === 12`)
	p.choose("label", "yes")
	p.until(`location.search === "?label=yes" && document.querySelectorAll(".samples article").length === 10 &&
		/^10 samples/.test(document.querySelector(".count").textContent)`)
	p.press(".samples article:nth-child(2) h2 a")
	p.until(`/^The sample, after e4$/.test(document.getElementById("status").textContent) &&
		document.querySelectorAll("#drawing .best").length === 1`)
	p.key(kb.ArrowLeft)
	p.until(`/the start of the line/.test(document.getElementById("status").textContent) && location.hash === "#ply=0"`)
	p.key("n")
	p.until(`location.pathname.endsWith("/sample/25") && location.search === "?label=yes"`)
	p.back()
	p.until(`location.pathname.endsWith("/sample/13") && location.hash === "#ply=0" &&
		/the start of the line/.test(document.getElementById("status").textContent)`)
	p.back()
	p.until(`location.search === "?label=yes" && document.querySelectorAll(".samples article").length === 10`)

	// A sample as another recipe sees it, with what a run says of it.
	p.open(s.served, "/data/"+s.keyOf("data")+"/sample/13?label=yes")
	const ready = `/^The sample/.test(document.getElementById("status").textContent)`
	p.until(ready)
	p.choose("recipe", "tahl")
	p.until(`location.search.includes("recipe=tahl") && location.search.includes("label=yes") &&
		/What the recipe tahl reads/.test(document.querySelector(".planes summary").textContent) && ` + ready)
	p.choose("run", s.keyOf("people"))
	p.until(`/^people: probabilities/.test(document.getElementById("prediction")?.textContent) &&
		document.querySelectorAll("#drawing .prior").length > 0`)

	// A game of a match is reviewed.
	p.open(s.served, "/match/"+s.key(aMatch)+"/game/1")
	p.until(`document.querySelectorAll("#moves button").length > 0`)
	p.press("#review")
	p.until(`/^\/review\/.+\/index.html$/.test(location.pathname)`)
}

// A person pastes a game, steps through it by the keyboard, chooses a rating, and looks for traps; reload and back find
// the place again. Then two networks are watched.
func TestBrowserPeople(t *testing.T) {
	s := newWorld(t)
	p := browse(t, s.served)
	p.press(`nav a[href="/people"]`)
	p.until(`!!document.getElementById("pgn")`)
	p.do(chromedp.Evaluate[chromedp.Void](`document.getElementById("pgn").focus()`), chromedp.KeyEvent("1. e4 e5 2. Nf3"))
	p.press("button.main")
	const rows = `document.querySelectorAll("#rows tr").length`
	p.until(rows + ` > 3 && /^Position after 0 of 3/.test(document.getElementById("status").textContent)`)
	p.key(kb.ArrowRight, kb.ArrowRight, "8")
	p.until(rows + ` > 3 && /^Position after 2 of 3/.test(document.getElementById("status").textContent) &&
		document.querySelector("input[name=elo]:checked").value === "2500" && location.hash === "#ply=2&elo=2500"`)
	p.press("#sweep")
	p.until(`/^4 of 4 positions/.test(document.getElementById("progress").textContent) &&
		document.querySelectorAll("#moves small").length === 3`)
	p.do(chromedp.Reload())
	p.until(rows + ` > 3 && document.querySelector("input[name=elo]:checked").value === "2500" &&
		/ played$/.test([...document.querySelectorAll("#rows th")].find((e) => e.textContent.startsWith("Nf3")).textContent)`)
	p.press(`a#play`)
	p.until(`!!document.getElementById("fen") && /Nf3|e5|4p3/.test(document.getElementById("fen").value)`)
	p.back()
	p.until(rows + ` > 3 && location.hash === "#ply=2&elo=2500"`)

	p.open(s.served, "/play")
	p.until(`!!document.getElementById("second")`)
	p.do(chromedp.SetValue(chromedp.CSS("#nodes"), "2"))
	p.press("input[value=watch]")
	p.press("button.main")
	const moves = `document.querySelectorAll("#moves button").length`
	p.until(moves + ` >= 2 && document.getElementById("pause").textContent === "Pause"`)
	p.key("p")
	p.until(`document.getElementById("pause").textContent === "Go on" &&
		/Paused/.test(document.getElementById("status").textContent)`)
	p.press("#pause")
	p.until(moves + ` >= 4`)
}

// No page breaks a rule of axe-core, light or dark, and none is wider than the window.
func TestBrowserAxe(t *testing.T) {
	script := axe(t)
	s := newWorld(t)
	p := browse(t, s.served)
	run, data := "/run/"+s.keyOf("run"), "/data/"+s.keyOf("data")
	p.open(s.served, "/play")
	p.until(`!!document.getElementById("nodes")`)
	p.do(chromedp.Evaluate[chromedp.Void](`document.getElementById("nodes").value = 16`))
	p.press("button.main")
	p.mine(0)
	game, err := chromedp.Run(p.ctx, chromedp.Evaluate[string]("location.pathname"))
	if err != nil {
		t.Fatal(err)
	}
	people := s.to("POST", "/people", url.Values{"pgn": {"1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6"}})
	compare := run + "/compare?split=all&with=" + s.keyOf("people") + "&data=" + s.keyOf("data")
	_, review, _ := s.upload("My games.pgn", evaluated, "nodes", "0", "people", s.keyOf("people"))
	s.done(review)
	s.library.forget()
	for _, path := range []string{"/", "/play", game, "/people", people + "#ply=2", compare, "/review", review,
		strings.Replace(review, "index", "game/0001", 1) + "#ply=5",
		"/match/" + s.keyOf("match"),
		"/match/" + s.keyOf("match") + "/game/1#ply=5", run + "?axis=time&scale=log&with=" + s.keyOf("other"),
		data + "?label=yes", data + "/statistics", data + "/sample/13", data + "/sample/99999"} {
		p.open(s.served, path)
		p.until(`document.readyState === "complete" && !!document.querySelector("main h1")`)
		p.do(chromedp.Evaluate[chromedp.Void](script+"; undefined"),
			chromedp.Evaluate[chromedp.Void](`document.querySelectorAll("details").forEach((d) => { d.open = true; })`))
		for i, width := range []int64{400, 1280, 1920} {
			p.do(chromedp.EmulateViewport(width, 900), scheme([]string{"light", "dark", "light"}[i]))
			wider, err := chromedp.Run(p.ctx, chromedp.Evaluate[float64](
				`document.documentElement.scrollWidth - document.documentElement.clientWidth`))
			if err != nil || wider > 0 {
				t.Errorf("%s is %g px wider than %d: %v", path, wider, width, err)
			}
			if i == 2 {
				break
			}
			found, err := chromedp.Run(p.ctx, chromedp.Evaluate[[]string](fmt.Sprintf(axeRun, []string{
				"{}", `{ runOnly: ["color-contrast"] }`}[i]), chromedp.EvalAwaitPromise))
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			for _, text := range found {
				t.Errorf("%s, %d px: %s", path, width, text)
			}
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bad = nil // the last page is missing, as the browser says
}

// axeRun runs axe-core and gives what it found, in words.
const axeRun = `axe.run(%s).then((r) => r.violations.map((v) =>
	v.id + ", " + v.nodes.length + " times: " + v.nodes[0].html.slice(0, 200) + " " + v.nodes[0].failureSummary))`

// scheme has pages be light or dark.
func scheme(look string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: look}}})
		return err
	})
}

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
	_, review, _ := s.upload(name, fmt.Sprintf("[White %q]\n[Black %q]\n[Opening %q]\n%s", short, short, short,
		evaluated), "nodes", "0", "people", key("people"))
	s.done(review)
	return s, []string{"/review", review, strings.Replace(review, "index", "game/0001", 1) + "#ply=5",
		"/", "/play", "/people", "/people?run=" + key("people"), people + "#ply=2",
		run + "/compare?split=all&with=" + key("people") + "&data=" + key("data"), game, game + "/game/1#ply=5",
		run + "?with=" + key("other"), run, "/run/" + key("damaged"), data,
		data + "?label=yes&player=" + url.QueryEscape(name[:100]), data + "/statistics",
		data + "/sample/13?run=" + key("people")}
}

// Long names widen no page, and stay in their boxes.
func TestBrowserNames(t *testing.T) {
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
