package studio

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"talbot/network/recipe"
	"talbot/network/run"
	"talbot/train"
	"talbot/train/job"
	"talbot/train/loader"
)

// walk goes to a square by the arrow keys, and presses Enter there.
func (p *tab) walk(squares ...string) {
	p.t.Helper()
	p.do(chromedp.Evaluate[chromedp.Void](`document.querySelector("#squares [tabindex='0']").focus()`))
	for _, to := range squares {
		at, err := chromedp.Run(p.ctx, chromedp.Evaluate[string]("document.activeElement.dataset.square"))
		if err != nil || len(at) != 2 {
			p.t.Fatalf("%q, %v", at, err)
		}
		for i, keys := range [2][2]string{{kb.ArrowRight, kb.ArrowLeft}, {kb.ArrowUp, kb.ArrowDown}} {
			steps, key := int(to[i])-int(at[i]), keys[0]
			if steps < 0 {
				steps, key = -steps, keys[1]
			}
			p.key(slices.Repeat([]string{key}, steps)...)
		}
		p.key(kb.Enter)
	}
}

// A game is won by the mouse, and once more by the keyboard: Black has one answer to each of White's first moves. What
// the network thinks is shown, a move is taken back, a reload keeps the game, a pawn becomes a queen, and the mate is
// said.
func TestBrowserMate(t *testing.T) {
	s := serve(t, t.TempDir())
	p := browse(t, s)
	p.open(s, "/play?fen="+url.QueryEscape("7k/8/P7/8/8/8/R7/1R4K1 w - - 0 1"))
	p.until(`!!document.getElementById("nodes")`)
	p.do(chromedp.SetValue(chromedp.CSS("#nodes"), "2"))
	p.press("button.main")
	const mated = `document.querySelectorAll("#moves button").length === 5 &&
		/^a8=Q#\. White wins: checkmate/.test(document.getElementById("status").textContent)`
	for _, move := range []func(...string){p.click, p.walk} {
		p.mine(0)
		move("b1", "b7")
		p.mine(2)
		p.press(`[data-do="back"]`)
		p.mine(0)
		move("b1", "b7")
		p.mine(2)
		p.until(`document.querySelectorAll("#lines li").length > 0 && document.querySelectorAll("#prior li").length > 0`)
		p.do(chromedp.Reload())
		p.mine(2)
		move("a6", "a7")
		p.mine(4)
		move("a7", "a8")
		p.until(`document.activeElement.parentElement.id === "promote"`)
		p.key(kb.Enter)
		p.until(mated)
		p.press(`[data-do="new"]`)
	}
}

// A training is looked at while it runs: its losses grow without a reload, and its end is seen.
func TestBrowserTraining(t *testing.T) {
	dir := t.TempDir()
	makeData(t, filepath.Join(dir, "data"), 30)
	r, err := recipe.ByName("prior")
	if err != nil {
		t.Fatal(err)
	}
	training := job.Train{Dir: filepath.Join(dir, "run"), Data: []loader.Spec{{Dir: filepath.Join(dir, "data")}},
		Recipe: "prior", Steps: 60, Backend: "go",
		Progress: func(train.Progress) { time.Sleep(100 * time.Millisecond) },
		Adjust: func(c *run.Config) (err error) {
			c.Batch = 4
			for _, set := range []string{"blocks", "filters"} {
				var bad error
				c.Settings, bad = r.Set(c.Settings, set, "4")
				err = errors.Join(err, bad)
			}
			return err
		}}
	s := serve(t, dir)
	p := browse(t, s)
	p.until(`document.querySelectorAll("#list a.name").length === 1`)
	ended := make(chan error, 1)
	go func() { _, err := training.Run(t.Context()); ended <- err }()
	p.until(`!!document.querySelector('a.name[href^="/run/"]') && !!document.querySelector("#runs ~ div .live")`)
	p.press(`a.name[href^="/run/"]`)
	const drawn = `document.querySelector(".plots g[data-name=train]")?.dataset.values.split(" ").length`
	p.until(`/^training$/.test(document.querySelector("h1 .live")?.textContent) && ` + drawn + ` > 1`)
	p.do(chromedp.Evaluate[chromedp.Void]("window.stays = true"))
	before, err := chromedp.Run(p.ctx, chromedp.Evaluate[int](drawn))
	if err != nil {
		t.Fatal(err)
	}
	p.until(fmt.Sprintf(`%s > %d && !!document.querySelector("h1 .live")`, drawn, before))
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	p.until(`!document.querySelector("h1 .live") && /Step 60 of 60/.test(document.getElementById("head").textContent) &&
		/step-000000000060/.test(document.getElementById("live").textContent) && window.stays`)
}
