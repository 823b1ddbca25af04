package ingest

import (
	"talbot/pgn"
	"talbot/rows"
)

// KindOf says what an input holds, before it is read.
func KindOf(in *rows.Input) (rows.Kind, error) {
	head, err := in.Head()
	kind := rows.KindOf(head)
	if kind == rows.KindUnknown && pgn.LooksLikeGames(head) {
		kind = rows.KindGames
	}
	if kind != rows.KindUnknown {
		return kind, nil // the damage behind the head is found by reading
	}
	return kind, err
}
