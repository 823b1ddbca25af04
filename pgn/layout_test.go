package pgn

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"talbot/board"
)

// layout says how a file of games is written. Every combination that newLayout returns is one that the splitter
// promises to read.
type layout struct {
	tags, fen, eventless bool   // each game has tags; some a FEN; no Event
	numbers              string // none, white, glued, both, dotless
	uci                  bool
	results              string // none, full, short, sign, star, mixed
	behind               string // what stands behind the result
	between, inside      string // blanks between games, and between moves where the width asks for it
	width                int    // of a line, 0: no limit
	newline, encoding    string
	mark                 bool // a byte order mark
	comments, variations bool
	nags, escapes        bool
}

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

func newLayout(r *rand.Rand) layout {
	l := layout{
		tags: r.IntN(2) == 0, fen: r.IntN(2) == 0, eventless: r.IntN(2) == 0,
		numbers: pick(r, "none", "none", "white", "glued", "both", "dotless"), uci: r.IntN(3) == 0,
		results: pick(r, "none", "full", "full", "short", "sign", "star", "mixed"),
		behind: pick(r, "", "", " {over}", " {1. e4 e5 1-0}", " ; over 1. e4", " $140", " White resigned",
			" (30. Kf1 Qg2)", "!"),
		between: pick(r, " ", "\n", "\n\n", "\n\n\n", " \n \n"), inside: pick(r, "\n", "\n", "\n  "),
		width: pick(r, 0, 0, 1, 30, 80), newline: pick(r, "\n", "\n", "\r\n", "\r"),
		encoding: pick(r, "UTF-8", "Latin-1"), mark: r.IntN(4) == 0,
		comments: r.IntN(2) == 0, variations: r.IntN(3) == 0, nags: r.IntN(3) == 0, escapes: r.IntN(4) == 0,
	}
	lines := strings.Contains(l.between, "\n")
	switch {
	case strings.HasPrefix(l.behind, " ;") && !lines:
		l.behind = ""
	case l.behind == " White resigned" && !lines && !l.tags && (l.numbers == "none" || l.numbers == "dotless"):
		l.behind = "" // words before moves on one line hide what they are
	}
	if l.results == "none" {
		l.behind = ""
	}
	if l.results == "none" && !l.tags && l.numbers == "none" && strings.Count(l.between, "\n") < 2 {
		l.between = "\n\n" // the only border that is left
	}
	return l
}

// written is a game as it was put into a file.
type written struct {
	start    board.Position
	moves    []board.Move
	from, to int      // its bytes in the file
	at       [][2]int // where each move begins and ends
}

// file is a file of games being written.
type file struct {
	r *rand.Rand
	layout
	text   []byte
	column int
	games  []written

	tagLost bool // by damage
}

func (f *file) put(text string) {
	for _, c := range text {
		switch {
		case c == '\n':
			f.text = append(f.text, f.newline...)
			f.column = 0
			continue
		case f.encoding == "Latin-1" && c < 0x100:
			f.text = append(f.text, byte(c))
		default:
			f.text = append(f.text, string(c)...)
		}
		f.column++
	}
}

// token puts one thing of the movetext behind a blank or line end; one that is glued to what is before it stands
// on the same line.
func (f *file) token(text string) {
	if f.width > 0 && f.column > 0 && f.column+1+len(text) > f.width {
		f.put(f.inside)
	} else if f.column > 0 {
		f.put(" ")
	}
	f.put(text)
}

// remarks are comments that are not as simple as they look; none has a brace in it.
var remarks = []string{
	"a", "", "1-0", "better is 1. d4 d5 1-0", "é ½-½ è", "[%clk 0:01:00]", "[%eval -0.1] 1/2-1/2", "(", ")", "; no",
	"50 %",
	"over\nlines", "over\n\nlines", "a game:\n1. e4 e5 1-0\nand more", "a game:\n\n1. e4 e5\n\nand more", "*",
	"\n[Event \"x\"]\n1. e4", "[Event \"x\"] 1. e4 1-0 [Event \"y\"]", "1. e4 1-0 1. d4 0-1 e4", "Nf3", "\"", "[",
	"1:0",
}

func (f *file) remark() string {
	text := pick(f.r, remarks...)
	if !strings.Contains(f.between, "\n") { // all on one line
		text = strings.ReplaceAll(text, "\n", " ")
	}
	return "{" + text + "}"
}

// spell writes a move as the layout wants it.
func (f *file) spell(p *board.Position, m board.Move) string {
	if f.uci {
		return m.String()
	}
	return p.SAN(m)
}

// number returns what stands before the move of that ply, apart from it and glued to it.
func (f *file) number(ply int, again bool) (apart, glued string) {
	n := ply/2 + 1
	switch white := ply%2 == 0; {
	case f.numbers == "none":
	case f.numbers == "dotless" && white:
		return "", fmt.Sprintf("%d ", n)
	case f.numbers == "dotless":
	case white && f.numbers == "glued":
		return "", fmt.Sprintf("%d.", n)
	case white:
		return fmt.Sprintf("%d.", n), ""
	case again || f.numbers == "both":
		return "", fmt.Sprintf("%d...", n)
	}
	return "", ""
}

// variation writes another move instead of the one at that ply, and some behind it.
func (f *file) variation(p board.Position, ply, depth int) {
	text := "("
	for i := 0; i < 1+f.r.IntN(3); i++ {
		legal := p.LegalMoves(nil)
		if len(legal) == 0 {
			break
		}
		m := pick(f.r, legal...)
		apart, glued := f.number(ply+i, i == 0)
		if apart != "" {
			apart += " "
		}
		text += apart + glued + f.spell(&p, m) + " "
		p.Play(m)
		if f.comments && f.r.IntN(4) == 0 {
			text += f.remark() + " "
		}
	}
	f.token(strings.TrimRight(text, " "))
	if depth < 3 && f.r.IntN(4) == 0 {
		f.variation(p, ply+1, depth+1)
	}
	f.put(")")
}

// game writes one game.
func (f *file) game(n int) {
	g := written{start: board.StartPosition(), from: len(f.text)}
	if f.tags {
		g.start = f.putTags(n)
	}
	p, again := g.start, true
	if f.comments && f.r.IntN(4) == 0 {
		f.token(f.remark())
	}
	for ply := range 2 + f.r.IntN(1+f.r.IntN(60)) {
		legal := p.LegalMoves(nil)
		if len(legal) == 0 {
			break
		}
		m := pick(f.r, legal...)
		apart, glued := f.number(ply, again && ply > 0)
		if apart != "" {
			f.token(apart)
		}
		f.token(glued + f.spell(&p, m))
		g.at = append(g.at, [2]int{len(f.text) - len(f.spell(&p, m)), len(f.text)})
		again = false
		before := p
		p.Play(m)
		g.moves = append(g.moves, m)
		if f.nags && f.r.IntN(4) == 0 {
			f.put(pick(f.r, "!", "?!", " $1", " $14 $2"))
		}
		if f.comments && f.r.IntN(4) == 0 {
			f.token(f.remark())
			again = true
		}
		if f.variations && f.r.IntN(6) == 0 {
			f.variation(before, ply, 1)
			again = true
		}
		if f.escapes && f.r.IntN(20) == 0 && strings.Contains(f.between, "\n") {
			f.put("\n% 1. e4 1-0 e4 {(\n")
		}
	}
	if result := f.result(); result != "" {
		f.token(result)
		f.put(f.behind)
	}
	g.to = len(f.text)
	f.games = append(f.games, g)
}

func (f *file) result() string {
	results := f.results
	if results == "mixed" {
		results = pick(f.r, "full", "short", "sign", "star")
	}
	switch result := pick(f.r, "1-0", "0-1", "1/2-1/2"); {
	case results == "none":
		return ""
	case results == "star":
		return "*"
	case results == "short" && result == "1/2-1/2":
		return "1/2"
	case results == "sign" && result == "1/2-1/2":
		return pick(f.r, "½-½", "½")
	default:
		return result
	}
}

// putTags writes the tags of a game and returns where it starts from.
func (f *file) putTags(n int) board.Position {
	start := board.StartPosition()
	names := []string{"Event", "Site", "Round", "White"}
	if f.eventless {
		names = names[3:]
	}
	end := "\n"
	if !strings.Contains(f.between, "\n") {
		end = pick(f.r, " ", "")
	}
	for _, name := range names {
		f.put(fmt.Sprintf("[%s \"%s %d\"]%s", name, pick(f.r, "x", "", "a [b] c", "1-0", "é", `a \"b\"`, "1. e4"), n,
			end))
	}
	if f.fen && f.r.IntN(2) == 0 {
		for range 2 * f.r.IntN(10) {
			if legal := start.LegalMoves(nil); len(legal) > 0 {
				before := start
				if start.Play(pick(f.r, legal...)); len(start.LegalMoves(nil)) == 0 {
					start = before
					break
				}
			}
		}
		if parsed, err := board.ParseFEN(start.FEN()); err == nil && start.Turn() == board.White {
			start = parsed
		} else {
			start = board.StartPosition()
		}
		f.put("[SetUp \"1\"]" + end + "[FEN \"" + start.FEN() + "\"]" + end)
	}
	if end == "\n" && f.r.IntN(2) == 0 {
		f.put("\n")
	}
	return start
}

// newFile writes some games in some layout.
func newFile(r *rand.Rand) *file {
	f := &file{r: r, layout: newLayout(r)}
	if f.mark {
		f.text = append(f.text, "\ufeff"...)
	}
	if f.column = 0; r.IntN(4) == 0 {
		f.put("% by hand\n")
	}
	for n := range 1 + r.IntN(8) {
		if n > 0 {
			f.put(f.between)
		}
		f.game(n)
	}
	if r.IntN(2) == 0 {
		f.put("\n")
	}
	return f
}

// piece is what was read of a file: a line or a reject, and its bytes.
type piece struct {
	kept     bool
	moves    []board.Move
	from, to int
	why      string
}

func readPieces(t *testing.T, s *Splitter) (pieces []piece) {
	t.Helper()
	games, err := splitAll(s)
	if err != nil {
		t.Fatal(err)
	}
	p := new(Parser)
	for i, g := range games {
		if g.Number != int64(i+1) {
			t.Fatalf("game %d has number %d", i+1, g.Number)
		}
		line, reject := p.Parse(g)
		if reject != nil && reject.Err == errLetters { // as random games may well be
			line, reject = (&Parser{KeepConflicts: true}).Parse(g)
		}
		read := piece{kept: reject == nil, moves: slices.Clone(line.Moves), from: int(g.Offset),
			to: int(g.Offset) + len(g.Text)}
		if reject != nil {
			read.why = reject.Error()
		}
		pieces = append(pieces, read)
	}
	return pieces
}

// checkLayout writes a file, reads it, and holds what was read against what was written.
func checkLayout(t *testing.T, seed uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	f := newFile(r)
	for _, c := range []struct{ chunk, line int }{{1 << 20, maxLine}, {1 + r.IntN(100), maxLine},
		{1 << 20, 64 + r.IntN(100)}} {
		s := NewSplitter(chunkReader{bytes.NewReader(f.text), c.chunk})
		s.maxLine = c.line
		pieces := readPieces(t, s)
		for i, p := range pieces {
			if !p.kept || i >= len(f.games) || !slices.Equal(p.moves, f.games[i].moves) {
				t.Fatalf("seed %d, %+v, reads of %d, lines of %d:\n%s\npiece %d of %d, %d written: %+v\n%s", seed,
					f.layout,
					c.chunk, c.line, f.text, i+1, len(pieces), len(f.games), p, f.text[p.from:p.to])
			}
		}
		if len(pieces) != len(f.games) {
			t.Fatalf("seed %d, %+v:\n%s\n%d pieces, %d written", seed, f.layout, f.text, len(pieces), len(f.games))
		}
	}
}

// TestLayouts reads undamaged files in every supported layout: every game is kept, move for move, with its number.
func TestLayouts(t *testing.T) {
	for seed := range uint64(4000) {
		checkLayout(t, seed)
	}
}

// damage changes the bytes of one game and says how.
func (f *file) damage() (hurt int, how string) {
	hurt = f.r.IntN(len(f.games))
	g := &f.games[hurt]
	at := g.from + f.r.IntN(g.to-g.from)
	n, by := 0, ""
	switch f.r.IntN(6) {
	case 0: // a bit flips
		n, by = 1, string([]byte{f.text[at] ^ 1<<f.r.IntN(8)})
	case 1: // another byte
		n, by = 1, string([]byte{pick(f.r, []byte("{}()[]\";%*-/.10\n\r x\x00\xbd\xff+e4NQ")...)})
	case 2: // bytes are lost
		n = 1 + f.r.IntN(min(40, g.to-at))
	case 3: // the end of the game is lost
		n = g.to - at
	case 4: // something is put in
		by = pick(f.r, "{", "}", "(", ")", ";", "\"", "[", "\n", "\n\n", " 1-0 ", " * ", " 1. ", " 2. ", " xx ", " e4 ",
			"(1. e4",
			"{1-0 1. e4", "1-0 {", " [White \"x\"] ", " -- ", "½", "\x1a")
	case 5: // the result is another one, or none
		if at = g.at[len(g.at)-1][1]; at < g.to {
			n, by = g.to-at, pick(f.r, "", " 1-", " 0-0", " 1/2-1/", " 2-0", " 1-0 1-0", " +", " 1 0")
		}
	}
	if n == 0 && at == g.from { // what is put in there would be the neighbour's
		at++
	}
	if by == "%" || by == ";" && (at == 0 || f.text[at-1] < ' ' || f.text[at-1] >= 0x80) {
		by = "#" // at the start of a line it takes the line out, as it should
	}
	how = fmt.Sprintf("game %d, byte %d: %q for %q", hurt+1, at, by, f.text[at:at+n])
	if rest := f.text[at+n:]; len(rest) > 0 && (at == 0 || f.text[at-1] < ' ') && by == "" &&
		(rest[0] == '%' || rest[0] == ';') {
		by = "#"
	}
	before := f.text
	f.tagLost = bytes.IndexByte(before[at:at+n], '[') >= 0
	f.text = slices.Concat(f.text[:at], []byte(by), f.text[at+n:])
	grown := len(by) - n
	g.to += grown
	head := strings.HasPrefix(by, " ") || by == "" && at+n < len(before) && isSpace(before[at+n]) // a blank follows
	tail := strings.HasSuffix(by, " ") || by == "" && at > 0 && isSpace(before[at-1])
	g.at = slices.DeleteFunc(g.at, func(m [2]int) bool { // bytes of it are others, or it is glued to them
		return m[0] < at+n && m[1] > at || m[1] == at && !head || m[0] == at+n && !tail
	})
	for i := range g.at {
		if g.at[i][0] >= at {
			g.at[i] = [2]int{g.at[i][0] + grown, g.at[i][1] + grown}
		}
	}
	if strings.Contains(by, ";") { // what is behind it on the line is a comment now
		line := indexLineEnd(f.text[at:])
		g.at = slices.DeleteFunc(g.at, func(m [2]int) bool { return m[0] > at && (line < 0 || m[1] <= at+line) })
	}
	for i := hurt + 1; i < len(f.games); i++ {
		g := &f.games[i]
		g.from, g.to = g.from+grown, g.to+grown
		for i := range g.at {
			g.at[i] = [2]int{g.at[i][0] + grown, g.at[i][1] + grown}
		}
	}
	return hurt, how
}

// borderless reports whether damage may have taken away all that told the game from a neighbour: where two of tags,
// numbers and results are missing, what is left can be one legal game.
func (f *file) borderless() bool {
	tags := f.tags && !f.tagLost
	return !tags && (f.numbers == "none" || f.results == "none") || f.numbers == "none" && f.results == "none"
}

// checkDamage damages one game of a file. All others but one of its neighbours are kept; a line that is kept is one
// that was written, or was read from nothing but the damaged game.
func checkDamage(t *testing.T, seed uint64) {
	t.Helper()
	f := newFile(rand.New(rand.NewPCG(seed, 2)))
	hurt, how := f.damage()
	pieces := readPieces(t, NewSplitter(bytes.NewReader(f.text)))
	fail := func(format string, args ...any) {
		t.Helper()
		var b strings.Builder
		for i, p := range pieces {
			fmt.Fprintf(&b, "%d: %v %s\n%s\n", i+1, p.kept, p.why, f.text[p.from:p.to])
		}
		t.Fatalf("seed %d, %+v\n%s\n%s\nread as:\n%s%s", seed, f.layout, how, f.text, &b, fmt.Sprintf(format, args...))
	}
	found := make([]bool, len(f.games))
	for i, p := range pieces {
		if !p.kept {
			continue
		}
		var within []int // games with moves in the piece
		for n, g := range f.games {
			if slices.ContainsFunc(g.at, func(m [2]int) bool { return m[0] >= p.from && m[1] <= p.to }) {
				within = append(within, n)
			}
		}
		written := func(n int) bool { return n != hurt && slices.Equal(p.moves, f.games[n].moves) }
		switch {
		case len(within) == 1 && within[0] != hurt && slices.Equal(f.games[within[0]].moves, p.moves):
			found[within[0]] = true
		case len(within) == 0 && p.from >= f.games[hurt].from && p.from < f.games[hurt].to:
		case len(within) == 1 && within[0] == hurt:
		case len(within) <= 2 && f.borderless() && p.from < f.games[hurt].to && p.to > f.games[hurt].from:
		case len(within) > 1 && slices.Contains(within, hurt) && slices.ContainsFunc(within, written):
			// what is left of the damaged game stands in a comment
			found[within[slices.IndexFunc(within, written)]] = true
		case len(within) == 2 && within[0] == hurt && strings.Contains(how, `";" for`) &&
			len(p.moves) <= len(f.games[hurt].moves) && slices.Equal(p.moves, f.games[hurt].moves[:len(p.moves)]):
			// a comment up to the end of the line: the rest of the next game is read as another piece
		default:
			fail("piece %d has the moves of games %d: %v", i+1, within, p.moves)
		}
	}
	var lost []int
	for n := range f.games {
		if n != hurt && !found[n] {
			lost = append(lost, n)
		}
	}
	reach := 1
	if !f.tags && f.numbers == "none" && f.results == "none" { // blank lines are the only borders
		reach = 2
	}
	near := !slices.ContainsFunc(lost, func(n int) bool { return n < hurt-reach || n > hurt+reach })
	// A comment that the damage opens may take what is behind it on a line where nothing but numbers are borders.
	oneLine := f.borderless() && !strings.Contains(f.between, "\n")
	if g := f.games[hurt]; reach == 2 && bytes.Contains(f.text[g.from:g.to], []byte("[")) {
		// in a game with tags blank lines are no borders
		oneLine = true
	}
	if !near && !oneLine || len(lost) > 1 && !f.borderless() {
		fail("games %d of %d are lost (from 0)", lost, len(f.games))
	}
}

// TestDamagedLayouts damages a game of every file; with TALBOT_FULL=1 of a million, which takes ten minutes.
func TestDamagedLayouts(t *testing.T) {
	files := uint64(8000)
	if os.Getenv("TALBOT_FULL") != "" {
		files = 1e6
	}
	for seed := range files {
		checkDamage(t, seed)
	}
	for _, seed := range [...]uint64{ // each broke a rule once
		33964, 165935, 169703, 170386, 172654, 183256, 192045, 192711, 211656, 218249, 229269, 240390, 246076, 262593,
		282329, 398597, 414040, 465015, 465649, 469795, 841750, 997543, 1043385, 1045493, 1180975, 1231884, 1343388,
		1420309,
		1935969, 1980915, 2052499, 2439626, 2798283, 2831623, 3149320,
	} {
		checkDamage(t, seed)
	}
}

// FuzzLayouts goes on where TestLayouts and TestDamagedLayouts end.
func FuzzLayouts(f *testing.F) {
	f.Add(uint64(0))
	f.Fuzz(func(t *testing.T, seed uint64) {
		checkLayout(t, seed)
		for i := range uint64(20) {
			checkDamage(t, seed*20+i)
		}
	})
}
