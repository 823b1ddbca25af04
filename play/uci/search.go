package uci

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"talbot/board"
	"talbot/play/engine"
	"talbot/play/mcts"
)

// quitPatience limits the wait of quit for a batch of the network.
const quitPatience = 5 * time.Second

// request is a go.
type request struct {
	goCommand
	game game
	at   time.Time // when its time begins
	late bool      // that is when the search does: it waited for another

	stopped, hit chan struct{} // closed by stop and ponderhit
	answered     atomic.Bool
}

// closed reports whether a channel is.
func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func (r *request) stop() {
	if !closed(r.stopped) {
		close(r.stopped)
	}
}

// hitAt is the command "ponderhit", which came at that time.
func (r *request) hitAt(at time.Time) {
	if r.ponder && !closed(r.hit) {
		r.at = at
		close(r.hit)
	}
}

// mustWait reports whether the answer has to wait for stop or ponderhit.
func (r *request) mustWait() bool {
	return (r.ponder && !closed(r.hit) || r.endless()) && !closed(r.stopped)
}

// hold waits until there may be an answer, and reports whether the opponent played the move that was pondered on.
func (r *request) hold() (hit bool) {
	if r.ponder {
		select {
		case <-r.hit:
			hit = true
		case <-r.stopped:
		}
	}
	if r.endless() {
		<-r.stopped
	}
	return hit
}

// open returns each go that has no answer yet.
func (e *Engine) open() []*request {
	e.unanswered = slices.DeleteFunc(e.unanswered, func(r *request) bool { return r.answered.Load() })
	return e.unanswered
}

// goAt is the command "go", which came at that time. It returns the search.
func (e *Engine) goAt(words []string, at time.Time) func() {
	g, notes := parseGo(words)
	for _, n := range notes {
		e.note("%s", n)
	}
	r := &request{goCommand: g, game: e.game, at: at, stopped: make(chan struct{}), hit: make(chan struct{})}
	for _, other := range e.open() {
		if other.mustWait() {
			e.note("go during a search: the search is stopped")
			other.stop()
		}
		r.late = !closed(other.stopped) // one that was stopped has its last batch in this one's time
	}
	e.unanswered = append(e.unanswered, r)
	return func() { e.answer(r) }
}

// stopEndless stops searches without a limit, as at the end of the input.
func (e *Engine) stopEndless() {
	for _, r := range e.open() {
		others := r.goCommand
		others.mate = 0 // it may never be found: another limit has to end the search
		if r.mustWait() || r.mate > 0 && others.endless() {
			r.stop()
		}
	}
}

// errQuit is the error of what quit has ended.
var errQuit = errors.New("quit before the search began")

// ready makes the player ready as the options ask for. It does not wait for a network that is loaded once stopped is
// closed, nor for anything after quit.
func (e *Engine) ready(stopped <-chan struct{}) error {
	for e.loading != nil || e.stale || !e.Player.Ready(e.wanted()) {
		if e.loading == nil {
			if e.Player.Loaded(e.wanted()) {
				stopped = nil
			}
			e.prepare()
		}
		select {
		case err := <-e.loading:
			e.loading = nil
			if errors.Is(err, engine.ErrSearcher) && e.setup.Searcher != e.Searcher {
				e.note("%v: it stays at %s", err, e.Searcher)
				e.setup.Searcher = e.Searcher
				continue
			}
			if e.unready = err; err != nil {
				return err
			}
			e.introduce()
		case <-stopped:
			return errors.New("stopped before the network was ready")
		case <-e.quitting:
			return errQuit
		}
	}
	return nil
}

// prepare has the player made ready for the next search.
func (e *Engine) prepare() {
	setup, stale, p, old, done := e.wanted(), e.stale, e.Player, e.replaced, make(chan error, 1)
	e.stale, e.replaced, e.loading = false, nil, done
	go func() {
		if old != nil {
			old.Close()
		}
		err := p.Prepare(context.Background(), setup)
		if err == nil && stale {
			p.Clear()
		}
		done <- err
	}()
}

// introduce says what plays, if that is new.
func (e *Engine) introduce() {
	title := e.Player.Title()
	if title == e.title {
		return
	}
	e.title = title
	e.note("%s", title)
	if e.Note != "" {
		e.note("%s", e.Note)
		e.Note = ""
	}
}

// answer gives a go its bestmove.
func (e *Engine) answer(r *request) {
	err := r.game.bad
	if err == nil {
		err = e.ready(r.stopped)
	}
	if err == nil && closed(e.quitting) {
		err = errQuit
	}
	if err != nil {
		e.decline(r, err)
		return
	}
	if m := e.bookMove(r); m != board.NoMove {
		e.say(r, "info string book move\nbestmove "+m.String()+"\n")
		return
	}
	report := e.think(r)
	var b strings.Builder
	if e.setup.Verbose {
		writeStats(&b, report)
	}
	if report.FallbackMove {
		b.WriteString("info string the network's first choice is an illegal move\n")
	}
	writeBest(&b, &r.game.now, report)
	e.say(r, b.String())
}

// say writes the answer of a go, if it has none yet.
func (e *Engine) say(r *request, answer string) {
	if !r.answered.Swap(true) {
		e.out.say(answer)
	}
}

// think searches, writes what it finds and returns that once it may be answered.
func (e *Engine) think(r *request) *mcts.Report {
	limits, notes := r.limits(&r.game.now)
	for _, n := range notes {
		e.note("%s", n)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	begun := time.Now()
	if r.late && !r.ponder {
		r.at = begun
	}
	var nodes int64 // when the last info was written,
	var best board.Move
	inform := func(report *mcts.Report) {
		var b strings.Builder
		writeInfo(&b, e.Player, report, time.Since(begun), infoOptions{lines: e.setup.MultiPV, wdl: e.wdl})
		e.out.say(b.String())
		nodes, best = report.Nodes, report.Lines[0].PV[0]
	}
	t, budget := engine.NewTimeManager(e.Player.Batch()), r.budget(r.game.now.Turn(), e.overhead)
	var alarm <-chan time.Time
	if !r.ponder {
		alarm = r.limit(t, budget)
	}
	go r.watch(ctx, t, budget, alarm, cancel)
	e.Player.Position(&r.game.start, r.game.moves)
	report, err := e.Player.Search(ctx, limits, t, inform)
	cancel()
	if err != nil {
		e.note("error: %v", err)
	}
	if e.tables != nil && !e.lost {
		if err := e.tables.Err(); err != nil {
			e.lost = true
			e.note("error: SyzygyPath: the search continues without endgame tables: %v", err)
		}
	}
	if lines := report.Lines; len(lines) > 0 && (report.Nodes != nodes || lines[0].PV[0] != best) {
		inform(report)
	}
	if r.mustWait() && r.hold() && len(report.Lines) > 0 { // programs forget what came while the engine pondered
		inform(report)
	}
	return report
}

// limit gives a search its time and returns what ends one that does not ask for it; nil: there is no limit.
func (r *request) limit(t *engine.TimeManager, b *engine.Budget) <-chan time.Time {
	if b == nil {
		return nil
	}
	t.Begin(r.at, *b)
	return time.After(time.Until(r.at.Add(b.Limit + t.Batch().Slow)))
}

// watch stops a search, though not before its first batch, when that is asked for or its time is over, until ctx ends.
func (r *request) watch(ctx context.Context, t *engine.TimeManager, b *engine.Budget, alarm <-chan time.Time,
	stop func()) {
	hit, stopped := r.hit, r.stopped
	for {
		select {
		case <-ctx.Done():
			return
		case <-hit:
			hit, alarm = nil, r.limit(t, b)
			continue
		case <-stopped:
			stopped = nil
		case <-alarm:
		}
		if t.End() {
			stop()
		}
	}
}

// decline answers a go without having searched.
func (e *Engine) decline(r *request, err error) {
	e.note("error: %v", err)
	var b strings.Builder
	if r.game.bad != nil {
		b.WriteString("bestmove (none)\n")
	} else {
		limits, _ := r.limits(&r.game.now)
		report := &mcts.Report{Lines: engine.Fallback(board.NewGame(r.game.start, r.game.moves...), limits.SearchMoves)}
		if len(report.Lines) > 0 {
			writeInfo(&b, quickScorer{}, report, 0, infoOptions{lines: 1})
		}
		writeBest(&b, &r.game.now, report)
	}
	e.say(r, b.String())
}
