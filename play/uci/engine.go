package uci

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"time"

	"talbot/board"
	"talbot/internal/plain"
	"talbot/play/engine"
	"talbot/play/mcts"
)

// Engine is a UCI engine.
type Engine struct {
	Name, Author string
	Searcher     string // [engine.AutoSearcher], or what Searcher is at the beginning
	Network
	// Load reads the description of the network in a file, for WeightsFile; "" is the one at the beginning. It does not
	// load it yet. nil: no other can be loaded.
	Load func(path string) (Network, error)
	// Tables opens endgame tables; nil: there are none.
	Tables func(path string) (Tables, error)

	out      output
	log      io.Closer // of LogFile; nil: none
	options  []*Option
	setup    engine.Setup
	overhead time.Duration
	wdl      bool
	seed     uint64 // the option Seed; 0: one for each game
	gameSeed uint64 // of this game then

	tables     Tables
	tablesPath string
	lost       bool     // the tables answer no more, and this has been reported
	retired    []Tables // to be closed once no search uses them

	game  game
	stale bool // the player is to forget what it knows before the next search

	work    work        // of the player
	loading bool        // what prepares the player loads the network
	weights string      // value of WeightsFile
	next    *Network    // that is to replace the network before the next search; nil: none
	done    chan result // of the work
	search  *search     // that has no bestmove yet; it is over if there is no work
	queue   []*request  // each go that waits for the end of the work
	waiting int         // isready that wait for it
	title   string      // of what was prepared last
	unready error       // why it could not be prepared
	ending  bool        // the input has ended
}

// Network is a network with what there is to know of it before it is loaded.
type Network struct {
	Ratings bool          // it or the searcher looks at the players' ratings
	Search  *mcts.Options // what the options of the search are at the beginning; nil: [mcts.Defaults]
	Player  *engine.Player
	Note    string // printed once, after the first line about the network; "" = none
}

// work is the task of the goroutine that has the player.
type work uint8

const (
	idle work = iota
	preparing
	searching
)

// line is a line of the input, and when it came.
type line struct {
	text string
	at   time.Time
	long bool // it was too long and is left out
}

const maxLine = 1 << 20

// Run talks until quit, the end of the input, or an error of the output, which it returns. A network that cannot be
// loaded when isready asks for it ends the engine too, with that error. One that only a go asked for, which is answered
// without a search, is returned at the end.
func (e *Engine) Run(in io.Reader, out io.Writer) error {
	e.begin(out)
	defer e.end()
	lines, stop := make(chan line), make(chan struct{})
	defer close(stop)
	go read(in, lines, stop)
	for {
		select {
		case l, open := <-lines:
			if !open {
				lines = nil
				e.eof()
			} else if l.long {
				e.note("a line of more than %d bytes is left out", maxLine)
			} else if quit := e.command(l); quit {
				e.quit()
				return cmp.Or(e.out.failed(), e.unready)
			}
		case r := <-e.done:
			if err := e.handleResult(r); err != nil {
				e.quit()
				return err
			}
		}
		if err := e.out.failed(); err != nil {
			e.quit()
			return err
		}
		if e.ending && e.work == idle {
			return e.unready
		}
	}
}

// begin gives everything its first value.
func (e *Engine) begin(out io.Writer) {
	e.out.w = bufio.NewWriter(out)
	if e.Searcher == "" {
		e.Searcher = engine.AutoSearcher
	}
	e.overhead = defaultOverhead
	e.setup = engine.Setup{Searcher: e.Searcher, Options: e.Network.search()}
	e.offer(e.setup.Options)
	e.game.start = board.StartPosition()
	e.game.now = e.game.start
	e.gameSeed = rand.Uint64()
	e.done = make(chan result, 1)
}

// offer makes the list of options for the network, with the defaults of those of its search.
func (e *Engine) offer(search mcts.Options) {
	e.options = Options(e.Ratings, search)
	for _, o := range e.options {
		if o.Name == "Searcher" {
			o.Default = e.Searcher
		}
	}
}

// search returns what the options of its search are at the beginning.
func (n *Network) search() mcts.Options {
	if n.Search != nil {
		return *n.Search
	}
	return mcts.Defaults()
}

// end frees what has been opened.
func (e *Engine) end() {
	if e.work == idle { // else it is not ours; the process ends soon
		e.Player.Close()
	}
	e.closeTables()
	e.closeRetired()
	if e.log != nil {
		_ = e.log.Close() // what could not be written is not worth an exit status
	}
}

func (e *Engine) closeRetired() {
	for _, t := range e.retired {
		_ = t.Close() // its process is killed in any case
	}
	e.retired = nil
}

// read sends the lines of the input until its end.
func read(in io.Reader, lines chan<- line, stop <-chan struct{}) {
	defer close(lines)
	r := bufio.NewReaderSize(in, maxLine+2)
	for {
		text, err := r.ReadSlice('\n')
		l := line{text: strings.TrimRight(string(text), "\r\n"), at: time.Now()}
		for errors.Is(err, bufio.ErrBufferFull) {
			l.text, l.long = "", true
			_, err = r.ReadSlice('\n')
		}
		if len(text) > 0 {
			select {
			case lines <- l:
			case <-stop:
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// note prints a message for readers of the engine's output.
func (e *Engine) note(format string, values ...any) {
	e.out.say("info string " + plain.Sprintf(format, values...) + "\n")
}

// command carries out a line and reports whether it is "quit".
func (e *Engine) command(l line) (quit bool) {
	e.out.heard(l.text)
	words := strings.Fields(l.text)
	if len(words) == 0 {
		return false
	}
	switch words[0] {
	case "uci":
		e.identify()
	case "isready":
		e.isReady()
	case "setoption":
		text := strings.TrimPrefix(strings.TrimSpace(l.text), "setoption")
		e.afterGo(func() { e.setOption(text) })
	case "ucinewgame":
		e.afterGo(func() { e.stale, e.gameSeed = true, rand.Uint64() })
	case "position":
		e.position(words[1:])
	case "go":
		e.goAt(words[1:], l.at)
	case "stop":
		e.stop()
	case "ponderhit":
		e.ponderHit(l.at)
	case "quit":
		return true
	case "debug", "register":
	default:
		e.note("unknown command %s", quote(words[0]))
	}
	return false
}

// identify is the command "uci".
func (e *Engine) identify() {
	var b strings.Builder
	fmt.Fprintf(&b, "id name %s\nid author %s\n", e.Name, e.Author)
	for _, o := range e.options {
		b.WriteString(o.line() + "\n")
	}
	e.out.say(b.String() + "uciok\n")
}

// isReady is the command "isready".
func (e *Engine) isReady() {
	switch {
	case e.work == searching:
		e.out.say("readyok\n")
	case e.work == preparing:
		e.waiting++
	case e.Player.Ready(e.wanted()) && !e.stale:
		e.out.say("readyok\n")
	default:
		e.waiting++
		e.prepare()
	}
}

// position is the command "position".
func (e *Engine) position(words []string) {
	g, err := parsePosition(words)
	if err != nil {
		e.note("position: %v", err)
		if _, ok := errors.AsType[*badMove](err); !ok {
			g = game{bad: fmt.Errorf("no position to search: %w", err)}
		}
	}
	if g.note != "" {
		e.note("position: %s", g.note)
	}
	e.game = g
}

// wanted is the setup that the options ask for.
func (e *Engine) wanted() engine.Setup {
	s := e.setup
	switch {
	case e.seed != 0:
		s.Seed = e.seed
	case s.Temperature > 0:
		s.Seed = e.gameSeed
	}
	return s
}
