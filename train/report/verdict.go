package report

import (
	"fmt"
	"math"
	"strings"

	"talbot/evaluate"
	"talbot/internal/humanize"
	"talbot/internal/table"
)

// class returns the class of a verdict.
func class(v evaluate.Verdict) string {
	switch v {
	case evaluate.Better:
		return table.Better
	case evaluate.Worse:
		return table.Worse
	}
	return table.Unsure
}

// verdicts returns those on the policy and on the value, if the network has them. Only unseen positions count.
func (r Run) verdicts() table.Verdicts {
	if r.Eval == nil {
		return table.Verdicts{{Class: table.Unsure, Head: "Network", Title: "Not judged yet",
			Text: "The network has not been evaluated on positions that it was not trained on."}}
	}
	return r.Eval.verdicts()
}

func (e *Eval) verdicts() (list table.Verdicts) {
	if e.Capabilities.Prior {
		list = append(list, e.policyVerdict())
	}
	if e.Capabilities.Value {
		list = append(list, e.valueVerdict())
	}
	for i := range list {
		list[i].Title, list[i].Text = unbroken.Replace(list[i].Title), unbroken.Replace(list[i].Text)
	}
	return list
}

// unbroken keeps a number and its unit on a line.
var unbroken = strings.NewReplacer(" nats", "\u00a0nats", " %", "\u00a0%")

func (e *Eval) policyVerdict() table.Verdict {
	m := evaluate.ByName("policy_ce_legal")
	v, j := e.judge(m, "%.3f", "samples", "with a move to find", func(j *evaluate.Judgement) string {
		return fmt.Sprintf("%.2f nats", math.Abs(j.Against-j.Figure))
	})
	if j == nil {
		return v
	}
	u, than := e.Unseen, j.BaselineMeasure().As
	times := math.Exp(math.Abs(j.Against - j.Figure))
	that := "a random legal move has"
	if j.Baseline != m.Baseline {
		that = than + " give it"
	}
	switch {
	case j.Figure < j.Against:
		v.Text = fmt.Sprintf("The target move gets %s times the probability that %s", factor(times), that)
	case j.Figure > j.Against && j.Baseline == m.Baseline:
		v.Text = fmt.Sprintf("A random legal move has %s times the probability that the target move gets",
			factor(times))
	case j.Figure > j.Against:
		v.Text = fmt.Sprintf("With %s the target move has %s times the probability that the network gives it", than,
			factor(times))
	default:
		v.Text = "The target move gets the probability that " + that
	}
	v.Text += fmt.Sprintf(": cross-entropy over the legal moves %.3f against %.3f for %s, on %s unseen positions.",
		j.Figure, j.Against, than, humanize.Thousands(j.Samples))
	if u.Of("top1") != nil && u.Of("top1_uniform") != nil {
		v.Text += fmt.Sprintf(" Its likeliest move is the target in %s, a random one in %s",
			humanize.Percent(u["top1"]),
			humanize.Percent(u["top1_uniform"]))
		if x := u.Of("top1_moves"); x != nil {
			v.Text += fmt.Sprintf(", that of move statistics in %s", humanize.Percent(*x))
		}
		v.Text += "."
	}
	v.Text += doubt(j, u, "%.3f", e.LegalMask)
	return v
}

func (e *Eval) valueVerdict() table.Verdict {
	if e.Count("value_samples") == 0 {
		return table.Verdict{Class: table.Unsure, Head: "Value, on unseen positions", Title: "Cannot be judged",
			Text: "None of the samples has a label: there is nothing to hold the values against. talbot label makes " +
				"labels."}
	}
	m := evaluate.ByName("value_mse")
	v, j := e.judge(m, "%.4f", e.words("labelled samples"), e.words("with a label"),
		func(j *evaluate.Judgement) string { return humanize.Percent(math.Abs(j.Against-j.Figure) / j.Against) })
	if j == nil {
		return v
	}
	by := e.words("always saying the mean label")
	if j.Baseline != m.Baseline {
		by = "a regression on material, colour and a constant"
	}
	v.Text = fmt.Sprintf("Squared error %.4f against %.4f for %s, on %s unseen positions.", j.Figure, j.Against, by,
		humanize.Thousands(j.Samples))
	v.Text += doubt(j, e.Unseen, "%.4f", e.LegalMask)
	return v
}

// judge begins the verdict on a measure's head with what all verdicts have; the judgement is nil if there is none.
// samples and with name the head's samples, as "samples" and "with a move to find"; apart writes how far a figure is
// from its baseline.
func (e *Eval) judge(m *evaluate.Measure, format, samples, with string, apart func(*evaluate.Judgement) string) (
	table.Verdict, *evaluate.Judgement) {
	v := table.Verdict{Class: table.Unsure, Title: "Cannot be judged", Head: headOf(m) + ", on unseen positions"}
	n := m.Samples(e.Figures)
	if all, ok := m.Judge(e.Figures, e.Intervals); ok {
		v.Aside = fmt.Sprintf("On all %s %s, seen ones too: "+format+" against "+format+" for %s.",
			humanize.Thousands(n), samples, all.Figure, all.Against, all.BaselineMeasure().As)
	}
	if e.Unseen == nil {
		v.Text = unknownUnseen
		return v, nil
	}
	j, ok := m.Judge(e.Unseen, e.UnseenIntervals)
	if !ok || j.Samples == 0 {
		v.Text = noUnseen(n, with)
		return v, nil
	}
	than := j.BaselineMeasure().As
	v.Class = class(j.Verdict)
	v.Title = capital(j.Verdict.Phrase()) + " " + than
	if j.Against > 0 && (j.Verdict == evaluate.Better || j.Verdict == evaluate.Worse) {
		v.Title += " by " + apart(&j)
	}
	v.Parts = e.bySource(format, m)
	return v, &j
}

// words replaces labels in a text by results where the values are compared with results of games.
func (e *Eval) words(text string) string {
	if !e.Results {
		return text
	}
	return strings.NewReplacer("labelled samples", "samples with a result", "label", "result").Replace(text)
}

func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// doubt returns the interval, why nothing is clear, and what to do about a network that is worse.
func doubt(j *evaluate.Judgement, f evaluate.Figures, format string, masked bool) (text string) {
	if i := j.Interval; i != nil {
		text += fmt.Sprintf(" 95 %% interval: "+format+" to "+format+".", i[0], i[1])
	}
	switch {
	case j.Verdict == evaluate.Unclear && j.Interval == nil:
		text += " They are of too few games for an interval: evaluate more positions."
	case j.Level():
		text += " The interval is narrow and contains the baseline: the network is about as good."
	case j.Verdict == evaluate.Unclear:
		text += " The interval contains the baseline: evaluate more positions."
	}
	if next := j.Remedy(f, masked); next != "" {
		text += " What helps: " + next + "."
	}
	return text
}

// bySource judges each source separately; nil if there is only one.
func (e *Eval) bySource(format string, m *evaluate.Measure) []table.Verdict {
	if len(e.UnseenBySource) < 2 {
		return nil
	}
	var list []table.Verdict
	for _, source := range ordered(e.UnseenBySource) {
		f := e.UnseenBySource[source]
		j, ok := m.Judge(f.Figures, f.Intervals)
		if !ok {
			continue
		}
		list = append(list, table.Verdict{Class: class(j.Verdict), Head: source,
			Text: fmt.Sprintf("%s %s, "+format+" against "+format+" on %s",
				j.Verdict.Phrase(), j.BaselineMeasure().As, j.Figure, j.Against, humanize.Thousands(j.Samples))})
	}
	return list
}

const unknownUnseen = "Which of the positions are unseen is not known, because the data that the run was trained on " +
	"was not found."

func noUnseen(samples int64, what string) string {
	if samples == 0 {
		return "No sample " + what + " was evaluated."
	}
	return fmt.Sprintf("All %s samples %s have positions of the training data. Evaluate the split test, or other "+
		"games.",
		humanize.Thousands(samples), what)
}

// factor writes a ratio.
func factor(x float64) string {
	if x >= 100 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.2f", x)
}
