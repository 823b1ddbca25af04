package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"talbot/evaluate"
	"talbot/internal/humanize"
	"talbot/internal/plain"
)

// printBands prints a table with a row for each band of ratings, and one of what the network says when it is given
// another rating.
func printBands(out io.Writer, bands []evaluate.BandReport) error {
	fmt.Fprint(out, "\nby the rating of the player to move, over legal moves\n\n")
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "\tsamples\tmoves\tcross-entropy\tlowest\tfirst move\thighest\t\n")
	var told []*evaluate.BandReport
	for i := range bands {
		b := &bands[i]
		if b.GivenRatings != nil {
			told = append(told, b)
		}
		plain.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", b.Name(), humanize.Thousands(b.Count("samples")),
			humanize.Thousands(b.Moves), cell(b.Of("policy_ce_legal"), false), cell(b.Of("policy_entropy"), false),
			cell(b.Of("top1"), true), cell(b.Of("top1_best"), true))
	}
	if err := w.Flush(); err != nil || told == nil {
		return err
	}
	fmt.Fprint(out, "\ncross-entropy given the band's own rating, and how much more given another\n\n")
	for i := range bands {
		plain.Fprintf(w, "\t%s", bands[i].Name())
	}
	fmt.Fprint(w, "\t\n")
	best := 0
	for _, b := range told {
		own := true
		plain.Fprintf(w, "%s\t", b.Name())
		for _, t := range b.GivenRatings {
			if t.Elo == b.Elo {
				plain.Fprintf(w, "%.4f\t", t.CE)
				continue
			}
			plain.Fprintf(w, "%+.3f ±%.3f\t", t.More, t.MoreInterval[1]-t.More)
			own = own && t.More > 0
		}
		fmt.Fprintln(w)
		if own {
			best++
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if best == len(told) {
		fmt.Fprint(out, "\nin each band the network is best when given the band's own rating\n")
		return nil
	}
	plain.Fprintf(out, "\nin %d of %s the network is best when given the band's own rating\n", best,
		humanize.Count(int64(len(told)), "band"))
	return nil
}
