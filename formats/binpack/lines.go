package binpack

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"talbot/board"
	"talbot/dataset"
	"talbot/formats/scored"
	"talbot/internal/fault"
)

// Unit says what the scores of a file are.
type Unit string

// The units.
const (
	FindUnit   Unit = ""           // found by the marks of the file
	Leela      Unit = "leela"      // 660.6 q / (1 − 0.9751875 q¹⁰) of Leela's q; ±26624 is q = ±1
	Internal   Unit = "internal"   // Stockfish's own: 208 are a pawn, mate in n plies is ±(32000 − n)
	AnyUnit    Unit = "any"        // for those who do not use the scores: nothing is compared
	Centipawns Unit = "centipawns" // as an engine prints them; mates as in Internal
)

// Units lists those that can be stated.
var Units = []string{string(Leela), string(Internal), string(Centipawns)}

// ErrUnit: the unit of a file was neither stated nor found, or its scores contradict what was stated.
var ErrUnit = fault.New(fault.ExitUsage, "unit of the scores",
	"state what the scores are, --unit leela, internal or centipawns, and who made them, such as --origin "+
		"\"Stockfish 14\"")

// TagInvented is the tag of a line whose path may have been invented at some of its plies: programs that drop positions
// of a game may search for legal moves between the others. It lists those plies, without blanks at the ends; the moves
// to and from them are legal, but perhaps not those of the game.
const TagInvented = "InventedPlies"

const (
	leelaWon   = 26624           // the score of q = 1
	mateScore  = 32000           // mated now; less a ply each
	leastMate  = mateScore - 246 // that of the longest mate
	pawn       = 208             // in Stockfish's own unit
	leastMarks = 3               // scores of ±26624 that make a file one of Leela's
	decisive   = 200             // scores of that size tell who wins
)

// score converts a score to talbot's; false if v stands for no score.
func (u Unit) score(v int16) (dataset.Score, bool) {
	size, sign := int(v), 1
	if size < 0 {
		size, sign = -size, -1
	}
	switch {
	case size > mateScore:
		return 0, false
	case u != Leela && size >= leastMate:
		n := (mateScore - size + 1) / 2
		if sign > 0 {
			return dataset.MateIn(max(n, 1)), true
		}
		return dataset.MateIn(-n), true
	case u != Centipawns:
		size = (100*size + pawn/2) / pawn
	}
	return dataset.Centipawns(sign * size), true
}

// Missing counts the positions of a file that have no label.
type Missing struct {
	None         int64 `json:"none"`          // score 32002: Stockfish's VALUE_NONE
	TacticalZero int64 `json:"tactical_zero"` // 0 in place of a score, where the move captures or the mover is in check
	Invented     int64 `json:"invented"`      // of None: those between two others, which no game may have had
}

// Add adds what another part of a file misses.
func (m *Missing) Add(o Missing) {
	m.None += o.None
	m.TacticalZero += o.TacticalZero
	m.Invented += o.Invented
}

// LineReader reads the chains of a file as lines: start, moves that were played, and the scores as imported labels. It
// reads 10,000 positions ahead, which decide the unit where it was not stated, and whether scores of 0 at tactical
// positions are placeholders: they are if all such positions have score 0 or none. A tactical position is one whose
// move captures a piece (en passant does not count) or whose mover is in check.
//
// Plies without score (32002) are no samples. Where they lie between others the path may be invented: the line has
// [TagInvented], and the sample before has no policy target. A LineReader is for one goroutine.
type LineReader struct {
	in     *Reader
	origin string
	unit   Unit
	ahead  scored.Queue[readChain]
	number int64
	zeros  bool // placeholders

	missing Missing // of the last line
	sizes   dataset.Sizes
}

// readChain is a chain, or the damage in place of one.
type readChain struct {
	chain  Chain
	offset int64
	damage *Damage
}

// NewLineReader returns a reader of an unpacked file. An empty origin stands for what is found.
func NewLineReader(in io.Reader, origin string, unit Unit) *LineReader {
	return &LineReader{in: NewReader(in), origin: origin, unit: unit}
}

// Check reads as far as the unit takes and returns [ErrUnit] if it cannot be read so.
func (r *LineReader) Check() error {
	chains := r.ahead.Ahead(r.read, func(c *readChain) int { return len(c.chain.Scores) })
	if chains == nil {
		return nil
	}
	var f figures
	for i := range chains {
		if chains[i].damage == nil {
			f.add(&chains[i].chain)
		}
	}
	r.zeros = f.tactical > 0 && f.tactical == f.tacticalZeros
	return f.decide(&r.unit)
}

// read adds the next chain.
func (r *LineReader) read() error {
	var c readChain
	var err error
	if c.offset, err = r.in.Next(&c.chain); err != nil && !errors.As(err, &c.damage) {
		return err
	}
	r.ahead.Add(c)
	return nil
}

// Next returns the next line with its labels, by ascending Number. Damage is a *[dataset.Reject], and reading can go
// on; every other error is final, and io.EOF is the end.
func (r *LineReader) Next() (l dataset.Line, labels dataset.Imported, err error) {
	r.missing = Missing{}
	if err := r.Check(); err != nil {
		return l, labels, err
	}
	c, err := r.ahead.Next(r.read)
	if err != nil {
		return l, labels, err
	}
	r.number++
	if d := c.damage; d != nil {
		return l, labels, (&dataset.Reject{Reason: dataset.BadChain, Err: d}).Place(r.number, d.Offset)
	}
	if len(c.chain.Moves) > maxMoves {
		return l, labels, &dataset.Reject{Reason: dataset.TooLong, Number: r.number, Offset: c.offset,
			Err: fmt.Errorf("%d moves", len(c.chain.Moves))}
	}
	l, labels = r.line(&c.chain)
	l.Number, l.Offset = r.number, c.offset
	return l, labels, nil
}

// maxMoves is the longest line that is read, in plies, as of games.
const maxMoves = 20_000

// line makes a line of a chain.
func (r *LineReader) line(c *Chain) (dataset.Line, dataset.Imported) {
	l := dataset.Line{Source: dataset.SourceGame, Start: c.Start, Moves: c.Moves, Result: c.result()}
	last := len(c.Scores) - 1
	bitmap := make([]byte, len(c.Moves)/8+1)
	var invented []string
	var policies [][]dataset.WeightedMove
	labels := make([]dataset.Label, 0, len(c.Scores))
	scored := false // some ply before
	for ply, v := range c.Scores {
		if v == NoScore {
			r.missing.None++
			if scored && laterScore(c.Scores[ply:]) {
				r.missing.Invented++
				invented = append(invented, strconv.Itoa(ply))
			}
			continue
		}
		scored = true
		bitmap[ply/8] |= 1 << (ply % 8)
		labels = append(labels, dataset.Label{})
		var policy []dataset.WeightedMove
		if ply < len(c.Moves) && (ply == last || c.Scores[ply+1] != NoScore) {
			policy = []dataset.WeightedMove{{Move: c.Moves[ply], Weight: 1}}
		}
		policies = append(policies, policy)
	}
	r.scoreLabels(c, labels)
	switch {
	case len(c.Moves) == 0:
		l.Samples = dataset.LastPosition()
		if len(labels) == 0 {
			l.Samples = dataset.SomePlies(nil)
		}
	case len(labels) < len(c.Scores):
		l.Samples = dataset.SomePlies(bitmap)
	}
	if len(invented) > 0 {
		l.Tags = []dataset.Tag{{Name: TagInvented, Value: strings.Join(invented, " ")}}
		l.Policies = policies
	}
	return l, dataset.Imported{Engine: r.engine(), Labels: labels}
}

// laterScore reports whether a score follows.
func laterScore(scores []int16) bool {
	return slices.ContainsFunc(scores, func(v int16) bool { return v != NoScore })
}

// scoreLabels fills in the labels, except where a score of 0 is a placeholder.
func (r *LineReader) scoreLabels(c *Chain, labels []dataset.Label) {
	tactical := make([]bool, len(c.Scores))
	if r.zeros {
		c.eachPosition(func(ply int, p *board.Position, m board.Move) { tactical[ply] = isTactical(p, m) })
	}
	k := 0
	for ply, v := range c.Scores {
		if v == NoScore {
			continue
		}
		label := &labels[k]
		k++
		if v == 0 && tactical[ply] {
			r.missing.TacticalZero++
			continue
		}
		score, ok := r.unit.score(v)
		if !ok {
			label.Status = dataset.Failed
			continue
		}
		*label = dataset.Label{Status: dataset.Labelled, Lines: []dataset.Searched{{Score: score}}}
		r.sizes.Add(score)
	}
}

// eachPosition calls use with each position that has a score, and the move played there; NoMove if none is known.
func (c *Chain) eachPosition(use func(ply int, p *board.Position, m board.Move)) {
	p := c.Start
	for ply := range c.Scores {
		m := board.NoMove
		if ply < len(c.Moves) {
			m = c.Moves[ply]
		}
		use(ply, &p, m)
		if m != board.NoMove {
			p.Play(m)
		}
	}
}

// isTactical reports whether a position has placeholders in files that were made small: a piece of the other side is on
// the move's destination, or the mover is in check.
func isTactical(p *board.Position, m board.Move) bool {
	return m != board.NoMove && p.ByColor(p.Turn().Other()).Has(m.To()) || p.InCheck()
}

// result returns the result of the game.
func (c *Chain) result() dataset.Result {
	white := c.Result
	if c.Start.Turn() == board.Black {
		white = -white
	}
	return [...]dataset.Result{dataset.BlackWins, dataset.Draw, dataset.WhiteWins}[white+1]
}

// Missing returns which positions of the last line have no label.
func (r *LineReader) Missing() Missing { return r.missing }

// Origin returns the name of the scores' origin, and their unit.
func (r *LineReader) Origin() (string, Unit) {
	switch {
	case r.origin != "":
		return r.origin, r.unit
	case r.unit == Leela:
		return "Leela", r.unit
	}
	return "unnamed", r.unit
}

// engine is the name in the fingerprint.
func (r *LineReader) engine() string {
	origin, unit := r.Origin()
	return fmt.Sprintf("binpack %s, unit %s", origin, unit)
}

// Table says how the scores were read so far.
func (r *LineReader) Table() dataset.Table {
	return r.sizes.Table(string(r.unit), dataset.MoverView)
}
