package main

import (
	"math"
	"sort"
)

// What follows are figures of the corpus, not its games.

// steps are the quantiles of a distribution at equal distances, the least and the greatest value included.
type steps []int

// draw draws a value, as likely between any two quantiles.
func (s steps) draw(r *random) int {
	x := r.float() * float64(len(s)-1)
	i := int(x)
	return s[i] + int((x-float64(i))*float64(s[i+1]-s[i]))
}

var (
	// lengths of games in plies.
	lengths = steps{1, 33, 42, 49, 54, 59, 63, 67, 71, 75, 79, 81, 85, 89, 95, 101, 108, 116, 125, 143, 512}
	// years of games, by decades of the corpus.
	years = steps{1834, 1936, 1968, 1982, 1990, 1993, 1996, 1999, 2002, 2005, 2007, 2009, 2010, 2012, 2013, 2014, 2016,
		2017, 2018, 2019, 2023}
	// ratings of players that have one.
	ratings = steps{1100, 2318, 2389, 2431, 2460, 2484, 2506, 2526, 2544, 2561, 2577, 2593, 2609, 2625, 2642, 2660,
		2679, 2701, 2727, 2758, 2882}
)

// unrated is the share of players without a rating.
const unrated = 0.164

var (
	results      = [...]string{"1-0", "0-1", "1/2-1/2", "*"}
	resultShares = [...]float64{0.3484, 0.5930, 0.9998, 1} // cumulative
)

// How many there are, in 328,546 games.
const (
	players = 20657
	events  = 9214
	sites   = 2867
)

// zipf draws one of n by rank, the first n times as often as the last.
func (r *random) zipf(n int) int {
	return int(math.Pow(float64(n), r.float()))
}

// pick returns the index of the first cumulative weight above the share u of their sum.
func pick(cumulative []float64, u float64) int {
	x := u * cumulative[len(cumulative)-1]
	return min(sort.SearchFloat64s(cumulative, x), len(cumulative)-1)
}
