package syzygy

import (
	"encoding/binary"
	"hash/crc32"
	"math/bits"
)

// The checksum inside Syzygy tables is made of two functions of CityHash 1.0, which Geoff Pike and Jyrki Alakuijala
// wrote (copyright 2011 Google, Inc., MIT licence): CityHashCrc256 of each chunk of the file, and CityHashCrc128 of all
// those hashes. What follows is as much of them as that takes. Its licence:
//
// Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
// documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
// rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to
// permit persons to whom the Software is furnished to do so, subject to the following conditions:
//
// The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
// Software.
//
// THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
// WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
// COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
// OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.

// Odd multipliers of CityHash.
const (
	k0 = 0xc3a5c85c97cb3127
	k1 = 0xb492b66fbe98f273
	k2 = 0x9ae16a3b2f90404f
	k3 = 0xc949d7c7509e6557
	km = 0x9ddfea08eb382d69
)

func load(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

func rotate(x uint64, by int) uint64 { return bits.RotateLeft64(x, -by) } // to the right

func shiftMix(x uint64) uint64 { return x ^ x>>47 }

// hash16 is CityHash's HashLen16.
func hash16(low, high uint64) uint64 {
	a := shiftMix((low ^ high) * km)
	return shiftMix((high^a)*km) * km
}

// crc is what the processor's instruction CRC32 makes of eight bytes.
func crc(sum, x uint64) uint64 {
	x ^= sum
	t := &crcTables
	return uint64(t[7][byte(x)] ^ t[6][byte(x>>8)] ^ t[5][byte(x>>16)] ^ t[4][byte(x>>24)] ^ t[3][byte(x>>32)] ^
		t[2][byte(x>>40)] ^ t[1][byte(x>>48)] ^ t[0][byte(x>>56)])
}

// crcTables have what a byte followed by 0 to 7 zero bytes does.
var crcTables = func() (t [8][256]uint32) {
	t[0] = [256]uint32(*crc32.MakeTable(crc32.Castagnoli))
	for k := range 7 {
		for i, sum := range t[k] {
			t[k+1][i] = sum>>8 ^ t[0][byte(sum)]
		}
	}
	return t
}()

// crcState are the registers of CityHashCrc256.
type crcState struct {
	a, b, c, d, e, t uint64
	f, g, h, i, j    uint64
}

// step takes in 40 bytes. z is 1 where the multiplier is 1, else 0.
func (s *crcState) step(p []byte, multiplier uint64, z int) {
	_ = p[39]
	old := s.a
	s.a = rotate(s.b, 41^z)*multiplier + load(p)
	s.b = rotate(s.c, 27^z)*multiplier + load(p[8:])
	s.c = rotate(s.d, 41^z)*multiplier + load(p[16:])
	s.d = rotate(s.e, 33^z)*multiplier + load(p[24:])
	s.e = rotate(s.t, 25^z)*multiplier + load(p[32:])
	s.t = old
	s.f, s.g, s.h = crc(s.f, s.a), crc(s.g, s.b), crc(s.h, s.c)
	s.i, s.j = crc(s.i, s.d), crc(s.j, s.e)
}

// crc256 is CityHashCrc256.
func crc256(p []byte) [4]uint64 {
	if len(p) >= 240 {
		return crc256Long(p, 0)
	}
	var b [240]byte
	copy(b[:], p)
	return crc256Long(b[:], ^uint32(len(p)))
}

// crc256Long takes 240 bytes or more.
func crc256Long(p []byte, seed uint32) (sum [4]uint64) {
	n := uint64(len(p))
	s := crcState{a: load(p[56:]) + k0, b: load(p[96:]) + k0, d: load(p[120:])*k0 + n, e: load(p[184:]) + uint64(seed),
		f: uint64(seed)}
	s.c = hash16(s.b, n)
	s.t = s.c + s.d
	sum[0], sum[1] = s.c, s.d
	at := 0
	for ; len(p)-at >= 240; at += 240 {
		for k := at; k < at+240; k += 80 {
			s.step(p[k:], 1, 1)
			s.step(p[k+40:], k0, 0)
		}
	}
	for ; len(p)-at >= 40; at += 40 {
		s.step(p[at:], k0, 0)
	}
	if at < len(p) { // some of these bytes for the second time
		s.step(p[len(p)-40:], k0, 0)
	}
	s.finish(&sum)
	return sum
}

// finish mixes the registers, and two words of the beginning that are in sum, to the hash.
func (s *crcState) finish(sum *[4]uint64) {
	s.j += s.i << 32
	s.a = hash16(s.a, s.j)
	s.h += s.g << 32
	s.b += s.h
	s.c = hash16(s.c, s.f) + s.i
	s.d = hash16(s.d, s.e+sum[0])
	s.j += s.e
	s.i += hash16(s.h, s.t)
	s.e = hash16(s.a, s.d) + s.j
	s.f = hash16(s.b, s.c) + s.a
	s.g = hash16(s.j, s.i) + s.c
	sum[0] = s.e + s.f + s.g + s.h
	s.a = shiftMix((s.a+s.g)*k0)*k0 + s.b
	sum[1] += s.a + sum[0]
	s.a = shiftMix(s.a*k0)*k0 + s.c
	sum[2] = s.a + sum[1]
	s.a = shiftMix((s.a+s.e)*k0) * k0
	sum[3] = s.a + sum[2]
}

// hash128 is CityHashCrc128 of 32 bytes or more.
func hash128(p []byte) (low, high uint64) {
	if len(p) > 900 {
		sum := crc256Long(p, 0)
		return sum[2], sum[3]
	}
	low, high = load(p)^k3, load(p[8:])
	if p = p[16:]; len(p) < 128 {
		return murmur(p, low, high)
	}
	return city128(p, low, high)
}

// murmur is CityMurmur of 16 bytes or more.
func murmur(p []byte, a, b uint64) (low, high uint64) {
	n := uint64(len(p))
	var c, d uint64
	if n == 16 {
		first, last := load(p), load(p[8:])
		a = shiftMix(a*k1) * k1
		c = b*k1 + (hash16(first, rotate(last+n, int(n))) ^ last)
		d = shiftMix(a + first)
	} else {
		c = hash16(load(p[n-8:])+k1, a)
		d = hash16(b+n, c+load(p[n-16:]))
		a += d
		for ; len(p) > 16; p = p[16:] {
			a = (a ^ shiftMix(load(p)*k1)*k1) * k1
			b ^= a
			c = (c ^ shiftMix(load(p[8:])*k1)*k1) * k1
			d ^= c
		}
	}
	a, b = hash16(a, c), hash16(d, b)
	return a ^ b, hash16(b, a)
}

// pair is two words of state.
type pair struct{ first, second uint64 }

// weak32 is WeakHashLen32WithSeeds.
func weak32(p []byte, a, b uint64) pair {
	w, x, y, z := load(p), load(p[8:]), load(p[16:]), load(p[24:])
	a += w
	b = rotate(b+a+z, 21)
	c := a
	a += x + y
	b += rotate(a, 44)
	return pair{a + z, b + c}
}

// city128 is CityHash128WithSeed of 128 bytes or more.
func city128(p []byte, x, y uint64) (low, high uint64) {
	z := uint64(len(p)) * k1
	var v, w pair
	v.first = rotate(y^k1, 49)*k1 + load(p)
	v.second = rotate(v.first, 42)*k1 + load(p[8:])
	w.first = rotate(y+z, 35)*k1 + x
	w.second = rotate(x+load(p[88:]), 53) * k1
	at := 0
	for ; len(p)-at >= 128; at += 128 {
		for k := at; k < at+128; k += 64 {
			q := p[k:]
			x = rotate(x+y+v.first+load(q[8:]), 37) * k1
			y = rotate(y+v.second+load(q[48:]), 42) * k1
			x ^= w.second
			y += v.first + load(q[40:])
			z = rotate(z+w.first, 33) * k1
			v = weak32(q, v.second*k1, x+w.first)
			w = weak32(q[32:], z+w.second, y+load(q[16:]))
			x, z = z, x
		}
	}
	x += rotate(v.first+z, 49) * k0
	z += rotate(w.first, 37) * k0
	for done := 0; done < len(p)-at; { // from the end, in part for the second time
		done += 32
		q := p[len(p)-done:]
		y = rotate(x+y, 42)*k0 + v.second
		w.first += load(q[16:])
		x = x*k0 + w.first
		z += w.second + load(q)
		w.second += v.first
		v = weak32(q, v.first+z, v.second)
	}
	x = hash16(x, v.first)
	y = hash16(y+z, w.first)
	return hash16(x+v.second, w.second) + y, hash16(x+w.second, y+v.second)
}
