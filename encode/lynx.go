package encode

import (
	"math"
	"math/bits"
	"sort"

	"talbot/board"
	"talbot/dataset"
)

// LynxMoves is how many moves the recipe lynx knows: 73 planes of 64 squares.
const LynxMoves = TalbotBotMoves

// LynxTactics is how many planes of tactics there are, and words in a packed input for them.
const LynxTactics = 9

// LynxThreats is how many planes of threats there are, and words in a packed input for them.
const LynxThreats = 8

const lynxWords = TahlWords + LynxTactics + LynxThreats // with Tactics and Threats

// Lynx is the encoding of the recipe lynx: the planes of [Tahl], and moves as squares of planes. With Attacks there are
// twelve planes more:
//
//	planes 28 … 33  the squares that own P N B R Q K attack
//	planes 34 … 39  those that the opponent's attack
//
// Attacks are those of [board.Attacks]: the first piece in the way, of either side, is attacked and ends the reach, and
// pins do not count. They follow from the board, so an input is packed as that of [Tahl]. With Tactics there are nine
// planes more, which also are words of a packed input, after those of Tahl:
//
//	0, 1  the opponent's pieces that the mover wins something by capturing; own pieces that the opponent would win
//	      something by capturing if it were to move
//	2, 3  those of them that win more than a pawn
//	4     pieces of either side that are pinned to their king
//	5, 6  squares on which an own N B R Q would attack the opponent's king after a move there, with everything else
//	      where it is and the square that it left still taken; the same for the opponent's
//	7, 8  squares that an own B R Q attacks through one piece, of either side; the same for the opponent's
//
// What a capture wins is counted in pawns (knight and bishop 3, rook 5, queen 9) on one square, where both sides go on
// capturing with the least valuable piece that can, one behind another too, and stop when it pays. Pins do not count
// here either, a king captures only what is not defended, and promotions and captures en passant are left out.
//
// With Threats there are eight planes more, the last ones and the last words. A piece that is pinned to its king then
// captures and gives check on the line of the pin alone, in the planes of tactics too:
//
//	0, 1  squares of 5 or 6 of tactics where a capture of the piece that gives check wins less than it captured there
//	      or nothing; the mover's and the opponent's
//	2, 3  pieces of a side that stand alone between its B R Q and the opponent's king
//	4, 5  squares next to a side's king that it could move to: not its own side's, nor attacked once it has left
//	6, 7  pieces of a side, but its king, without each of which the opponent would win something on two squares or
//	      more that it attacks and wins nothing on now
//
// A move's index is plane × 64 + from square, with the planes of [TalbotBot.MoveIndex] and squares in the mover's
// frame: the order in which a convolution of 73 channels leaves them. Nothing of the input tells White from Black.
type Lynx struct {
	Tahl
	Attacks bool // there are planes of attacks
	Tactics bool // there are planes of tactics
	Threats bool // there are planes of threats, and pins count in those of tactics
	// Nearness chooses the newer [Lynx.Value], which tells a near mate from a far one, and chances as the label has
	// them. Without it they follow from the score, which takes no draw for certain.
	Nearness bool
}

// Name returns "lynx".
func (Lynx) Name() string { return "lynx" }

// Layout reports that all legal moves are listed, each by its index, and that the floats are value and chances.
func (e Lynx) Layout() Layout {
	l := Tahl{}.Layout()
	l.Shape = []int{e.planes(), 8, 8}
	l.Words += e.tacticPlanes()
	l.Chances = e.Nearness
	l.Codes, l.Indices = 1, LynxMoves
	l.Floats = []string{ValueFloat, WinFloat, DrawFloat}
	return l
}

func (e Lynx) planes() int {
	n := TahlPlanes
	if e.Attacks {
		n += TahlLayers
	}
	return n + e.tacticPlanes()
}

// tacticPlanes is how many planes of tactics and threats there are.
func (e Lynx) tacticPlanes() (n int) {
	if e.Tactics {
		n += LynxTactics
	}
	if e.Threats {
		n += LynxThreats
	}
	return n
}

// Pack writes the input of [Tahl] and the planes of tactics and threats.
func (e Lynx) Pack(dst []uint64, v *View) {
	e.Tahl.Pack(dst, v)
	if e.Tactics || e.Threats {
		e.tacticWords(dst[TahlWords:TahlWords+e.tacticPlanes()], dst[:boardWords])
	}
}

// Planes writes the planes of the present position of g as bits: bit i of a plane is square i.
func (e Lynx) Planes(dst []uint64, g *board.Game) {
	var words [lynxWords]uint64
	e.Pack(words[:], &View{Game: g})
	e.unpack(dst, words[:])
}

// unpack writes the planes of a packed input.
func (e Lynx) unpack(dst, w []uint64) {
	tahlPlanes((*[TahlPlanes]uint64)(dst), (*[TahlWords]uint64)(w))
	if e.Attacks {
		attackPlanes((*[TahlLayers]uint64)(dst[TahlPlanes:]), w[:boardWords])
	}
	copy(dst[e.planes()-e.tacticPlanes():e.planes()], w[TahlWords:])
}

// attackPlanes are the squares that each kind of piece attacks, own ones first, of a board as [packBoard] writes it.
func attackPlanes(planes *[TahlLayers]uint64, w []uint64) {
	*planes = [TahlLayers]uint64{}
	occupied := w[0] | w[1] | w[2]
	for left := occupied; left != 0; left &= left - 1 {
		s := bits.TrailingZeros64(left)
		kind := w[0]>>s&1 | w[1]>>s&1<<1 | w[2]>>s&1<<2
		side := w[3] >> s & 1
		planes[6*side+kind-1] |= uint64(board.Attacks(board.Color(side), board.PieceType(kind), board.Square(s),
			board.Bitboard(occupied)))
	}
}

// Unpack writes the planes as 0 and 1.
func (e Lynx) Unpack(dst []float32, packed []uint64) {
	var planes [TahlPlanes + TahlLayers + LynxTactics + LynxThreats]uint64
	e.unpack(planes[:], packed)
	spread(dst, planes[:e.planes()])
}

// EncodeMove writes the index of a move.
func (e Lynx) EncodeMove(dst []int32, v *View, m board.Move) {
	dst[0] = int32(e.MoveIndex(v.Position(), m))
}

// MoveIndex returns the index of a legal move, 0 … 4671.
func (Lynx) MoveIndex(p *board.Position, m board.Move) int {
	i := TalbotBot{}.MoveIndex(p, m)
	return i%movePlanes*64 + i/movePlanes
}

// Value is a·(w − l) + (1 − a)·r of a score alone, with the chances of [scoreChances]. The second part grows where a
// game is as good as won, so that a search finds its way to the mate.
//
// Without Nearness a is 0.8, and r is 0.85·cp/(|cp| + 1000) of centipawns, and 0.85 + 1.5/(n + 10) of a mate in n. From
// a mate in 16 to one in 15 the value rises by 0.0005: less than a network errs. With it a is 0.6, and r is
// 0.5·cp/(|cp| + 700), or 1 − n/75, and beyond 30 moves 0.5 + 3/n. That is 0.0053 for each move of the first thirty.
func (e Lynx) Value(s dataset.Score) (float32, bool) {
	win, draw, ok := scoreChances(s)
	if !ok {
		return 0, false
	}
	return e.join(2*win+draw-1, s), true
}

// ValueFormula is Value in one line.
func (e Lynx) ValueFormula() string {
	const chances = "1/(1+exp((100∓cp)/60))"
	if e.Nearness {
		return "0.6·(w-l)+0.4·r, r=0.5·cp/(|cp|+700), mate in n: ±(1-n/75), beyond 30 ±(0.5+3/n); w, l as the engine " +
			"says, else " + chances
	}
	return "0.8·(w-l)+0.2·r, r=0.85·cp/(|cp|+1000), mate in n: ±(0.85+1.5/(n+10)); w, l=" + chances
}

// join is the value of an expected score and a score.
func (e Lynx) join(expected float64, s dataset.Score) float32 {
	if e.Nearness {
		return float32(0.6*expected + 0.4*nearness(s))
	}
	return float32(0.8*expected + 0.2*progress(s))
}

// Centipawns returns the inverse of [Lynx.Value], in ±1500; mates are at the ends. Between two whole centipawns it is a
// straight line.
func (e Lynx) Centipawns(value float32) float64 {
	of := func(cp int) float32 {
		v, _ := e.Value(dataset.Centipawns(cp))
		return v
	}
	cp := sort.Search(2*mostCentipawns, func(i int) bool { return of(i-mostCentipawns) >= value }) - mostCentipawns
	above := of(cp)
	if cp == -mostCentipawns || value >= above {
		return float64(cp)
	}
	return float64(cp) - float64(above-value)/float64(above-of(cp-1))
}

// nearness is the r of [Lynx.Value] with Nearness.
func nearness(s dataset.Score) float64 {
	n, ok := s.Mate()
	if !ok {
		cp, _ := s.Centipawns()
		return 0.5 * float64(cp) / (math.Abs(float64(cp)) + 700)
	}
	moves := math.Abs(float64(n))
	r := 1 - moves/75
	if moves > 30 {
		r = 0.5 + 3/moves
	}
	if n <= 0 {
		return -r
	}
	return r
}

// progress is the r of [Lynx.Value] without Nearness.
func progress(s dataset.Score) float64 {
	if n, ok := s.Mate(); ok {
		if n > 0 {
			return 0.85 + 1.5/float64(n+10)
		}
		return -0.85 - 1.5/float64(10-n)
	}
	cp, _ := s.Centipawns()
	return 0.85 * float64(cp) / (math.Abs(float64(cp)) + 1000)
}

// scoreChances are the chances of a win and a draw that a score stands for: 1/(1+exp((100∓cp)/60)) of centipawns, which
// Stockfish since version 15.1 scales so that 100 are a win in one game of two.
func scoreChances(s dataset.Score) (win, draw float64, ok bool) {
	if n, ok := s.Mate(); ok {
		if n > 0 {
			return 1, 0, true
		}
		return 0, 0, true
	}
	cp, ok := s.Centipawns()
	win = 1 / (1 + math.Exp((100-float64(cp))/60))
	loss := 1 / (1 + math.Exp((100+float64(cp))/60))
	return win, 1 - win - loss, ok
}

// chances are what the label says of the game's end, or else the result: value, win and draw.
func (e Lynx) chances(v *View, t Targets) (value, win, draw float32, ok bool) {
	if t.Value.rule == resultRule {
		value, ok = t.ValueOf(e, v)
		win, draw, _ = t.Value.resultChances(v)
		return value, win, draw, ok
	}
	label := &v.Labels.Value
	if label.Status == dataset.Labelled && len(label.Lines) > 0 {
		line := &label.Lines[0]
		w, d, ok := scoreChances(line.Score)
		if x := line.WDL; e.Nearness && x != (dataset.WDL{}) {
			w, d, ok = float64(x.Win)/1000, float64(x.Draw)/1000, true
		}
		if ok {
			return e.join(2*w+d-1, line.Score), float32(w), float32(d), true
		}
	}
	if x, ok := Value(e, RecipeValue, v.Position(), *label); ok { // terminal
		return x, 0, 1 + x, true
	}
	result, ok := v.Result()
	return result, max(0, result), 1 - max(result, -result), ok
}

// Target gives the legal moves with the weights of the policy target, the value and the chances: of the label, else of
// the game's result. With another target of the value the value alone follows it, but with [ResultValue] the chances
// too.
func (e Lynx) Target(dst *Target, v *View, t Targets) bool {
	learns := legalPolicy(dst, e, v, t)
	value, win, draw, ok := e.chances(v, t)
	if ok {
		dst.Floats[0], dst.Floats[1], dst.Floats[2] = value, win, draw
	}
	if t.Value != RecipeValue && t.Value.rule != resultRule {
		dst.Floats[0] = unknown
		if x, has := Value(e, t.Value, v.Position(), v.Labels.Value); has {
			dst.Floats[0], ok = x, true
		}
	}
	return ok || learns
}

// NumberNames implements [Encoder].
func (e Lynx) NumberNames() []NumberGroup {
	list := e.Tahl.NumberNames()
	if e.Attacks {
		list = append(list, NumberGroup{"Attacked squares", sides(menNames("PNBRQK"))})
	}
	if e.Tactics {
		list = append(list, NumberGroup{"Tactics", []string{"theirs won by capture", "own won by capture",
			"theirs, more than a pawn", "own, more than a pawn", "pinned", "own checks", "their checks",
			"own, through a piece", "theirs, through a piece"}})
	}
	if e.Threats {
		list = append(list, NumberGroup{"Threats", []string{"own safe checks", "their safe checks",
			"own discoverers of check", "their discoverers of check", "own king's flights", "their king's flights",
			"own overloaded", "theirs overloaded"}})
	}
	return list
}
