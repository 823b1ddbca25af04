package review

import (
	"bytes"
	"context"
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"

	"talbot/internal/output"
)

// Write reviews the games and writes the files of a folder.
func (r Request) Write(ctx context.Context, dir, tool string) (sum *Summary, err error) {
	if err := os.MkdirAll(filepath.Join(dir, "game"), 0o777); err != nil {
		return nil, err
	}
	sum = newSummary(r.Player)
	var text, games, moves bytes.Buffer
	list := jsonWriter{to: &text}
	rows := csv.NewWriter(&moves)
	_ = rows.Write(columns) // to memory
	sum.Unlabelled, err = r.Each(ctx, func(g *Game) error {
		sum.add(g)
		if err := output.WritePage(filepath.Join(dir, gamePath(sum.Games)), g.page()); err != nil {
			return err
		}
		games.WriteString(g.PGN(tool))
		for i := range g.Moves {
			_ = rows.Write(g.row(sum.Games, i))
		}
		return list.add(g)
	})
	if err != nil {
		return nil, err
	}
	if err := list.end(); err != nil {
		return nil, err
	}
	rows.Flush()
	sum.end()
	if err := output.WritePage(filepath.Join(dir, "index.html"), sum.page()); err != nil {
		return nil, err
	}
	files := map[string]*bytes.Buffer{"games.pgn": &games, "moves.csv": &moves, "review.json": &text}
	for name, content := range files {
		if err := output.WriteFile(filepath.Join(dir, name), content.Bytes()); err != nil {
			return nil, err
		}
	}
	return sum, nil
}

var columns = []string{"game", "ply", "color", "san", "uci", "best", "cp_before", "cp_after", "mate_before",
	"mate_after", "win_loss", "accuracy", "class", "phase", "likely", "best_likely", "clock"}

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
	return []string{strconv.Itoa(number), strconv.Itoa(i), color, m.SAN, m.UCI, m.BestSAN, strconv.Itoa(m.Before),
		strconv.Itoa(m.After), whole(m.MateIn), whole(m.MateTo), strconv.FormatFloat(m.WinLoss, 'f', 2, 64),
		strconv.FormatFloat(m.Accuracy, 'f', 1, 64), string(m.Class), m.Phase, share(m.Likely), share(m.BestLikely),
		clock}
}
