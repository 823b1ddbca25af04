package main

import (
	"io"
	"strings"

	"talbot/evaluate"
	"talbot/internal/humanize"
	"talbot/internal/plain"
)

// worse stands after a figure that is worse than its baseline, which is in the row below it.
const worse = "worse"

// judged writes how often a result is kept, and whether that is worse than by moves at random.
func judged(k *evaluate.Kept) string {
	text := cell(k.Kept, true)
	if k.Verdict() == evaluate.Worse {
		text += " " + worse
	}
	return text
}

// verdicts are a line for each head of the network: how its measure stands to the best baseline, with the interval.
func verdicts(on string, f evaluate.Figures, intervals evaluate.Intervals, masked bool) string {
	var lines strings.Builder
	for _, m := range evaluate.Measures() {
		if !m.Verdict {
			continue
		}
		j, ok := m.Judge(f, intervals)
		if !ok {
			continue
		}
		lines.WriteString(plain.Sprintf("%s, on %s: %s %s, %.4f against %.4f\n", m.Row, on, j.Verdict.Phrase(),
			j.BaselineMeasure().Row, j.Figure, j.Against))
		switch i := j.Interval; {
		case i != nil:
			lines.WriteString(plain.Sprintf("  95 %% interval %.4f to %.4f, %s\n", i[0], i[1],
				humanize.Count(j.Samples, "sample")))
		case j.Verdict == evaluate.Unclear:
			lines.WriteString(plain.Sprintf("  too few games for an interval, %s\n", humanize.Count(j.Samples,
				"sample")))
		}
		if next := j.Remedy(f, masked); next != "" {
			lines.WriteString("  " + next + "\n")
		}
	}
	return lines.String()
}

// writeJudged writes a text of [judged] and [verdicts]; on a terminal what is worse is in the colour of an error.
func writeJudged(out io.Writer, text string) error {
	o, ok := out.(*outlet)
	if !ok {
		_, err := io.WriteString(out, text)
		return err
	}
	red := o.inColour(colours["error"], worse)
	_, err := o.write([]byte(text), func() (int, error) {
		for i, part := range strings.Split(text, worse) {
			if i > 0 {
				if _, err := io.WriteString((*folded)(o), red); err != nil {
					return 0, err
				}
			}
			if _, err := o.text.Write([]byte(part)); err != nil {
				return 0, err
			}
		}
		return len(text), nil
	})
	return err
}
