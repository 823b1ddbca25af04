package review

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"talbot/board"
	"talbot/internal/durable"
	"talbot/internal/fault"
	"talbot/internal/humanize"
	"talbot/internal/output"
)

// Write reviews the games and writes the files of a folder. One process at a time writes one ([durable.ErrLocked]).
func (r Request) Write(ctx context.Context, dir, tool string) (sum *Summary, err error) {
	if err := os.MkdirAll(filepath.Join(dir, "game"), 0o777); err != nil {
		return nil, err
	}
	err = output.File{Path: filepath.Join(dir, FileName)}.Make(func(w *durable.AtomicFile) error {
		sum, err = r.write(ctx, dir, tool, w)
		return err
	})
	if err != nil {
		return nil, err
	}
	return sum, nil
}

// write writes the files of a folder, all figures to w. What is said of a game is not kept in memory.
func (r *Request) write(ctx context.Context, dir, tool string, w *durable.AtomicFile) (*Summary, error) {
	var files [3]*durable.AtomicFile
	for i, name := range []string{"games.pgn", "moves.csv", filepath.Join("game", FileName)} {
		f, err := durable.CreateAtomic(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		defer f.Abort()
		files[i] = f
	}
	games, moves, list := files[0], files[1], files[2] // the last one follows the summary in w
	sum := newSummary(r.Player)
	rows := csv.NewWriter(moves)
	_ = rows.Write(columns) // Commit returns the errors
	var err error
	sum.Unlabelled, err = r.Each(ctx, func(g *Game) error {
		sum.add(g)
		if err := output.WritePage(filepath.Join(dir, gamePath(sum.Games)), g.page()); err != nil {
			return err
		}
		for i := range g.Moves {
			_ = rows.Write(g.row(sum.Games, i))
		}
		one, err := json.Marshal(g)
		if err != nil {
			return err
		}
		if sum.Games > 1 {
			one = append([]byte(",\n"), one...)
		}
		_, err = list.Write(one)
		_, pgnErr := io.WriteString(games, g.PGN(tool))
		return cmp.Or(err, pgnErr)
	})
	if err == nil && sum.Games == 0 {
		err = fault.Hint(fmt.Errorf("none of %s is evaluated throughout", humanize.Count(sum.Unlabelled, "game")),
			"without --evals, an engine evaluates them")
	}
	if err != nil {
		return nil, err
	}
	rows.Flush()
	if err := r.searched(ctx, dir, sum); err != nil {
		return nil, err
	}
	sum.end()
	sum.LeftOut = r.LeftOut
	figures, err := json.Marshal(sum)
	if err != nil {
		return nil, err
	}
	text, err := os.Open(list.Temp())
	if err != nil {
		return nil, err
	}
	defer text.Close()
	if _, err := io.Copy(w, io.MultiReader(strings.NewReader("{\"summary\": "), bytes.NewReader(figures),
		strings.NewReader(",\n\"games\": [\n"), text, strings.NewReader("\n]}\n"))); err != nil {
		return nil, err
	}
	if err := output.WritePage(filepath.Join(dir, "index.html"), sum.Page()); err != nil {
		return nil, err
	}
	return sum, cmp.Or(games.Commit(), moves.Commit())
}

// searched adds what needs searches of its own: puzzles and traps.
func (r *Request) searched(ctx context.Context, dir string, sum *Summary) (err error) {
	if r.Search == nil {
		return os.RemoveAll(filepath.Join(dir, puzzleFile)) // of other games, perhaps
	}
	if sum.Puzzles, err = r.writePuzzles(ctx, dir, sum.found); err != nil || len(r.People) == 0 {
		return err
	}
	sum.Traps = []Traps{{Name: sum.Sides[0].Name}, {Name: sum.Sides[1].Name}}
	return r.findTraps(ctx, dir, sum.lures, sum.Traps)
}

// FileName is the file of a review with all its figures, the last one that is written.
const FileName = "review.json"

// ErrForeign says that a file is none of a review's.
var ErrForeign = errors.New("it is no review of this version of talbot: repeat the command that made it")

// Read reads the file of a review: its summary, but for the boards, and then each game, with where it begins; only the
// summary where each is nil.
func Read(r io.Reader, each func(g *Game, offset int64) error) (*Summary, error) {
	d := json.NewDecoder(r)
	sum := &Summary{}
	for _, want := range []any{json.Delim('{'), "summary", sum, "games", json.Delim('[')} {
		var got any = sum
		var err error
		if want == sum {
			err = d.Decode(sum)
		} else {
			got, err = d.Token()
		}
		if err != nil || got != want {
			return nil, cmp.Or(err, ErrForeign)
		}
	}
	if len(sum.Sides) != 2 || len(sum.Clocks) != 2 {
		return nil, ErrForeign
	}
	if each == nil {
		return sum, nil
	}
	for offset := d.InputOffset(); d.More(); offset = d.InputOffset() {
		g, err := readGame(d)
		if err == nil {
			err = each(g, offset)
		}
		if err != nil {
			return nil, fmt.Errorf("game %d: %w", len(sum.list)+1, err)
		}
		sum.list = append(sum.list, g.listed())
	}
	return sum, nil
}

// ReadGame reads a game that begins where [Read] said.
func ReadGame(r io.ReaderAt, offset int64) (*Game, error) {
	b := bufio.NewReader(io.NewSectionReader(r, offset, math.MaxInt64-offset))
	if _, err := b.ReadBytes('\n'); err != nil { // behind the game before
		return nil, err
	}
	return readGame(json.NewDecoder(b))
}

// readGame reads a game and replays it.
func readGame(d *json.Decoder) (*Game, error) {
	g := &Game{start: board.StartPosition()}
	err := d.Decode(g)
	if err == nil && g.FEN != "" {
		g.start, err = board.ParseFEN(g.FEN)
	}
	at := g.start
	for i := 0; i < len(g.Moves) && err == nil; i++ {
		m := &g.Moves[i]
		m.black = at.Turn() == board.Black
		if m.move, err = at.ParseUCI(m.UCI); err == nil {
			at.Play(m.move)
		}
	}
	return g, err
}

var columns = []string{"game", "ply", "color", "san", "uci", "best", "cp_before", "cp_after", "mate_before",
	"mate_after", "win_loss", "accuracy", "class", "phase", "likely", "best_likely", "clock", "tables"}

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
		clock, m.Tables}
}
