package samples

import (
	"encoding/binary"
	"errors"
	"math/bits"
)

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

// AppendBinary appends the set to b: the number of samples of the dataset and the bits, in words of 64 bits, least
// significant byte first.
func (s *Set) AppendBinary(b []byte) ([]byte, error) {
	return binary.Append(binary.LittleEndian.AppendUint64(b, uint64(s.size)), binary.LittleEndian, s.bits)
}

// ReadSet reads what [Set.AppendBinary] wrote, for a dataset of that many samples.
func ReadSet(b []byte, samples int64) (*Set, error) {
	s := NewSet(samples)
	if len(b) != 8+8*len(s.bits) || int64(binary.LittleEndian.Uint64(b)) != samples {
		return nil, errors.New("not a set of samples of this dataset")
	}
	if _, err := binary.Decode(b[8:], binary.LittleEndian, s.bits); err != nil {
		return nil, err
	}
	if rest := samples % 64; rest > 0 {
		s.bits[len(s.bits)-1] &= 1<<rest - 1 // there are no samples behind the last one
	}
	for _, word := range s.bits {
		s.count += int64(bits.OnesCount64(word))
	}
	return s, nil
}
