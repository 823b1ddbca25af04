package ingest

import (
	"errors"
	"fmt"

	"talbot/pgn"
	"talbot/rows"
)

// KindOf says what an input holds, before it is read; [ErrNoGames] if that is nothing that is known.
func KindOf(in *rows.Input) (rows.Kind, error) {
	head, err := in.Head()
	if errors.Is(err, rows.ErrUTF16) {
		return rows.KindUnknown, err
	}
	kind := rows.KindOf(head)
	if kind == rows.KindUnknown && pgn.LooksLikeGames(head) {
		kind = rows.KindGames
	}
	switch {
	case kind != rows.KindUnknown: // the damage behind the head is found by reading
		return kind, nil
	case err == nil && len(head) == 0:
		return kind, fmt.Errorf("%q: %w: it is empty", in.Name(), ErrNoGames)
	case err == nil:
		return kind, fmt.Errorf("%q: %w", in.Name(), ErrNoGames)
	}
	return kind, err
}
