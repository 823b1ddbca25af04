package trial

import (
	"fmt"
	"slices"
	"strings"

	"talbot/internal/humanize"
)

// report is the trial so far, as Markdown.
func (t *Trial) report(s *State, steps []step) string {
	var b strings.Builder
	failed, left := 0, 0
	for _, x := range steps {
		switch o := s.outcome(x.name); {
		case o == nil:
			left++
		case o.Error != "":
			failed++
		}
	}
	fmt.Fprintf(&b, "# talbot on %s\n\n", t.Backend)
	switch {
	case left > 0:
		fmt.Fprintf(&b, "**Not finished: %s of %d not done, %d failed.** Repeat the command to continue.\n\n",
			count(left, "step", "steps"), len(steps), failed)
	case failed > 0:
		fmt.Fprintf(&b, "**%d of %d steps failed.** The same command tries these again.\n\n", failed, len(steps))
	default:
		fmt.Fprintf(&b, "**All %d steps are done.**\n\n", len(steps))
	}
	b.WriteString("## Machine\n\n| | |\n|---|---|\n")
	for _, f := range s.Machine {
		fmt.Fprintf(&b, "| %s | %s |\n", cell(f.Name), cell(f.Text))
	}
	b.WriteString("\n## Checks\n\n| step | | seconds |\n|---|---|---|\n")
	for _, x := range steps {
		switch o := s.outcome(x.name); {
		case o == nil:
			fmt.Fprintf(&b, "| %s | not done | |\n", cell(x.name))
		case o.Error != "":
			fmt.Fprintf(&b, "| %s | **failed** | %.1f |\n", cell(x.name), o.Seconds)
		case o.Skipped != "":
			fmt.Fprintf(&b, "| %s | left out: %s | |\n", cell(x.name), cell(o.Skipped))
		default:
			fmt.Fprintf(&b, "| %s | done | %.1f |\n", cell(x.name), o.Seconds)
		}
	}
	for _, o := range s.Done {
		if o.Text == "" && o.Error == "" {
			continue
		}
		fmt.Fprintf(&b, "\n### %s\n\n", o.Step)
		if o.Text != "" {
			fmt.Fprintln(&b, o.Text)
		}
		if o.Error != "" {
			fmt.Fprintf(&b, "\nError: %s\n", o.Error)
		}
	}
	t.speeds(&b, s)
	return b.String()
}

func (s *State) outcome(name string) *Outcome {
	i := slices.IndexFunc(s.Done, func(o Outcome) bool { return o.Step == name })
	if i < 0 {
		return nil
	}
	return &s.Done[i]
}

// speeds are the tables of what was measured.
func (t *Trial) speeds(b *strings.Builder, s *State) {
	if len(s.Speeds) == 0 {
		return
	}
	busy := "device busy"
	if t.device() == "cpu" {
		busy = "processor busy"
	}
	fmt.Fprintf(b, "\n## Speed\n\nPositions a second of `talbot train` with its loader, measured for at least %d s "+
		"after the first %d steps. The matrix rate is that of products of %[3]d×%[3]d matrices in the same precision; "+
		"the share is that of the network's multiplications and additions in it.\n\n", t.Seconds, warmSteps, t.Matrix)
	fmt.Fprintf(b, "| network | precision | batch | positions/s | PyTorch | talbot ÷ PyTorch | of the matrix rate | "+
		"%s | loader wait | first step |\n%s|\n", busy, strings.Repeat("|---", 10))
	var modes []string
	for _, x := range s.Speeds {
		if !x.plain() {
			continue
		}
		torch, ratio := "", ""
		if x.Torch > 0 {
			torch, ratio = fmt.Sprintf("%.0f", x.Torch), fmt.Sprintf("%.2f", x.PerSecond/x.Torch)
		}
		if x.TorchMode != "" && !slices.Contains(modes, x.TorchMode) {
			modes = append(modes, x.TorchMode)
		}
		fmt.Fprintf(b, "| %s | %s | %d | %.0f | %s | %s | %s | %s | %s | %.1f s |\n", x.Size, x.Precision, x.Batch,
			x.PerSecond, torch, ratio, s.share(x), known(x.Busy), humanize.Percent(x.Wait), x.FirstStep)
	}
	for _, mode := range modes {
		fmt.Fprintf(b, "\n%s.\n", strings.TrimSuffix(cell(mode), "."))
	}
	first := true
	for _, x := range s.Speeds {
		if x.plain() {
			continue
		}
		if first {
			fmt.Fprintf(b, "\n| network | precision | batch | devices | deterministic | positions/s | compared "+
				"with one device, not deterministic |\n%s|\n", strings.Repeat("|---", 7))
			first = false
		}
		beside := ""
		for _, y := range s.Speeds {
			if y.plain() && y.Size == x.Size && y.Precision == x.Precision && y.Batch == x.Batch {
				beside = fmt.Sprintf("%.2f", x.PerSecond/y.PerSecond)
			}
		}
		deterministic := "no"
		if x.Deterministic {
			deterministic = "yes"
		}
		fmt.Fprintf(b, "| %s | %s | %d | %d | %s | %.0f | %s |\n", x.Size, x.Precision, x.Batch, x.Devices,
			deterministic, x.PerSecond, beside)
	}
}

// share is the part of the matrix rate that a speed uses.
func (s *State) share(x Speed) string {
	if rate := s.Matrix[x.Precision]; rate > 0 {
		return humanize.Percent(x.PerSecond * x.Operations / rate)
	}
	return ""
}

// known is a share that is 0 where it is not known.
func known(x float64) string {
	if x == 0 {
		return ""
	}
	return humanize.Percent(x)
}

// cell is a text that can stand in a table.
func cell(text string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", "\\|")
}
