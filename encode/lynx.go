package encode

import (
	"math"

	"talbot/board"
	"talbot/dataset"
)

// LynxMoves is how many moves the recipe lynx knows: 73 planes of 64 squares.
const LynxMoves = TalbotBotMoves

// Floats of the recipe lynx beside its value.
const (
	WinFloat  = "win"  // chance of a win for the side to move
	DrawFloat = "draw" // of a draw
)

// Lynx is the encoding of the recipe lynx: the planes of [Tahl], and moves as squares of planes.
//
// A move's index is plane × 64 + from square, with the planes of [TalbotBot.MoveIndex] and squares in the mover's
// frame: the order in which a convolution of 73 channels leaves them. Nothing of the input tells White from Black.
type Lynx struct{ Tahl }

// Name returns "lynx".
func (Lynx) Name() string { return "lynx" }

// Layout says that all legal moves are listed, each by its index, and that the floats are value and chances.
func (Lynx) Layout() Layout {
	l := Tahl{}.Layout()
	l.Codes, l.Indices = 1, LynxMoves
	l.Floats = []string{ValueFloat, WinFloat, DrawFloat}
	return l
}

// Code writes the index of a move.
func (e Lynx) Code(dst []int32, v *View, m board.Move) { dst[0] = int32(e.MoveIndex(v.Position(), m)) }

// MoveIndex returns the index of a legal move, 0 … 4671.
func (Lynx) MoveIndex(p *board.Position, m board.Move) int {
	i := TalbotBot{}.MoveIndex(p, m)
	return i%movePlanes*64 + i/movePlanes
}

// Value is 0.8·(w − l) + 0.2·r of a score alone, with the chances of [scoreChances]. The second part grows where a game
// is as good as won, so that a search finds its way to the mate: r is 0.85·cp/(|cp| + 1000) of centipawns, and 0.85 +
// 0.15·10/(n + 10) of a mate in n.
func (Lynx) Value(s dataset.Score) (float32, bool) {
	win, draw, ok := scoreChances(s)
	if !ok {
		return 0, false
	}
	return lynxValue(2*win+draw-1, s), true
}

// ValueFormula is Value in one line; where the engine gives chances, they count.
func (Lynx) ValueFormula() string {
	return "0.8·(w-l)+0.2·r, r=0.85·cp/(|cp|+1000), mate in n: ±(0.85+1.5/(n+10)); w, l as the engine says, else " +
		"1/(1+exp((100∓cp)/60))"
}

// lynxValue joins an expected score and a score.
func lynxValue(expected float64, s dataset.Score) float32 {
	return float32(0.8*expected + 0.2*progress(s))
}

// progress is the r of [Lynx.Value].
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
	if w, d, ok := labelChances(label); ok {
		return lynxValue(2*w+d-1, label.Lines[0].Score), float32(w), float32(d), true
	}
	if x, ok := Value(e, RecipeValue, v.Position(), *label); ok { // terminal
		return x, 0, 1 + x, true
	}
	result, ok := v.Result()
	return result, max(0, result), 1 - max(result, -result), ok
}

// Learn gives the legal moves with the weights of the policy target, the value and the chances: of the label, else of
// the game's result. With another target of the value the value alone follows it, but with [ResultValue] the chances
// too.
func (e Lynx) Learn(dst *Target, v *View, t Targets) bool {
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

// Show returns the policy target as shares by move, the value and the chances of win, draw and loss.
func (e Lynx) Show(v *View, t Targets) any {
	shown := struct {
		Policy map[string]float32 `json:"policy"`
		Value  *float32           `json:"value"`
		WDL    []float32          `json:"wdl"`
	}{Policy: shares(Policy(nil, e, t, v))}
	if value, win, draw, ok := e.chances(v, t); ok {
		shown.Value, shown.WDL = &value, []float32{win, draw, 1 - win - draw}
	}
	return shown
}

// shares is a policy target by move; nil for none.
func shares(moves []dataset.WeightedMove) map[string]float32 {
	var list map[string]float32
	for _, m := range moves {
		if list == nil {
			list = map[string]float32{}
		}
		list[m.Move.String()] += m.Weight
	}
	return list
}
