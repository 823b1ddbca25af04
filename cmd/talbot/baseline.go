package main

import (
	"io"
	"os"
	"strings"

	"talbot/internal/plain"
	"talbot/train/evaluate"
)

// worse stands behind a figure that is worse than its baseline, which is in the row below it.
const worse = "worse"

// judged writes a figure beside its baseline: behind a worse one it says so.
func judged(x, baseline *float64, share bool) string {
	text := cell(x, share)
	if x == nil || baseline == nil {
		return text
	}
	if better := *x < *baseline; *x != *baseline && better == share { // a share should be high, an error low
		text += " " + worse
	}
	return text
}

// verdicts are a line for each head of the network: better or worse than its baseline, and by how much.
func verdicts(on string, f evaluate.Figures) string {
	var lines strings.Builder
	for _, m := range evaluate.Measures() {
		if !m.Verdict {
			continue
		}
		x, baseline := f.Of(m.Name), f.Of(m.Baseline)
		if x == nil || baseline == nil {
			continue
		}
		is := [...]string{worse, "no better", "better"}[1+m.Judge(f)]
		lines.WriteString(plain.Sprintf("%s on %s: %s than %s, %.4f against %.4f\n", m.Head, on, is,
			evaluate.ByName(m.Baseline).Row, *x, *baseline))
	}
	return lines.String()
}

// writeJudged writes a text of [judged] and [verdicts]; on a terminal what is worse is in the colour of an error.
func writeJudged(out io.Writer, text string) error {
	o, ok := out.(*outlet)
	if !ok || o.columns == nil || os.Getenv("NO_COLOR") != "" {
		_, err := io.WriteString(out, text)
		return err
	}
	coloured := "\x1b[" + colours["error"] + "m" + worse + "\x1b[m"
	_, err := o.write([]byte(text), func() (int, error) {
		for i, part := range strings.Split(text, worse) {
			if i > 0 {
				if _, err := io.WriteString((*exactOutlet)(o), coloured); err != nil {
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
