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

	"talbot/evaluate"
	"talbot/internal/humanize"
	"talbot/internal/plain"
	"talbot/train/job"
)

// printFigures prints the card: a table with a column for all samples and its intervals, for the unseen ones and for
// each source, then the verdict on both heads, then what concerns parts of the samples.
func printFigures(out io.Writer, f job.Figures) error {
	plain.Fprintf(out, "%s, step %d, %s weights, on the %s split: %s in %.1f s", f.Checkpoint, f.Step,
		f.Weights, f.Split, humanize.Count(f.Count("samples"), "sample"), f.Seconds)
	if f.NoHistory {
		fmt.Fprint(out, ", shown without history")
	}
	fmt.Fprint(out, "\n\n")
	type column struct {
		head      string
		figures   evaluate.Figures
		intervals evaluate.Intervals
	}
	columns := []column{{"all", f.Report.Figures, f.Intervals}}
	if f.Unseen != nil {
		columns = append(columns, column{"unseen", f.Unseen, f.UnseenIntervals})
	}
	for _, source := range slices.Sorted(maps.Keys(f.BySource)) {
		columns = append(columns, column{source, f.BySource[source], f.GroupIntervals["by_source"][source]})
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
	row("", "95 % interval", func(i int) string { return columns[i].head })
	for _, m := range evaluate.ByHead() {
		if m.Row == "" || !f.Abilities.Has(m.Needs) || f.LegalMask && m.Needs.Others ||
			m.Rare && f.Of(m.Name) == nil {
			continue
		}
		row(m.Row, within(f.Intervals, m.Name, m.Kind == evaluate.Share),
			func(i int) string { return measured(m, columns[i].figures, columns[i].intervals) })
	}
	if err := w.Flush(); err != nil {
		return err
	}
	table.WriteString("\n")
	if f.Unseen != nil {
		table.WriteString(verdicts("unseen positions", f.Unseen, f.UnseenIntervals, f.LegalMask))
	} else {
		table.WriteString(verdicts("all positions, seen in training or not", f.Report.Figures,
			f.Intervals, f.LegalMask))
	}
	if err := writeJudged(out, table.String()); err != nil {
		return err
	}
	if f.LegalMask {
		fmt.Fprintln(out, "trained over the legal moves only: the network never learned which moves are illegal, so "+
			"figures over all moves are left out")
	}
	if f.Noise != nil || f.History != nil || f.Symmetry != nil {
		fmt.Fprintln(out)
	}
	if n := f.Noise; n != nil {
		plain.Fprintf(out, "noise of the labels: %s differs from %s by a mean squared error of %.4f (%.4f to %.4f, "+
			"%s labels,\nvalue target %s); a perfect network would have this error, and this one has %s on the %s "+
			"samples with such labels\n",
			n.Labels, n.Truth, n.MSE, n.Interval[0], n.Interval[1], humanize.Thousands(n.Compared), f.ValueTarget,
			cell(n.ValueMSE,
				false), humanize.Thousands(n.Samples))
	}
	if h := f.History; h != nil {
		a, b := h.With, h.Without
		var parts []string
		if f.Abilities.Prior {
			parts = append(parts, fmt.Sprintf("cross-entropy over legal moves %s (with it %s), first move %s (%s)",
				cell(b.Of("policy_ce_legal"), false), cell(a.Of("policy_ce_legal"), false), cell(b.Of("top1"), true),
				cell(a.Of("top1"), true)))
		}
		if f.Abilities.Value {
			parts = append(parts, fmt.Sprintf("value squared error %s (%s)", cell(b.Of("value_mse"), false),
				cell(a.Of("value_mse"), false)))
		}
		plain.Fprintf(out, "without history, %s: %s\n", humanize.Count(a.Count("samples"), "sample"),
			strings.Join(parts, ", "))
	}
	if s := f.Symmetry; s != nil {
		var parts []string
		if s.ValueGap != nil {
			parts = append(parts, fmt.Sprintf("values differ by %.4f", *s.ValueGap))
		}
		if s.SameMove != nil {
			parts = append(parts, cell(s.SameMove, true)+" have the same first move")
		}
		plain.Fprintf(out, "colours swapped, %s: %s\n", humanize.Count(s.Samples, "sample"), strings.Join(parts, ", "))
	}
	if f.Style != nil {
		if err := printStyle(out, f.Style); err != nil {
			return err
		}
	}
	if f.Bands != nil {
		if err := printBands(out, f.Bands); err != nil {
			return err
		}
	}
	if f.Endgames != nil {
		if err := printEndgames(out, f.Endgames, f.Intervals); err != nil {
			return err
		}
	}
	if f.Candidates != nil {
		printCandidates(out, f.Candidates)
	}
	if f.Puzzles != nil {
		return printPuzzles(out, f.Puzzles)
	}
	return nil
}

// printCandidates compares a network among candidates with its baselines.
func printCandidates(out io.Writer, r *evaluate.CandidateReport) {
	plain.Fprintf(out, "\namong the candidates, %s: cross-entropy %.4f; entropy of the targets %.4f, uniform %.4f\n",
		humanize.Count(r.Samples, "sample"), r.Network, r.Floor, r.Uniform)
	row := func(what string, b evaluate.Baseline) {
		verdict := string(b.Verdict())
		if verdict != string(evaluate.Unclear) {
			verdict = "the network is " + verdict
		}
		plain.Fprintf(out, "  %s: %.4f, %+.4f (%+.4f to %+.4f); %s\n", what, b.CE, b.More, b.MoreInterval[0],
			b.MoreInterval[1], verdict)
	}
	row("the prior alone", r.Prior)
	if r.Values != nil {
		row(fmt.Sprintf("the values alone (temperature %.3f, of %s)", r.Temperature,
			humanize.Count(r.Fitted, "val sample")), *r.Values)
	}
}

// printStyle prints a table with a row for each whose moves they are.
func printStyle(out io.Writer, r *evaluate.StyleReport) error {
	plain.Fprintf(out, "\nstyle of the first choices, %s, in %% of the moves (95 %% interval)\n\n",
		humanize.Count(r.Samples, "sample"))
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "\toffers material\tgives check\tadvances on king\t\n")
	row := func(name, format string, of func(t *evaluate.Trait) *evaluate.Estimate) {
		if of(&r.Offers) == nil {
			return
		}
		fmt.Fprint(w, name)
		for _, t := range []*evaluate.Trait{&r.Offers, &r.Checks, &r.Advances} {
			x := of(t)
			plain.Fprintf(w, "\t"+format+" ("+format+" … "+format+")", 100*x.Mean, 100*x.Interval[0], 100*x.Interval[1])
		}
		fmt.Fprint(w, "\t\n")
	}
	row("the network", "%.1f", func(t *evaluate.Trait) *evaluate.Estimate { return &t.Network })
	row("the moves played", "%.1f", func(t *evaluate.Trait) *evaluate.Estimate { return &t.Played })
	row("before fine-tuning", "%.1f", func(t *evaluate.Trait) *evaluate.Estimate { return t.Before })
	row("above those played", "%+.1f", func(t *evaluate.Trait) *evaluate.Estimate { return &t.AbovePlayed })
	row("above before", "%+.1f", func(t *evaluate.Trait) *evaluate.Estimate { return t.AboveBefore })
	return w.Flush()
}

// worstMaterials is how many materials the card has.
const worstMaterials = 8

// printEndgames prints a table with a row for all, for each number of pieces and for the worst materials.
func printEndgames(out io.Writer, r *evaluate.EndgameReport, intervals evaluate.Intervals) error {
	plain.Fprintf(out, "\nendgames with an exact result: %s (a value above 0.5 means win, below -0.5 "+
		"loss;\nopposite: a win taken for a loss, or the reverse)\n\n", humanize.Count(r.Samples, "position"))
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', tabwriter.AlignRight)
	moves := r.Moves.Positions > 0
	fmt.Fprint(w, "\tpositions\tvalue right\topposite\tsquared error\t")
	if moves {
		fmt.Fprint(w, "moves\tkeep the result\tat random\tkeep a win\tat random\tkeep a draw\tat random\t")
	}
	fmt.Fprintln(w)
	row := func(name string, f *evaluate.EndgameFigures) {
		plain.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t", name, humanize.Thousands(f.Samples), cell(f.ValueAccuracy, true),
			cell(f.ValueOpposite, true), cell(f.ValueMSE, false))
		if moves {
			plain.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t", humanize.Thousands(f.Moves.Positions),
				judged(&f.Moves), cell(f.Moves.Random, true), judged(&f.Won), cell(f.Won.Random, true),
				judged(&f.Drawn), cell(f.Drawn.Random, true))
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
func printPuzzles(out io.Writer, p *evaluate.PuzzleReport) error {
	plain.Fprintf(out, "\npuzzles: %s, first move right %.2f %%, whole line %.2f %%", humanize.Thousands(p.Puzzles),
		100*p.FirstMove, 100*p.WholeLine)
	if p.Mates > 0 {
		plain.Fprintf(out, ", mates in one found %s of %s", cell(p.MateInOne, true), humanize.Thousands(p.Mates))
	}
	if h := p.HeldOut; h != nil {
		plain.Fprintf(out, "\nof these, not in the train split: %s, first move right %.2f %%, whole line %.2f %%",
			humanize.Thousands(h.Puzzles), 100*h.FirstMove, 100*h.WholeLine)
	}
	fmt.Fprint(out, "\n\n")
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "rating\tpuzzles\tfirst move\twhole line\t")
	for _, name := range slices.SortedFunc(maps.Keys(p.ByRating), byNumber) {
		s := p.ByRating[name]
		if from, err := strconv.Atoi(name); err == nil {
			name = fmt.Sprintf("%d-%d", from, from+199)
		}
		plain.Fprintf(w, "%s\t%s\t%.2f %%\t%.2f %%\t\n", name, humanize.Thousands(s.Puzzles), 100*s.FirstMove,
			100*s.WholeLine)
	}
	return w.Flush()
}

// byNumber sorts numbers by their values, and other text after them.
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
func within(intervals evaluate.Intervals, name string, share bool) string {
	i, ok := intervals[name]
	switch {
	case !ok:
		return ""
	case share:
		return fmt.Sprintf("%.2f … %.2f %%", 100*i[0], 100*i[1])
	}
	return fmt.Sprintf("%.4f … %.4f", i[0], i[1])
}

// measured writes a measure's figure, and whether it is worse than a baseline.
func measured(m *evaluate.Measure, f evaluate.Figures, intervals evaluate.Intervals) string {
	if m.Kind == evaluate.Count {
		return humanize.Thousands(f.Count(m.Name))
	}
	text := cell(f.Of(m.Name), m.Kind == evaluate.Share)
	if m.Tile.Of != "" && f.Of(m.Name) != nil {
		text += " of " + humanize.Thousands(f.Count(m.Tile.Of))
	}
	if j, _ := m.Judge(f, intervals); j.Verdict == evaluate.Worse {
		text += " " + worse
	}
	return text
}

// cell writes a figure, or "-" where there is none.
func cell(x *float64, share bool) string {
	if x == nil {
		return "-"
	}
	return evaluate.FormatFigure(*x, share)
}
