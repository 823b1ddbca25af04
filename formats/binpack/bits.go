package binpack

import "encoding/binary"

// bitReader reads numbers of a few bits, the highest bit of a byte first. Behind the end of the data it reads zeros;
// beyond tells.
type bitReader struct {
	data []byte
	at   int // bits taken
}

// next returns the bits to come, the next one highest; at least 57 of them are there.
func (r *bitReader) next() uint64 {
	if rest := r.data[min(r.at/8, len(r.data)):]; len(rest) >= 8 {
		return binary.BigEndian.Uint64(rest) << (r.at % 8 & 63)
	}
	return r.last()
}

// last is next within the last seven bytes or behind them.
func (r *bitReader) last() uint64 {
	var word [8]byte
	copy(word[:], r.data[min(r.at/8, len(r.data)):])
	return binary.BigEndian.Uint64(word[:]) << (r.at % 8)
}

// first returns the highest n bits of a word, 0 ≤ n ≤ 63.
func first(word uint64, n int) int { return int(word >> 1 >> ((63 - n) & 63)) }

// beyond reports whether bits behind the end of the data were taken.
func (r *bitReader) beyond() bool { return r.at > 8*len(r.data) }

// align returns how many bytes were taken. The rest of the last one must be 0.
func (r *bitReader) align() (int, error) {
	size := (r.at + 7) / 8
	if size > 0 && r.data[size-1]<<(8-(8*size-r.at)) != 0 {
		return 0, errPadding
	}
	return size, nil
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
