package main

import (
	"io"
	"strings"

	"talbot/internal/table"
)

// writeJudged writes a result as text; on a terminal what is worse is in the colour of an error.
func writeJudged(out io.Writer, text string) error {
	o, ok := out.(*outlet)
	if !ok {
		_, err := io.WriteString(out, text)
		return err
	}
	red := o.inColour(colours["error"], table.Worse)
	_, err := o.write([]byte(text), func() (int, error) {
		for i, part := range strings.Split(text, table.Worse) {
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
