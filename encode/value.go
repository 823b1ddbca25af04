package encode

import (
	"fmt"
	"slices"
	"strings"

	"talbot/board"
	"talbot/dataset"
)

// ValueTarget says how the value to be learnt is computed. All targets are in [-1, 1] from the side to move's view, and
// a mate is worth more the sooner it comes, but for [WDLValue] and [ResultValue]. The zero value is [RecipeValue]; ==
// says whether two are the same.
type ValueTarget struct {
	rule            valueRule
	label, discount float64 // of resultRule
}

type valueRule uint8

const (
	recipeRule valueRule = iota
	tanhRule
	wdlRule
	winProbRule
	resultRule
)

var (
	// RecipeValue is the recipe's own: [Valuer].
	RecipeValue = ValueTarget{}
	// TanhValue is that of the recipe talbotbot whatever the recipe: see [TalbotBot.Value].
	TanhValue = ValueTarget{rule: tanhRule}
	// WDLValue is the expected score that the engine itself gives, (win - loss) / 1000 of its per-mille chances. A
	// label without them has no value. Engines calibrate them against the results of their own games, so that unlike
	// centipawns they mean the same in each version.
	WDLValue = ValueTarget{rule: wdlRule}
	// WinProbValue is Lichess's winning chances, fitted to the results of its players' games:
	// 2/(1+exp(-0.00368208·cp)) - 1 with cp clipped to ±1000, at most 0.951; mates as [TanhValue] has them.
	// Source: lichess.org/page/accuracy and the class WinPercent of lichess-org/scalachess.
	WinProbValue = ValueTarget{rule: winProbRule}
)

var valueNames = [...]string{"recipe", "tanh", "wdl", "winprob", "result"}

// String returns what [ParseValueTarget] reads: "recipe", "tanh", "wdl", "winprob", "result", "result:0.5" or
// "result:0.5:0.99".
func (t ValueTarget) String() string {
	name := valueNames[t.rule]
	if t.rule != resultRule || t.label == 0 && t.discount == 1 {
		return name
	}
	name += ":" + plainNumber(t.label)
	if t.discount != 1 {
		name += ":" + plainNumber(t.discount)
	}
	return name
}

// ParseValueTarget reads a name; the empty one is [RecipeValue].
func ParseValueTarget(s string) (ValueTarget, error) {
	name, parameters, found := strings.Cut(s, ":")
	switch i := slices.Index(valueNames[:], name); {
	case s == "":
		return RecipeValue, nil
	case i == int(resultRule):
		return parseResult(s, parameters, found)
	case i >= 0 && !found:
		return ValueTarget{rule: valueRule(i)}, nil
	}
	return RecipeValue, fmt.Errorf("value target must be recipe, tanh, wdl, winprob or result:Q: %q", s)
}

// ReadsChances reports whether the target reads a label's chances of win, draw and loss.
func (t ValueTarget) ReadsChances() bool { return t.rule == wdlRule || t.rule == resultRule }

const mateFormula = "mate in n: ±(1-0.0003·(1-1/n))"

// Formula is the target in one line, for manifests. That of a recipe is the recipe's.
func (t ValueTarget) Formula(e Valuer) string {
	switch t.rule {
	case tanhRule:
		return "tanh(clip(cp,±1500)/350); " + mateFormula
	case wdlRule:
		return "(win-loss)/1000 of the engine's WDL"
	case resultRule:
		return t.resultFormula()
	case winProbRule:
		return "2/(1+exp(-0.00368208·clip(cp,±1000)))-1; " + mateFormula
	}
	return e.ValueFormula()
}

// Value returns the value target of position p by its label alone, in [-1, 1] from the side to move's view: that of the
// first searched line, or for a terminal label -1 for checkmate and 0 for stalemate and dead positions. It returns
// false if it has none: the label is missing or failed, the target gives the line no value, or the label says
// terminal and the position is not. [Targets.ValueOf] knows results of games, too.
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
	switch t.rule {
	case tanhRule:
		return TalbotBot{}.Value(s.Score)
	case resultRule:
		if s.WDL == (dataset.WDL{}) {
			return TalbotBot{}.Value(s.Score)
		}
		return WDLValue.of(e, s)
	case wdlRule:
		if s.WDL == (dataset.WDL{}) {
			return 0, false
		}
		return float32(int(s.WDL.Win)-int(s.WDL.Loss)) / 1000, true
	case winProbRule:
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
