package encode

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"talbot/dataset"
)

// ResultValue is the target of a network that learns from games that it played itself: the result of the game and what
// the label says, mixed:
//
//	(1 − label) · result · discount^plies + label · (win − loss) / 1000
//
// The result is 1, 0 or −1 for the side to move, plies are those from the position to the game's end, and win and loss
// the label's chances per mille; a label without them has the value of [TanhValue]. Where one of the two is not known
// the other one counts alone. With a discount below 1 a win is worth more the sooner it comes. label is in [0, 1], and
// discount in (0, 1].
//
// A game of self-play that was cut has the value of its last search as result, and plies are those to that search.
func ResultValue(label, discount float64) ValueTarget {
	return ValueTarget{rule: resultRule, label: label, discount: discount}
}

// parseResult reads "result", "result:Q" and "result:Q:D".
func parseResult(text, parameters string, found bool) (ValueTarget, error) {
	t := ResultValue(0, 1)
	if !found {
		return t, nil
	}
	share, discount, discounted := strings.Cut(parameters, ":")
	var err, errD error
	t.label, err = strconv.ParseFloat(share, 64)
	if discounted {
		t.discount, errD = strconv.ParseFloat(discount, 64)
	}
	if err != nil || errD != nil || !(t.label >= 0 && t.label <= 1) || !(t.discount > 0 && t.discount <= 1) {
		return RecipeValue, fmt.Errorf("value target result:Q or result:Q:D needs a share Q of the label from 0 to 1 "+
			"and a discount D for each ply above 0 and at most 1: %q", text)
	}
	return t, nil
}

// LearnsResults reports whether the target of samples with labels, or of those without, is the result of the game, or
// has a share of it.
func (t ValueTarget) LearnsResults(e Encoder, labelled bool) bool {
	switch {
	case t.rule == resultRule:
		return !labelled || t.label < 1
	case t != RecipeValue:
		return false
	}
	layout := e.Layout()
	return layout.Float(WinFloat) >= 0 && !labelled || e.ValueFormula() == ResultFormula
}

func (t ValueTarget) resultFormula() string {
	label := "(win-loss)/1000 of the label, without chances tanh(clip(cp,±1500)/350)"
	return fmt.Sprintf("%s·result·%s^plies+%s·%s; what is not known does not count", plainNumber(1-t.label),
		plainNumber(t.discount), plainNumber(t.label), label)
}

func plainNumber(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// ValueOf returns the value target of a sample, in [-1, 1] from the side to move's view; false if it has none: see
// [Value] and [ResultValue].
func (t Targets) ValueOf(e Valuer, v *View) (float32, bool) {
	label, ok := Value(e, t.Value, v.Position(), v.Labels.Value)
	if t.Value.rule != resultRule {
		return label, ok
	}
	result, known := t.Value.result(v)
	return float32(t.Value.mix(result, float64(label), known, ok)), ok || known
}

// result is the discounted result for the side to move; false if it is not known.
func (t ValueTarget) result(v *View) (float64, bool) {
	z, ok := v.Result()
	if ok {
		return float64(z) * math.Pow(t.discount, float64(len(v.Line.Moves)-v.Game.Ply())), true
	}
	return t.cut(v)
}

// cut is the discounted value of the last search of a game of self-play that was cut.
func (t ValueTarget) cut(v *View) (float64, bool) {
	if v.Line == nil || v.Line.Source != dataset.SourceSelfPlay {
		return 0, false
	}
	for i := range v.Line.Labels {
		if c := &v.Line.Labels[i]; c.Fingerprint == v.Labels.ValueColumn && v.Sample >= 0 && len(c.Labels) > 0 {
			win, draw, ok := labelChances(&c.Labels[len(c.Labels)-1])
			// Every ply from the first sample to the last search is a sample, and sides take turns.
			plies := len(c.Labels) - 1 - v.Sample
			z := (2*win + draw - 1) * math.Pow(t.discount, float64(plies))
			return z * float64(1-2*(plies&1)), ok
		}
	}
	return 0, false
}

// mix mixes what is known of a result and a label.
func (t ValueTarget) mix(result, label float64, hasResult, hasLabel bool) float64 {
	switch {
	case !hasLabel:
		return result
	case !hasResult:
		return label
	}
	return (1-t.label)*result + t.label*label
}

// resultChances are the chances of a win and a draw in the same way, of the result, discounted towards a draw, and of
// the label.
func (t ValueTarget) resultChances(v *View) (win, draw float32, ok bool) {
	z, known := t.result(v)
	w, d, has := labelChances(&v.Labels.Value)
	if !has {
		if x, ended := Value(TalbotBot{}, RecipeValue, v.Position(), v.Labels.Value); ended { // terminal
			w, d, has = 0, 1+float64(x), true
		}
	}
	return float32(t.mix(max(0, z), w, known, has)), float32(t.mix(1-math.Abs(z), d, known, has)), known || has
}

// labelChances are those of the first searched line: as the engine says, or else those of its score.
func labelChances(label *dataset.Label) (win, draw float64, ok bool) {
	if label.Status != dataset.Labelled || len(label.Lines) == 0 {
		return 0, 0, false
	}
	if x := label.Lines[0].WDL; x != (dataset.WDL{}) {
		return float64(x.Win) / 1000, float64(x.Draw) / 1000, true
	}
	return scoreChances(label.Lines[0].Score)
}
