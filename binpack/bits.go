package binpack

import "encoding/binary"

// bitReader reads numbers of a few bits, the highest bit of a byte first.
type bitReader struct {
	data []byte
	at   int    // bytes taken into word
	word uint64 // the bits to come, the next one highest
	left int    // of them
}

// take returns the next n bits, n ≤ 16; false if the data end before.
func (r *bitReader) take(n int) (uint16, bool) {
	if r.left < n && !r.more(n) {
		return 0, false
	}
	v := uint16(r.word >> (64 - n))
	r.word <<= n
	r.left -= n
	return v, true
}

// more reads on until n bits are at hand; false if the data end before.
func (r *bitReader) more(n int) bool {
	if rest := r.data[r.at:]; len(rest) >= 8 {
		r.word |= binary.BigEndian.Uint64(rest) >> r.left
		got := (63 - r.left) / 8 // whole bytes; the bits of the next one, which are there too, come again
		r.at += got
		r.left += 8 * got
		return true
	}
	for r.left < n {
		if r.at == len(r.data) {
			return false
		}
		r.word |= uint64(r.data[r.at]) << (56 - r.left)
		r.at++
		r.left += 8
	}
	return true
}

// align returns how many bytes were taken. The rest of the last one must be 0.
func (r *bitReader) align() (int, error) {
	if r.left%8 > 0 && r.word>>(64-r.left%8) != 0 {
		return 0, errPadding
	}
	return r.at - r.left/8, nil
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
