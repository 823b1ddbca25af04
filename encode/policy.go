package encode

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"talbot/board"
	"talbot/dataset"
)

// PolicyTarget says how the moves to be learnt are computed. The zero value is the move that was played, or the best
// one: see [Policy].
type PolicyTarget struct {
	// Temperature above 0 makes soft targets of labels with two or more searched lines (multipv), games included: a
	// line's first move has a weight proportional to exp(v/Temperature), v its value target in [-1, 1]. Near 0 that is
	// the best move alone; moves that the engine did not search have none.
	Temperature float64
}

// String returns what [ParsePolicyTarget] reads.
func (t PolicyTarget) String() string {
	if t.Temperature == 0 {
		return "played"
	}
	return "multipv:" + strconv.FormatFloat(t.Temperature, 'g', -1, 64)
}

// ParsePolicyTarget reads "played", or "multipv:T" with a temperature in [0.001, 100]. The empty name is played.
func ParsePolicyTarget(s string) (PolicyTarget, error) {
	if s == "" || s == "played" {
		return PolicyTarget{}, nil
	}
	if text, ok := strings.CutPrefix(s, "multipv:"); ok {
		if t, err := strconv.ParseFloat(text, 64); err == nil && t >= 0.001 && t <= 100 {
			return PolicyTarget{t}, nil
		}
	}
	return PolicyTarget{}, fmt.Errorf("policy target must be played or multipv:T, with T from 0.001 to 100: %q", s)
}

// Policy appends the policy target of a sample to dst: weights above 0 that sum to 1. It appends nothing if the sample
// has no policy target.
//
// The line's own policies win where it has any (an empty list is a sample without policy target), and then a label with
// several searched lines where the target has a temperature; its value target, of the recipe e, computes their values.
// Else, and where that gives them none (as where an engine told no chances), the target is, for games and puzzles, the
// move played at the ply, and where none was played (endgames, positions of tables and tactics that only name moves to
// avoid) or not to be imitated (games of an engine with itself) the best move of the label.
//
// Of a solved label all moves are best, and have the same weight. Where an engine searched, the best move is its
// bestmove. It is the first move of the stored principal variation but for about one label in fifty, where the search
// ended in an iteration whose score was only a bound: the engine had changed its mind, and score and variation are
// those of the last exact score.
func Policy(dst []dataset.WeightedMove, e Valuer, t Targets, v *View) []dataset.WeightedMove {
	line, label := v.Line, &v.Labels.Moves
	if line == nil {
		return dst
	}
	if line.Policies != nil {
		if v.Sample >= 0 && v.Sample < len(line.Policies) {
			return policyList(dst, line.Policies[v.Sample])
		}
		return dst
	}
	if t.Policy.Temperature > 0 && label.Status == dataset.Labelled && len(label.Lines) > 1 {
		if soft := t.soft(dst, e, label.Lines); len(soft) > len(dst) {
			return soft
		}
	}
	m := board.NoMove
	if played, ok := v.Played(); ok && line.Source.Teaches() {
		m = played
	} else if label.Status == dataset.Labelled && line.Source != dataset.SourceGame {
		if v.Labels.Solved {
			return alike(dst, label.Lines)
		}
		m = label.Best
	}
	if m == board.NoMove {
		return dst
	}
	return append(dst, dataset.WeightedMove{Move: m, Weight: 1})
}

// alike appends the first moves of the lines, each with the same weight.
func alike(dst []dataset.WeightedMove, lines []dataset.Searched) []dataset.WeightedMove {
	from := len(dst)
	for i := range lines {
		if pv := lines[i].PV; len(pv) > 0 {
			dst = append(dst, dataset.WeightedMove{Move: pv[0]})
		}
	}
	for i := range dst[from:] {
		dst[from+i].Weight = 1 / float32(len(dst)-from)
	}
	return dst
}

// policyList appends a list of policy targets with its weights divided by their sum.
func policyList(dst []dataset.WeightedMove, list []dataset.WeightedMove) []dataset.WeightedMove {
	sum := 0.0
	for _, t := range list {
		sum += float64(t.Weight)
	}
	if !(sum > 0) || math.IsInf(sum, 1) {
		return dst
	}
	for _, t := range list {
		if t.Weight > 0 {
			dst = append(dst, dataset.WeightedMove{Move: t.Move, Weight: float32(float64(t.Weight) / sum)})
		}
	}
	return dst
}

// soft appends the softmax of the lines' values over the temperature. Lines without a move or a value are passed over.
func (t Targets) soft(dst []dataset.WeightedMove, e Valuer, lines []dataset.Searched) []dataset.WeightedMove {
	from := len(dst)
	var values []float64
	best := math.Inf(-1)
	for i := range lines {
		v, ok := t.Value.of(e, &lines[i])
		if !ok || len(lines[i].PV) == 0 {
			continue
		}
		dst, values = append(dst, dataset.WeightedMove{Move: lines[i].PV[0]}), append(values, float64(v))
		best = max(best, float64(v))
	}
	sum := 0.0
	for i := range values {
		values[i] = math.Exp((values[i] - best) / t.Policy.Temperature)
		sum += values[i]
	}
	kept := from
	for i, x := range values {
		if weight := float32(x / sum); weight > 0 {
			dst[kept] = dataset.WeightedMove{Move: dst[from+i].Move, Weight: weight}
			kept++
		}
	}
	return dst[:kept]
}
