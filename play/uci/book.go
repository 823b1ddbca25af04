package uci

import (
	"talbot/board"
	"talbot/formats/polyglot"
)

// The options that a book at the beginning changes.
const (
	ownBook  = "OwnBook"
	bookFile = "BookFile"
)

// setBook is the option BookFile.
func (e *Engine) setBook(path string) error {
	if e.Book != nil && path == e.Book.Path() {
		return nil
	}
	e.closeBook()
	if path == "" {
		return nil
	}
	b, err := polyglot.Open(path)
	if err == nil {
		e.Book = b
	}
	return err
}

// closeBook closes the book that is open.
func (e *Engine) closeBook() {
	if e.Book != nil {
		_ = e.Book.Close() // it was read only
	}
	e.Book = nil
}

// bookMove returns the book's move for a go, [board.NoMove] if there is none. An analysis, which only stop ends, and
// searches for a mate or among some moves are not answered from the book.
func (e *Engine) bookMove(r *request) board.Move {
	if !e.ownBook || e.Book == nil || r.ponder || r.endless() || r.mate > 0 || len(r.searchMoves) > 0 {
		return board.NoMove
	}
	seed := e.seed
	if seed == 0 {
		seed = e.gameSeed
	}
	m, err := e.Book.Choose(board.NewGame(r.game.start, r.game.moves...), seed, e.bestBookMove)
	if err != nil {
		e.note("error: %v", err)
	}
	return m
}
