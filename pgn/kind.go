package pgn

import (
	"bytes"

	"talbot/dataset"
)

// LooksLikeGames reports whether a text holds games, by its beginning; 64 KiB are plenty. Games have a tag at the start
// of a line, or begin with a legal move.
func LooksLikeGames(head []byte) bool {
	s, p, first := NewSplitter(bytes.NewReader(head)), new(Parser), true
	for {
		batch, err := s.Next()
		if err != nil {
			return false
		}
		for _, g := range batch.Games {
			_, reject := p.Parse(g)
			if p.tags.any || first && (reject == nil || reject.Ply > 0) {
				return true
			}
			first = first && reject.Reason == dataset.NoMoves // the result of a game that is cut off
		}
	}
}
