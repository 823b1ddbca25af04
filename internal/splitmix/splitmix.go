// Package splitmix turns numbers into others that look unrelated to them (Steele, Lea and Flood, Fast splittable
// pseudorandom number generators, 2014).
package splitmix

// Gamma is what a generator adds to its state from one number to the next.
const Gamma = 0x9E3779B97F4A7C15

// Finalise makes a generator's state into its number.
func Finalise(z uint64) uint64 {
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// Mix is the first number of a generator that begins with the state x: neighbouring x give unrelated numbers.
func Mix(x uint64) uint64 { return Finalise(x + Gamma) }
