package evaluate

import (
	"cmp"
	"math"
	"slices"

	"talbot/internal/splitmix"
)

// replicates of the bootstrap; the ends of a 95 % interval are its 26th lowest and highest.
const replicates = 1000

// bootstrap draws whole lines with replacement, by the Poisson bootstrap (Chamandy and others, Estimating Uncertainty
// for Massive Data Streams, 2012): in each replicate a line counts as often as a Poisson variable of mean 1 says. It
// needs one pass and one tally a replicate and part. The draws are a function of the line's number, so those of a
// union of parts are the sums of theirs. Its tallies hold the measures with an interval alone, and of those only the
// ones with a baseline if it is for groups.
type bootstrap struct {
	ofGroups bool
	sums     map[part][]tally
	line     int64
	within   map[part]tally // of the line so far
	lines    map[part]float64
}

// part is what the samples are divided into that have their own intervals. A line has samples of at most two.
type part struct {
	source string
	unseen bool
}

func (b *bootstrap) add(line int64, p part, t tally) {
	if line != b.line {
		b.flush()
		b.line = line
	}
	if b.within == nil {
		b.within = map[part]tally{}
	}
	in(b.within, p, b.newTally).add(t, 1)
}

// width is the length of its tallies.
func (b *bootstrap) width() int {
	if b.ofGroups {
		return drawnOfGroups
	}
	return drawn
}

func (b *bootstrap) newTally() tally { return make(tally, b.width()) }

func (b *bootstrap) newReplicates() []tally {
	n := b.width()
	all, list := make(tally, replicates*n), make([]tally, replicates)
	for i := range list {
		list[i] = all[i*n:][:n:n]
	}
	return list
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

func poisson(draw uint16) (n int) {
	for n < len(poisson16) && draw >= poisson16[n] {
		n++
	}
	return n
}

// flush ends a line.
func (b *bootstrap) flush() {
	for p, t := range b.within {
		if b.sums == nil {
			b.sums, b.lines = map[part][]tally{}, map[part]float64{}
		}
		b.lines[p]++
		b.draw(in(b.sums, p, b.newReplicates), t)
	}
	clear(b.within)
}

// draw adds the line to each replicate as often as it is drawn.
func (b *bootstrap) draw(sums []tally, t tally) {
	state, word := uint64(b.line), uint64(0)
	for i := range sums {
		if i%4 == 0 { // SplitMix64
			state += splitmix.Gamma
			word = splitmix.Finalise(state)
		}
		if n := poisson(uint16(word)); n > 0 {
			sums[i].add(t, float64(n))
		}
		word >>= 16
	}
}

// union returns the replicates of the parts that are chosen together, in an order of additions that is always the same.
func (b *bootstrap) union(chosen func(part) bool) []tally {
	var parts []part
	for p := range b.sums {
		if chosen(p) {
			parts = append(parts, p)
		}
	}
	slices.SortFunc(parts, func(p, q part) int {
		if c := cmp.Compare(p.source, q.source); c != 0 || p.unseen == q.unseen {
			return c
		}
		if q.unseen {
			return -1
		}
		return 1
	})
	if len(parts) == 0 {
		return nil
	}
	sums := b.newReplicates()
	for _, p := range parts {
		for i := range sums {
			sums[i].add(b.sums[p][i], 1)
		}
	}
	return sums
}

// intervals returns those of the measures over the chosen parts that have a value in every replicate: with fewer than
// about eight lines none has.
func (b *bootstrap) intervals(chosen func(part) bool) Intervals {
	b.flush()
	sums := b.union(chosen)
	lines := 0.0
	for p, n := range b.lines {
		if chosen(p) {
			lines += n
		}
	}
	list := Intervals{}
	values := make([]float64, 0, replicates)
	for _, m := range measures {
		if !m.Interval || b.ofGroups && !m.judged() {
			continue
		}
		values = values[:0]
		for i := range sums {
			if x, ok := sums[i].figure(m); ok {
				values = append(values, x)
			}
		}
		if i, ok := within95(values); ok {
			if m.Kind == Share && i[0] == i[1] { // none or all: drawing again shows nothing else, which proves nothing
				i = *Wilson(i[0], lines)
			}
			list[m.Name] = i
		}
	}
	return list
}

// within95 is the 95 % interval of what the replicates say, which are then sorted; false if some say nothing.
func within95(values []float64) (interval [2]float64, ok bool) {
	if len(values) < replicates {
		return interval, false
	}
	slices.Sort(values)
	return [2]float64{values[25], values[replicates-26]}, true
}
