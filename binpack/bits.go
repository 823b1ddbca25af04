package binpack

import "encoding/binary"

// bitReader reads numbers of a few bits, the highest bit of a byte first. Behind the end of the data it reads zeros;
// beyond tells.
type bitReader struct {
	data  []byte
	at    int    // bytes taken into word
	word  uint64 // the bits to come, the next one highest
	left  int    // of them
	zeros int    // of left: behind the end of the data
}

// fill reads on until at least 56 bits are at hand, enough for a move and its score.
func (r *bitReader) fill() {
	if rest := r.data[r.at:]; len(rest) >= 8 {
		r.word |= binary.BigEndian.Uint64(rest) >> (r.left & 63)
		got := (63 - r.left) >> 3 // whole bytes; the bits of the next one, which are there too, come again
		r.at += got
		r.left += 8 * got
		return
	}
	for ; r.left <= 56; r.left += 8 {
		if r.at == len(r.data) {
			r.zeros += 8
			continue
		}
		r.word |= uint64(r.data[r.at]) << (56 - r.left)
		r.at++
	}
}

// drop passes over the next n bits, n ≤ 56, of those at hand.
func (r *bitReader) drop(n int) {
	r.word <<= n & 63
	r.left -= n
}

// first returns the highest n bits of a word, 0 ≤ n ≤ 63.
func first(word uint64, n int) int { return int(word >> 1 >> ((63 - n) & 63)) }

// beyond reports whether bits behind the end of the data were taken.
func (r *bitReader) beyond() bool { return r.left < r.zeros }

// align returns how many bytes were taken. The rest of the last one must be 0.
func (r *bitReader) align() (int, error) {
	left := r.left - r.zeros
	if left%8 > 0 && first(r.word, left%8) != 0 {
		return 0, errPadding
	}
	return r.at - left/8, nil
}

// bitWriter appends numbers of a few bits, the highest bit of a byte first.
type bitWriter struct {
	data []byte
	word uint32 // the bits that no byte has yet, the last one lowest
	left int    // of them
}

// put appends the n bits of v, n ≤ 16.
func (w *bitWriter) put(v, n int) {
	w.word, w.left = w.word<<n|uint32(v), w.left+n
	for w.left >= 8 {
		w.left -= 8
		w.data = append(w.data, byte(w.word>>w.left))
	}
	w.word &= 1<<w.left - 1
}

// align fills the last byte up with zeros and returns the data.
func (w *bitWriter) align() []byte {
	if w.left > 0 {
		w.put(0, 8-w.left)
	}
	return w.data
}
