package studio

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net"
	"net/http"
	"net/url"
)

// guard decides which requests are served: those of a browser that was opened with the token, from a page of ours.
//
// The token in the address is exchanged for a cookie at the first visit, so that it stands in no later address. A
// cookie belongs to a host whatever the port, so its name is the instance's own. Host and Origin are checked against
// pages elsewhere that have a name of theirs lead here.
type guard struct {
	token  string // of the address that is printed
	secret string // of the cookie
	cookie string // its name
	listen string // a host that may be asked for besides the loopback's; "" = none
	next   http.Handler
}

func newGuard(listen string, next http.Handler) *guard {
	token := rand.Text()
	sum := sha256.Sum256([]byte(token))
	return &guard{token: token, secret: rand.Text(), cookie: "talbot-studio-" + hex.EncodeToString(sum[:4]),
		listen: listen, next: next}
}

// policy lets a page use only what comes from here, and no script or style sheet within it. The charts that are drawn
// for reports too have lengths of bars as attributes of their elements.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; " +
	"img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// ServeHTTP implements [http.Handler].
func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	switch {
	case !g.known(r.Host):
		refuse(w, http.StatusMisdirectedRequest, "This is not the address of talbot studio.")
	case !sameOrigin(r):
		refuse(w, http.StatusForbidden, "Another page may not ask talbot studio.")
	case r.URL.Path == "/" && r.URL.Query().Has("token"):
		g.exchange(w, r)
	case !g.allowed(r):
		refuse(w, http.StatusUnauthorized, "Open the address that talbot studio printed when it began: it lets this "+
			"browser in.")
	default:
		most := int64(maxBody)
		if r.URL.Path == "/review" {
			most = maxUpload
		}
		r.Body = http.MaxBytesReader(w, r.Body, most)
		if err := r.ParseForm(); err != nil { // else its fields would count as empty
			refuse(w, http.StatusBadRequest, "The request is damaged or too long.")
			return
		}
		g.next.ServeHTTP(w, r)
	}
}

// maxBody is the longest request's body, in bytes, but for [maxUpload].
const maxBody = 64 << 10

// known reports whether a request's host is a name of the loopback, with any port: a tunnel has another one.
func (g *guard) known(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	switch name {
	case "localhost", "127.0.0.1", "::1", "[::1]":
		return true
	}
	return g.listen != "" && name == g.listen
}

// sameOrigin reports whether a request comes from a page of ours, or from none. What changes something must say so.
func sameOrigin(r *http.Request) bool {
	origin, site := r.Header.Get("Origin"), r.Header.Get("Sec-Fetch-Site")
	if origin == "null" && site == "same-origin" { // a form of a page that says nothing of where it is
		return true
	}
	if origin != "" {
		u, err := url.Parse(origin)
		return err == nil && u.Scheme == "http" && u.Host == r.Host
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return site == "same-origin"
	}
	return site == "" || site == "same-origin" || site == "none" || r.Header.Get("Sec-Fetch-Mode") == "navigate"
}

// exchange gives a browser with the token its cookie.
func (g *guard) exchange(w http.ResponseWriter, r *http.Request) {
	if subtle.ConstantTimeCompare([]byte(r.URL.Query().Get("token")), []byte(g.token)) != 1 {
		refuse(w, http.StatusUnauthorized, "This address is of an earlier talbot studio: open the one that it printed "+
			"last.")
		return
	}
	http.SetCookie(w, &http.Cookie{Name: g.cookie, Value: g.secret, Path: "/", HttpOnly: true,
		SameSite: http.SameSiteStrictMode})
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

func (g *guard) allowed(r *http.Request) bool {
	c, err := r.Cookie(g.cookie)
	return err == nil && subtle.ConstantTimeCompare([]byte(c.Value), []byte(g.secret)) == 1
}

// refuse answers with a line of text.
func refuse(w http.ResponseWriter, status int, text string) { http.Error(w, text, status) }
