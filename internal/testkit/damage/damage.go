// Package damage changes the bytes of files for tests that must notice it.
package damage

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
)

// Each calls f with a text with one bit changed of every stride-th byte, cut at every fifth of those, and one byte
// longer. With TALBOT_FULL=1 each bit of each byte is changed, and it is cut at each length.
func Each(text []byte, stride int, f func(what string, bad []byte)) {
	bits, cuts := 1, 5*stride
	if os.Getenv("TALBOT_FULL") != "" {
		stride, bits, cuts = 1, 8, 1
	}
	rng := rand.New(rand.NewPCG(11, uint64(len(text))))
	for i := 0; i < len(text); i += stride {
		for _, bit := range rng.Perm(8)[:bits] {
			bad := bytes.Clone(text)
			bad[i] ^= 1 << bit
			f(fmt.Sprintf("byte %d is %q, not %q", i, bad[i], text[i]), bad)
		}
		if i%cuts == 0 {
			f(fmt.Sprintf("cut at byte %d", i), text[:i:i])
		}
	}
	f("one byte longer", append(bytes.Clone(text), ' '))
}
