package samples

import "math/bits"

// Set is a set of samples of a dataset, with a bit for each sample: 27 million samples take 3.6 MB, which are gone
// through in a quarter of a millisecond. It is not safe for concurrent use.
type Set struct {
	bits  []uint64
	size  int64 // samples of the dataset
	count int64
}

// NewSet returns an empty set for a dataset of that many samples.
func NewSet(samples int64) *Set { return &Set{bits: make([]uint64, (samples+63)/64), size: samples} }

// Add adds a sample of the dataset.
func (s *Set) Add(number int64) {
	if bit := uint64(1) << (number % 64); s.bits[number/64]&bit == 0 {
		s.bits[number/64] |= bit
		s.count++
	}
}

// Len is how many samples are in the set.
func (s *Set) Len() int64 { return s.count }

// At returns the sample at a place in ascending order, counted from 0. The set must have more samples than that.
func (s *Set) At(place int64) int64 {
	for w, word := range s.bits {
		if n := int64(bits.OnesCount64(word)); place >= n {
			place -= n
			continue
		}
		for ; place > 0; place-- {
			word &= word - 1
		}
		return int64(w)*64 + int64(bits.TrailingZeros64(word))
	}
	panic("a place beyond the end of a set")
}

// Place returns how many smaller samples than this one are in the set, and whether it is in it.
func (s *Set) Place(number int64) (place int64, in bool) {
	if number < 0 || number >= s.size {
		return 0, false
	}
	for _, word := range s.bits[:number/64] {
		place += int64(bits.OnesCount64(word))
	}
	word := s.bits[number/64]
	place += int64(bits.OnesCount64(word & (1<<(number%64) - 1)))
	return place, word>>(number%64)&1 == 1
}
