package samples

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"sort"
)

// Set is a set of samples of a dataset, with a bit for each sample: 27 million samples take 3.6 MB. It is not safe for
// concurrent use.
type Set struct {
	bits  []uint64
	ranks []int64 // elements before each stretch of stretchWords words
	size  int64   // samples of the dataset
	count int64
	last  int64 // greatest element, -1 if there is none
}

// stretchWords is how many words [Set.At] looks through at most.
const stretchWords = 64

// NewSet returns an empty set for a dataset of that many samples.
func NewSet(samples int64) *Set {
	words := (samples + 63) / 64
	return &Set{bits: make([]uint64, words), ranks: make([]int64, words/stretchWords+1), size: samples, last: -1}
}

// Add adds a sample whose number is greater than those in the set.
func (s *Set) Add(number int64) {
	if number <= s.last || number >= s.size {
		return
	}
	for i := max(s.last, 0)/64/stretchWords + 1; i <= number/64/stretchWords; i++ {
		s.ranks[i] = s.count
	}
	s.bits[number/64] |= 1 << (number % 64)
	s.count, s.last = s.count+1, number
}

// Len is how many samples are in the set.
func (s *Set) Len() int64 { return s.count }

// At returns the sample at a place in ascending order, counted from 0. The set must have more samples than that.
func (s *Set) At(place int64) int64 {
	stretches := s.ranks[:max(s.last, 0)/64/stretchWords+1]
	i := sort.Search(len(stretches), func(i int) bool { return stretches[i] > place }) - 1
	rest := int(place - stretches[i])
	for w := i * stretchWords; ; w++ {
		word := s.bits[w]
		if n := bits.OnesCount64(word); rest >= n {
			rest -= n
			continue
		}
		for ; rest > 0; rest-- {
			word &= word - 1
		}
		return int64(w)*64 + int64(bits.TrailingZeros64(word))
	}
}

// Place returns how many smaller samples than this one are in the set, and whether it is in it.
func (s *Set) Place(number int64) (place int64, in bool) {
	if number < 0 || s.count == 0 {
		return 0, false
	}
	if number > s.last {
		return s.count, false
	}
	word := number / 64
	i := word / stretchWords
	place = s.ranks[i]
	for w := i * stretchWords; w < word; w++ {
		place += int64(bits.OnesCount64(s.bits[w]))
	}
	place += int64(bits.OnesCount64(s.bits[word] & (1<<(number%64) - 1)))
	return place, s.bits[word]>>(number%64)&1 == 1
}

// AppendBinary appends the set to b: the number of samples of the dataset and the bits, in words of 64 bits, least
// significant byte first.
func (s *Set) AppendBinary(b []byte) ([]byte, error) {
	b = binary.LittleEndian.AppendUint64(b, uint64(s.size))
	for _, word := range s.bits {
		b = binary.LittleEndian.AppendUint64(b, word)
	}
	return b, nil
}

var errSet = errors.New("not a set of samples of this dataset")

// ReadSet reads what [Set.AppendBinary] wrote, for a dataset of that many samples.
func ReadSet(b []byte, samples int64) (*Set, error) {
	s := NewSet(samples)
	if len(b) != 8+8*len(s.bits) || int64(binary.LittleEndian.Uint64(b)) != samples {
		return nil, errSet
	}
	for w := range s.bits {
		word := binary.LittleEndian.Uint64(b[8+8*w:])
		s.bits[w] = word
		if w%stretchWords == 0 {
			s.ranks[w/stretchWords] = s.count
		}
		if word != 0 {
			s.count += int64(bits.OnesCount64(word))
			s.last = int64(w)*64 + 63 - int64(bits.LeadingZeros64(word))
		}
	}
	if s.last >= samples {
		return nil, errSet
	}
	return s, nil
}
