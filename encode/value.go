package encode

import (
	"fmt"

	"talbot/board"
	"talbot/dataset"
)

// ValueTarget says how the value to be learnt is computed from a raw label. All targets are in [-1, 1] from the side
// to move's view, and a mate is worth more the sooner it comes, but for [WDLValue].
type ValueTarget uint8

const (
	// RecipeValue is the recipe's own: [Valuer].
	RecipeValue ValueTarget = iota
	// TanhValue is that of the recipe talbotbot whatever the recipe: see [TalbotBot.Value].
	TanhValue
	// WDLValue is the expected score that the engine itself gives, (win - loss) / 1000 of its per-mille chances. A
	// label without them has no value. Engines calibrate them against the results of their own games, so that unlike
	// centipawns they mean the same in each version.
	WDLValue
	// WinProbValue is Lichess's winning chances, fitted to the results of its players' games:
	// 2/(1+exp(-0.00368208·cp)) - 1 with cp clipped to ±1000, at most 0.951; mates as [TanhValue] has them.
	// Source: lichess.org/page/accuracy and the class WinPercent of lichess-org/scalachess.
	WinProbValue
)

var valueNames = [...]string{"recipe", "tanh", "wdl", "winprob"}

// String returns "recipe", "tanh", "wdl" or "winprob".
func (t ValueTarget) String() string {
	if int(t) < len(valueNames) {
		return valueNames[t]
	}
	return fmt.Sprintf("ValueTarget(%d)", uint8(t))
}

// ParseValueTarget reads a name; the empty one is [RecipeValue].
func ParseValueTarget(s string) (ValueTarget, error) {
	for i, name := range valueNames {
		if s == name || s == "" {
			return ValueTarget(i), nil
		}
	}
	return RecipeValue, fmt.Errorf("value target must be recipe, tanh, wdl or winprob: %q", s)
}

const mateFormula = "mate in n: ±(1-0.0003·(1-1/n))"

// Formula is the target in one line, for manifests. That of a recipe is the recipe's.
func (t ValueTarget) Formula(e Valuer) string {
	switch t {
	case TanhValue:
		return "tanh(clip(cp,±1500)/350); " + mateFormula
	case WDLValue:
		return "(win-loss)/1000 of the engine's WDL"
	case WinProbValue:
		return "2/(1+exp(-0.00368208·clip(cp,±1000)))-1; " + mateFormula
	}
	return e.ValueFormula()
}

// Value returns the value target of position p with its label, in [-1, 1] from the side to move's view: that of the
// first searched line, or for a terminal label -1 for checkmate and 0 for stalemate and dead positions. It returns
// false if it has none: the label is missing or failed, the target gives the line no value, or the label says
// terminal and the position is not.
func Value(e Valuer, t ValueTarget, p *board.Position, label dataset.Label) (float32, bool) {
	switch label.Status {
	case dataset.Labelled:
		if len(label.Lines) > 0 {
			return t.of(e, &label.Lines[0])
		}
	case dataset.Terminal:
		switch {
		case p.IsCheckmate():
			return -1, true
		case p.IsDead(), p.IsStalemate():
			return 0, true
		}
	}
	return 0, false
}

// of is the value of a searched line.
func (t ValueTarget) of(e Valuer, s *dataset.Searched) (float32, bool) {
	switch t {
	case TanhValue:
		return TalbotBot{}.Value(s.Score)
	case WDLValue:
		if s.WDL == (dataset.WDL{}) {
			return 0, false
		}
		return float32(int(s.WDL.Win)-int(s.WDL.Loss)) / 1000, true
	case WinProbValue:
		return WinningChances(s.Score)
	}
	return e.Value(s.Score)
}

// ChancesValue is the value of chances of win, draw and loss: win less loss, in [-1, 1] from the same view.
func ChancesValue(chances [3]float32) float32 { return chances[0] - chances[2] }

// WinningChances is [WinProbValue] of a score; false if it is not a score.
func WinningChances(s dataset.Score) (float32, bool) {
	if cp, ok := s.Centipawns(); ok {
		return float32(2*winProbability(float64(cp)) - 1), true
	}
	return TalbotBot{}.Value(s)
}
