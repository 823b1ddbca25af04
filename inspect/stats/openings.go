package stats

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/chart"
	"talbot/internal/humanize"
	"talbot/internal/ordered"
	"talbot/internal/table"
	"talbot/shards"
)

// Openings are the first moves of the games that begin at the standard start position.
type Openings struct {
	Games int64 `json:"games"` // those with at least one move
	// Least is how many games a line of moves needs to be counted: one in a hundred, and two at least.
	Least int64         `json:"least"`
	Moves []OpeningMove `json:"moves"`
}

// OpeningMove is a move after those that lead to it. Moves that lead to the same position on other ways count apart.
type OpeningMove struct {
	Move      string        `json:"move"` // SAN
	Games     int64         `json:"games"`
	Share     float64       `json:"share"` // of all games of the openings
	WhiteWins int64         `json:"white_wins"`
	Draws     int64         `json:"draws"`
	BlackWins int64         `json:"black_wins"`
	Score     *float64      `json:"score"`          // of White: a win is 1, a draw 0.5; null without any result
	Next      []OpeningMove `json:"next,omitempty"` // the most games first
}

// The depth of the openings, in plies. They are counted step by step, so that what is kept has a bound whatever the
// games are: all lines of the first plies (206,602 at most), then in a further pass over the dataset those that follow
// the lines found frequent (at most a hundred), and so on.
const (
	firstPlies = 4
	morePlies  = 2
	mostPlies  = 8
)

// openingPath is up to four moves of 16 bits, the last one lowest.
type openingPath uint64

func (p openingPath) with(m board.Move) openingPath { return p<<16 | openingPath(m) }

// openingGames counts games by result, as [dataset.Result] numbers them.
type openingGames [dataset.BlackWins + 1]int64

func (g openingGames) sum() (n int64) {
	for _, k := range g {
		n += k
	}
	return n
}

// openingLine is a line of moves: the number of a frequent line, 0 for none, and the moves after it.
type openingLine struct {
	behind int
	path   openingPath
}

// openingTally counts the lines of some plies.
type openingTally struct {
	games openingGames
	lines map[openingLine]openingGames
}

func newOpeningTally() openingTally { return openingTally{lines: map[openingLine]openingGames{}} }

// beginsAsUsual tells whether a line is a game from the standard start position.
func beginsAsUsual(l *dataset.Line) bool {
	return l.Source == dataset.SourceGame && len(l.Moves) > 0 && l.Reconstructed == 0 &&
		l.Start == board.StartPosition()
}

// add counts the moves of a line, as many as there are up to plies, after a frequent line.
func (t *openingTally) add(behind int, moves []board.Move, plies int, result dataset.Result) {
	at := openingLine{behind: behind}
	for _, m := range moves[:min(len(moves), plies)] {
		at.path = at.path.with(m)
		games := t.lines[at]
		games[result]++
		t.lines[at] = games
	}
}

func (t *openingTally) merge(o *openingTally) {
	for k, n := range o.games {
		t.games[k] += n
	}
	for at, games := range o.lines {
		mine := t.lines[at]
		for k, n := range games {
			mine[k] += n
		}
		t.lines[at] = mine
	}
}

// openingNode is a move of the tree while it grows.
type openingNode struct {
	move  board.Move
	moves []board.Move // all, this one too
	games openingGames
	next  []*openingNode
}

// openings are the frequent ones. The first plies have been counted; the rest is read from the dataset again, of which
// only moves and results are needed.
func (o Request) openings(ctx context.Context, first *openingTally) (*Openings, error) {
	all := &Openings{Games: first.games.sum(), Moves: []OpeningMove{}}
	all.Least = max((all.Games+99)/100, min(all.Games, 2))
	root := &openingNode{}
	leaves := root.grow(first, 0, all.Least, firstPlies)
	for plies := firstPlies; plies < mostPlies && len(leaves) > 0; plies += morePlies {
		t, err := o.countBehind(ctx, leaves, plies)
		if err != nil {
			return nil, err
		}
		var deeper []*openingNode
		for i, leaf := range leaves {
			deeper = append(deeper, leaf.grow(t, i, all.Least, morePlies)...)
		}
		leaves = deeper
	}
	all.Moves = root.list(board.StartPosition(), all.Games)
	return all, nil
}

// grow hangs the frequent lines of a tally below a node, and returns those of the full number of plies.
func (n *openingNode) grow(t *openingTally, behind int, least int64, plies int) (leaves []*openingNode) {
	nodes := map[openingPath]*openingNode{0: n}
	var paths []openingPath
	for at, games := range t.lines {
		if at.behind == behind && games.sum() >= least {
			paths = append(paths, at.path)
		}
	}
	slices.Sort(paths) // a path comes after those that it goes on from
	for _, path := range paths {
		parent := nodes[path>>16]
		child := &openingNode{move: board.Move(path & 0xffff), games: t.lines[openingLine{behind, path}]}
		child.moves = append(slices.Clone(parent.moves), child.move)
		parent.next = append(parent.next, child)
		nodes[path] = child
		if len(child.moves) == len(n.moves)+plies {
			leaves = append(leaves, child)
		}
	}
	return leaves
}

// countBehind counts what follows lines of some plies.
func (o Request) countBehind(ctx context.Context, lines []*openingNode, plies int) (*openingTally, error) {
	d, err := shards.OpenDataset(o.Dir, shards.WithColumns(0))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	// The moves of a line as bytes; reading a map by such a key allocates nothing.
	key := func(dst []byte, moves []board.Move) []byte {
		for _, m := range moves {
			dst = append(dst, byte(m), byte(m>>8))
		}
		return dst
	}
	number := map[string]int{}
	for i, line := range lines {
		number[string(key(nil, line.moves))] = i
	}
	blocks := d.Blocks()
	tallies := make([]openingTally, o.workers(len(blocks)))
	buffers := make([][]dataset.Line, len(tallies))
	for i := range tallies {
		tallies[i] = newOpeningTally()
	}
	for _, err := range ordered.N(ctx, len(blocks), len(tallies), func(worker, i int) (struct{}, error) {
		var err error
		buffers[worker], err = d.Shards[blocks[i].Shard].ReadBlock(blocks[i].Block, buffers[worker][:0])
		if err != nil {
			return struct{}{}, err
		}
		var space [2 * mostPlies]byte
		for k := range buffers[worker] {
			l := &buffers[worker][k]
			if len(l.Moves) <= plies || !beginsAsUsual(l) {
				continue
			}
			if behind, ok := number[string(key(space[:0], l.Moves[:plies]))]; ok {
				tallies[worker].add(behind, l.Moves[plies:], morePlies, l.Result)
			}
		}
		return struct{}{}, nil
	}) {
		if err != nil {
			return nil, err
		}
	}
	for i := range tallies[1:] {
		tallies[0].merge(&tallies[i+1])
	}
	return &tallies[0], nil
}

// list is the tree below a node, whose position is p.
func (n *openingNode) list(p board.Position, all int64) (list []OpeningMove) {
	for _, child := range n.next {
		g := child.games
		m := OpeningMove{Move: p.SAN(child.move), Games: g.sum(), WhiteWins: g[dataset.WhiteWins],
			Draws: g[dataset.Draw], BlackWins: g[dataset.BlackWins]}
		m.Share = float64(m.Games) / float64(all)
		if known := m.WhiteWins + m.Draws + m.BlackWins; known > 0 {
			score := (float64(m.WhiteWins) + float64(m.Draws)/2) / float64(known)
			m.Score = &score
		}
		behind := p
		behind.Play(child.move)
		m.Next = child.list(behind, all)
		list = append(list, m)
	}
	slices.SortFunc(list, func(a, b OpeningMove) int {
		return cmp.Or(cmp.Compare(b.Games, a.Games), cmp.Compare(a.Move, b.Move))
	})
	return list
}

// mainLines are the moves of the tree with at least some share, as rows: each with the moves before it.
func (o *Openings) mainLines(share float64, plies int) (rows []mainLine) {
	var walk func(before string, ply int, list []OpeningMove)
	walk = func(before string, ply int, list []OpeningMove) {
		for i := range list {
			m := &list[i]
			if m.Share < share || ply >= plies {
				continue
			}
			line := before + numbered(ply, m.Move)
			rows = append(rows, mainLine{line, m})
			walk(line+" ", ply+1, m.Next)
		}
	}
	walk("", 0, o.Moves)
	return rows
}

type mainLine struct {
	moves string
	*OpeningMove
}

// numbered writes the move of a ply: "1.e4", "c5", "2.Nf3".
func numbered(ply int, move string) string {
	if ply%2 == 0 {
		return strconv.Itoa(ply/2+1) + "." + move
	}
	return move
}

// The text shows less of the tree than the page.
const (
	textShare = 0.05
	textPlies = 4
)

// WriteText writes the main lines.
func (o *Openings) WriteText(b *strings.Builder) {
	t := table.Table{Columns: table.Columns("openings", "games", "share", "White's score")}
	for _, m := range o.mainLines(textShare, textPlies) {
		t.Add(table.Row(m.moves, humanize.Thousands(m.Games), humanize.Percent(m.Share), m.ScoreText())...)
	}
	t.WriteText(b)
}

//go:embed openings.html
var openingsText string

var openingsTemplate = chart.New("openings", openingsText, template.FuncMap{"share": humanize.Percent})

// openShare is the share from which on what follows an opening move is unfolded, for the first moves.
const openShare = 0.1

// openingRow is a move of the tree as the page shows it.
type openingRow struct {
	*OpeningMove
	Name  string // "2.Nf3", "2…Nc6"
	Moves string // all up to this one
	Ply   int
	Open  bool // what follows is unfolded
	Next  []openingRow
}

// HTML returns the tree, whose moves unfold.
func (o *Openings) HTML() (template.HTML, error) {
	var b strings.Builder
	err := openingsTemplate.Execute(&b, struct {
		*Openings
		Rows []openingRow
	}{o, openingRows(o.Moves, 0, "")})
	return template.HTML(b.String()), err
}

func openingRows(moves []OpeningMove, ply int, before string) (rows []openingRow) {
	for i := range moves {
		m := &moves[i]
		r := openingRow{OpeningMove: m, Name: numbered(ply, m.Move), Moves: before + numbered(ply, m.Move),
			Ply: ply, Open: ply < 2 && m.Share >= openShare}
		if ply%2 == 1 {
			r.Name = fmt.Sprintf("%d…%s", ply/2+1, m.Move)
		}
		r.Next = openingRows(m.Next, ply+1, r.Moves+" ")
		rows = append(rows, r)
	}
	return rows
}

// White, Drawn and Black are the shares of the results, in per cent.
func (m *OpeningMove) White() float64 { return m.percent(m.WhiteWins) }
func (m *OpeningMove) Drawn() float64 { return m.percent(m.Draws) }
func (m *OpeningMove) Black() float64 { return m.percent(m.BlackWins) }

func (m *OpeningMove) percent(n int64) float64 {
	return 100 * float64(n) / float64(max(m.WhiteWins+m.Draws+m.BlackWins, 1))
}

// ScoreText is the score of White.
func (m *OpeningMove) ScoreText() string {
	if m.Score == nil {
		return "–"
	}
	return humanize.Percent(*m.Score)
}
