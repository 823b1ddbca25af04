package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"talbot/internal/plain"
	"talbot/pipeline"
	"talbot/train"
	"talbot/train/job"
)

// figure is a row of the card.
type figure struct {
	name, json string
	field      func(f *train.Figures) *float64
	share      bool
	allMoves   bool // says nothing of a network that was trained on legal moves alone
	// baseline is the figure in the row below, which any network should beat; nil: there is none.
	baseline func(f *train.Figures) *float64
}

var figures = []figure{
	{name: "policy cross-entropy, all moves", json: "policy_ce", allMoves: true,
		field: func(f *train.Figures) *float64 { return f.PolicyCE }},
	{name: "legal moves", json: "policy_ce_legal", field: func(f *train.Figures) *float64 { return f.PolicyCELegal },
		baseline: uniform},
	{name: "all legal moves alike", field: uniform},
	{name: "first move right", json: "top1", share: true,
		field: func(f *train.Figures) *float64 { return f.Top1 }, baseline: random},
	{name: "a move at random", share: true, field: random},
	{name: "among the first three", json: "top3", share: true,
		field: func(f *train.Figures) *float64 { return f.Top3 }},
	{name: "among the first five", json: "top5", share: true,
		field: func(f *train.Figures) *float64 { return f.Top5 }},
	{name: "probability of illegal moves", json: "illegal_mass", share: true, allMoves: true,
		field: func(f *train.Figures) *float64 { return f.IllegalMass }},
	{name: "mates in one found", json: "mate_in_one", share: true,
		field: func(f *train.Figures) *float64 { return f.MateInOne }},
	{name: "value squared error", json: "value_mse", field: func(f *train.Figures) *float64 { return f.ValueMSE },
		baseline: mean},
	{name: "always the mean", field: mean},
	{name: "right sign", json: "value_sign_accuracy", share: true,
		field: func(f *train.Figures) *float64 { return f.ValueSignAccuracy }},
}

// The baselines.
func uniform(f *train.Figures) *float64 { return f.PolicyCEUniform }
func random(f *train.Figures) *float64  { return f.Top1Uniform }
func mean(f *train.Figures) *float64    { return f.ValueMSEMean }

// printFigures prints the card: a table with a column for all samples and its intervals, for the unseen ones and for
// each source, then the verdict on both heads, then what concerns parts of the samples.
func printFigures(out io.Writer, f job.Figures) error {
	plain.Fprintf(out, "%s, step %d, %s weights, on the %s split: %s in %.1f s", f.Checkpoint, f.Step,
		f.Weights, f.Split, pipeline.Count(f.Samples, "sample"), f.Seconds)
	if f.NoHistory {
		fmt.Fprint(out, ", shown without history")
	}
	fmt.Fprint(out, "\n\n")
	heads, columns := []string{"all"}, []train.Figures{f.Figures}
	if f.Unseen != nil {
		heads, columns = append(heads, "unseen"), append(columns, *f.Unseen)
	}
	for _, source := range slices.Sorted(maps.Keys(f.BySource)) {
		heads, columns = append(heads, source), append(columns, f.BySource[source])
	}
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(name, between string, cell func(i int) string) {
		plain.Fprintf(w, "%s\t%s\t%s\t", name, cell(0), between)
		for i := range columns[1:] {
			plain.Fprintf(w, "%s\t", cell(i+1))
		}
		fmt.Fprintln(w)
	}
	row("", "95 % interval", func(i int) string { return heads[i] })
	row("samples", "", func(i int) string { return pipeline.Thousands(columns[i].Samples) })
	row("of these, with a value", "", func(i int) string { return pipeline.Thousands(columns[i].ValueSamples) })
	for _, r := range figures {
		if f.LegalMask && r.allMoves {
			continue
		}
		row(r.name, within(f.Intervals, r.json, r.share),
			func(i int) string {
				if r.baseline == nil {
					return cell(r.field(&columns[i]), r.share)
				}
				return judged(r.field(&columns[i]), r.baseline(&columns[i]), r.share)
			})
	}
	if err := w.Flush(); err != nil {
		return err
	}
	table.WriteString("\n")
	if f.Unseen != nil {
		table.WriteString(verdicts("unseen positions", f.Unseen))
	} else {
		table.WriteString(verdicts("all positions, seen in training or not", &f.Figures))
	}
	if err := writeJudged(out, table.String()); err != nil {
		return err
	}
	if f.LegalMask {
		fmt.Fprintln(out, "trained with --legal-mask: the network never learned which moves are illegal, so figures "+
			"over all moves are left out")
	}
	fmt.Fprintln(out)
	if n := f.Noise; n != nil {
		plain.Fprintf(out, "noise of the labels: %s differs from %s by a mean squared error of %.4f (%.4f to %.4f, "+
			"%s labels,\nvalue target %s); a perfect network would have this error, and this one has %s on the %s "+
			"samples with such labels\n",
			n.Labels, n.Truth, n.MSE, n.Interval[0], n.Interval[1], pipeline.Thousands(n.Compared), f.ValueTarget,
			cell(n.ValueMSE,
				false), pipeline.Thousands(n.Samples))
	}
	if h := f.History; h != nil {
		a, b := &h.With, &h.Without
		plain.Fprintf(out, "without history, %s: cross-entropy over legal moves %s (with it %s), first move "+
			"%s (%s), value squared error %s (%s)\n", pipeline.Count(a.Samples, "sample"),
			cell(b.PolicyCELegal, false), cell(a.PolicyCELegal, false), cell(b.Top1, true), cell(a.Top1,
				true), cell(b.ValueMSE, false), cell(a.ValueMSE, false))
	}
	if s := f.Symmetry; s != nil {
		plain.Fprintf(out, "colours swapped, %s: values differ by %.4f, %.2f %% have the same first move\n",
			pipeline.Count(s.Samples, "sample"), s.ValueGap, 100*s.SameMove)
	}
	if f.Endgames != nil {
		if err := printEndgames(out, f.Endgames, f.Intervals); err != nil {
			return err
		}
	}
	if f.Puzzles != nil {
		return printPuzzles(out, f.Puzzles)
	}
	return nil
}

// worstMaterials is how many materials the card has.
const worstMaterials = 8

// printEndgames prints a table with a row for all, for each number of pieces and for the worst materials.
func printEndgames(out io.Writer, r *train.EndgameReport, intervals map[string][2]float64) error {
	plain.Fprintf(out, "\nendgames with a result from tables: %s (a value above 0.5 means win, below -0.5 "+
		"loss;\nopposite: a win taken for a loss, or the reverse)\n\n", pipeline.Count(r.Samples, "position"))
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', tabwriter.AlignRight)
	moves := r.Moves.Positions > 0
	fmt.Fprint(w, "\tpositions\tvalue right\topposite\tsquared error\t")
	if moves {
		fmt.Fprint(w, "moves\tkeep the result\tat random\tkeep a win\tat random\tkeep a draw\tat random\t")
	}
	fmt.Fprintln(w)
	row := func(name string, f *train.EndgameFigures) {
		plain.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t", name, pipeline.Thousands(f.Samples), cell(f.ValueAccuracy, true),
			cell(f.ValueOpposite, true), cell(f.ValueMSE, false))
		if moves {
			plain.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t", pipeline.Thousands(f.Moves.Positions),
				judged(f.Moves.Kept, f.Moves.Random, true),
				cell(f.Moves.Random, true), judged(f.Won.Kept, f.Won.Random, true), cell(f.Won.Random, true),
				judged(f.Drawn.Kept, f.Drawn.Random, true), cell(f.Drawn.Random, true))
		}
		fmt.Fprintln(w)
	}
	row("all", &r.EndgameFigures)
	if r.Unseen != nil {
		row("unseen", r.Unseen)
	}
	for _, name := range slices.SortedFunc(maps.Keys(r.ByPieces), byNumber) {
		f := r.ByPieces[name]
		row(name+" pieces", &f)
	}
	for _, name := range r.Worst(worstMaterials) {
		f := r.ByMaterial[name]
		row(name, &f)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := writeJudged(out, table.String()); err != nil {
		return err
	}
	if i := within(intervals, "endgame_value_accuracy", true); i != "" {
		plain.Fprintf(out, "95 %% interval of \"value right\": %s\n", i)
	}
	if i := within(intervals, "endgame_moves_kept", true); i != "" {
		plain.Fprintf(out, "95 %% interval of \"keep the result\": %s\n", i)
	}
	if !moves {
		fmt.Fprintln(out, "use --syzygy DIR to check the moves too")
	}
	return nil
}

// printPuzzles prints a table with a row for all and for each band of ratings.
func printPuzzles(out io.Writer, p *train.PuzzleReport) error {
	plain.Fprintf(out, "\npuzzles: %s, first move right %.2f %%, whole line %.2f %%", pipeline.Thousands(p.Puzzles),
		100*p.FirstMove, 100*p.WholeLine)
	if p.Mates > 0 {
		plain.Fprintf(out, ", mates in one found %s of %s", cell(p.MateInOne, true), pipeline.Thousands(p.Mates))
	}
	if h := p.HeldOut; h != nil {
		plain.Fprintf(out, "\nof these, not in the train split: %s, first move right %.2f %%, whole line %.2f %%",
			pipeline.Thousands(h.Puzzles), 100*h.FirstMove, 100*h.WholeLine)
	}
	fmt.Fprint(out, "\n\n")
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "rating\tpuzzles\tfirst move\twhole line\t")
	for _, name := range slices.SortedFunc(maps.Keys(p.ByRating), byNumber) {
		s := p.ByRating[name]
		if from, err := strconv.Atoi(name); err == nil {
			name = fmt.Sprintf("%d-%d", from, from+199)
		}
		plain.Fprintf(w, "%s\t%s\t%.2f %%\t%.2f %%\t\n", name, pipeline.Thousands(s.Puzzles), 100*s.FirstMove,
			100*s.WholeLine)
	}
	return w.Flush()
}

// byNumber sorts numbers by their values, and what is none behind them.
func byNumber(a, b string) int {
	rank := func(s string) int {
		if n, err := strconv.Atoi(s); err == nil {
			return n
		}
		return 1 << 30
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
}

// within writes the interval of a figure, "" if there is none.
func within(intervals map[string][2]float64, name string, share bool) string {
	i, ok := intervals[name]
	switch {
	case !ok:
		return ""
	case share:
		return fmt.Sprintf("%.2f … %.2f %%", 100*i[0], 100*i[1])
	}
	return fmt.Sprintf("%.4f … %.4f", i[0], i[1])
}

func cell(x *float64, share bool) string {
	switch {
	case x == nil:
		return "-"
	case share:
		return fmt.Sprintf("%.2f %%", 100**x)
	}
	return fmt.Sprintf("%.4f", *x)
}
