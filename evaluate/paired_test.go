package evaluate

import (
	"bytes"
	"encoding/json"
	"iter"
	"math"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"talbot/board"
	"talbot/encode"
	"talbot/network/predict"
)

// numbered are samples that a fake network knows by their number, several of a line. Every third is seen.
func numbered(lines, mostOfLine int, seed uint64) (all []Sample) {
	r := rand.New(rand.NewPCG(seed, 2))
	for line := range int64(lines) {
		for range 1 + r.IntN(mostOfLine) {
			s := Sample{Source: "game", Packed: make([]uint64, layout.Words), Legal: make([]board.Move, 3),
				Codes: []int32{0, 1, 2}, Policy: []Target{{r.IntN(3), 1}},
				Floats: []float32{float32(2*r.Float64() - 1)}, Unseen: len(all)%3 > 0,
				Origin: &Origin{Position: board.StartPosition(), Line: line}}
			s.Packed[0] = uint64(len(all))
			all = append(all, s)
		}
	}
	return all
}

// guesses is a network that guesses: it is drawn by its seed, and the better the sharper. What it says of the samples
// of a line is alike.
func guesses(samples []Sample, seed uint64, sharp float64) *asked {
	answers := make([]predict.Output, len(samples))
	for i := range samples {
		s := &samples[i]
		line := rand.New(rand.NewPCG(seed, uint64(s.Origin.Line)))
		shift := line.NormFloat64()
		r := rand.New(rand.NewPCG(seed, uint64(i)+1<<32))
		sum, logits := 0.0, [3]float64{}
		for k := range logits {
			logits[k] = r.NormFloat64()
			if k == s.Policy[0].Move {
				logits[k] += sharp + shift
			}
			sum += math.Exp(logits[k])
		}
		for _, z := range logits {
			answers[i].Prior = append(answers[i].Prior, float32(z-math.Log(sum)))
		}
		answers[i].Value = s.Floats[0]*float32(sharp) + float32(0.3*r.NormFloat64())
	}
	return &asked{capabilities: predict.Capabilities{Prior: true, Value: true}, batch: 64,
		answer: func(q predict.Input) predict.Output { return answers[q.Packed[0]] }}
}

func entrant(name string, setting int, n Network) Entry {
	return Entry{Name: name, Network: n, Setting: setting, Layout: layout, PredictedProbability: chance,
		LabelProbability: chance, Values: "tanh", Moves: "played"}
}

// alone are samples of one reader.
func alone(samples []Sample) iter.Seq2[[]Sample, error] {
	return func(yield func([]Sample, error) bool) {
		for _, s := range samples {
			if !yield([]Sample{s}, nil) {
				return
			}
		}
	}
}

func compared(t *testing.T, samples []Sample, known bool, list ...Entry) *Comparison {
	t.Helper()
	c, err := ComparePaired(t.Context(), list, alone(samples), 50, known)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *Comparison) of(t *testing.T, on, measure string) *Difference {
	t.Helper()
	for _, d := range c.On(on, 1) {
		if d.Measure == measure {
			return d
		}
	}
	t.Fatalf("no difference in %s on %s samples: %+v", measure, on, c.Incomparable)
	return nil
}

// A network is not told apart from itself: the difference is exactly 0, and so are both ends of its interval.
func TestANetworkAgainstItself(t *testing.T) {
	samples := numbered(100, 5, 3)
	c := compared(t, samples, true, entrant("a", 0, guesses(samples, 1, 0.5)),
		entrant("a", 1, guesses(samples, 1, 0.5)))
	if len(c.Differences) < 10 || c.Lines != 100 || c.UnseenLines == 0 || c.UnseenLines > 100 {
		t.Fatalf("%+v", c)
	}
	for _, d := range c.Differences {
		if d.Difference != 0 || d.Interval == nil || *d.Interval != [2]float64{} || d.Verdict != Unclear ||
			d.Seeds != nil {
			t.Errorf("%+v", d)
		}
	}
}

// Too few games have no interval, and say so.
func TestTooFewGames(t *testing.T) {
	samples := numbered(5, 9, 4)
	c := compared(t, samples, false, entrant("a", 0, guesses(samples, 1, 0)),
		entrant("b", 1, guesses(samples, 2, 9)))
	if len(c.Differences) == 0 {
		t.Fatal("no differences")
	}
	for _, d := range c.Differences {
		if d.On != "all" || d.Interval != nil || d.Verdict != TooFew {
			t.Errorf("%+v", d)
		}
	}
}

// Which side of 0 is better depends on the figure.
func TestVerdictsHaveTheRightSign(t *testing.T) {
	samples := numbered(300, 5, 5)
	worse, better := guesses(samples, 1, 0.2), guesses(samples, 2, 0.9)
	for _, way := range []struct {
		first, later *asked
		want         Verdict
	}{{worse, better, Better}, {better, worse, Worse}} {
		c := compared(t, samples, true, entrant("a", 0, way.first), entrant("b", 1, way.later))
		for _, name := range []string{"policy_ce_legal", "top1", "value_mse", "value_correlation"} {
			for _, on := range []string{"all", "unseen"} {
				if d := c.of(t, on, name); d.Verdict != way.want {
					t.Errorf("%s: %+v, want %s", name, d, way.want)
				}
			}
		}
		if heads := c.Heads(1); len(heads) != 2 || heads[0].Measure != "policy_ce_legal" ||
			heads[1].Measure != "value_mse" || heads[0].On != "unseen" {
			t.Errorf("%+v", heads)
		}
	}
}

// numpyBootstrap reads the lines, and the two errors, of each sample, and prints the differences of the means and its
// interval: by the draws that this package documents, and by drawing lines with replacement.
const numpyBootstrap = `
import json, sys, math
import numpy as np
d = json.load(sys.stdin)
line, a, b = np.array(d["line"], dtype=np.uint64), np.array(d["a"]), np.array(d["b"])
lines, at = np.unique(line, return_inverse=True)
n = np.bincount(at).astype(float)
gap = np.bincount(at, weights=b - a)
R = 1000
# Poisson(1) by SplitMix64 of the line's number, 16 bits of a word for each replicate
cdf = np.cumsum([math.exp(-1) / math.factorial(k) for k in range(20)])
limits = np.array([np.uint16(min(65535, round(c * 65536))) for c in cdf if c * 65536 <= 65535])
draws = np.zeros((R, len(lines)))
with np.errstate(over="ignore"):
    state = lines.copy()
    for r in range(R):
        if r % 4 == 0:
            state = state + np.uint64(0x9E3779B97F4A7C15)
            z = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            word = z ^ (z >> np.uint64(31))
        draws[r] = np.searchsorted(limits, (word & np.uint64(0xFFFF)).astype(np.uint16), side="right")
        word = word >> np.uint64(16)
same = np.sort(draws @ gap / (draws @ n))
rng = np.random.default_rng(1)
other = np.empty(4000)
for r in range(len(other)):
    w = np.bincount(rng.integers(len(lines), size=len(lines)), minlength=len(lines))
    other[r] = (w @ gap) / (w @ n)
print(json.dumps({"difference": float(gap.sum() / n.sum()), "same": [same[25], same[R - 26]],
    "other": list(np.quantile(other, [0.025, 0.975]))}))
`

// The interval of a paired difference is that of a bootstrap in numpy: with the same draws to rounding, and about that
// of the usual bootstrap, which draws as many lines as there are.
func TestPairedIntervalAgainstNumpy(t *testing.T) {
	if out, err := exec.Command("python3", "-c", "import numpy").CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: python3 with numpy is missing: %v %s", err, out)
	}
	samples := numbered(400, 6, 6)
	a, b := guesses(samples, 1, 0.5), guesses(samples, 2, 0.55)
	c := compared(t, samples, true, entrant("a", 0, a), entrant("b", 1, b))
	for on, want := range map[string]func(s *Sample) bool{"all": func(*Sample) bool { return true },
		"unseen": func(s *Sample) bool { return s.Unseen }} {
		var asked struct {
			Line []int64   `json:"line"`
			A    []float64 `json:"a"`
			B    []float64 `json:"b"`
		}
		for i := range samples {
			if s := &samples[i]; want(s) {
				q := predict.Input{Packed: s.Packed}
				asked.Line = append(asked.Line, s.Origin.Line)
				asked.A = append(asked.A, -float64(a.answer(q).Prior[s.Policy[0].Move]))
				asked.B = append(asked.B, -float64(b.answer(q).Prior[s.Policy[0].Move]))
			}
		}
		text, err := json.Marshal(asked)
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("python3", "-c", numpyBootstrap)
		var errs bytes.Buffer
		cmd.Stdin, cmd.Stderr = bytes.NewReader(text), &errs
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %s", err, &errs)
		}
		var numpy struct {
			Difference  float64
			Same, Other [2]float64
		}
		if err := json.Unmarshal(out, &numpy); err != nil {
			t.Fatal(err)
		}
		d := c.of(t, on, "policy_ce_legal")
		width := numpy.Other[1] - numpy.Other[0]
		for i, x := range d.Interval {
			if math.Abs(x-numpy.Same[i]) > 1e-9 || math.Abs(x-numpy.Other[i]) > 0.1*width {
				t.Errorf("%s: %v, by numpy %+v", on, *d.Interval, numpy)
				break
			}
		}
		if math.Abs(d.Difference-numpy.Difference) > 1e-9 {
			t.Errorf("%s: %g, by numpy %g", on, d.Difference, numpy.Difference)
		}
	}
}

// What cannot be compared is named with the reason, and the rest is compared.
func TestIncomparable(t *testing.T) {
	samples := numbered(50, 5, 10)
	made := func(change func(c *Entry, n *asked)) *Comparison {
		b := guesses(samples, 2, 0.5)
		later := entrant("b", 1, b)
		change(&later, b)
		return compared(t, samples, false, entrant("a", 0, guesses(samples, 1, 0.5)), later)
	}
	reasons := func(c *Comparison) map[string]string {
		list := map[string]string{}
		for _, i := range c.Incomparable {
			list[i.Measure] = i.Reason
		}
		return list
	}
	has := func(c *Comparison, name string) bool {
		return slices.ContainsFunc(c.Differences, func(d Difference) bool { return d.Measure == name })
	}
	for _, want := range []struct {
		change       func(c *Entry, n *asked)
		missing, why string
		have, head   string
	}{
		{func(c *Entry, n *asked) { n.capabilities.Value = false }, "value_mse", "b lacks a value", "top1",
			"policy_ce_legal"},
		{func(c *Entry, n *asked) { n.capabilities.Prior = false }, "top1", "b lacks a policy", "value_mse",
			"value_mse"},
		{func(c *Entry, n *asked) { c.Values = "cp/1000" }, "value_mse", "different scales",
			"value_probability_mse", "value_probability_mse"},
		{func(c *Entry, n *asked) { c.Moves = "multipv:0.1" }, "policy_ce_legal", "--policy-target", "value_mse",
			"value_mse"},
		{func(c *Entry, n *asked) { c.Layout.Candidates = 20 }, "top1", "candidates only", "value_mse",
			"value_mse"},
	} {
		c := made(want.change)
		if why := reasons(c)[want.missing]; !strings.Contains(why, want.why) || has(c, want.missing) {
			t.Errorf("%s: %q, want %q", want.missing, why, want.why)
		}
		heads := c.Heads(1)
		judged := slices.ContainsFunc(heads, func(d *Difference) bool { return d.Measure == want.head })
		if !has(c, want.have) || !judged {
			t.Errorf("%s, %s: %+v", want.have, want.head, heads)
		}
		if _, ok := reasons(c)["chances_ce"]; ok {
			t.Error("a figure that no network has is called incomparable")
		}
	}
}

// What one reader has no target for is measured of none.
func TestSameTargets(t *testing.T) {
	other := encode.Napoleon{}.Layout() // without moves, with a value
	layouts := map[int]*encode.Layout{0: &layout, 1: &other, 2: &layout}
	group := []Sample{labelled(Sample{Policy: []Target{{0, 1}}}, 0.5), labelled(Sample{}, nan),
		labelled(Sample{}, 0.5)}
	sameTargets(group, layouts)
	for i, s := range group {
		if _, ok := float(&s, layouts[i].Float(encode.ValueFloat)); ok || len(s.Policy) > 0 {
			t.Errorf("reader %d: %+v", i, s)
		}
	}
	group = []Sample{labelled(Sample{Policy: []Target{{0, 1}}}, 0.5), labelled(Sample{}, 0.25)}
	sameTargets(group, layouts)
	if len(group[0].Policy) == 0 || group[0].Floats[0] != 0.5 || group[1].Floats[0] != 0.25 {
		t.Errorf("%+v", group)
	}
}
