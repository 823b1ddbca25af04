package report

import (
	"fmt"
	"math"
	"strings"

	"talbot/train/evaluate"
)

// verdict says whether one head of the network beats the baseline on positions that it was not trained on.
type verdict struct {
	Class string // "better", "worse" or "unsure"
	Head  string // "Policy" or "Value"
	Title string
	Text  string
	Aside string      // of all samples
	Parts []judgement // by source, where there are several
}

// judgement is a verdict on the unseen positions of one source, in a few words.
type judgement struct{ Class, Source, Text string }

// The classes of verdicts and figures, which are those of the page's colours too.
const (
	better = "better"
	worse  = "worse"
	unsure = "unsure"
)

// against compares a figure with its baseline, where the lower one is better.
func against(figure, baseline *float64) string {
	switch {
	case figure == nil || baseline == nil || *figure == *baseline:
		return unsure
	case *figure < *baseline:
		return better
	}
	return worse
}

// above is against where the higher one is better.
func above(figure, baseline *float64) string { return against(baseline, figure) }

// verdicts are those of the policy and of the value, where the network has them. Only unseen positions count.
func (r Run) verdicts() []verdict {
	e := r.Eval
	if e == nil {
		return []verdict{{Class: unsure, Head: "Network", Title: "Not judged yet",
			Text: "The network has not been evaluated on positions that it was not trained on."}}
	}
	var list []verdict
	if e.Knows.Prior {
		list = append(list, e.policyVerdict())
	}
	if e.Knows.Value {
		list = append(list, e.valueVerdict())
	}
	for i := range list {
		list[i].Title, list[i].Text = unbroken.Replace(list[i].Title), unbroken.Replace(list[i].Text)
	}
	return list
}

// unbroken keeps a number and its unit on a line.
var unbroken = strings.NewReplacer(" nats", "\u00a0nats", " %", "\u00a0%")

func (e *Eval) policyVerdict() verdict {
	v := verdict{Class: unsure, Head: "Policy", Title: "Cannot be judged"}
	u := e.Unseen
	v.Aside = fmt.Sprintf("On all %s samples, seen ones too: %s against %s for chance.",
		thousands(e.Count("policy_samples")),
		number(e.Of("policy_ce_legal"), "%.3f"), number(e.Of("policy_ce_uniform"), "%.3f"))
	switch {
	case u == nil:
		v.Text = unknownUnseen
		return v
	case u.Count("policy_samples") == 0:
		v.Text = noUnseen(e.Count("policy_samples"), "with a move to find")
		return v
	}
	v.Class = against(u.Of("policy_ce_legal"), u.Of("policy_ce_uniform"))
	ce, chance := u["policy_ce_legal"], u["policy_ce_uniform"]
	apart, times := math.Abs(chance-ce), math.Exp(math.Abs(chance-ce))
	switch v.Class {
	case better:
		v.Title = fmt.Sprintf("Better than chance by %.2f nats", apart)
		v.Text = fmt.Sprintf("The target move gets %s times the probability that a random legal move has",
			factor(times))
	case worse:
		v.Title = fmt.Sprintf("Worse than chance by %.2f nats", apart)
		v.Text = fmt.Sprintf("A random legal move has %s times the probability that the target move gets",
			factor(times))
	default:
		v.Title = "No better than chance"
		v.Text = "The target move gets the probability that a random legal move has"
	}
	v.Text += fmt.Sprintf(": cross-entropy over the legal moves %.3f against %.3f for chance, on %s unseen positions.",
		ce, chance, thousands(u.Count("policy_samples")))
	if u.Of("top1") != nil && u.Of("top1_uniform") != nil {
		v.Text += fmt.Sprintf(" Its likeliest move is the target in %s, a random one in %s.", percent(u["top1"]),
			percent(u["top1_uniform"]))
	}
	v.Parts = e.bySource("%.3f", "policy_ce_legal", "chance")
	if i, ok := e.UnseenIntervals["policy_ce_legal"]; ok {
		v.Text += fmt.Sprintf(" 95 %% interval: %.3f to %.3f.", i[0], i[1])
		v.doubt(i, chance, "chance")
	}
	return v
}

func (e *Eval) valueVerdict() verdict {
	v := verdict{Class: unsure, Head: "Value", Title: "Cannot be judged"}
	u := e.Unseen
	if e.Count("value_samples") == 0 {
		v.Text = "None of the samples has a label: there is nothing to hold the values against. " +
			"talbot label makes labels."
		return v
	}
	v.Aside = fmt.Sprintf("On all %s labelled samples, seen ones too: %s against %s for the mean.",
		thousands(e.Count("value_samples")), number(e.Of("value_mse"), "%.4f"), number(e.Of("value_mse_mean"), "%.4f"))
	switch {
	case u == nil:
		v.Text = unknownUnseen
		return v
	case u.Count("value_samples") == 0:
		v.Text = noUnseen(e.Count("value_samples"), "with a label")
		return v
	}
	v.Class = against(u.Of("value_mse"), u.Of("value_mse_mean"))
	mse, mean := u["value_mse"], u["value_mse_mean"]
	switch v.Class {
	case better:
		v.Title = fmt.Sprintf("Better than the mean by %s", percent((mean-mse)/mean))
	case worse:
		v.Title = "Worse than the mean"
		if mean > 0 {
			v.Title += " by " + percent((mse-mean)/mean)
		}
	default:
		v.Title = "No better than the mean"
	}
	v.Text = fmt.Sprintf("Squared error %.4f against %.4f for always saying the mean label, on %s unseen positions.",
		mse, mean, thousands(u.Count("value_samples")))
	v.Parts = e.bySource("%.4f", "value_mse", "the mean")
	if i, ok := e.UnseenIntervals["value_mse"]; ok {
		v.Text += fmt.Sprintf(" 95 %% interval: %.4f to %.4f.", i[0], i[1])
		v.doubt(i, mean, "the mean")
	}
	return v
}

// doubt takes back a verdict whose baseline is within the interval.
func (v *verdict) doubt(interval [2]float64, baseline float64, name string) {
	if within(interval, baseline) {
		v.Class, v.Title = unsure, "No clear difference from "+name
		v.Text += " The interval contains the baseline: evaluate more positions."
	}
}

func within(interval [2]float64, x float64) bool { return interval[0] <= x && x <= interval[1] }

// bySource judges each source by itself; nil where there is one.
func (e *Eval) bySource(format, name, than string) []judgement {
	if len(e.UnseenBySource) < 2 {
		return nil
	}
	var list []judgement
	for _, source := range ordered(e.UnseenBySource) {
		f := e.UnseenBySource[source]
		figure, baseline := f.Of(name), f.Of(evaluate.ByName(name).Baseline)
		if figure == nil || baseline == nil {
			continue
		}
		j := judgement{Class: against(figure, baseline), Source: source}
		word := j.Class + " than"
		if i, ok := f.Intervals[name]; ok && within(i, *baseline) || j.Class == unsure {
			j.Class, word = unsure, "no clear difference from"
		}
		j.Text = fmt.Sprintf("%s %s, "+format+" against "+format+" on %s", word, than, *figure, *baseline,
			thousands(f.Count("samples")))
		list = append(list, j)
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
		thousands(samples), what)
}

// factor writes how many times more.
func factor(x float64) string {
	if x >= 100 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.2f", x)
}
