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
	"talbot/formats/polyglot"
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
	// Book is the opening book that is played from at the beginning; nil: none. Run closes it.
	Book *polyglot.Book

	out      output
	options  []*Option
	setup    engine.Setup
	overhead time.Duration
	wdl      bool
	seed     uint64 // the option Seed; 0: one for each game
	gameSeed uint64 // of this game then

	tables     Tables
	tablesPath string
	lost       bool // the tables answer no more, and this has been reported

	ownBook, bestBookMove bool

	weights  string         // value of WeightsFile
	replaced *engine.Player // of the network before, to be closed; nil: none
	stale    bool           // the player is to forget what it knows before the next search
	loading  chan error     // gets why the player cannot be made ready, or nil; nil: it is not being made ready
	title    string         // of what was prepared last
	unready  error          // why it could not be prepared
	broken   bool           // and so the engine ends

	// of the goroutine that reads commands
	log        io.Closer // of LogFile; nil: none
	game       game
	unanswered []*request    // each go without a bestmove
	quitting   chan struct{} // closed by quit
}

// Network is a network with what there is to know of it before it is loaded.
type Network struct {
	Ratings bool          // it or the searcher looks at the players' ratings
	Search  *mcts.Options // what the options of the search are at the beginning; nil: [mcts.Defaults]
	Player  *engine.Player
	Note    string // printed once, after the first line about the network; "" = none
}

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
	lines, stop := make(chan line), make(chan struct{})
	defer close(stop)
	go read(in, lines, stop)
	work, ended := make(chan func()), make(chan struct{})
	go e.work(work, ended)
	var queue []func() // of work
	var patience <-chan time.Time
	for {
		var give chan func()
		var first func()
		if len(queue) > 0 {
			give, first = work, queue[0]
		}
		select {
		case l, open := <-lines:
			do, quit := e.hear(l, open)
			if do != nil {
				queue = append(queue, do)
			}
			if quit {
				close(e.quitting)
				patience = time.After(quitPatience)
			}
			if quit || !open {
				lines = nil
			}
		case give <- first:
			queue = queue[1:]
		case <-ended:
			e.end()
			return e.result()
		case <-patience: // what was opened is not ours; the process ends soon
			return e.result()
		}
		if lines == nil && len(queue) == 0 && work != nil {
			close(work)
			work = nil
		}
	}
}

// work does one thing after another until there are no more, or the engine ends.
func (e *Engine) work(work <-chan func(), ended chan<- struct{}) {
	defer close(ended)
	for do := range work {
		if do(); e.broken || e.out.failed() != nil {
			return
		}
	}
}

// result answers what is left and returns the error of [Engine.Run].
func (e *Engine) result() error {
	for _, r := range e.open() {
		e.decline(r, cmp.Or(e.unready, errors.New("the network does not answer")))
	}
	return cmp.Or(e.out.failed(), e.unready)
}

// begin gives everything its first value.
func (e *Engine) begin(out io.Writer) {
	e.out.w = bufio.NewWriter(out)
	if e.Searcher == "" {
		e.Searcher = engine.AutoSearcher
	}
	e.overhead, e.ownBook = defaultOverhead, e.Book != nil
	e.setup = engine.Setup{Searcher: e.Searcher, Options: e.Network.search()}
	e.offer(e.setup.Options)
	e.game.start = board.StartPosition()
	e.game.now = e.game.start
	e.gameSeed = rand.Uint64()
	e.quitting = make(chan struct{})
}

// offer makes the list of options for the network, with the defaults of those of its search.
func (e *Engine) offer(search mcts.Options) {
	e.options = Options(e.Ratings, search)
	for _, o := range e.options {
		switch {
		case o.Name == "Searcher":
			o.Default = e.Searcher
		case o.Name == ownBook && e.ownBook:
			o.Default = "true"
		case o.Name == bookFile && e.Book != nil:
			o.Default = e.Book.Path()
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
	if e.loading == nil { // else the player is not ours; the process ends soon
		e.Player.Close()
	}
	e.closeTables()
	e.closeBook()
	if e.log != nil {
		_ = e.log.Close() // what could not be written is not worth an exit status
	}
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

// hear carries out what must not wait, and returns what else a line asks for, nil: nothing. Without a line the input
// has ended.
func (e *Engine) hear(l line, open bool) (do func(), quit bool) {
	if !open {
		e.stopEndless()
		return nil, false
	}
	if l.long {
		e.note("a line of more than %d bytes is left out", maxLine)
		return nil, false
	}
	e.out.heard(l.text)
	words := strings.Fields(l.text)
	if len(words) == 0 {
		return nil, false
	}
	switch words[0] {
	case "uci":
		return e.identify, false
	case "isready":
		if len(e.open()) == 0 {
			return e.isReady, false
		}
		e.out.say("readyok\n")
	case "setoption":
		text := strings.TrimPrefix(strings.TrimSpace(l.text), "setoption")
		if name, value, _ := parseOption(text); strings.EqualFold(name, logFile) {
			e.refuse(logFile, value, e.setLog(value)) // from this line on
			return nil, false
		}
		return func() { e.setOption(text) }, false
	case "ucinewgame":
		return func() { e.stale, e.gameSeed = true, rand.Uint64() }, false
	case "position":
		e.position(words[1:])
	case "go":
		return e.goAt(words[1:], l.at), false
	case "stop", "quit":
		for _, r := range e.open() {
			r.stop()
		}
		return nil, words[0] == "quit"
	case "ponderhit":
		if open := e.open(); len(open) > 0 {
			open[len(open)-1].hitAt(l.at)
		}
	case "debug", "register":
	default:
		e.note("unknown command %s", quote(words[0]))
	}
	return nil, false
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

// isReady is the command "isready" where no search is under way. Without a network readyok would be wrong.
func (e *Engine) isReady() {
	switch err := e.ready(nil); {
	case err == nil:
		e.out.say("readyok\n")
	case !errors.Is(err, errQuit):
		e.note("error: %v", err)
		e.broken = true
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
