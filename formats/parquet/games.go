package parquet

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"talbot/dataset"
	"talbot/pgn"
)

// batchGames is how many games are handed out at a time.
const batchGames = 128

// tags are the columns that become tags, under these names.
var tags = []string{
	"Event", "Site", "Date", "Round", "White", "Black", "Result", "UTCDate", "UTCTime", "WhiteElo", "BlackElo",
	"WhiteRatingDiff", "BlackRatingDiff", "WhiteTitle", "BlackTitle", "ECO", "Opening", "Variant", "TimeControl",
	"Termination", "SetUp", "FEN",
}

const movetext = "movetext"

// Games reads games in the columns of Lichess's dataset: movetext, and the tags of PGN.
type Games struct{ table }

func newGames(f *file) (*Games, error) {
	columns := [][]string{{movetext}}
	for _, name := range tags {
		columns = append(columns, []string{name})
	}
	t, err := newTable(f, columns...)
	return &Games{t}, err
}

// Next returns the next games as text of PGN, for a [pgn.Parser], or io.EOF after the last. Number counts the rows of
// the file, and Offset is where the row group begins.
func (g *Games) Next() (*pgn.Batch, error) {
	batch := &pgn.Batch{}
	for size := 0; len(batch.Games) < batchGames && size < 1<<20; {
		err := g.next()
		reject := (*dataset.Reject)(nil)
		switch {
		case errors.As(err, &reject):
			batch.Games = append(batch.Games, pgn.Game{Number: reject.Number, Offset: reject.Offset, Lost: reject})
		case err != nil && len(batch.Games) > 0:
			return batch, nil // the next call meets it again
		case err != nil:
			return nil, err
		default:
			game := pgn.Game{Number: g.rows.number, Offset: g.rows.offset, Text: g.game()}
			if game.TooLong = len(game.Text) > pgn.MaxGame; game.TooLong {
				game.Text = nil
			}
			size += len(game.Text)
			batch.Games = append(batch.Games, game)
		}
	}
	return batch, nil
}

// game writes the row as a game of PGN.
func (g *Games) game() []byte {
	var b strings.Builder
	for _, name := range tags {
		if text := g.tag(name); text != "" {
			fmt.Fprintf(&b, "[%s \"%s\"]\n", name, tagEscapes.Replace(text))
		}
	}
	b.WriteString("\n")
	moves := g.text(movetext)
	b.WriteString(moves)
	b.WriteString("\n")
	return []byte(b.String())
}

// tagEscapes writes the value of a tag. A tag is one line.
var tagEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ", "\r", " ")

// tag returns a tag as PGN has it; "" if it is missing.
func (g *Games) tag(name string) string {
	i, ok := g.place[name]
	if !ok {
		return ""
	}
	l := g.rows.columns[i].pages.leaf
	switch {
	case l.isFloat():
		n, ok, err := g.number(name)
		if err != nil || !ok {
			return ""
		}
		return fmt.Sprint(n)
	case !l.isNumber():
		text := g.text(name)
		if strings.HasSuffix(name, "Date") {
			text = strings.ReplaceAll(text, "-", ".")
		}
		return text
	}
	n, ok, err := g.number(name)
	switch {
	case !ok || err != nil:
		return ""
	case l.date && n > -1e6 && n < 1e6:
		return time.Unix(n*86400, 0).UTC().Format("2006.01.02")
	case l.time > 0 && n >= 0 && n/l.time < 86400:
		return time.Unix(n/l.time, 0).UTC().Format("15:04:05")
	}
	return fmt.Sprint(n)
}
