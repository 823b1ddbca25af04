package train

import (
	"math"
	"slices"
)

// replicates of the bootstrap; the ends of a 95 % interval are its 26th lowest and highest.
const replicates = 1000

// bootstrap draws whole lines with replacement, by the Poisson bootstrap (Chamandy and others, Estimating Uncertainty
// for Massive Data Streams, 2012): in each replicate a line counts as often as a Poisson variable of mean 1 says. It
// needs one pass and one tally a replicate. The draws are a function of the line's number.
type bootstrap struct {
	sums   []tally
	line   int64
	within tally // of the line so far
}

func (b *bootstrap) add(line int64, t *tally) {
	if line != b.line {
		b.flush()
		b.line = line
	}
	b.within.add(t, 1)
}

// poisson16 are the 16-bit thresholds of the distribution function: a draw is the number of thresholds it reaches.
var poisson16 = func() (thresholds []uint16) {
	sum, p := 0.0, math.Exp(-1)
	for n := 1; ; n++ {
		sum += p
		if sum*65536 > 65535 {
			return thresholds
		}
		thresholds = append(thresholds, uint16(math.Round(sum*65536)))
		p /= float64(n)
	}
}()

func poisson(draw uint16) (n int64) {
	for int(n) < len(poisson16) && draw >= poisson16[n] {
		n++
	}
	return n
}

// flush ends a line.
func (b *bootstrap) flush() {
	if b.within.samples == 0 {
		return
	}
	if b.sums == nil {
		b.sums = make([]tally, replicates)
	}
	state, word := uint64(b.line), uint64(0)
	for i := range b.sums {
		if i%4 == 0 { // SplitMix64
			state += golden
			word = finalise(state)
		}
		if n := poisson(uint16(word)); n > 0 {
			b.sums[i].add(&b.within, n)
		}
		word >>= 16
	}
	b.within = tally{}
}

// intervals returns those of the figures that have a value in every replicate.
func (b *bootstrap) intervals() map[string][2]float64 {
	b.flush()
	values := map[string][]float64{}
	for i := range b.sums {
		f, ends := b.sums[i].figures(), b.sums[i].ends.figures()
		for name, x := range map[string]*float64{
			"policy_ce": f.PolicyCE, "policy_ce_legal": f.PolicyCELegal, "top1": f.Top1, "top3": f.Top3, "top5": f.Top5,
			"illegal_mass": f.IllegalMass, "value_mse": f.ValueMSE, "value_sign_accuracy": f.ValueSignAccuracy,
			"mate_in_one":            f.MateInOne,
			"audited_value_mse":      ratio(b.sums[i].auditedSquared, float64(b.sums[i].audited)),
			"endgame_value_accuracy": ends.ValueAccuracy, "endgame_moves_kept": ends.Moves.Kept,
		} {
			if x != nil {
				values[name] = append(values[name], *x)
			}
		}
	}
	list := map[string][2]float64{}
	for name, x := range values {
		if len(x) == replicates {
			slices.Sort(x)
			list[name] = [2]float64{x[25], x[replicates-26]}
		}
	}
	return list
}
