package ingest_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/formats/rows"
	"talbot/inspect/stats"
	"talbot/pipeline/ingest"
)

// squares reads games as rows: after a magic of two bytes, two bytes a move (from and to) and 0xff behind each game.
type squares struct {
	in     *bufio.Reader
	number int64
	offset int64
	source dataset.Source
}

func (r *squares) Next() (l dataset.Line, none dataset.Imported, err error) {
	if r.offset == 0 {
		r.offset += 2
		if _, err := r.in.Discard(2); err != nil {
			return l, none, err
		}
	}
	l = dataset.Line{Source: r.source, Number: r.number + 1, Offset: r.offset, Start: board.StartPosition(),
		Samples: dataset.AllMoves()}
	p := l.Start
	row, err := r.in.ReadBytes(0xff)
	if err != nil {
		return l, none, err
	}
	r.number++
	r.offset += int64(len(row))
	for ; len(row) > 1; row = row[2:] {
		name := board.Square(row[0]).String() + board.Square(row[1]).String()
		m, err := p.ParseUCI(name)
		if err != nil {
			return l, none, &dataset.Reject{Reason: "illegal_move", Number: l.Number, Offset: l.Offset, Token: name}
		}
		l.Moves = append(l.Moves, m)
		p.Play(m)
	}
	return l, none, nil
}

// A kind of inputs and a source that are added to their tables are known to ingest, with binary content too, and to
// stats.
func TestRegisteredKindAndSource(t *testing.T) {
	const number = 200
	dataset.RegisterSource(t, number, "radio")
	magic := []byte{0xff, 0xfe} // as UTF-16 begins
	ingest.Register(t, ingest.Kind{Name: "pairs of squares", Suffixes: []string{".sq"}, Binary: true,
		Sniff: func(head []byte) bool { return bytes.HasPrefix(head, magic) },
		Open: func(in io.Reader, _ rows.TableForm) ingest.Reader {
			return &squares{in: bufio.NewReader(in), source: number}
		}})
	if names, suffixes := ingest.Kinds(); !slices.Contains(names, "pairs of squares") ||
		!slices.Contains(suffixes, ".sq") {
		t.Errorf("kinds %v, %v", names, suffixes)
	}

	text := string(magic)
	for _, game := range [][]string{{"e2e4", "e7e5", "g1f3"}, {"d2d4", "d7d5"}, {"e2e5"}} {
		for _, move := range game {
			for i := 0; i < 4; i += 2 {
				text += string([]byte{8*(move[i+1]-'1') + move[i] - 'a'})
			}
		}
		text += "\xff"
	}
	sum, d, lines := ingestText(t, "radio.sq", text, ingest.Request{})
	if len(lines) != 2 || sum.Rejects["illegal_move"] != 1 {
		t.Fatalf("%d lines, rejects %v", len(lines), sum.Rejects)
	}
	if got := fmt.Sprint(lines[0].Moves); lines[0].Source != number || !strings.Contains(got, "e2e4 e7e5 g1f3") {
		t.Errorf("line of %v: %s", lines[0].Source, got)
	}
	s, err := stats.Request{Dir: d.Dir}.Run(t.Context())
	if err != nil || s.BySource["radio"].Games != 2 {
		t.Errorf("%+v, %v", s.BySource, err)
	}
	if parsed, err := dataset.ParseSource("radio"); err != nil || parsed != number {
		t.Errorf("source %d, %v", parsed, err)
	}
}
