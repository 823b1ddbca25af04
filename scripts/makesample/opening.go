package main

import (
	"strings"
	"sync"
)

// book remembers the searches of the openings, which games share. It is safe for concurrent use: a search that two
// games need at the same time is made twice, with the same result.
type book struct{ known sync.Map }

var openings book

// lines returns the best moves after the moves from the start position, searched with an empty hash.
func (b *book) lines(e *engine, moves []string) ([]searched, error) {
	key := strings.Join(moves, " ")
	if known, ok := b.known.Load(key); ok {
		return known.([]searched), nil
	}
	f, err := fresh(e, startFEN, moves, openingNodes, openingChoice)
	if err != nil {
		return nil, err
	}
	b.known.Store(key, f.lines)
	return f.lines, e.clear()
}
