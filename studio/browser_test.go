package studio

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// tab is a page of a browser without a screen. What must never happen in it is an error of its test.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu  sync.Mutex
	bad []string // messages of the console, requests to elsewhere
}

// openTab starts a browser whose pages may ask one origin only.
func openTab(t *testing.T, origin string) *tab {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Skip("SKIPPED: Chromium is missing; on Debian: apt-get install chromium")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.DisableGPU,
		chromedp.WindowSize(1280, 900), chromedp.UserDataDir(t.TempDir()), chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true), chromedp.WSURLReadTimeout(time.Minute))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 90*time.Second)
	t.Cleanup(cancel)
	p := &tab{t: t, ctx: ctx}
	if err := chromedp.Do(ctx); err != nil { // opens it
		t.Fatal(err)
	}
	err := chromedp.Listen(ctx, func(event any) {
		switch e := event.(type) {
		case *network.EventRequestWillBeSent:
			if !strings.HasPrefix(e.Request.URL, origin+"/") {
				p.note("a request to " + e.Request.URL)
			}
		case *runtime.EventExceptionThrown:
			p.note("exception: " + e.ExceptionDetails.Text)
		case *runtime.EventConsoleAPICalled:
			p.note(fmt.Sprintf("console.%s", e.Type))
		case *log.EventEntryAdded:
			p.note(fmt.Sprintf("%s: %s %s", e.Entry.Level, e.Entry.Text, e.Entry.URL))
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.clean)
	return p
}

// browse opens the address that studio prints.
func browse(t *testing.T, s *served) *tab {
	t.Helper()
	p := openTab(t, s.at.URL)
	p.open(s, "/?token="+url.QueryEscape(s.guard.token))
	p.until(`location.search === "" && !!document.getElementById("list")`)
	return p
}

func (p *tab) note(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bad = append(p.bad, text)
}

func (p *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, actions...); err != nil {
		p.t.Fatal(err)
	}
}

// until waits for an expression of the page to be true; an error while a page is exchanged is a no.
func (p *tab) until(expression string) {
	p.t.Helper()
	for range 600 {
		if is, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool](expression)); err == nil && is {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	text, _ := chromedp.Run(p.ctx, chromedp.Evaluate[string](`location.href + "\n" + document.body.innerText`))
	p.t.Fatalf("waited in vain for %s\n%s\n%q", expression, text, p.bad)
}

// click presses the mouse on a square.
func (p *tab) click(squares ...string) {
	p.t.Helper()
	for _, s := range squares {
		p.do(chromedp.Click(chromedp.CSS(`[data-square="` + s + `"]`)))
	}
}

// mine waits until so many half-moves are played and the person is to move.
func (p *tab) mine(plies int) {
	p.t.Helper()
	p.until(fmt.Sprintf(`document.querySelectorAll("#moves button").length === %d &&
		/Your move/.test(document.getElementById("status").textContent)`, plies))
}

// axe-core, and the SHA-256 of its script as it was published.
const (
	axeVersion = "axe-core@4.10.3"
	axeSum     = "880970c081707360e64f34cea25ff91892f5bc95675b0776925b9709dd8a68bb"
)

// axe returns the script of axe-core, which npm fetches; without npm or its registry the test is skipped.
func axe(t *testing.T) string {
	t.Helper()
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("SKIPPED: npm is missing, so axe-core cannot be fetched; on Debian: apt-get install npm")
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	install := exec.CommandContext(ctx, npm, "install", "--silent", "--ignore-scripts", "--no-save", axeVersion)
	install.Dir, install.WaitDelay = t.TempDir(), time.Second
	if out, err := install.CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: axe-core cannot be fetched: %v: %s", err, out)
	}
	script, err := os.ReadFile(filepath.Join(install.Dir, "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprintf("%x", sha256.Sum256(script)) != axeSum {
		t.Fatal("this is not the axe-core that was published")
	}
	return string(script)
}
