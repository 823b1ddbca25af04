package match

import (
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"strings"

	"talbot/board"
	"talbot/formats/rows"
)

// book is what scripts/makeopenings made: a line of text for each opening, its moves from the start position in UCI
// form, packed with zstd.
//
//go:embed openings.txt.zst
var book []byte

// Book returns the openings that talbot has with it: lines of eight plies from the start position, drawn by talbot from
// good moves and balanced by Stockfish (see docs/log.md).
func Book() (*Openings, error) {
	in, err := rows.NewInput("the openings of talbot", bytes.NewReader(book))
	if err != nil {
		return nil, err
	}
	defer in.Close()
	text, err := io.ReadAll(in)
	if err != nil {
		return nil, err
	}
	var o Openings
	for line := range strings.Lines(string(text)) {
		p := board.StartPosition()
		var moves []board.Move
		for word := range strings.FieldsSeq(line) {
			m, err := p.ParseUCI(word)
			if err != nil {
				return nil, fmt.Errorf("the openings of talbot: %w", err)
			}
			p.Play(m)
			moves = append(moves, m)
		}
		o.add(board.StartPosition(), moves)
	}
	return &o, nil
}
