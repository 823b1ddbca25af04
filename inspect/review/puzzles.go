package review

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"talbot/board"
	"talbot/dataset"
	"talbot/formats/rows"
	"talbot/internal/output"
	"talbot/shards"
)

// Search is what an engine is asked beside the positions of the games.
type Search struct {
	File             string // puzzles in Lichess's columns: the positions before the solver's moves are searched
	Dataset, Labels  string // the folders for the file's positions and for their labels, which may be there
	Moves            int    // that are scored in each position
	Times, DividedBy int64  // the nodes are those of the games' positions, so many times
}

// puzzle is a position in which one move wins, or may.
type puzzle struct {
	start board.Position
	url   string
	mates bool // by force, as the game's search has it
	// row is the opponent's move, then the solver's and the replies, as far as they are searched. The last move is only
	// there to make a row of it.
	row []board.Move

	solution []board.Move // the opponent's move, then the solver's and the replies; it ends with the solver's
	score    dataset.Score
	spoilt   bool
}

// The bounds of Lichess's puzzle generator (generator.py of ornicar/lichess-puzzler, version 49). Winning chances are
// on the scale from -1 to 1.
const (
	winning      = dataset.Score(200) // of each of the solver's moves
	clearly      = dataset.Score(400) // of a position that is won without being behind in material
	wonBefore    = dataset.Score(300) // above which the opponent's move changed nothing
	appears      = 0.6                // by how much the opponent's move raised the chances
	onlyGap      = 0.7                // by how much the second best move has lower chances
	besideMate   = 0.6                // the chances of the second best move beside a mate in one
	longestMate  = 15                 // a mate has to be shorter
	fewestSolved = 2                  // moves of a solution without mate
)

// sharp returns the winning chances of a score, -1 … 1, a mate as ±1.
func sharp(s dataset.Score) float64 {
	if n, ok := s.Mate(); ok {
		return math.Copysign(1, float64(n))
	}
	cp, _ := s.Centipawns()
	return chances(cp)
}

// mating reports whether a score is a mate that is short enough.
func mating(s dataset.Score) bool {
	n, ok := s.Mate()
	return ok && n > 0 && n < longestMate
}

// only reports whether the best move is the only one that wins.
func only(l *dataset.Label) bool {
	if l.Status != dataset.Labelled || len(l.Lines) == 0 || l.Best != l.Lines[0].PV[0] {
		return false
	}
	if len(l.Lines) == 1 {
		return true // the only legal one
	}
	best, second := l.Lines[0].Score, l.Lines[1].Score
	if best == dataset.MateIn(1) && second != best {
		return sharp(second) <= besideMate
	}
	return sharp(best) > sharp(second)+onlyGap
}

// appeared reports whether a mate or a clear advantage came with the opponent's move, for a side that is so many pawns
// ahead in material.
func appeared(was, is dataset.Score, ahead int) bool {
	if ahead > 0 || sharp(was) == 1 {
		return false
	}
	return mating(is) || was <= wonBefore && is >= winning && sharp(is) > sharp(was)+appears &&
		(is >= clearly || ahead < 0)
}

// puzzles returns the positions of a game that may be puzzles: a mate or an advantage appears with the opponent's move,
// for a side that is not ahead in material.
func (g *Game) puzzles() (list []*puzzle) {
	at := g.start
	seen := map[uint64]bool{at.Key(): true}
	for i := range g.Moves {
		m := &g.Moves[i]
		before := at
		at.Play(m.move)
		again := seen[at.Key()] // the engine knows the past, whoever solves the puzzle does not
		seen[at.Key()] = true
		solver := at.Turn()
		if again || !g.mine[solver] || len(m.reply) == 0 || len(at.LegalMoves(nil)) < 2 {
			continue
		}
		ahead := at.Material().Difference()
		if solver == board.Black {
			ahead = -ahead
		}
		if !appeared(-m.before(), -m.ScoreAfter(), ahead) {
			continue
		}
		p := &puzzle{start: before, row: []board.Move{m.move, m.reply[0]}, mates: mating(-m.ScoreAfter())}
		if strings.HasPrefix(g.Site, "http") {
			p.url = g.Site + "#" + strconv.Itoa(i+1)
			if before.Turn() == board.Black {
				p.url = g.Site + "/black#" + strconv.Itoa(i+1)
			}
		}
		list = append(list, p)
	}
	return list
}

// extend reads what the engine says of the solver's positions of the row, and reports whether the row became longer:
// then there is another one to search.
func (p *puzzle) extend(labels []dataset.Label) bool {
	p.solution, p.spoilt = nil, false
	at, seen := p.start, map[uint64]bool{}
	var line []board.Move
	for k := range labels {
		l := &labels[k]
		line = append(line, p.row[2*k])
		at.Play(p.row[2*k])
		if again := seen[at.Key()]; again || !only(l) || p.mates && !mating(l.Lines[0].Score) {
			p.spoilt = p.mates || again
			return false
		}
		seen[at.Key()] = true
		best := l.Lines[0]
		line = append(line, best.PV[0])
		at.Play(best.PV[0])
		over := !at.HasLegalMove()
		if over || len(l.Lines) > 1 { // Lichess's solutions do not end with the only legal move
			p.solution, p.score = slices.Clone(line), best.Score
		}
		if over || len(best.PV) < 2 || best.Score < winning {
			p.spoilt = best.Score < winning || p.mates && !over
			return false
		}
		if next := 2*k + 2; next < len(p.row) && p.row[next-1] == best.PV[0] && p.row[next] == best.PV[1] {
			continue
		}
		at.Play(best.PV[1])
		legal := at.LegalMoves(nil)
		p.spoilt = len(legal) == 0
		if !p.spoilt {
			p.row = append(line, best.PV[1], legal[0])
		}
		return !p.spoilt
	}
	return false
}

// end is the position after the solution.
func (p *puzzle) end() board.Position {
	at := p.start
	for _, m := range p.solution {
		at.Play(m)
	}
	return at
}

// id is the position before the solver's first move.
func (p *puzzle) id() string {
	at := p.start.After(p.row[0])
	return strconv.FormatUint(at.Key(), 36)
}

// confirm has the engine search the positions with the second best move too, and returns those that are puzzles, with
// their solutions, each position once.
func (r *Request) confirm(ctx context.Context, dir string, found []*puzzle) (list []*puzzle, err error) {
	s := searchIn(dir, "puzzles", 2, 10, 1)
	seen := map[string]bool{}
	for _, p := range found {
		if id := p.id(); !seen[id] {
			seen[id], list = true, append(list, p)
		}
	}
	// What an earlier command searched shows how far the rows will come, so that none of it is left out of the dataset.
	earlier, err := s.read()
	if err != nil && !errors.Is(err, dataset.ErrNoDataset) {
		return nil, err
	}
	known := map[string]*dataset.Line{}
	for _, l := range earlier {
		known[l.Tag(rows.TagPuzzleID)] = l
	}
	for _, p := range list {
		if l := known[p.id()]; l != nil && l.Start == p.start && l.Moves[0] == p.row[0] {
			p.row = l.Moves
			p.extend(l.Labels[0].Labels)
		}
	}
	for more := len(list) > 0; more; {
		more = false
		var asked [][]string
		for _, p := range list {
			asked = append(asked, puzzleRow(p.id(), &p.start, p.row))
		}
		lines, err := r.search(ctx, s, asked)
		if err != nil {
			return nil, err
		}
		for i, l := range lines {
			if list[i].extend(l.Labels[0].Labels) {
				more = true
			}
		}
	}
	return slices.DeleteFunc(list, func(p *puzzle) bool { return p.spoilt || len(p.solution) == 0 }), nil
}

// searchIn returns a search whose files are in the review's folder.
func searchIn(dir, name string, moves int, times, dividedBy int64) Search {
	at := filepath.Join(dir, "searched", name)
	return Search{File: at + ".csv", Dataset: at, Labels: at + "-labelled", Moves: moves, Times: times,
		DividedBy: dividedBy}
}

// search has the positions of the rows of a table searched, and returns a line with its labels for each.
func (r *Request) search(ctx context.Context, s Search, list [][]string) ([]*dataset.Line, error) {
	if err := os.MkdirAll(filepath.Dir(s.File), 0o777); err != nil {
		return nil, err
	}
	if err := output.WriteFile(s.File, puzzleTable(list)); err != nil {
		return nil, err
	}
	if err := r.Search(ctx, s); err != nil {
		return nil, err
	}
	lines, err := s.read()
	if err == nil && len(lines) != len(list) {
		err = fmt.Errorf("%q: %d lines of the %d rows of %q", s.Labels, len(lines), len(list), s.File)
	}
	return lines, err
}

// read returns the lines that were searched.
func (s *Search) read() (lines []*dataset.Line, err error) {
	in, err := shards.OpenDataset(s.Labels)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	for line, err := range in.Lines() {
		if err != nil {
			return nil, err
		}
		l := *line
		lines = append(lines, &l)
	}
	return lines, nil
}

// puzzleRow returns a row of Lichess's columns: the position before the opponent's move, that move, and the solution.
// More are the columns from the rating on.
func puzzleRow(id string, start *board.Position, moves []board.Move, more ...string) []string {
	row := append([]string{id, start.FEN(), strings.Trim(fmt.Sprint(moves), "[]")}, more...)
	return append(row, make([]string, len(rows.PuzzleColumns)-len(row))...)
}

// puzzleTable returns rows as CSV, under their names.
func puzzleTable(list [][]string) []byte {
	var text bytes.Buffer
	_ = csv.NewWriter(&text).WriteAll(append([][]string{rows.PuzzleColumns[:]}, list...)) // to memory
	return text.Bytes()
}

// The line that fits the ratings of Lichess's puzzles: see docs/25-review.md.
const (
	easiest  = 554 // the rating of what everybody solves
	harder   = 779
	spread   = 470 // standard deviation of the puzzles' ratings from it
	unlikely = 1e-6
	untold   = 1500 // for networks that take a rating
)

// rate returns the ratings of puzzles by how likely people find the solution: easiest + harder·√(−ln p), where p is the
// product over the solver's moves of the networks' mean probability. Nil without networks.
func (r *Request) rate(ctx context.Context, list []*puzzle) ([]int, error) {
	if len(r.People) == 0 {
		return nil, nil
	}
	v := &reviewer{Request: *r}
	ratings := make([]int, len(list))
	for i, p := range list {
		g := &Game{start: p.start}
		for _, m := range p.solution {
			g.Moves = append(g.Moves, Move{move: m})
		}
		shares := make([]float64, len(g.Moves))
		for _, person := range r.People {
			told := cmp.Or(person.Rating, untold)
			if err := v.ask(ctx, g, p.start.Turn().Other(), [2]int{told, told}, person.Evaluator); err != nil {
				return nil, err
			}
			for ply := 1; ply < len(shares); ply += 2 {
				shares[ply] += *g.Moves[ply].Likely / float64(len(r.People))
			}
		}
		difficulty := 0.0
		for ply := 1; ply < len(shares); ply += 2 {
			difficulty -= math.Log(min(max(shares[ply], unlikely), 1))
		}
		ratings[i] = int(math.Round(easiest + harder*math.Sqrt(difficulty)))
	}
	return ratings, nil
}

// puzzleFile is the file of puzzles in the review's folder.
const puzzleFile = "puzzles.csv"

// writePuzzles makes puzzles of the positions that may be some, and writes them. It returns how many there are.
func (r *Request) writePuzzles(ctx context.Context, dir string, list []*puzzle) (int, error) {
	list, err := r.confirm(ctx, dir, list)
	if err != nil {
		return 0, err
	}
	ratings, err := r.rate(ctx, list)
	if err != nil {
		return 0, err
	}
	var text [][]string
	for i, p := range list {
		rating, off := "", ""
		if ratings != nil {
			rating, off = strconv.Itoa(ratings[i]), strconv.Itoa(spread)
		}
		text = append(text, puzzleRow(p.id(), &p.start, p.solution, rating, off, "0", "0",
			strings.Join(p.themes(), " "), p.url))
	}
	return len(list), output.WriteFile(filepath.Join(dir, puzzleFile), puzzleTable(text))
}
