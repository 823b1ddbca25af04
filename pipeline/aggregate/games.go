package aggregate

import (
	"time"

	"talbot/board"
	"talbot/dataset"
	"talbot/shards"
)

// The reasons for which lines and moves do not count, beside those of [dataset.Filter].
const (
	NotAGame     dataset.Reason = "not_a_game"    // of a line: a puzzle, an endgame, a position
	OtherSplit   dataset.Reason = "split"         // of a line: a game of another split
	NoMove       dataset.Reason = "no_move"       // of a sample: none was played
	RarePosition dataset.Reason = "rare_position" // of a move: its position was seen too rarely
	RareBand     dataset.Reason = "rare_band"     // of a move: its position was seen too rarely in its band
)

// counts are the figures of the games that were read.
type counts struct {
	Read    int64         `json:"read"`
	Rejects dataset.Drops `json:"rejects"`
	Moves   int64         `json:"moves"` // that count
	Dropped dataset.Drops `json:"dropped"`
}

func newCounts() counts { return counts{Rejects: dataset.Drops{}, Dropped: dataset.Drops{}} }

func (c *counts) add(o *counts) {
	c.Read += o.Read
	c.Rejects = c.Rejects.Add(o.Rejects)
	c.Moves += o.Moves
	c.Dropped = c.Dropped.Add(o.Dropped)
}

// keyOf is what positions are spread by; tests replace it.
var keyOf = (*board.Position).Key

// gameReader reads the games that count.
type gameReader struct {
	filter   dataset.Filter
	minClock time.Duration
	bands    []dataset.Band
	split    *dataset.Split
	sets     []*shards.Dataset
}

// setBlock is a block of one of the datasets.
type setBlock struct {
	set int
	shards.BlockRef
}

// chunkPositions is how many positions are sorted together.
const chunkPositions = 1 << 20

// chunks splits the blocks of all datasets into parts of about size positions.
func (g *gameReader) chunks(size int64) (all [][]setBlock, positions int64) {
	var chunk []setBlock
	n := int64(0)
	for i, d := range g.sets {
		for _, ref := range d.Blocks() {
			chunk = append(chunk, setBlock{i, ref})
			n += int64(d.Shards[ref.Shard].Block(ref.Block).Positions)
			if n >= size {
				all, chunk, positions, n = append(all, chunk), nil, positions+n, 0
			}
		}
	}
	if len(chunk) > 0 {
		all = append(all, chunk)
	}
	return all, positions + n
}

// block calls each with every move of a block that counts, before it is played. lines is a buffer.
func (g *gameReader) block(at setBlock, lines *[]dataset.Line, c *counts,
	each func(p *board.Position, m board.Move, band int)) (err error) {
	d := g.sets[at.set]
	r := d.Shards[at.Shard]
	if *lines, err = r.ReadBlock(at.Block, (*lines)[:0]); err != nil {
		return err
	}
	for i := range *lines {
		l := &(*lines)[i]
		c.Read++
		if reason := g.reject(l, d.Manifest.Splits); reason != "" {
			c.Rejects[reason]++
			continue
		}
		if err := g.line(l, c, each); err != nil {
			return r.LineError(at.Block, i, l, err)
		}
	}
	return nil
}

// reject returns why a line does not count, "" if it does.
func (g *gameReader) reject(l *dataset.Line, splits dataset.Splits) dataset.Reason {
	if l.Source != dataset.SourceGame {
		return NotAGame
	}
	if g.split != nil && splits.Of(dataset.SplitKey(l)) != *g.split {
		return OtherSplit
	}
	if reason := g.filter.Head(l); reason != "" {
		return reason
	}
	return g.filter.Whole(l)
}

// line calls each with every move of a game that counts.
func (g *gameReader) line(l *dataset.Line, c *counts, each func(p *board.Position, m board.Move, band int)) error {
	n := len(l.Moves)
	elos := [2]int{board.White: l.WhiteElo, board.Black: l.BlackElo}
	bands := [2]int{dataset.BandOf(g.bands, elos[0]), dataset.BandOf(g.bands, elos[1])}
	return l.Replay(func(pos *board.Position, ply int) error {
		if ply < l.Reconstructed || !l.Samples.Has(ply, n) {
			return nil
		}
		switch turn := pos.Turn(); {
		case ply == n:
			c.Dropped[NoMove]++
		case l.ShortOfTime(ply, g.minClock):
			c.Dropped[dataset.LowClock]++
		case elos[turn] > 0 || len(g.bands) == 1:
			c.Moves++
			each(pos, l.Moves[ply], bands[turn])
		default:
			c.Dropped[dataset.UnknownElo]++
		}
		return nil
	})
}
