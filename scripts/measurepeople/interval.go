package main

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
)

// resamples is how often games are drawn for an interval.
const resamples = 2000

// add adds what was counted in another game.
func (c *claim) add(other *claim) {
	c.said += other.said
	c.made += other.made
	c.played += other.played
}

// sum adds the counts of games.
func (*measurement) sum(games []counts) (all counts) {
	for i := range games {
		for band := range all {
			a, g := &all[band], &games[i][band]
			a.positions += g.positions
			a.judged += g.judged
			a.trapped += g.trapped
			a.first.add(&g.first)
			a.many.add(&g.many)
			a.losing.add(&g.losing)
			a.known.add(&g.known)
			a.traps.add(&g.traps)
		}
	}
	return all
}

// row prints how often a claim was made, what it said, and how often that was played.
func (m *measurement) row(w io.Writer, name string, band int, of func(*counts) *claim) {
	var all claim
	for i := range m.counts {
		all.add(of(&m.counts[i]))
	}
	if all.made == 0 {
		fmt.Fprintf(w, "  %-32s never\n", name)
		return
	}
	low, high := interval(m.counts, of, m.seed)
	fmt.Fprintf(w, "  %-32s %6d times; said %4.1f %%, played %4.1f %% (%.1f to %.1f)\n", name, all.made,
		100*all.said/float64(all.made), 100*all.rate(), 100*low, 100*high)
}

// rate is how often what was said was played; NaN if it was never said.
func (c *claim) rate() float64 { return float64(c.played) / float64(c.made) }

// interval is the 95 % bootstrap interval of a claim's rate over games.
func interval(games []counts, of func(*counts) *claim, seed uint64) (low, high float64) {
	rng := rand.New(rand.NewPCG(seed, 2))
	var rates []float64
	for range resamples {
		var c claim
		for range games {
			c.add(of(&games[rng.IntN(len(games))]))
		}
		if c.made > 0 {
			rates = append(rates, c.rate())
		}
	}
	if len(rates) == 0 {
		return math.NaN(), math.NaN()
	}
	slices.Sort(rates)
	at := func(q float64) float64 { return rates[int(math.Round(q*float64(len(rates)-1)))] }
	return at(0.025), at(0.975)
}
