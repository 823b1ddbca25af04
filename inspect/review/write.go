package review

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"talbot/internal/humanize"
	"talbot/internal/output"
)

// Summary is what a review reports.
type Summary struct {
	Games      int       `json:"games"`
	Unlabelled int64     `json:"unlabelled"` // games left out because not every position has a label
	Sides      [2]Totals `json:"sides"`      // White's and Black's, over all games; with a player, the player's and the opponents'
	Names      [2]string `json:"names"`
}

// Write reviews the games and writes the files of a folder.
func Write(ctx context.Context, r Request, dir, player, tool string) (sum Summary, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return sum, err
	}
	var text, games, table bytes.Buffer
	list := jsonWriter{to: &text}
	rows := csv.NewWriter(&table)
	_ = rows.Write(columns) // to memory
	sum.Unlabelled, err = r.Each(ctx, func(g *Game) error {
		sum.Games++
		games.WriteString(g.PGN(tool))
		for i := range g.Moves {
			_ = rows.Write(g.row(sum.Games, i))
		}
		return list.add(g)
	})
	if err != nil {
		return sum, err
	}
	if err := list.end(); err != nil {
		return sum, err
	}
	rows.Flush()
	for name, content := range map[string]*bytes.Buffer{"games.pgn": &games, "moves.csv": &table, "review.json": &text} {
		if err := output.WriteFile(filepath.Join(dir, name), content.Bytes()); err != nil {
			return sum, err
		}
	}
	return sum, nil
}

var columns = []string{"game", "ply", "color", "san", "uci", "best", "cp_before", "cp_after", "mate_before", "mate_after",
	"win_loss", "accuracy", "class", "phase", "likely", "best_likely", "clock"}

// row is the row of a move in moves.csv.
func (g *Game) row(number, i int) []string {
	m := &g.Moves[i]
	whole := func(n *int) string {
		if n == nil {
			return ""
		}
		return strconv.Itoa(*n)
	}
	share := func(x *float64) string {
		if x == nil {
			return ""
		}
		return strconv.FormatFloat(*x, 'f', 4, 64)
	}
	clock := ""
	if m.Clock != nil {
		clock = strconv.FormatFloat(float64(*m.Clock)/10, 'f', -1, 64)
	}
	color := "white"
	if m.black {
		color = "black"
	}
	return []string{strconv.Itoa(number), strconv.Itoa(i), color, m.SAN, m.UCI, m.Best, strconv.Itoa(m.Before),
		strconv.Itoa(m.After), whole(m.MateIn), whole(m.MateTo), strconv.FormatFloat(m.WinLoss, 'f', 2, 64),
		strconv.FormatFloat(m.Accuracy, 'f', 1, 64), string(m.Class), m.Phase, share(m.Likely), share(m.BestLikely), clock}
}

// Text returns the summary as lines.
func (s *Summary) Text() string {
	return fmt.Sprintf("%s; %s left out, which are not evaluated throughout\n", humanize.Count(int64(s.Games), "game"),
		humanize.Thousands(s.Unlabelled))
}
