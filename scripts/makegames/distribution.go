package main

import (
	"math"
	"sort"
)

// What follows are figures of the corpus, counted from all of its games.

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
	lengths = steps{1, 33, 42, 49, 55, 59, 63, 67, 71, 75, 79, 81, 85, 89, 95, 101, 108, 116, 126, 143, 512}
	// years of games.
	years = steps{1749, 1936, 1961, 1972, 1982, 1988, 1991, 1994, 1996, 1999, 2002, 2004, 2007, 2009, 2011, 2013, 2015,
		2017, 2019, 2020, 2021}
	// ratings of players that have one.
	ratings = steps{250, 2299, 2383, 2429, 2460, 2485, 2508, 2530, 2549, 2567, 2585, 2601, 2617, 2634, 2650, 2668, 2688,
		2710, 2734, 2766, 2882}
)

// unrated is the share of players without a rating.
const unrated = 0.1645

var (
	results      = [...]string{"1-0", "0-1", "1/2-1/2", "*"}
	resultShares = [...]float64{0.3484, 0.5930, 0.9998, 1} // cumulative
)

// How many there are, in 328,546 games.
const (
	players = 30645
	events  = 9214
	sites   = 2867
)

// zipf draws one of n by rank, the first n times as often as the last. That law is assumed, not measured.
func (r *random) zipf(n int) int {
	return int(math.Pow(float64(n), r.float()))
}

// pick returns the index of the first cumulative weight above the share u of their sum.
func pick(cumulative []float64, u float64) int {
	x := u * cumulative[len(cumulative)-1]
	return min(sort.SearchFloat64s(cumulative, x), len(cumulative)-1)
}
