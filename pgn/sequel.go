package pgn

import "talbot/dataset"

// checkSequel looks at what stands after a game that has no result, or moves without tags after it: the splitter
// begins another game there, and plays no moves. If they play on from the end of this game, further than from a start
// of their own, they are its own moves, and the game is not whole. A check mark where they give no check ends that.
func (p *Parser) checkSequel() *dataset.Reject {
	next := p.game.Next
	at := skipSpace(next, 0)
	if p.contradicts || at == len(next) || p.ended && next[at] == '[' {
		return nil
	}
	var piece scanner // what stands after it says nothing of this game
	piece.reset(0, true)
	piece.free = !p.tags.any
	if e, end := piece.nextGame(next, len(next)); e != noEvent {
		next = next[:end]
	}
	q := p.rereader(next)
	if q.readTags() != nil || len(q.tags.get(tagFEN)) > 0 {
		return nil
	}
	count := p.count
	count.half += len(p.moves)
	count.settled = true
	from := q.i
	q.language = &anyEnglish
	q.place(p.pos, count)
	q.readMoves()
	reached := len(q.moves)
	if reached == 0 || reached <= p.reachAlone(next) {
		return nil
	}
	reason, err := dataset.MoveConflict, errBetween
	switch {
	case !p.ended:
		err = errTagged
	case !p.isStar:
		reason, err = dataset.BadSyntax, errAfterResult
	}
	if reason == dataset.MoveConflict && p.KeepConflicts {
		p.contradicts = true
		return nil
	}
	r := p.reject(reason, len(p.text), len(p.text), err)
	r.At += int64(from)
	r.Token = string(next[from:min(from+16, len(next))])
	return r
}

// reachAlone returns how many moves a text has when it is read as a separate game.
func (p *Parser) reachAlone(text []byte) int {
	q := p.rereader(text)
	if q.readTags() != nil {
		return 0
	}
	start, _, r := q.start()
	if r != nil {
		return 0
	}
	q.place(start, newNumbering(&start))
	q.readMoves()
	return len(q.moves)
}
