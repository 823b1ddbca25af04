package uci

import (
	"context"
	"errors"
	"strings"
	"time"

	"talbot/board"
	"talbot/play/engine"
	"talbot/play/mcts"
)

// patience limits the wait of quit for a batch of the network.
const patience = 5 * time.Second

// request is a go.
type request struct {
	goCommand
	game    game
	at      time.Time // when its time begins
	late    bool      // that is when the search does: it waited for another
	stopped bool
	then    []func() // commands that came after it and are to have no effect on it
}

// search is a running go.
type search struct {
	*request
	info    infoOptions
	begun   time.Time
	timeman *engine.TimeManager
	cancel  context.CancelFunc
	alarm   *time.Timer // ends a search that does not ask the timeman; nil: none
	report  *mcts.Report

	said int64      // nodes when the last info was written,
	best board.Move // and the best move then
}

// result is the report of the goroutine that has the player, at its end.
type result struct {
	err    error
	title  string       // of a player that was prepared
	report *mcts.Report // of a search
}

// mustWait reports whether the answer has to wait for stop or ponderhit.
func (r *request) mustWait() bool { return (r.ponder || r.endless()) && !r.stopped }

// goAt is the command "go", which came at that time.
func (e *Engine) goAt(words []string, at time.Time) {
	g, notes := parseGo(words)
	for _, n := range notes {
		e.note("%s", n)
	}
	if s := e.search; s != nil && s.mustWait() {
		e.note("go during a search: the search is stopped")
		e.stopSearch(s)
	}
	for _, r := range e.queue {
		r.stopped = r.stopped || r.mustWait()
	}
	late := e.search != nil && !e.search.stopped // one that was stopped has its last batch in this one's time
	e.queue = append(e.queue, &request{goCommand: g, game: e.game, at: at, late: late})
	if e.work == idle {
		e.proceed()
	}
}

// proceed begins what waits, once the player is idle.
func (e *Engine) proceed() {
	if len(e.queue) == 0 {
		return
	}
	if e.stale || !e.Player.Ready(e.wanted()) {
		e.prepare()
		return
	}
	r := e.queue[0]
	e.queue = e.queue[1:]
	if r.late {
		r.at = time.Now()
	}
	if r.game.bad == nil {
		e.think(r)
		r.after()
		return
	}
	e.decline(r, r.game.bad)
	r.after()
	e.proceed()
}

// after carries out the commands that came after a go.
func (r *request) after() {
	for _, do := range r.then {
		do()
	}
}

// afterGo carries out a command that changes searches, once each earlier go has started.
func (e *Engine) afterGo(do func()) {
	if n := len(e.queue); n > 0 {
		e.queue[n-1].then = append(e.queue[n-1].then, do)
		return
	}
	do()
}

// prepare has the player made ready for the next search.
func (e *Engine) prepare() {
	setup, stale, p, old := e.wanted(), e.stale, e.Player, (*engine.Player)(nil)
	if e.next != nil {
		old, p = p, e.next.Player
		e.Network, e.next, e.title = *e.next, nil, ""
	}
	e.stale, e.work, e.loading = false, preparing, !p.Loaded(setup)
	go func() {
		if old != nil {
			old.Close()
		}
		r := result{err: p.Prepare(context.Background(), setup)}
		if r.err == nil {
			if r.title = p.Title(); stale {
				p.Clear()
			}
		}
		e.done <- r
	}()
}

// think begins a search.
func (e *Engine) think(r *request) {
	limits, notes := r.limits(&r.game.now)
	for _, n := range notes {
		e.note("%s", n)
	}
	ctx, cancel := context.WithCancel(context.Background())
	p := e.Player
	s := &search{request: r, begun: time.Now(), timeman: engine.NewTimeManager(p.Batch()), cancel: cancel,
		info: infoOptions{lines: e.setup.MultiPV, wdl: e.wdl, stats: e.setup.Verbose}}
	e.search, e.work = s, searching
	if !r.ponder {
		e.limit(s)
	}
	if r.stopped {
		s.timeman.End()
	}
	go func() {
		p.Position(&r.game.start, r.game.moves)
		var r result
		r.report, r.err = p.Search(ctx, limits, s.timeman, func(report *mcts.Report) { e.inform(s, report) })
		e.done <- r
	}()
}

// limit gives the search its time, which begins at s.at.
func (e *Engine) limit(s *search) {
	b := s.budget(s.game.now.Turn(), e.overhead)
	if b == nil {
		return
	}
	s.timeman.Begin(s.at, *b)
	s.alarm = time.AfterFunc(time.Until(s.at.Add(b.Limit+s.timeman.Batch().Slow)), func() {
		if s.timeman.End() {
			s.cancel()
		}
	})
}

// inform writes what a search has found so far.
func (e *Engine) inform(s *search, r *mcts.Report) {
	var b strings.Builder
	writeInfo(&b, e.Player, r, time.Since(s.begun), s.info)
	e.out.say(b.String())
	s.said, s.best = r.Nodes, r.Lines[0].PV[0]
}

// stop is the command "stop". A search that has not asked the network yet does so once.
func (e *Engine) stop() {
	if e.work == preparing && e.loading {
		e.giveUp(errors.New("stopped before the network was ready"))
	}
	for _, r := range e.queue {
		r.stopped = true
	}
	if e.search != nil {
		e.stopSearch(e.search)
	}
}

// stopSearch stops a search, or gives the answer of one that is over.
func (e *Engine) stopSearch(s *search) {
	s.stopped = true
	if e.work != searching { // it is over, though the player may be made ready for another one
		e.answer(s)
	} else if s.timeman.End() {
		s.cancel()
	}
}

// ponderHit is the command "ponderhit", which came at that time.
func (e *Engine) ponderHit(at time.Time) {
	if n := len(e.queue); n > 0 {
		e.queue[n-1].ponder, e.queue[n-1].at = false, at
		return
	}
	s := e.search
	if s == nil || !s.ponder {
		return
	}
	s.ponder, s.at = false, at
	if e.work == searching {
		e.limit(s)
	} else if !s.mustWait() {
		if len(s.report.Lines) > 0 { // programs forget what came while the engine pondered
			e.inform(s, s.report)
		}
		e.answer(s)
	}
}

// handleResult takes over what the goroutine that had the player has done. The error is one that ends the engine.
func (e *Engine) handleResult(r result) error {
	was := e.work
	e.work = idle
	e.closeRetired()
	if was == searching {
		e.handleSearch(r)
	} else if err := e.prepared(r); err != nil {
		return err
	}
	if e.work == idle {
		e.proceed()
	}
	return nil
}

// handleSearch takes over what a search has found.
func (e *Engine) handleSearch(r result) {
	s := e.search
	s.cancel()
	if s.alarm != nil {
		s.alarm.Stop()
	}
	if s.report = r.report; r.err != nil {
		e.note("error: %v", r.err)
	}
	if e.tables != nil && !e.lost {
		if err := e.tables.Err(); err != nil {
			e.lost = true
			e.note("error: SyzygyPath: the search continues without endgame tables: %v", err)
		}
	}
	if lines := s.report.Lines; len(lines) > 0 && (s.report.Nodes != s.said || lines[0].PV[0] != s.best) {
		e.inform(s, s.report)
	}
	if !s.mustWait() {
		e.answer(s)
	}
}

// answer ends a search with its bestmove.
func (e *Engine) answer(s *search) {
	var b strings.Builder
	if s.info.stats {
		writeStats(&b, s.report)
	}
	if s.report.FallbackMove {
		b.WriteString("info string the network's first choice is an illegal move\n")
	}
	writeBest(&b, &s.game.now, s.report)
	e.search = nil
	e.out.say(b.String())
}

// giveUp answers each go that waits without having searched.
func (e *Engine) giveUp(err error) {
	for _, r := range e.queue {
		e.decline(r, err)
		r.after()
	}
	e.queue = nil
}

// decline answers a go without having searched.
func (e *Engine) decline(r *request, err error) {
	e.note("error: %v", err)
	if r.game.bad != nil {
		e.out.say("bestmove (none)\n")
		return
	}
	var b strings.Builder
	limits, _ := r.limits(&r.game.now)
	report := &mcts.Report{Lines: engine.Fallback(board.NewGame(r.game.start, r.game.moves...), limits.SearchMoves)}
	if len(report.Lines) > 0 {
		writeInfo(&b, quickScorer{}, report, 0, infoOptions{lines: 1})
	}
	writeBest(&b, &r.game.now, report)
	e.out.say(b.String())
}

// prepared takes over that the player is ready, or is not. The error is one that ends the engine: without a network
// readyok would be wrong.
func (e *Engine) prepared(r result) error {
	if errors.Is(r.err, engine.ErrSearcher) && e.setup.Searcher != e.Searcher {
		e.note("%v: it stays at %s", r.err, e.Searcher)
		e.setup.Searcher = e.Searcher
		e.prepare()
		return nil
	}
	e.unready = r.err
	if r.err == nil {
		if r.title != e.title {
			e.title = r.title
			e.note("%s", r.title)
			if e.Note != "" {
				e.note("%s", e.Note)
				e.Note = ""
			}
		}
		for ; e.waiting > 0; e.waiting-- {
			e.out.say("readyok\n")
		}
		return nil
	}
	if len(e.queue) == 0 {
		e.note("error: %v", r.err)
	}
	e.giveUp(r.err)
	if e.waiting > 0 {
		return r.err
	}
	return nil
}

// quit ends what is under way. Each go has its bestmove, whatever the network does.
func (e *Engine) quit() {
	e.stop()
	if e.work == searching {
		select {
		case r := <-e.done:
			e.work = idle
			e.handleSearch(r)
		case <-time.After(patience):
			e.decline(e.search.request, errors.New("the network does not answer"))
		}
	}
	e.giveUp(errors.New("quit before the search began"))
}

// eof handles the end of the input. A search with a limit may finish.
func (e *Engine) eof() {
	e.ending = true
	ends := func(r *request) bool {
		others := r.goCommand
		others.mate = 0 // it may never be found: another limit has to end the search
		return !r.mustWait() && (r.mate == 0 || !others.endless())
	}
	for _, r := range e.queue {
		r.stopped = r.stopped || !ends(r)
	}
	if s := e.search; s != nil && !ends(s.request) {
		e.stopSearch(s)
	}
}
