package run

import "slices"

// TermText is how a term of the losses is shown. In texts, MOVES stands for what a policy is over ("all moves", "the
// legal moves", "the candidates") and MOVE for one of them.
type TermText struct {
	Name  string // of the term, see [talbot/network/model.Term]
	Short string // in a line that changes
	Long  string // in a result
	Chart string // in TensorBoard

	Title, Note string // of a chart
	Zero, Falls bool   // its axis begins at 0; its steep beginning may be cut
	Share       bool   // it is written in per cent

	Tile, Help string // in the report, before there is an evaluation; "" = none
	Decimals   int    // there
}

// termTexts are the terms with texts of their own, in the order of a report.
var termTexts = []TermText{
	{Name: "policy_ce", Short: "policy", Long: "policy cross-entropy", Chart: "loss/policy",
		Title: "Policy", Note: "cross-entropy over MOVES, in nats", Falls: true, Tile: "policy cross-entropy",
		Help: "surprise at the target, in nats, over MOVES; lower is better", Decimals: 3},
	{Name: "top1", Short: "top-1", Long: "top-1", Chart: "accuracy/top1", Title: "First move",
		Note: "targets that are the likeliest MOVE", Zero: true, Share: true},
	{Name: "after_bce", Short: "board", Long: "board after the move, binary cross-entropy", Chart: "loss/after",
		Title: "Board after the move", Note: "binary cross-entropy of its 768 bits, in nats a bit", Zero: true,
		Falls: true, Tile: "board after the move", Help: "binary cross-entropy of its 768 bits; lower is better",
		Decimals: 4},
	{Name: "score_ce", Short: "scores", Long: "cross-entropy of the scores", Chart: "loss/scores", Title: "Scores",
		Note: "cross-entropy of the softmax over MOVES, in nats", Falls: true, Tile: "cross-entropy of the scores",
		Help: "of the softmax over MOVES, in nats; lower is better", Decimals: 3},
	{Name: "value_mse", Short: "value", Long: "value squared error", Chart: "loss/value",
		Title: "Value", Note: "mean squared error, on −1 … 1", Zero: true, Falls: true, Tile: "value squared error",
		Help: "against the label, on −1 … 1", Decimals: 4},
	{Name: "wdl_ce", Short: "chances", Long: "cross-entropy of win, draw and loss", Chart: "loss/wdl_ce",
		Title: "Win, draw and loss", Note: "cross-entropy of the three chances, in nats", Falls: true,
		Tile: "win, draw and loss", Help: "cross-entropy of the three chances, in nats; lower is better", Decimals: 3},
	{Name: "weights", Short: "weights", Long: "squares of the weights", Chart: "loss/weights", Title: "Weights",
		Note: "sum of their squares", Falls: true, Decimals: 1},
}

// Text returns how a term is shown: by its name, if it has no text of its own.
func Text(term string) TermText {
	if i := slices.IndexFunc(termTexts, func(t TermText) bool { return t.Name == term }); i >= 0 {
		return termTexts[i]
	}
	return TermText{Name: term, Short: term, Long: term, Chart: "loss/" + term, Title: term,
		Note: "mean of the samples that have it", Falls: true, Tile: term, Decimals: 4}
}

// Texts returns how terms are shown, in the order of a report.
func Texts(terms []string) (list []TermText) {
	for _, t := range termTexts {
		if slices.Contains(terms, t.Name) {
			list = append(list, t)
		}
	}
	for _, name := range terms {
		if t := Text(name); !slices.Contains(list, t) {
			list = append(list, t)
		}
	}
	return list
}
